"""What the language holds: its functions, comparisons and limits, in one place for readers and writers."""

from __future__ import annotations

import ast
from types import MappingProxyType

from msgspec import Struct

MOST_CHARACTERS = 4_000
MOST_NODES = 300
DEEPEST = 64  # Excel refuses to open a workbook whose functions nest deeper
LARGEST = 2**53  # every whole number up to here is a float64 of its own


class Function(Struct, frozen=True):
    """A function: how a formula calls it, its name in Excel, how many arguments it takes, and which Excel takes too."""

    usage: str
    sheet: str
    fewest: int
    most: int
    sheet_too: tuple[int, ...] = ()


FUNCTIONS = MappingProxyType(
    {
        "min": Function("min(a, b, …)", "MIN", 2, MOST_NODES),
        "max": Function("max(a, b, …)", "MAX", 2, MOST_NODES),
        "ceil": Function("ceil(x)", "CEILING", 1, 1, (1,)),
        "floor": Function("floor(x)", "INT", 1, 1),
        "round_up": Function("round_up(value, multiple)", "CEILING", 2, 2),
        "power": Function("power(base, exponent)", "POWER", 2, 2),
        "log": Function("log(x)", "LN", 1, 1),
        "exp": Function("exp(x)", "EXP", 1, 1),
        "month_end": Function("month_end(day, months)", "EOMONTH", 2, 2),
    }
)


class Comparison(Struct, frozen=True):
    """A comparison as formulas, Excel and people write it, made of `same` or `less`.

    Its operands may be swapped, and its answer negated.
    """

    source: str
    sheet: str
    words: str
    helper: str
    is_swapped: bool
    is_negated: bool


COMPARISONS: MappingProxyType[type[ast.cmpop], Comparison] = MappingProxyType(
    {
        ast.Eq: Comparison("==", "=", "=", "same", is_swapped=False, is_negated=False),
        ast.NotEq: Comparison("!=", "<>", "≠", "same", is_swapped=False, is_negated=True),
        ast.Lt: Comparison("<", "<", "<", "less", is_swapped=False, is_negated=False),
        ast.Gt: Comparison(">", ">", ">", "less", is_swapped=True, is_negated=False),
        ast.LtE: Comparison("<=", "<=", "≤", "less", is_swapped=True, is_negated=True),
        ast.GtE: Comparison(">=", ">=", "≥", "less", is_swapped=False, is_negated=True),
    }
)

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
SIGNS = (ast.USub, ast.UAdd)

NEAR = 2.0**-48
"""LibreOffice takes numbers for equal that differ by less than this share of either, unless both are whole."""

SNAP = 6e-15
"""A float further from a whole number than this share of itself does not become whole when rounded to 15 digits."""

STEPS = 2048.0
"""LibreOffice snaps no number with at most 11 binary digits after the point: a multiple of 1/2048."""
