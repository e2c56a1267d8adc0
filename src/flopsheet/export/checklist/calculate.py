"""What a formula gives with the values that its cells show: arithmetic, sums and lookups, no more."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.export.checklist.excel import FUNCTIONS, Grid, UnknownError, number, scalar
from flopsheet.export.checklist.look import Cell
from flopsheet.export.checklist.reach import ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.export.checklist.excel import Result, Scalar
    from flopsheet.export.checklist.look import Look

    Term = Callable[["Context"], Result]

_BRACKETS = r"\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\]"
_TOKEN = re.compile(
    rf"""\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]?\d+)?)|(?P<text>"(?:[^"]|"")*")"""
    r"""|(?P<function>[^\W\d][\w.]*)\("""
    rf"""|(?P<place>(?:(?:'(?:[^']|'')+'|[\w.]+)!)?\$?[A-Za-z]{{1,3}}\$?\d+(?::\$?[A-Za-z]{{1,3}}\$?\d+)?(?![\w.(\[])"""
    rf"""|[^\W\d]\w*{_BRACKETS}|[^\W\d][\w.]*)|(?P<sign><=|>=|<>|[-+*/^&=<>(),%]))"""
)
_LEVELS = (("=", "<>", "<=", ">=", "<", ">"), ("&",), ("+", "-"), ("*", "/"), ("^",))
_SIGNS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}
_COMPARED: Mapping[str, Callable[[Scalar, Scalar], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: _ranked(a) < _ranked(b),
    ">": lambda a, b: _ranked(a) > _ranked(b),
    "<=": lambda a, b: _ranked(a) <= _ranked(b),
    ">=": lambda a, b: _ranked(a) >= _ranked(b),
}


@dataclass
class Context:
    """Where a formula stands, what other cells would show, and the largest number that was added up on the way."""

    look: Look
    cell: Cell
    instead: Mapping[Cell, Scalar] = field(default_factory=dict)
    largest: float = 0

    def shown(self, cell: Cell) -> Scalar:
        """Return what a cell shows."""
        if cell in self.instead:
            return self.instead[cell]
        value = self.look.value(cell)
        if value is None and cell in self.look.formulas:
            raise UnknownError
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise UnknownError

    def grid(self, text: str) -> Grid:
        """Return the cells that a reference means."""
        found = list(ranges(self.look, self.cell, text))
        home = self.look.template.book.sheets.get(found[0][0]) if len(found) == 1 else None
        if home is None:
            raise UnknownError
        return Grid(found[0][1], lambda row, column: self.shown(Cell(home.name, row, column)))


def calculate(look: Look, cell: Cell, formula: str, instead: Mapping[Cell, Scalar] | None = None) -> Scalar | None:
    """Return what a formula gives, if other cells showed something else; None where that is not known."""
    return calculated(Context(look, cell, instead or {}), formula)


def calculated(context: Context, formula: str) -> Scalar | None:
    """Return what a formula gives in a context, None where that is not known."""
    try:
        return scalar(_read(formula)(context))
    except (UnknownError, ArithmeticError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=2**12)
def _read(formula: str) -> Term:
    found = list(_TOKEN.finditer(formula))
    tokens = [(str(match.lastgroup), match[match.lastgroup or 0]) for match in found]
    reader = _Reader([*tokens, ("end", "")])
    term = reader.level(0)
    if reader.at != len(tokens) or "".join(match[0] for match in found) != formula.rstrip():
        raise UnknownError
    return term


@dataclass
class _Reader:
    tokens: list[tuple[str, str]]
    at: int = 0

    def take(self, *signs: str) -> str:
        """Step over one of the signs, if it is next."""
        kind, text = self.tokens[self.at]
        if kind != "sign" or text not in signs:
            return ""
        self.at += 1
        return text

    def level(self, depth: int) -> Term:
        """Read operators of one rank, all of which bind to the left."""
        if depth == len(_LEVELS):
            return self.unary()
        term = self.level(depth + 1)
        while sign := self.take(*_LEVELS[depth]):
            term = _joined(sign, term, self.level(depth + 1))
        return term

    def unary(self) -> Term:
        """Read a signed value, and its per cent."""
        sign = self.take("-", "+")
        if sign:
            inner = self.unary()
            return inner if sign == "+" else lambda context: -number(scalar(inner(context)))
        term = self.value()
        while self.take("%"):
            term = _joined("/", term, lambda _: 100)
        return term

    def value(self) -> Term:
        """Read a number, text, bracket, function or reference."""
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return lambda _: float(text)
        if kind == "text":
            return lambda _: text[1:-1].replace('""', '"')
        if kind == "function":
            return _called(text.upper(), self.arguments())
        if kind == "place":
            return _flag(text) if text.upper() in ("TRUE", "FALSE") else lambda context: context.grid(text)
        if text != "(":
            raise UnknownError
        term = self.level(0)
        return term if self.take(")") else _unknown

    def arguments(self) -> list[Term]:
        """Read what stands in a function's brackets."""
        found: list[Term] = []
        while not self.take(")"):
            found.append(self.level(0))
            if not self.take(",") and self.tokens[self.at] != ("sign", ")"):
                raise UnknownError
        return found


def _flag(text: str) -> Term:
    return lambda _: text.upper() == "TRUE"


def _unknown(_: Context) -> Result:
    raise UnknownError


def _joined(sign: str, left: Term, right: Term) -> Term:
    def term(context: Context) -> Scalar:
        one, other = scalar(left(context)), scalar(right(context))
        if sign == "&":
            return _spelled(one) + _spelled(other)
        if sign in _COMPARED:
            return _COMPARED[sign](_alike(one, other), _alike(other, one))
        first, second = number(one), number(other)
        if sign in "+-":
            context.largest = max(context.largest, abs(first), abs(second))
        return _SIGNS[sign](first, second)

    return term


def _spelled(value: Scalar) -> str:
    """Return a value as it stands in a text; how spreadsheets spell fractions is not known here."""
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise UnknownError
    return value if isinstance(value, str) else "" if value is None else f"{value:.0f}"


def _ranked(value: Scalar) -> tuple[bool, float, str]:
    """Return what a value is ordered by: every text comes after all numbers."""
    return (True, 0, value) if isinstance(value, str) else (False, number(value), "")


def _alike(one: Scalar, other: Scalar) -> Scalar:
    """Return a value as Excel compares it: a blank is 0 or no text, and case does not count."""
    if one is None:
        return "" if isinstance(other, str) else 0
    return one.casefold() if isinstance(one, str) else one


def _called(name: str, arguments: list[Term]) -> Term:
    if name == "IF":
        return lambda context: _chosen(context, arguments)
    if name not in FUNCTIONS:
        return _unknown

    def term(context: Context) -> Result:
        found = FUNCTIONS[name](*(argument(context) for argument in arguments))
        if name == "SUM" and isinstance(found, int | float):
            context.largest = max(context.largest, abs(found))
        return found

    return term


def _chosen(context: Context, arguments: list[Term]) -> Result:
    condition = scalar(arguments[0](context))
    if isinstance(condition, str):
        raise UnknownError
    rest = arguments[1:] if condition else arguments[2:]
    return rest[0](context) if rest else bool(condition)
