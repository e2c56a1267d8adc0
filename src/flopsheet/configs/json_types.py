"""Types of JSON values as class tables write them, such as `int|None`, `list[str]` and `'default'|'full'`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JSON_TYPES: Mapping[str, tuple[type, str]] = {
    "int": (int, "a whole number"),
    "float": (float, "a number with a decimal point"),
    "bool": (bool, "true or false"),
    "str": (str, "a text"),
    "list": (list, "a list"),
    "dict": (dict, "an object"),
    "None": (type(None), "null"),
}


@cache
def type_test(text: str) -> Callable[[Any], bool]:
    """Return the test of a type as the tables write it: `int|None`, `list[str]`, `'default'|'full'`."""
    tests = [_test_part(part) for part in alternatives(text)]
    plain = plain_types(text)
    return lambda value: type(value) in plain or any(test(value) for test in tests)


@cache
def plain_types(text: str) -> frozenset[type]:
    """Return the types of which every value passes that test."""
    return frozenset(JSON_TYPES[part][0] for part in alternatives(text) if part in JSON_TYPES)


def _test_part(part: str) -> Callable[[Any], bool]:
    if part.startswith("'"):
        return lambda value: isinstance(value, str) and value == part.strip("'")
    if part.startswith("list["):
        inner = type_test(part.removeprefix("list[").removesuffix("]"))
        return lambda value: isinstance(value, list) and all(inner(each) for each in value)
    kind = JSON_TYPES[part][0]
    if kind is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    return lambda value: isinstance(value, kind)


def alternatives(text: str) -> list[str]:
    """Return the parts between bars that are in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def write_type(text: str) -> str:
    """Return a type as a message says it."""
    return " or ".join(_write_part(part) for part in alternatives(text))


def _write_part(part: str) -> str:
    if part.startswith("list["):
        inner = write_type(part.removeprefix("list[").removesuffix("]"))
        return f"a list (each {inner})"
    return part if part.startswith("'") else JSON_TYPES[part][1]
