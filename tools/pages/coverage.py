"""What flopsheet makes of each `model_type`: `python -m pages.coverage > docs/coverage.md`."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.accounting.data import read_text
from flopsheet.configs.classes import class_table
from flopsheet.configs.joint_models import EMPTY
from flopsheet.configs.lifting import lift
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.kit.default_config import default_config, text_type
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Family
    from flopsheet.host.host import Host

DATA = Path(__file__).parent / "data"
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
    return tuple(tomllib.loads((DATA / "use.toml").read_text("utf-8"))["order"].split())


def summary(covered: list[TypeCoverage]) -> str:
    """Return the line that README repeats."""
    result = Counter(one.status for one in covered)
    return (
        f"Of {len(covered)} model types, {result[EXACT]} are exact, {result[APPROXIMATE]} approximate and"
        f" {result[UNSUPPORTED]} unsupported."
    )


def page() -> str:
    """Return the page."""
    covered = coverage(load())
    version = json.loads(read_text("flopsheet.configs", "classes.json"))["transformers"]
    head = HEAD.format(version=version, summary=summary(covered))
    return head + "\n".join(map(_row, covered)) + "\n"


def _row(one: TypeCoverage) -> str:
    cells = (one.model_type, one.status, one.architecture, one.plugin, one.compared, one.towers, one.reservation)
    return f"| {' | '.join(cells)} |"


def _covered(host: Host, model_type: str) -> TypeCoverage:
    read = model_type if model_type in host.families else text_type(model_type)
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
    results = [what for name, what in UNCOSTED.items() if dimensions.get(name)]
    return f"(no FLOP of {' and '.join(results)}{reason and f': {reason}'})" if results else ""


def _reason(host: Host, family: Family) -> str:
    """Return why FLOP of a type's towers are refused; a type takes the reason of the one that it is like."""
    while "uncosted" not in family.hints and (like := family.hints.get("like")):
        family = host.family(like)
    return str(family.hints.get("uncosted", ""))


def _towers(host: Host, family: Family) -> list[str]:
    """Return the types of the parts that a multimodal model has next to its language model."""
    while (like := family.hints.get("like")) and "parts" not in family.hints:
        family = family._replace(hints={**host.family(like).hints, "like": host.family(like).hints.get("like")})
    _, table = lift(family, {}, class_table(family.model_type) or EMPTY)
    types = {**family.hints.get("types", {}), **{key: said["type"] for key, said in table.parts.items()}}
    return [str(types[key]) for key in family.hints.get("parts", ()) if key in types]


@cache
def _unclaimed() -> Mapping[str, str]:
    """Return why no plugin reads a type, or only its language model."""
    document = tomllib.loads((DATA / "unclaimed.toml").read_text("utf-8"))
    return {model_type: reason for reason, table in document.items() for model_type in table["types"]}


if __name__ == "__main__":
    print(page(), end="")
