"""Tables of a file as records: each value is checked against the type of its field, whichever record it is.

The same types make the JSON Schemas that editors complete and check such files with.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from flopsheet.accounting.line import Input, Line, Number
from flopsheet.accounting.values import shown
from flopsheet.errors import PluginError, SeveralPluginError
from flopsheet.suggestions import names_like

NAMES = {"Callable": Callable, "Mapping": Mapping, "Sequence": Sequence, "Any": Any, "Number": Number}
NAMES |= {"Input": Input, "Line": Line}
"""What modules of records import for their annotations alone."""
WORDS: Mapping[Any, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


class Field(NamedTuple):
    """A field of a record: its type, and whether a table must have it."""

    type: Any
    required: bool


@cache
def fields_of(kind: type) -> Mapping[str, Field]:
    """Return the fields of a record that a table may have: those that hold data, not code."""
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), NAMES)
    if is_dataclass(kind):
        needed = {one.name: one.default is MISSING and one.default_factory is MISSING for one in fields(kind)}
    else:
        needed = {name: name not in kind._field_defaults for name in kind._fields}  # type: ignore[attr-defined]
    return {name: Field(hints[name], required) for name, required in needed.items() if not _is_code(hints[name])}


def is_record(kind: Any) -> bool:
    """Tell whether a type is a record, whose tables are records in turn."""
    return isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields"))


def record(kind: type, table: Any, where: str) -> Any:
    """Return a table as a record; PluginError says which of its values are not what their fields hold, and where."""
    if not isinstance(table, Mapping):
        raise PluginError(f"{where}: {shown(table)}; a table is expected", where)
    known = fields_of(kind)
    check_known(table, known, where)
    if missing := [name for name, one in known.items() if one.required and name not in table]:
        raise PluginError(f"{where}: {', '.join(missing)} missing", where)
    values = _each((known[name].type, value, f"{where}.{name}") for name, value in table.items())
    return kind(**dict(zip(table, values, strict=True)))


def check_known(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise PluginError for a key that is not one of the known: with those that are like it, else with all of them."""
    for name in table:
        if name not in (there := list(known)):
            hint = names_like(name, there) or f"; expected one of {', '.join(there)}"
            raise PluginError(f"{where}.{name}: unknown{hint}", f"{where}.{name}")


def value_of(kind: Any, value: Any, where: str) -> Any:
    """Return a value as a field of this type holds it; PluginError says what was expected."""
    if is_record(kind):
        return record(kind, value, where)
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(inner, value, where)
    if origin in (tuple, Sequence):
        _checked(isinstance(value, list), "a list", value, where)
        return tuple(_each((inner[0], one, f"{where}[{place}]") for place, one in enumerate(value)))
    if origin is Mapping:
        _checked(isinstance(value, Mapping), "a table", value, where)
        return {name: value_of(inner[1], one, f"{where}.{name}") for name, one in value.items()}
    if origin is Literal:
        return _checked(value in inner, f"one of {', '.join(map(repr, inner))}", value, where)
    return _checked(*_is(kind, value), value, where)


def _each(said: Iterable[tuple[Any, Any, str]]) -> list[Any]:
    """Return values as their types hold them; all that do not fit are reported in one error."""
    found: list[Any] = []
    wrong: list[PluginError] = []
    for kind, value, where in said:
        try:
            found.append(value_of(kind, value, where))
        except SeveralPluginError as errors:
            wrong += errors.each
        except PluginError as error:
            wrong.append(error)
    if wrong:
        raise SeveralPluginError(wrong) if len(wrong) > 1 else wrong[0]
    return found


def _one_of(kinds: Sequence[Any], value: Any, where: str) -> Any:
    """Return a value as the first of some types that fits."""
    for kind in kinds:
        try:
            return value_of(kind, value, where)
        except PluginError:
            continue
    words = [WORDS.get(kind, "a table") for kind in kinds if kind is not type(None)]
    raise PluginError(f"{where}: {shown(value)}; {' or '.join(words)} is expected", where)


def _is(kind: Any, value: Any) -> tuple[bool, str]:
    """Tell whether a value is of a plain type, and what the type is called."""
    numeric = isinstance(value, int | float if kind is float else kind) if kind is not Any else True
    return numeric and (kind in (bool, Any) or not isinstance(value, bool)), WORDS.get(kind, "something else")


def _checked(fits: bool, expected: str, value: Any, where: str) -> Any:  # noqa: FBT001 - what is checked
    if not fits:
        raise PluginError(f"{where}: {shown(value)}; {expected} is expected", where)
    return value


def _is_code(kind: Any) -> bool:
    return get_origin(kind) is Callable or any(_is_code(inner) for inner in get_args(kind) if inner is not kind)
