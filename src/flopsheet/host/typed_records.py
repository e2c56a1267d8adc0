"""Tables of a file as records: each value is checked against the type of its field, whichever record it is.

Records that a plugin made in Python are held to the same types. These make the JSON Schemas that editors complete and
check such files with. A field that is `Annotated` with a record holds a table that this record describes.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

from flopsheet.accounting.line import Input, Line, Number
from flopsheet.accounting.values import is_number, show_value
from flopsheet.errors import PluginError, SeveralPluginError
from livesheets.suggestions import names_like

NAMES = {"Callable": Callable, "Mapping": Mapping, "Sequence": Sequence, "Any": Any, "Number": Number}
NAMES |= {"Input": Input, "Line": Line, "Iterable": Iterable, "Path": Path}
"""What modules of records import for their annotations alone."""
WORDS: Mapping[Any, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
MOST_LETTERS, MOST_OF_TITLE = 8_000, 200
"""Characters of a text at most, and of a title or name, which formulas and headers of a workbook hold."""
TITLES = ("title", "name")
LARGEST = 1e307
"""Numbers beyond it become infinite in a spreadsheet."""
CONTROL = {*map(chr, range(32)), "\x7f"} - {"\n", "\t"}
"""Characters that no cell and no terminal can hold."""


class Field(Struct, frozen=True):
    """A field of a record: its type, and whether a table must have it."""

    type: Any
    is_required: bool


@cache
def fields_of(kind: type) -> Mapping[str, Field]:
    """Return the fields of a record that a table may have: those that hold data, not code."""
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), NAMES, include_extras=True)
    return {name: Field(hints[name], flag) for name, flag in _find_required(kind).items() if not _is_code(hints[name])}


def _find_required(kind: type) -> Mapping[str, bool]:
    """Return for each field of a record whether there is no record without it."""
    if is_dataclass(kind):
        return {field.name: field.default is MISSING and field.default_factory is MISSING for field in fields(kind)}
    if issubclass(kind, Struct):
        first = len(kind.__struct_fields__) - len(kind.__struct_defaults__)
        return {name: at < first for at, name in enumerate(kind.__struct_fields__)}
    return {name: name not in kind._field_defaults for name in kind._fields}  # type: ignore[attr-defined]


@cache
def _code_of(kind: type) -> Mapping[str, Any]:
    """Return the fields of a record that hold code, each with its type."""
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), NAMES)
    return {name: hint for name, hint in hints.items() if _is_code(hint)}


def _check_code(kind: type, instance: Any, where: str) -> None:
    """Raise PluginError for a record made in Python with something else where a function, or its record, belongs."""
    for name, hint in _code_of(kind).items():
        value, optional = getattr(instance, name), type(None) in get_args(hint)
        inner = next(filter(is_record, (hint, *get_args(hint))), None)
        if inner and isinstance(value, inner):
            record(inner, value, below(where, name))
        else:
            fits = (inner is None and callable(value)) or (value is None and optional)
            _check_fit(fits, f"a {inner.__name__}" if inner else "a function", value, below(where, name))


def is_record(kind: Any) -> bool:
    """Tell whether a type is a record, whose tables are records in turn."""
    return isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, Struct) or hasattr(kind, "_fields"))


def record(kind: type, table: Any, where: str) -> Any:
    """Return a table, or a record made in Python, as a record whose values are what their fields hold.

    PluginError says which of them are not, and where: all in one error.
    """
    schema, is_instance = fields_of(kind), isinstance(table, kind)
    data = {name: getattr(table, name) for name in schema} if is_instance else table
    if not isinstance(data, Mapping):
        raise PluginError(f"{where}: {show_value(data)}; a table is expected", where)
    check_known(data, schema, where)
    if missing := [name for name, field in schema.items() if field.is_required and name not in data]:
        raise PluginError(f"{where}: {', '.join(missing)} missing", where)
    values = _each((schema[name].type, value, below(where, name)) for name, value in data.items())
    result = dict(zip(data, values, strict=True))
    if not is_instance:
        return kind(**result)
    _check_code(kind, table, where)
    if isinstance(table, Struct):
        return structs.replace(table, **result)
    return dataclasses.replace(table, **result) if is_dataclass(kind) else table._replace(**result)


def below(where: str, name: str) -> str:
    """Return the place of a field in what is at a place."""
    return f"{where}.{name}" if where else name


def check_known(table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    """Raise PluginError for a key that is not one of the known: with those that are like it, else with all of them."""
    for name in table:
        if name not in (there := list(keys)):
            hint = names_like(name, there) or f"; expected one of {', '.join(there)}"
            raise PluginError(f"{below(where, name)}: unknown{hint}", below(where, name))


def value_of(kind: Any, value: Any, where: str) -> Any:
    """Return a value as a field of this type holds it; PluginError says what was expected."""
    if is_record(kind):
        return record(kind, value, where)
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is Annotated:
        record(inner[1], value_of(inner[0], value, where), where)
        return value
    read = READERS.get(origin)
    return read(inner, value, where) if read else _plain(kind, value, where)


def _plain(kind: Any, value: Any, where: str) -> Any:
    if kind is str and isinstance(value, str) and (wrong := wrong_text(where.rpartition(".")[2], value)):
        raise PluginError(f"{where}: {wrong}", where)
    return _check_fit(*_is(kind, value), value, where)


def _word(words: Sequence[Any], value: Any, where: str) -> Any:
    hint = names_like(value, words) if isinstance(value, str) else ""
    return _check_fit(value in words, f"one of {', '.join(map(repr, words))}", value, where, hint)


def _table(inner: Sequence[Any], value: Any, where: str) -> dict[str, Any]:
    _check_fit(isinstance(value, Mapping), "a table", value, where)
    return {name: value_of(inner[1], item, below(where, str(name))) for name, item in value.items()}


def wrong_text(name: str, text: str) -> str:
    """Say why no cell can hold the text of a field, "" where one can."""
    most = MOST_OF_TITLE if name in TITLES else MOST_LETTERS
    if len(text) > most:
        return f"a text of {len(text):,} characters; at most {most:,} are expected"
    if result := CONTROL & {*text}:
        return f"{show_value(text)} has the control character {min(result)!r}; a text without it is expected"
    return ""


def _sequence(inner: Sequence[Any], value: Any, where: str) -> tuple[Any, ...]:
    """Return a list as a tuple: of any length, or of as many values as there are types."""
    _check_fit(isinstance(value, list | tuple), "a list", value, where)
    kinds = [inner[0]] * len(value) if inner[-1] is ... or len(inner) == 1 else inner
    _check_fit(len(kinds) == len(value), f"a list of {len(kinds)}", value, where)
    pairs = zip(kinds, value, strict=True)
    return tuple(_each((kind, item, f"{where}[{at}]") for at, (kind, item) in enumerate(pairs)))


def _each(items: Iterable[tuple[Any, Any, str]]) -> list[Any]:
    """Return values as their types hold them; all that do not fit are reported in one error."""
    results: list[Any] = []
    wrong: list[PluginError] = []
    for kind, value, where in items:
        try:
            results.append(value_of(kind, value, where))
        except SeveralPluginError as errors:
            wrong += errors.each
        except PluginError as error:
            wrong.append(error)
    if wrong:
        raise SeveralPluginError(wrong) if len(wrong) > 1 else wrong[0]
    return results


def _one_of(kinds: Sequence[Any], value: Any, where: str) -> Any:
    """Return a value as the first of some types that fits; where all but one are None, the error is that one's."""
    some = [kind for kind in kinds if kind is not type(None)]
    if value is None and len(some) < len(kinds):
        return None
    if len(some) == 1:
        return value_of(some[0], value, where)
    for kind in some:
        try:
            return value_of(kind, value, where)
        except PluginError:
            continue
    words = [WORDS.get(kind, "a table") for kind in some]
    raise PluginError(f"{where}: {show_value(value)}; {' or '.join(words)} is expected", where)


def _is(kind: Any, value: Any) -> tuple[bool, str]:
    """Tell whether a value is of a plain type, and what the type is called."""
    word = WORDS.get(kind, "something else")
    if kind is Any:
        return True, word
    if kind is float:
        return is_number(value) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST, word
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool)), word


def _check_fit(fits: bool, what: str, value: Any, where: str, hint: str = "") -> Any:  # noqa: FBT001 - what is checked
    if not fits:
        raise PluginError(f"{where}: {show_value(value)}{hint}; {what} is expected", where)
    return value


READERS: Mapping[Any, Callable[[Sequence[Any], Any, str], Any]] = {
    **dict.fromkeys((Union, UnionType), _one_of),
    **dict.fromkeys((tuple, Sequence), _sequence),
    Mapping: _table,
    Literal: _word,
}
"""How values of types that are made of others are read."""


def _is_code(kind: Any) -> bool:
    inside = (_is_code(inner) for inner in get_args(kind) if inner is not kind)
    return get_origin(kind) is Callable or _needs_code(kind) or any(inside)


@cache
def _needs_code(kind: Any) -> bool:
    """Tell whether a type is a record that cannot be without a function."""
    if not is_record(kind):
        return False
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), NAMES)
    return any(get_origin(hints[name]) is Callable for name, is_required in _find_required(kind).items() if is_required)
