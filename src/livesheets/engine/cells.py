"""Cells as text: numbers, escaped strings and formulas with their cached values."""

from __future__ import annotations

import re
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING

from livesheets.engine.model import Formula, plain_value
from livesheets.evaluate.scalars import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from livesheets.engine.model import Value

MAX_TEXT = 32_767
MAX_FORMULA = 8_192
EXACT = 2**53
LARGEST = 2**1023
"""Whole numbers below it surely have a float64."""

_SPECIAL = re.compile("[&<>\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_XML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LOOKS_LIKE_FORMULA = tuple("=+-@\t\r")


class CellError(ValueError):
    """A value that no cell can hold; the caller adds where."""


def number(value: float | Fraction) -> str:
    """Return a number as the file holds it: the nearest float64, whole numbers up to 2**53 as such."""
    if isinstance(value, Fraction):
        return whole(value.numerator) if value.denominator == 1 else real(_float(value))
    return whole(value) if isinstance(value, int) else real(value)


def whole(value: int) -> str:
    """Return a whole number as the file holds it: beyond 2**53 it is the nearest float64."""
    return int.__repr__(value) if -EXACT <= value <= EXACT else real(_float(value))


def real(value: float) -> str:
    """Return a float as the file holds it; nan and infinities are refused."""
    if not isfinite(value):
        raise CellError(f"{value} is not a number that a cell can hold")
    return float.__repr__(value)


def _float(value: int | Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        raise CellError("the number is beyond the largest that a cell can hold, 1.8e308") from None


def escape(text: str) -> str:
    """Return text for a cell: markup escaped, control characters as _xHHHH_, a literal _xHHHH_ kept literal."""
    _check_length(text)
    return _SPECIAL.sub(_escape_one, text)


def _escape_one(match: re.Match[str]) -> str:
    character = match[0]
    return _XML.get(character) or f"_x{ord(character):04X}_"


def _check_length(text: str) -> None:
    length = len(text)
    if length * 2 > MAX_TEXT:
        length += sum(character > "\uffff" for character in text)  # Excel counts UTF-16 units
    if length > MAX_TEXT:
        raise CellError(f"the text has {length:,} characters; a cell holds at most {MAX_TEXT:,}")


def unescape(text: str) -> str:
    """Return the text meant by one with _xHHHH_ in it."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def xml_attribute(text: str) -> str:
    """Return text such as a column's name for an attribute: line breaks as _x000a_, which a parser would fold."""
    return re.sub("[\t\n]", lambda match: f"_x{ord(match[0]):04x}_", literal(text))


def literal(text: str) -> str:
    """Return text for an XML library, which escapes markup itself: only what XML cannot hold as _xHHHH_."""
    return _SPECIAL.sub(lambda match: match[0] if match[0] in _XML else _escape_one(match), text)


def formula(text: str) -> str:
    """Return a formula element; one that is too long, or holds characters that XML cannot, is refused."""
    if len(text) > MAX_FORMULA:
        raise CellError(f"the formula has {len(text):,} characters; Excel reads at most {MAX_FORMULA:,}")
    if _NO_XML.search(text):
        raise CellError("the formula has a control character")
    return f"<f>{text.translate(_TRANSLATE)}</f>"


_TRANSLATE = str.maketrans(_XML)


def looks_like_formula(text: str) -> bool:
    """Whether Excel would read the text as a formula once someone edits the cell."""
    return text.startswith(_LOOKS_LIKE_FORMULA)


def style_attribute(style: int) -> str:
    """Return the style attribute, nothing for the default style."""
    return f' s="{style}"' if style else ""


def cached_value(value: Value) -> tuple[str, str]:
    """Return the type and the text of a formula's value."""
    match value:
        case None:
            return "", ""
        case bool():
            return "b", str(int(value))
        case Fault():
            return "e", str(value)
        case str():
            _check_length(value)
            return "str", value
        case int() | float() | Fraction():
            return "", number(value)
        case _:
            raise CellError(f"{type(value).__name__} is not a type that a cell can hold")


def content(value: Value, formula_xml: str = "") -> tuple[str, str]:
    """Return a cell's type attribute and what is inside it."""
    if value is None:
        return "", formula_xml
    if isinstance(value, str) and not formula_xml:
        keep = ' xml:space="preserve"' if value != value.strip() or "\n" in value else ""
        return ' t="inlineStr"', f"<is><t{keep}>{escape(value)}</t></is>"
    kind, text = cached_value(value)
    return f' t="{kind}"' * bool(kind), f"{formula_xml}<v>{escape(text)}</v>"


def cell(ref: str, style: int, value: Value | Formula, quote: Callable[[int], int]) -> str:
    """Return a whole cell. `quote` gives the variant of a style for text that must never become a formula."""
    formula_xml = formula(value.text) if isinstance(value, Formula) and value.text else ""
    plain = plain_value(value)
    if isinstance(plain, str) and not formula_xml and looks_like_formula(plain):
        style = quote(style)
    kind, inside = content(plain, formula_xml)
    start = f'<c r="{ref}"{style_attribute(style)}{kind}'
    return f"{start}>{inside}</c>" if inside else f"{start}/>"
