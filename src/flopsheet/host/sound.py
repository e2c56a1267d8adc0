"""What plugins declare, checked when it is asked for: words of a line, values of a family, formulas of checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from flopsheet.accounting import formula
from flopsheet.accounting.line import GROUPS, Better, Dimension, Family, Kept, Kind, Line, Rule, Shard, Work
from flopsheet.accounting.values import check, shown
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.errors import FormulaError, PluginError
from flopsheet.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from flopsheet.accounting.line import Architecture

WORDS: Mapping[type, Mapping[str, Collection[str]]] = {
    Line: {"group": GROUPS, "work": get_args(Work), "shard": get_args(Shard), "kept": get_args(Kept)},
    Dimension: {"kind": get_args(Kind), "better": get_args(Better)},
}
"""The fields that hold one of some words, and these."""
TEXTS: Mapping[type, tuple[str, ...]] = {
    Line: ("name", "formula", "unit", "title", "about", "source", "active", "full", "decode", "sides"),
    Dimension: ("name", "title", "unit", "about", "source"),
    Rule: ("name", "title", "formula", "compares", "unit", "source", "corrected", "applies", "about"),
}
"""The fields that hold a text."""
TABLES = ("classes", "values", "rename", "defaults", "hints", "checks")
"""The fields of a family that are tables."""


def check_item(item: Any) -> None:
    """Raise PluginError for a line, dimension or rule with a word that nothing reads, or with no text for a text."""
    what = f"{type(item).__name__.lower()} {getattr(item, 'name', '')}"
    for name in TEXTS.get(type(item), ()):
        if not isinstance(getattr(item, name), str):
            raise PluginError(f"{what}: {name} is {shown(getattr(item, name))}; a text is expected")
    if isinstance(item, Dimension) and item.kind == "choice" and not item.labels:
        raise PluginError(f"{what}: a choice needs labels, the words that people choose from")
    for name, words in WORDS.get(type(item), {}).items():
        said = getattr(item, name)
        if said not in words:
            expected = ", ".join(map(repr, words))
            raise PluginError(
                f"{what}: {name} is {shown(said)}{names_like(str(said), words)}; one of {expected} is expected"
            )


def check_tables(family: Family) -> None:
    """Raise PluginError for a family with something else where a table belongs."""
    where = f"family {family.model_type}"
    for name in TABLES:
        if not isinstance(getattr(family, name), Mapping):
            raise PluginError(f"{where}: {name} is {shown(getattr(family, name))}; a table is expected")
    for name, fixed in family.classes.items():
        if not isinstance(fixed, Mapping):
            raise PluginError(f"{where}: classes.{name} is {shown(fixed)}; a table of dimension values is expected")


def check_family(family: Family, dimensions: Iterable[Dimension]) -> None:
    """Raise PluginError for a family that fixes a dimension that does not exist, or a value that it cannot have."""
    check_tables(family)
    known = {dimension.name: dimension for dimension in (*WORKLOAD, *dimensions)}
    for where, fixed in {
        "values": family.values,
        **{f"classes.{name}": one for name, one in family.classes.items()},
    }.items():
        for name, value in fixed.items():
            _check_value(f"family {family.model_type}: {where}.{name}", known, name, value)
    for text in family.checks:
        _read(f"family {family.model_type}: check", text)


def _check_value(where: str, known: Mapping[str, Dimension], name: str, value: Any) -> None:
    if name not in known:
        raise PluginError(f"{where}: no such dimension{names_like(name, known)}")
    dimension = known[name]
    if isinstance(value, str) and not dimension.labels:
        _read(where, value)
        return
    try:
        check(dimension, value)
    except ValueError as error:
        raise PluginError(f"{where}: {error}") from None


def check_architecture(architecture: Architecture) -> None:
    """Raise PluginError for a dimension with a word that nothing reads, or a check or note that nobody can evaluate."""
    for dimension in architecture.dimensions:
        check_item(dimension)
    dimensions = (*WORKLOAD, *architecture.dimensions)
    known = {*(d.name for d in dimensions), *(key for d in dimensions for key in d.keys), *architecture.fields}
    for kind, texts in (("check", architecture.checks), ("note", architecture.notes)):
        for text in texts:
            where = f"{kind} of {architecture.name}"
            for name in _read(where, text):
                if name not in known:
                    raise PluginError(f"{where}: {text!r} names {name!r}, which is unknown{names_like(name, known)}")


def _read(where: str, text: Any) -> tuple[str, ...]:
    try:
        return formula.read(text).names
    except FormulaError as error:
        raise PluginError(f"{where}:\n{error}") from None
