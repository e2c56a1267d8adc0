"""Numbers as texts: what joining, FIXED and TEXT make of them."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from livesheets.evaluate.scalars import Fault, FaultError, Scalar, UnknownError, number

_FORMAT = re.compile(r"(?P<grouped>#,##)?0(?P<digits>\.0+)?(?P<exponent>E\+00)?(?P<percent>%)?")
_PLAIN = Decimal("1e21")
"""Numbers from here on are joined to texts with an exponent."""


def decimal(value: float) -> Decimal:
    """Return a number as spreadsheets round it: on its 15 significant digits."""
    return Decimal(f"{value:.15g}")


def round_decimal(value: float, digits: int, mode: str = ROUND_HALF_UP) -> Decimal:
    """Return a number to so many digits after the point, before it where negative."""
    step = Decimal(1).scaleb(-digits)
    result = decimal(value)
    return result if result.adjusted() - 28 > -digits else result.quantize(step, mode)  # beyond Decimal's own precision


def fixed_text(value: float, digits: int, *, commas: bool = True) -> str:
    """Return a number as FIXED shows it, thousands grouped."""
    result = round_decimal(value, digits)
    return f"{result:,.{max(digits, 0)}f}" if commas else f"{result:.{max(digits, 0)}f}"


def scientific(value: float, places: int) -> str:
    """Return a number as TEXT(value, "0.00E+00") shows it."""
    exact = decimal(value)
    exponent = exact.adjusted() if exact else 0
    mantissa = exact.scaleb(-exponent).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if abs(mantissa) >= 10:  # noqa: PLR2004 - a mantissa has one digit before its point
        mantissa, exponent = (mantissa / 10).quantize(Decimal(1).scaleb(-places)), exponent + 1
    return f"{mantissa:.{places}f}E{'+' if exponent >= 0 else '-'}{abs(exponent):02d}"


def text_of(value: Scalar) -> str:
    """Return a value as it is joined to a text."""
    if isinstance(value, Fault):
        raise FaultError(value)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    exact = decimal(float(value))
    if exact and not Decimal("1e-9") <= abs(exact) < _PLAIN:
        raise UnknownError
    return f"{exact.normalize():f}" if exact else "0"


def format_value(value: Scalar, form: str) -> str:
    """Return TEXT(value, form) for the simple forms: #,##0.00, 0.0%, 0.00E+00 and their like."""
    if isinstance(value, str) and not isinstance(value, Fault):
        return value
    result, amount = _FORMAT.fullmatch(form), number(value)
    if result is None or (result["exponent"] and (result["grouped"] or result["percent"])):
        raise UnknownError
    places = len(result["digits"] or ".") - 1
    if result["exponent"]:
        return scientific(amount, places)
    if result["percent"]:
        amount *= 100
    return fixed_text(amount, places, commas=bool(result["grouped"])) + (result["percent"] or "")
