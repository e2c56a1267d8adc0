"""A formula written: as its own text again, or in one of the forms that exports need."""

from __future__ import annotations

import ast
from typing import Protocol

from flopsheet.accounting.formula.language import COMPARISONS

CHOICE, SUM, PRODUCT, SIGNED, ATOM = range(5)
"""How tightly a piece of text holds together; a looser one inside a tighter one needs parentheses."""

OPERATORS: dict[type[ast.operator], str] = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: " * ", ast.Div: " / "}

STRENGTHS: dict[type[ast.operator], int] = {ast.Add: SUM, ast.Sub: SUM, ast.Mult: PRODUCT, ast.Div: PRODUCT}


class Writer(Protocol):
    """Writes the parts of formulas; `argument` is how tightly an argument of a call has to hold together."""

    argument: int

    def refer(self, name: str) -> str:
        """Write a name."""

    def operator(self, op: ast.operator) -> str:
        """Write an operator."""

    def number(self, value: object) -> str:
        """Write a number."""

    def comparison(self, op: ast.cmpop) -> str:
        """Write a comparison sign."""

    def call(self, name: str, arguments: list[str]) -> str:
        """Write a call."""

    def choice(self, node: ast.IfExp) -> tuple[str, int]:
        """Write a choice, and say how tightly it holds together."""


class Source:
    """Writes the language itself, so that what is read from the text is the same tree again."""

    argument = CHOICE

    def refer(self, name: str) -> str:
        """Write a name."""
        return name

    def operator(self, op: ast.operator) -> str:
        """Write an operator."""
        return OPERATORS[type(op)]

    def number(self, value: object) -> str:
        """Write a number."""
        return repr(value)

    def comparison(self, op: ast.cmpop) -> str:
        """Write a comparison sign."""
        return f" {COMPARISONS[type(op)].source} "

    def call(self, name: str, arguments: list[str]) -> str:
        """Write a call."""
        return f"{name}({', '.join(arguments)})"

    def choice(self, node: ast.IfExp) -> tuple[str, int]:
        """Write a choice."""
        test, body = write_test(node.test, self), write(node.body, self, SUM)
        return f"{body} if {test} else {write(node.orelse, self)}", CHOICE


def write(node: ast.expr, writer: Writer, least: int = CHOICE) -> str:
    """Write a piece, in parentheses if it holds together less tightly than its place needs."""
    text, strength = _piece(node, writer)
    return text if strength >= least else f"({text})"


def write_test(node: ast.expr, writer: Writer) -> str:
    """Write the test of a choice."""
    if not isinstance(node, ast.Compare):
        return write(node, writer, SUM)
    left, right = (write(side, writer, SUM) for side in (node.left, node.comparators[0]))
    return left + writer.comparison(node.ops[0]) + right


def _piece(node: ast.expr, writer: Writer) -> tuple[str, int]:  # noqa: PLR0911  one return for each kind of node
    match node:
        case ast.Name(id=name):
            return writer.refer(name), ATOM
        case ast.Constant(value=value):
            return writer.number(value), ATOM
        case ast.BinOp(left=left, op=op, right=right):
            strength = STRENGTHS[type(op)]
            return write(left, writer, strength) + writer.operator(op) + write(right, writer, strength + 1), strength
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "-" + write(operand, writer, SIGNED), SIGNED
        case ast.UnaryOp(operand=operand):
            return _piece(operand, writer)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return writer.call(name, [write(argument, writer, writer.argument) for argument in arguments]), ATOM
        case ast.IfExp():
            return writer.choice(node)
        case _:
            raise TypeError(type(node))
