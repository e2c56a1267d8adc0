"""A formula written for a cell of Excel, or for people in a Markdown table."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.language import COMPARISONS, FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

CHOICE, SUM, PRODUCT, SIGNED, ATOM = range(5)
"""How tightly a piece of text holds together; a looser one inside a tighter one needs parentheses."""

MANY_ZEROS = re.compile("10{6,}")
"""A power of ten whose zeros nobody counts."""

STRENGTHS: dict[type[ast.operator], int] = {ast.Add: SUM, ast.Sub: SUM, ast.Mult: PRODUCT, ast.Div: PRODUCT}


@dataclass(frozen=True, slots=True)
class Excel:
    """Writes Excel formula text."""

    refer: Callable[[str], str]

    def operator(self, op: ast.operator) -> str:
        """Write an operator."""
        return {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(op)]

    def number(self, value: object) -> str:
        """Write a number; Excel writes 1E-05."""
        return str(value).upper()

    def comparison(self, op: ast.cmpop) -> str:
        """Write a comparison sign."""
        return COMPARISONS[type(op)].sheet

    def call(self, name: str, arguments: list[str]) -> str:
        """Write a call."""
        return FUNCTIONS[name].sheet.format(",".join(arguments))

    def choice(self, node: ast.IfExp) -> tuple[str, int]:
        """Write a choice."""
        test, body, orelse = write_test(node.test, self), write(node.body, self), write(node.orelse, self)
        return f"IF({test},{body},{orelse})", ATOM


@dataclass(frozen=True, slots=True)
class Words:
    """Writes what people read: no character that Markdown takes for a mark of its own."""

    refer: Callable[[str], str]

    def operator(self, op: ast.operator) -> str:
        """Write an operator."""
        return {ast.Add: " + ", ast.Sub: " - ", ast.Mult: " · ", ast.Div: " / "}[type(op)]

    def number(self, value: object) -> str:
        """Write a number; nobody counts the zeros of a large power of ten."""
        text = str(value)
        return f"1e{len(text) - 1}" if MANY_ZEROS.fullmatch(text) else text

    def comparison(self, op: ast.cmpop) -> str:
        """Write a comparison sign."""
        return f" {COMPARISONS[type(op)].words} "

    def call(self, name: str, arguments: list[str]) -> str:
        """Write a call."""
        return f"{name.replace('_', ' ')}({', '.join(arguments)})"

    def choice(self, node: ast.IfExp) -> tuple[str, int]:
        """Write a choice."""
        test, body = write_test(node.test, self), write(node.body, self, SUM)
        return f"{body} if {test}, else {write(node.orelse, self)}", CHOICE


Writer = Excel | Words


def write(node: ast.expr, writer: Writer, needed: int = CHOICE) -> str:
    """Write a piece, in parentheses if it holds together less tightly than its place needs."""
    text, strength = _piece(node, writer)
    return text if strength >= needed else f"({text})"


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
        case ast.BinOp(left=left, op=op, right=right):
            strength = STRENGTHS[type(op)]
            return write(left, writer, strength) + writer.operator(op) + write(right, writer, strength + 1), strength
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "-" + write(operand, writer, SIGNED), SIGNED
        case ast.UnaryOp(operand=operand):
            return _piece(operand, writer)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            # a choice holds a comma of its own, so among arguments it needs parentheses
            return writer.call(name, [write(argument, writer, SUM) for argument in arguments]), ATOM
        case ast.IfExp():
            return writer.choice(node)
        case ast.Constant(value=value):
            return writer.number(value), ATOM
        case _:
            raise TypeError(type(node))
