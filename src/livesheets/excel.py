"""Excel formulas as trees, written with the parentheses that Excel's precedence needs and no others.

Python's operators make expressions of expressions. A number or a text among them means itself, so that a text in
quotes, a quotation mark inside it, and a formula cannot be taken for each other.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import TYPE_CHECKING, NoReturn

from msgspec import Struct

from livesheets.tokens import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from livesheets.tokens import Token

    Method = Callable[["Expression", "Operand"], "Expression"]

STRENGTHS = (
    dict.fromkeys(("=", "<>", "<", ">", "<=", ">="), 1)
    | {"&": 2}
    | dict.fromkeys("+-", 3)
    | dict.fromkeys("*/", 4)
    | {":": 6}
)
"""How tightly each sign of Excel holds its sides together."""
WHOLE, SIGNED, WORD = 0, 5, 7
"""How tightly a formula that was read as text holds together: not at all; a sign in front; a word."""
MOST_NESTED = 3
"""So many functions inside each other can still be read."""
ABOVE = "#Above"
"""The item of a structured reference that means the row above the formula's own, as the template engine knows it."""


def _operator(sign: str) -> tuple[Method, Method]:
    """Return the methods of a sign: of the expression on its left side, and of the one on its right."""
    return (
        lambda left, right: Operation(sign, left, literal(right)),
        lambda right, left: Operation(sign, literal(left), right),
    )


class Expression:
    """A part of a formula, or the whole of it."""

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, __rtruediv__ = _operator("/")
    __and__, __rand__ = _operator("&")
    __lt__, __gt__ = _operator("<")[0], _operator(">")[0]
    __le__, __ge__ = _operator("<=")[0], _operator(">=")[0]
    __eq__, __ne__ = _operator("=")[0], _operator("<>")[0]  # type: ignore[assignment]  # no bool
    __hash__ = object.__hash__

    def __neg__(self) -> Expression:
        return Negation(self)

    def __bool__(self) -> NoReturn:
        """Refuse: whether two expressions are equal is known to Excel alone."""
        raise TypeError("an expression of Excel has no truth value in Python")

    def __str__(self) -> str:
        """Write it as a formula, without `=` in front."""
        return _piece(self)[0]


Operand = Expression | str | int | float
"""What stands on a side of a sign, or among the arguments of a function."""


class Word(Expression, Struct, frozen=True, eq=False):
    """What is written as it is: a name, a number, a text, a reference or a constant array."""

    text: str


class Text(Expression, Struct, frozen=True, eq=False):
    """A formula as it is written; it is in parentheses wherever it is a part of another."""

    text: str


class Negation(Expression, Struct, frozen=True, eq=False):
    """An expression with its sign turned."""

    operand: Expression


class Operation(Expression, Struct, frozen=True, eq=False):
    """Two expressions with a sign between them."""

    sign: str
    left: Expression
    right: Expression


class Call(Expression, Struct, frozen=True, eq=False):
    """A function of its arguments."""

    function: str
    arguments: tuple[Expression, ...]


def literal(value: Operand) -> Expression:
    """Return a number or text as an expression; an expression is its own."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return Word('"{}"'.format(value.replace('"', '""')))
    return Word(str(value).upper())


def cell(name: str) -> Expression:
    """Return the cell that has a defined name, or an address."""
    return Word(name)


def read(text: str, table: str = "", names: Mapping[str, Operand] | None = None) -> Expression:
    """Return a formula that is written as Excel shows it in a table, without `=`: `[@Amount] / SUM([Amount]) * unit`.

    `table` is the table that it stands in, whose columns need no name in front; `names` gives what bare names in it
    mean, others are named cells. Spaces and line breaks between its pieces go.
    """
    pieces = [piece for piece in cut(text) if piece.kind != "blank"]
    return Text("".join([_name_piece(pieces, at, table, names or {}) for at in range(len(pieces))]))


def _name_piece(pieces: Sequence[Token], at: int, table: str, names: Mapping[str, Operand]) -> str:
    kind, text = pieces[at]
    if kind == "name" and text in names:
        part = literal(names[text])
        return str(part) if _stands_alone(pieces, at) else _inside(part, WORD)
    if kind == "table" and text.startswith("[@"):
        return str(here(table, text[2:-1].removeprefix("[").removesuffix("]")))
    return table + text if kind == "table" and text.startswith("[") else text


def _stands_alone(pieces: Sequence[Token], at: int) -> bool:
    """Whether a piece is all that is in its parentheses, or an argument of its own."""
    before, after = (pieces[place].text if 0 <= place < len(pieces) else "" for place in (at - 1, at + 1))
    return before in {"", "(", ","} and after in {"", ")", ","}


def call(function: str, *arguments: Operand) -> Expression:
    """Return a function of its arguments."""
    return Call(function, tuple(map(literal, arguments)))


def arguments(*values: Operand) -> Expression:
    """Return several arguments of a function, for a formula that has one name for all of them."""
    return Text(",".join(str(literal(value)) for value in values))


def array(*values: Operand) -> Expression:
    """Return a constant array of numbers or texts in a row."""
    return Word(f"{{{','.join(str(literal(value)) for value in values)}}}")


def add_all(terms: Iterable[Expression]) -> Expression:
    """Return the sum of expressions, of which there is one at least."""
    return reduce(operator.add, terms)


def multiply_all(factors: Iterable[Expression]) -> Expression:
    """Return the product of expressions, of which there is one at least."""
    return reduce(operator.mul, factors)


def depth(part: Expression) -> int:
    """Return how many functions of a formula are inside each other; as many as can be read where one is an IF.

    An IF inside another cannot be read.
    """
    match part:
        case Call(function="IF"):
            return MOST_NESTED
        case Call(arguments=parts):
            return 1 + max(map(depth, parts), default=0)
        case Operation(left=left, right=right):
            return max(depth(left), depth(right))
        case Negation(operand=operand):
            return depth(operand)
        case _:
            return 0


def column(table: str, header: str, last: str | None = None) -> Expression:
    """Return a column of a table, or the columns from one to the last."""
    return Word(f"{table}[{header}]" if last is None else f"{table}[{_span(header, last)}]")


def here(table: str, header: str, last: str | None = None) -> Expression:
    """Return a column of a table, or columns, in the formula's own row."""
    return Word(f"{table}[[#This Row],{_span(header, last)}]")


def column_of_row(header: str) -> Expression:
    """Return a column of the formula's own row as Excel shows it, without its table."""
    return Word(f"[@{header}]")


def above(table: str, header: str) -> Expression:
    """Return a column of a table in the row above the formula's own."""
    return Word(f"{table}[[{ABOVE}],[{header}]]")


def headers(table: str, header: str, last: str | None = None) -> Expression:
    """Return the header of a column of a table, or those from one to the last."""
    return Word(f"{table}[[#Headers],{_span(header, last)}]")


def cells(first: Expression, last: Expression) -> Expression:
    """Return the range from one reference to another."""
    return Operation(":", first, last)


def _span(first: str, last: str | None) -> str:
    return f"[{first}]" if last is None else f"[{first}]:[{last}]"


def _piece(part: Expression) -> tuple[str, int]:
    """Return the text of a part, and how tightly it holds together."""
    match part:
        case Word(text):
            return text, WORD
        case Text(text):
            return text, WHOLE
        case Negation(operand):
            return f"-{_inside(operand, SIGNED)}", SIGNED
        case Operation(sign, left, right):
            strength = STRENGTHS[sign]
            return _inside(left, strength) + sign + _inside(right, strength + (sign != "&")), strength
        case Call(function, arguments):
            return f"{function}({','.join(_piece(argument)[0] for argument in arguments)})", WORD
        case _:
            raise TypeError(type(part))


def _inside(part: Expression, least: int) -> str:
    """Return the text of a part, in parentheses if it holds together less tightly than its place needs."""
    text, strength = _piece(part)
    return text if strength >= least else f"({text})"
