"""A formula lowered: few kinds of nodes that say exactly what is computed, for every language that it is compiled to.

Comparisons stand in the test of a choice alone, and are `same` or `less`: their operands are swapped and the branches
of the choice turned where the formula compares otherwise.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

from msgspec import Struct

from flopsheet.accounting.formula.language import COMPARISONS


class Number(Struct, frozen=True):
    """A constant."""

    value: int | float


class Name(Struct, frozen=True):
    """What the formula's author calls a number."""

    name: str


class Apply(Struct, frozen=True):
    """An operation on numbers: negate, add, subtract, multiply, divide, same, less, or a function of the language."""

    function: str
    arguments: tuple[Lowered, ...]


class Choose(Struct, frozen=True):
    """One of two numbers: `otherwise` where the test is 0 or does not hold. Only the chosen one need have a value."""

    test: Lowered
    then: Lowered
    otherwise: Lowered


Lowered: TypeAlias = Number | Name | Apply | Choose

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}


def lower(node: ast.expr) -> Lowered:  # noqa: PLR0911 - one return for each kind of node
    """Return a formula's tree, as it was read, lowered."""
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=int() | float() as value):
            return Number(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Apply("negate", (lower(operand),))
        case ast.UnaryOp(operand=operand):
            return lower(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return Apply(OPERATORS[type(op)], (lower(left), lower(right)))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return Apply(name, tuple(lower(argument) for argument in arguments))
        case ast.IfExp():
            return _choice(node)
        case _:
            raise TypeError(type(node))


def _choice(node: ast.IfExp) -> Choose:
    test, then, otherwise = node.test, lower(node.body), lower(node.orelse)
    if not isinstance(test, ast.Compare):
        return Choose(lower(test), then, otherwise)
    comparison = COMPARISONS[type(test.ops[0])]
    left, right = lower(test.left), lower(test.comparators[0])
    condition = Apply(comparison.helper, (right, left) if comparison.is_swapped else (left, right))
    return Choose(condition, otherwise, then) if comparison.is_negated else Choose(condition, then, otherwise)
