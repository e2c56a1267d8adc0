"""A formula read once: a function of where it is that gives its value."""

from __future__ import annotations

import operator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.evaluate.functions import RANGES, SCALARS
from livesheets.evaluate.grids import Result, each, make_grid, scalar
from livesheets.evaluate.scalars import (
    COMPARISONS,
    NA,
    Fault,
    FaultError,
    Scalar,
    UnknownError,
    add,
    compare,
    divide,
    number,
    raise_to,
    subtract,
)
from livesheets.evaluate.targets import REFERENCES, Target, target
from livesheets.evaluate.texts import text_of
from livesheets.tokens import Token, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from livesheets.evaluate.context import Context

    Term = Callable[[Context], Result]


_LEVELS = (("=", "<>", "<=", ">=", "<", ">"), ("&",), ("+", "-"), ("*", "/"), ("^",))
_RANKS = {sign: rank for rank, signs in enumerate(_LEVELS) for sign in signs}
_SIGNS: Mapping[str, Callable[[float, float], float]] = {
    "+": add,
    "-": subtract,
    "*": operator.mul,
    "/": divide,
    "^": raise_to,
}
_ARRAYS = frozenset({"SUMPRODUCT", "INDEX", "LOOKUP"})
"""Functions whose arguments are calculated item by item."""


class ParsedFormula(Struct, frozen=True):
    """A formula that was read: what gives its value, and what it refers to."""

    term: Term
    targets: tuple[Target, ...]


@lru_cache(maxsize=2**14)
def read(formula: str) -> ParsedFormula:
    """Read a formula, without "=" in front; UnknownError where that is not possible here."""
    reader = _Reader([*(token for token in tokens(formula) if token.kind != "blank"), Token("end", "")])
    term = reader.level(0)
    if reader.tokens[reader.at].kind != "end":
        raise UnknownError
    return ParsedFormula(term, tuple(reader.targets))


def result(formula: str, context: Context) -> Scalar:
    """Return the one value of a formula, an error value too; UnknownError where it is not known here."""
    try:
        return scalar(read(formula).term(context))
    except FaultError as error:
        return error.fault


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.at = tokens, 0
        self.targets: list[Target] = []
        self.arrays = False

    def take(self, *signs: str) -> str:
        """Step over one of the signs, if it is next."""
        token = self.tokens[self.at]
        if token.kind != "sign" or token.text not in signs:
            return ""
        self.at += 1
        return token.text

    def level(self, lowest: int) -> Term:
        """Read operators of a rank or higher, all of which bind to the left."""
        term = self.unary()
        while True:
            token = self.tokens[self.at]
            rank = _RANKS.get(token.text, -1) if token.kind == "sign" else -1
            if rank < lowest:
                return term
            self.at += 1
            term = _join_terms(token.text, term, self.level(rank + 1), arrays=self.arrays)

    def unary(self) -> Term:
        """Read a signed value, and its percent."""
        sign = self.take("-", "+")
        if sign:
            inner = self.unary()
            return inner if sign == "+" else _apply_action(lambda value: -number(value), [inner], arrays=self.arrays)
        term = self.value()
        while self.take("%"):
            term = _apply_action(lambda value: number(value) / 100, [term], arrays=self.arrays)
        return term

    def value(self) -> Term:
        """Read a number, text, bracket, list, function, error value or reference."""
        token = self.tokens[self.at]
        self.at += 1
        if token.kind in ("number", "text", "error"):
            return _constant(_literal(token))
        if token.kind == "function":
            self.at += 1  # its bracket
            return self.function(token.word.upper())
        if token.kind in REFERENCES:
            return self.place(token)
        if token.text == "{":
            return self.read_list()
        if token.text != "(":
            raise UnknownError
        term = self.level(0)
        if not self.take(")"):
            raise UnknownError
        return term

    def read_list(self) -> Term:
        """Read a list such as {"full","causal"}."""
        items: list[Scalar] = []
        while not self.take("}"):
            token = self.tokens[self.at]
            if token.kind not in ("number", "text"):
                raise UnknownError
            items.append(_literal(token))
            self.at += 1
            self.take(",")
        grid = make_grid(1, len(items), items)
        return lambda _: grid

    def place(self, token: Token) -> Term:
        """Read a reference, or one of the two flags."""
        if token.kind == "name" and token.word in ("true", "false"):
            return _constant(token.word == "true")
        aim = target(token)
        self.targets.append(aim)
        return lambda context: context.follow(aim)

    def function(self, name: str) -> Term:
        """Read a function's arguments, and return what calls it."""
        outer, self.arrays = self.arrays, self.arrays or name in _ARRAYS
        arguments = self.arguments()
        self.arrays, arrays = outer, self.arrays
        if name == "INDEX" and self.take(":"):
            return self.down_to_here(arguments)
        if name in _LAZY:
            return _LAZY[name](arguments)
        if name in SCALARS:
            return _apply_action(SCALARS[name], arguments, arrays=arrays, passes=name.startswith("IS"))
        if name not in RANGES:
            raise UnknownError
        return _call_function(name, arguments)

    def down_to_here(self, arguments: list[Term]) -> Term:
        """Read the end of a range from a row of a column down to the formula's own row, which that is in too."""
        token = self.tokens[self.at]
        aim = target(token) if token.kind in REFERENCES else None
        if aim is None or aim.part != "#this row" or len(arguments) != 2:  # noqa: PLR2004 - a column and a row
            raise UnknownError
        self.at += 1
        self.targets.append(aim)
        column, start = arguments

        return lambda context: context.down_to_here(column(context), int(number(scalar(start(context)))) - 1)

    def arguments(self) -> list[Term]:
        """Read what is in a function's brackets."""
        results: list[Term] = []
        while not self.take(")"):
            results.append(self.level(0))
            if not self.take(",") and self.tokens[self.at].text != ")":
                raise UnknownError
        return results


def _literal(token: Token) -> Scalar:
    if token.kind == "text":
        return token.text[1:-1].replace('""', '"')
    return float(token.text) if token.kind == "number" else Fault(token.text)


def _constant(value: Scalar) -> Term:
    return lambda _: value


def _join_terms(sign: str, left: Term, right: Term, *, arrays: bool) -> Term:
    if sign in "+-":
        return _sum(_SIGNS[sign], left, right, arrays=arrays)
    if sign == "&":
        return _apply_action(lambda first, second: text_of(first) + text_of(second), [left, right], arrays=arrays)
    if sign in COMPARISONS:
        holds = COMPARISONS[sign]
        return _apply_action(lambda first, second: holds(compare(first, second), 0), [left, right], arrays=arrays)
    action = _SIGNS[sign]
    return _apply_action(lambda first, second: action(number(first), number(second)), [left, right], arrays=arrays)


def _sum(action: Callable[[float, float], float], left: Term, right: Term, *, arrays: bool) -> Term:
    """Return a sum or difference, which remembers the largest number in it."""

    def compute(context: Context, *values: Scalar) -> Scalar:
        first, second = map(number, values)
        context.largest = max(context.largest, abs(first), abs(second))
        return action(first, second)

    def term(context: Context) -> Result:
        values = left(context), right(context)
        return each(partial(compute, context), *values) if arrays else compute(context, *map(scalar, values))

    return term


def _apply_action(action: Callable[..., Scalar], arguments: list[Term], *, arrays: bool, passes: bool = False) -> Term:
    """Return what applies an action to values; `passes` says that it takes error values as they come."""

    def term(context: Context) -> Result:
        values = [_catch_error(argument, context) if passes else argument(context) for argument in arguments]
        return each(action, *values) if arrays else action(*map(scalar, values))

    if arrays or passes or len(arguments) not in (1, 2):
        return term
    first, *others = arguments
    if not others:
        return lambda context: action(scalar(first(context)))
    return lambda context: action(scalar(first(context)), scalar(others[0](context)))


def _catch_error(term: Term, context: Context) -> Result:
    try:
        return term(context)
    except FaultError as error:
        return error.fault


def _call_function(name: str, arguments: list[Term]) -> Term:
    function = RANGES[name]
    if name == "COUNT":
        return lambda context: function(*[_catch_error(argument, context) for argument in arguments])

    def call(context: Context) -> Result:
        result = function(*[argument(context) for argument in arguments])
        if name == "SUM" and isinstance(result, int | float):
            context.largest = max(context.largest, abs(result))
        return result

    return call


def _if(arguments: list[Term]) -> Term:
    condition, *rest = arguments

    def term(context: Context) -> Result:
        flag = scalar(condition(context))
        if isinstance(flag, str) and not isinstance(flag, Fault):
            raise UnknownError
        left = rest if number(flag) else rest[1:]
        return left[0](context) if left else bool(flag)

    return term


def _otherwise(faults: Callable[[Fault], bool]) -> Callable[[list[Term]], Term]:
    """Return what gives another value in place of an error value."""

    def build(arguments: list[Term]) -> Term:
        usual, instead = arguments

        def term(context: Context) -> Result:
            result = _catch_error(usual, context)
            value = scalar(result)
            return instead(context) if isinstance(value, Fault) and faults(value) else result

        return term

    return build


def _choose(arguments: list[Term]) -> Term:
    place, *rest = arguments

    def term(context: Context) -> Result:
        at = int(number(scalar(place(context))))
        if not 1 <= at <= len(rest):
            raise FaultError(Fault("#VALUE!"))
        return rest[at - 1](context)

    return term


_LAZY: Mapping[str, Callable[[list[Term]], Term]] = {
    "IF": _if,
    "IFERROR": _otherwise(lambda _: True),
    "IFNA": _otherwise(lambda fault: fault == NA),
    "CHOOSE": _choose,
}
"""Functions that do not read all of their arguments."""
