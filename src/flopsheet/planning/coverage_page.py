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
from flopsheet.configs.source import load_model
from flopsheet.host.host import load
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.host.host import Host

OPEN: Mapping[str, Mapping[str, object]] = {
    "deepseek_v2": {"num_experts_per_tok": 6},
    "dots1": {"n_routed_experts": 128, "num_experts_per_tok": 6},
    "esm": {"vocab_size": 33},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 16},
}
"""Fields that a class leaves open and that its models say."""

EXACT, APPROXIMATE, UNSUPPORTED = "exact", "approximate", "unsupported"

HEAD = """# Coverage

What flopsheet makes of each `model_type` in the causal-LM, sequence-to-sequence, masked-LM and image-text mappings of
transformers {version}, and of the language models inside them, counted at its class defaults; fields that a class
leaves open are filled in. Made by `make docs`; a test holds it to the code.

- **exact**: parameters, FLOPs and caches are counted, and every field of the class is understood
- **approximate**: counted, with the reservation that is given; of a multimodal wrapper, the language model alone
- **unsupported**: no plugin reads it, for the reason that is given; a portfolio may say `read_as` where a type works
  like another

{summary}

| model_type | status | architecture | plugin | reservation |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Covered:
    """One `model_type`: its status at its class defaults, and what reads it."""

    model_type: str
    status: str
    architecture: str = ""
    plugin: str = ""
    reservation: str = ""


def coverage(host: Host) -> list[Covered]:
    """Return every known `model_type` in order: those of the class tables, and those that plugins claim beside them."""
    folder = files("flopsheet.configs").joinpath("classes")
    tables = {entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json")}
    return [_covered(host, model_type) for model_type in sorted(tables | host.families.keys())]


def summary(covered: list[Covered]) -> str:
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
    rows = (f"| {c.model_type} | {c.status} | {c.architecture} | {c.plugin} | {c.reservation} |" for c in covered)
    return head + "\n".join(rows) + "\n"


def _covered(host: Host, model_type: str) -> Covered:
    read = model_type if model_type in host.families else _text(model_type)
    if read not in host.families:
        return Covered(model_type, UNSUPPORTED, reservation=_unclaimed().get(model_type, ""))
    family, plugin = host.families[read]
    costed = cost(host, load_model(host, _default_config(model_type)))
    status = {"ok": EXACT, "approximate": APPROXIMATE}.get(costed.status, UNSUPPORTED)
    reservation = "; ".join(costed.problems).replace("|", "\\|").replace("\n", " ")
    return Covered(model_type, status, family.architecture, plugin.name, reservation[:200])


@cache
def _unclaimed() -> Mapping[str, str]:
    """Return why no plugin reads a type."""
    document = tomllib.loads(read_text("flopsheet.planning", "data", "unclaimed.toml"))
    return {model_type: reason for reason, table in document.items() for model_type in table["types"]}


def _default_config(model_type: str) -> dict[str, object]:
    table, text = class_table(model_type), _text(model_type)
    defaults = {key: value for key, value in table.defaults.items() if value is not None} if table else {}
    part = {"text_config": _default_config(text)} if text else {}
    return {**defaults, **OPEN.get(model_type, {}), **part, "model_type": model_type}


def _text(model_type: str) -> str:
    """Return the type of the language model inside a wrapper, or nothing."""
    table = class_table(model_type)
    return table.text if table else ""


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201 - this is what the module is run for
