"""What plugins declare, checked when it is asked for: words of a line, values of a family, formulas of checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from flopsheet.accounting import formula
from flopsheet.accounting.line import (
    GROUPS,
    OF_MEMORY,
    OF_MODELS,
    Better,
    Dimension,
    Family,
    Kept,
    Kind,
    Line,
    Rule,
    Shard,
    Work,
)
from flopsheet.accounting.values import check, show_value, wrong_default
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.errors import FormulaError, PluginError
from flopsheet.host.typed_records import record, wrong_text
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from flopsheet.accounting.line import Architecture

WORDS: Mapping[type, Mapping[str, Collection[str]]] = {
    Line: {"group": GROUPS, "work": get_args(Work), "shard": get_args(Shard), "kept": get_args(Kept)},
    Dimension: {"kind": get_args(Kind), "better": get_args(Better)},
}
"""The fields that hold one of some words, and these."""
GROUPS_OF: Mapping[str, Collection[str]] = {"flopsheet_memory": OF_MEMORY}
"""The hooks whose lines have groups of their own; what others give is of OF_MODELS. A helper may have any group."""
TEXTS: Mapping[type, tuple[str, ...]] = {
    Line: ("name", "formula", "unit", "title", "about", "source", "active", "full", "decode", "sides"),
    Dimension: ("name", "title", "unit", "about", "source"),
    Rule: ("name", "title", "formula", "compares", "unit", "source", "corrected", "applies", "about"),
}
"""The fields that hold a text."""
FLAGS: Mapping[type, tuple[str, ...]] = {Line: ("additive", "signed")}
"""The fields that are true or false."""
SEEN = ("title", "unit", "about", "source")
"""Those that people see in cells; names and formulas have limits of their own."""
TABLES = ("classes", "values", "rename", "defaults", "hints", "checks")
"""The fields of a family that are tables."""


def check_item(item: Any, hook: str = "") -> None:
    """Raise PluginError for a line, dimension or rule with a word that nothing reads, or with no text for a text.

    A line that counts is in one of the groups that its hook's totals are made of.
    """
    if problem := next(_item_problems(item, hook), ""):
        where = f"{hook}: " if hook else ""
        raise PluginError(f"{where}{type(item).__name__.lower()} {item.name}: {problem}", item.name)


def _item_problems(item: Any, hook: str) -> Iterator[str]:
    for name in TEXTS.get(type(item), ()):
        text = getattr(item, name)
        if not isinstance(text, str):
            yield f"{name} is {show_value(text)}; a text is expected"
        elif name in SEEN and (reason := wrong_text(name, text)):
            yield f"{name}: {reason}"
    for name in FLAGS.get(type(item), ()):
        if not isinstance(value := getattr(item, name), bool):
            yield f"{name} is {show_value(value)}; true or false is expected"
    if isinstance(item, Dimension) and item.kind == "choice" and not item.labels:
        yield "a choice needs labels, the words that people choose from"
    if isinstance(item, Dimension) and (reason := wrong_default(item)):
        yield reason
    yield from _wrong_words(item, hook)


def _wrong_words(item: Any, hook: str) -> Iterator[str]:
    words_by_name = dict(WORDS.get(type(item), {}))
    if isinstance(item, Line) and item.additive:
        words_by_name["group"] = GROUPS_OF.get(hook, OF_MODELS)
    for name, words in words_by_name.items():
        if (value := getattr(item, name)) not in words:
            choices = ", ".join(map(repr, words))
            found = f"{show_value(value)}{names_like(str(value), words)}"
            unsaid = ", as of a line that names none" if value == type(item)._field_defaults.get(name) else ""
            yield f"{name} is {found}{unsaid}; one of {choices} is expected"


def check_tables(family: Family) -> None:
    """Raise PluginError for a family with something else where a table belongs."""
    where, place = f"family {family.model_type}", f"families.{family.model_type}"
    for name in TABLES:
        if not isinstance(getattr(family, name), Mapping):
            what = f"{where}: {name} is {show_value(getattr(family, name))}"
            raise PluginError(f"{what}; a table is expected", f"{place}.{name}")
    for name, values in family.classes.items():
        if not isinstance(values, Mapping):
            what = f"{where}: classes.{name} is {show_value(values)}"
            raise PluginError(f"{what}; a table of dimension values is expected", f"{place}.classes.{name}")
    record(Family, family, where)


def check_family(family: Family, dimensions: Iterable[Dimension]) -> None:
    """Raise PluginError for a family that fixes a dimension that does not exist, or a value that it cannot have."""
    check_tables(family)
    by_name, place = _by_name((*WORKLOAD, *dimensions)), f"families.{family.model_type}"
    for where, values in {
        "values": family.values,
        **{f"classes.{name}": table for name, table in family.classes.items()},
    }.items():
        _check_values(f"family {family.model_type}: {where}", values, by_name, f"{place}.{where}")
    for text in family.checks:
        _read(f"family {family.model_type}: check", text, f"families.{family.model_type}.checks.{text}")


def _by_name(dimensions: Iterable[Dimension]) -> dict[str, Dimension]:
    return {dimension.name: dimension for dimension in dimensions}


def _check_values(
    where: str, values: Mapping[str, Any], dimensions: Mapping[str, Dimension], of: str, names: set[str] | None = None
) -> None:
    """Raise PluginError for a value that a dimension cannot have; its formula may hold these names, or any."""
    for name, value in values.items():
        if problem := _problem(dimensions, name, value, names):
            raise PluginError(f"{where}.{name}:{problem}", f"{of}.{name}")


def _problem(dimensions: Mapping[str, Dimension], name: str, value: Any, names: set[str] | None) -> str:
    """Say what is wrong with a value that is given to a dimension, "" where it can have it."""
    if name not in dimensions:
        return f" no such dimension{names_like(name, dimensions)}"
    dimension = dimensions[name]
    try:
        if isinstance(value, str) and not dimension.labels:
            formula.read(value, names)
        else:
            check(dimension, value)
    except FormulaError as error:
        return f"\n{error}"
    except ValueError as error:
        return f" {error}"
    return ""


def check_architecture(architecture: Architecture) -> None:
    """Raise PluginError for a dimension, check, note or value on paper that cannot be, with its place."""
    for dimension in architecture.dimensions:
        check_item(dimension)
    _check_defaults(architecture)
    dimensions = (*WORKLOAD, *architecture.dimensions)
    known_names = {*(d.name for d in dimensions), *(key for d in dimensions for key in d.keys), *architecture.fields}
    for kind, texts in (("check", architecture.checks), ("note", architecture.notes)):
        for text in texts:
            where, of = f"{kind} of {architecture.name}", f"architectures.{architecture.name}.{kind}s.{text}"
            for name in _read(where, text, of):
                if name not in known_names:
                    hint = names_like(name, known_names)
                    raise PluginError(f"{where}: {text!r} names {name!r}, which is unknown{hint}", of)
    where, of = f"architecture {architecture.name}: on_paper", f"architectures.{architecture.name}.on_paper"
    by_name = _by_name(dimensions)
    _check_values(where, architecture.on_paper, by_name, of, {*by_name})


def _check_defaults(architecture: Architecture) -> None:
    """Raise PluginError for a default that is no formula of the dimensions before it and of fields of configs."""
    dimensions = architecture.dimensions
    known_names = {*architecture.fields, *(key for dimension in dimensions for key in dimension.keys)}
    for place, dimension in enumerate(dimensions):
        if isinstance(text := dimension.default, str):
            where, of = f"dimension {dimension.name}: default", dimension.name
            later = {other.name for other in dimensions[place:]} - known_names
            if name := next((name for name in _read(where, text, of) if name in later), ""):
                what = f"{text!r} names {name}, which is not before it"
                raise PluginError(f"{where}: {what}; move it behind that, or name another", of)
            _read(where, text, of, known_names)
        known_names.add(dimension.name)


def _read(where: str, text: Any, of: str, names: Collection[str] | None = None) -> tuple[str, ...]:
    try:
        return formula.read(text, names).names
    except FormulaError as error:
        raise PluginError(f"{where}:\n{error}", of) from None
