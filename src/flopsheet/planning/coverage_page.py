"""What flopsheet makes of each `model_type`: `python -m flopsheet.planning.coverage_page > docs/coverage.md`."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from flopsheet.accounting.data import read_text
from flopsheet.configs.classes import class_table
from flopsheet.configs.joined import EMPTY
from flopsheet.configs.lifting import lifted
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Family
    from flopsheet.configs.classes import ClassTable
    from flopsheet.host.host import Host

_LAYER = {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 5.25}}
_WIDTHS = {"hidden_size": 8192, "num_hidden_layers": 2, "num_attention_heads": 64, "vocab_size": 128256}
_DRAFT = {"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "vocab_size": 128256}
_DRAFTS = {
    **dict.fromkeys(("Eagle3LlamaForCausalLM", "LlamaEagle3ForCausalLM", "LlamaForCausalLMEagle3"), (1, {})),
    **dict.fromkeys(("DFlashDraftModel", "DSparkDraftModel", "DominoDraftModel"), (5, {"target_layer_ids": [1, 9]})),
    "PEagleDraftModel": (4, {}),
}
OPEN: Mapping[str, Mapping[str, object]] = {
    "dbrx": {"attn_config": {"kv_n_heads": 8, "rope_theta": 500000.0}},
    "deci": {**_WIDTHS, "intermediate_size": 28672, "num_key_value_heads_per_layer": [4, 1]},
    "deepseek": {"n_routed_experts": 64, "num_experts_per_tok": 6},
    "deepseek_v2": {"num_experts_per_tok": 6},
    "dots1": {"n_shared_experts": 2, "n_routed_experts": 128, "num_experts_per_tok": 6},
    "esm": {"vocab_size": 33},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "ministral": {"head_dim": 128},
    "nemotron": {"num_key_value_heads": 8},
    "nemotron-nas": {**_WIDTHS, "block_configs": [_LAYER, _LAYER]},
    "openelm": {
        "model_dim": 1280,
        "num_transformer_layers": 2,
        "head_dim": 64,
        "vocab_size": 32000,
        "num_query_heads": [12, 20],
        "num_kv_heads": [3, 5],
        "ffn_multipliers": [0.5, 4.0],
        "ffn_dim_divisor": 256,
        "share_input_output_layers": True,
    },
    "qwen3_omni_moe": {
        "thinker_config": {"text_config": {"head_dim": 128}},
        "talker_config": {"spatial_merge_size": 2, "text_config": {"shared_expert_intermediate_size": 768}},
    },
    "qwen3_omni_moe_text": {"head_dim": 128},
    "qwen3_omni_moe_thinker": {"text_config": {"head_dim": 128}},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 16},
    **{name: {"attn_type_list": [*([0] * 7), 1] * 4} for name in ("minimax_m1", "minimax_text_01")},
    "dots_ocr": {
        "text_config": {"model_type": "qwen2", "hidden_size": 1536, "num_attention_heads": 12, "num_key_value_heads": 2}
    },
    "minicpmv": {"text_config": {"model_type": "qwen2"}, "version": 2.6},
    "minimax_m3": {"text_config": {"model_type": "minimax_m3_vl_text"}},
    "kimi_k3": {"text_config": {"model_type": "kimi_linear", "v_head_dim": 128}},
    **{
        name: {"architectures": [name], **_DRAFT, "num_hidden_layers": layers, "dflash_config": options}
        for name, (layers, options) in _DRAFTS.items()
    },
}
"""Fields that a class leaves open and that its models say."""

EXACT, APPROXIMATE, UNSUPPORTED = "exact", "approximate", "unsupported"

UNCOSTED = {
    "vision_uncosted": "images",
    "vision_videos_uncosted": "videos",
    "audio_uncosted": "sound",
    "n_part_weights": "parts besides the text",
}
"""What is refused or left out where a dimension is not 0."""

HEAD = """# Coverage

What flopsheet makes of each `model_type` in the causal-LM, sequence-to-sequence, masked-LM and image-text mappings of
transformers {version}, of the language models inside them, and of types whose code comes with their checkpoints. Each
is counted at its class defaults; fields that a class leaves open are filled in. The most used types come first, the
others follow by name. Made by `make docs`; a test compares it with the code.

- **exact**: parameters, FLOPs and caches are counted, and every field of the class is understood
- **approximate**: counted, with the reservation that is given; of a multimodal model that no plugin reads, the language
  model alone
- **unsupported**: no plugin reads it, for the reason that is given; a portfolio may say `read_as` where a type works
  like another

Towers, and parts that no token of text passes, are those of the class's defaults, counted with what joins them to the
language model: parameters, memory, and the FLOP of images, videos and sound, as torch's counter sees them. Where FLOP
of some are refused, the column says which and why.

What a type was compared with: transformers' own class on the meta device; for types of flash-linear-attention, that
library's; for types whose code comes with their checkpoints, published totals, those of an index or of a model card,
and where there is none the sum of the tensors that the code builds.

A scan, the recurrence of state-space layers and linear attention, counts as its authors write it. torch's counter sees
the products of chunked code in its place: a fraction of a percent at the sizes of published models, far more for short
sequences. `show` gives the share of each model, and torch's own count where a formula has it exactly.

{summary}

| model_type | status | architecture | plugin | compared with | towers | reservation |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class TypeCoverage:
    """One `model_type`: its status at its class defaults, and what reads it."""

    model_type: str
    status: str
    architecture: str = ""
    plugin: str = ""
    towers: str = ""
    reservation: str = ""
    compared: str = ""


def coverage(host: Host) -> list[TypeCoverage]:
    """Return every known `model_type`, most used first: of class tables and plugins, and those left out."""
    folder = files("flopsheet.configs").joinpath("classes")
    named = {entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json")}
    towers = {name for name in named | host.families.keys() if _is_part(host, name)}
    known = (named | host.families.keys() | _unclaimed().keys()) - towers
    first = [model_type for model_type in most_used() if model_type in known]
    return [_covered(host, model_type) for model_type in (*first, *sorted(known.difference(first)))]


def _is_part(host: Host, name: str) -> bool:
    """Tell whether a type is only inside others: its table says so, or it has none, joins, and names no parts."""
    table = class_table(name)
    if table or name not in host.families:
        return bool(table and table.tower)
    family = host.family(name)
    return family.architecture in host.joining and "parts" not in family.hints


@cache
def most_used() -> tuple[str, ...]:
    """Return the types that people ask for most, in order."""
    return tuple(tomllib.loads(read_text("flopsheet.planning", "data", "use.toml"))["order"].split())


def summary(covered: list[TypeCoverage]) -> str:
    """Return the line that README repeats."""
    found = Counter(one.status for one in covered)
    return (
        f"Of {len(covered)} model types, {found[EXACT]} are exact, {found[APPROXIMATE]} approximate and"
        f" {found[UNSUPPORTED]} unsupported."
    )


def page() -> str:
    """Return the page."""
    covered = coverage(load())
    table = class_table("llama")
    head = HEAD.format(version=table.transformers if table else "", summary=summary(covered))
    return head + "\n".join(map(_row, covered)) + "\n"


def _row(one: TypeCoverage) -> str:
    cells = (one.model_type, one.status, one.architecture, one.plugin, one.compared, one.towers, one.reservation)
    return f"| {' | '.join(cells)} |"


def _covered(host: Host, model_type: str) -> TypeCoverage:
    read = model_type if model_type in host.families else _text(model_type)
    if read not in host.families:
        return TypeCoverage(model_type, UNSUPPORTED, reservation=_unclaimed().get(model_type, ""))
    family, plugin = host.family(read), host.families[read][1]
    is_own = read == model_type and class_table(model_type) is None
    own = {**(default_config(family.like) if family.like else {}), **family.defaults} if is_own else {}
    costed = cost(host, load_model(host, {**own, **default_config(model_type)}))
    status = {"ok": EXACT, "approximate": APPROXIMATE}.get(costed.status, UNSUPPORTED)
    reservation = _unclaimed().get(model_type) or "; ".join(costed.problems).replace("|", "\\|").replace("\n", " ")
    architecture = costed.model.architecture or family.architecture
    refused = _refused(costed.dimensions, _reason(host, family))
    towers = " ".join(filter(None, (", ".join(_towers(host, family)), refused)))
    compared = _compared(model_type, family) if status != UNSUPPORTED else ""
    return TypeCoverage(model_type, status, architecture, plugin.name, towers, reservation[:200], compared)


def _compared(model_type: str, family: Family) -> str:
    """Return what a type's counts were held against."""
    if class_table(model_type):
        return "transformers"
    library = "flash-linear-attention"
    return library if library in family.source else "published totals"


def _refused(dimensions: Mapping[str, float | str], reason: str) -> str:
    """Return which FLOP of a model's towers are refused and why, in brackets."""
    found = [what for name, what in UNCOSTED.items() if dimensions.get(name)]
    return f"(no FLOP of {' and '.join(found)}{reason and f': {reason}'})" if found else ""


def _reason(host: Host, family: Family) -> str:
    """Return why FLOP of a type's towers are refused; a type takes the reason of the one that it is like."""
    while "uncosted" not in family.hints and (like := family.hints.get("like")):
        family = host.family(like)
    return str(family.hints.get("uncosted", ""))


def _towers(host: Host, family: Family) -> list[str]:
    """Return the types of the parts that a multimodal model has next to its language model."""
    while (like := family.hints.get("like")) and "parts" not in family.hints:
        family = family._replace(hints={**host.family(like).hints, "like": host.family(like).hints.get("like")})
    _, table = lifted(family, {}, class_table(family.model_type) or EMPTY)
    types = {**family.hints.get("types", {}), **{key: said["type"] for key, said in table.parts.items()}}
    return [str(types[key]) for key in family.hints.get("parts", ()) if key in types]


@cache
def _unclaimed() -> Mapping[str, str]:
    """Return why no plugin reads a type, or only its language model."""
    document = tomllib.loads(read_text("flopsheet.planning", "data", "unclaimed.toml"))
    return {model_type: reason for reason, table in document.items() for model_type in table["types"]}


def has_defaults(model_type: str) -> bool:
    """Tell whether a class declares what a type's configs may leave out."""
    return class_table(model_type) is not None or model_type in OPEN


def default_config(model_type: str) -> dict[str, object]:
    """Return a config of the type at its class defaults, with what the class leaves open."""
    table, text = class_table(model_type), _text(model_type)
    defaults = {key: value for key, value in table.defaults.items() if value is not None} if table else {}
    part = {"text_config": {**default_config(text), **_absent(table)}} if text else {}
    return {**defaults, **OPEN.get(model_type, {}), **part, "model_type": model_type}


def _absent(table: ClassTable | None) -> Mapping[str, object]:
    """Return the fields of the language model's config that a wrapper's class gives where it is left out."""
    return table.parts.get("text_config", {}).get("absent", {}) if table else {}


def _text(model_type: str) -> str:
    """Return the type of the language model inside a wrapper, or nothing."""
    table = class_table(model_type)
    return table.text if table else ""


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201 - this is what the module is run for
