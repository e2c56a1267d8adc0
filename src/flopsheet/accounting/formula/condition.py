"""Conditions: comparisons joined by `and`, `or` and `not`, written as a formula that gives 1 where they hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.problem import problem
from flopsheet.accounting.formula.read import read

if TYPE_CHECKING:
    from flopsheet.accounting.formula.formula import Formula

YES, NO = ast.Constant(1), ast.Constant(0)


def condition(text: str) -> Formula:
    """Return the formula of a condition such as `fits_accelerator and training_cost < 5e6`: 1 or 0.

    A part that compares nothing holds where it is not 0. FormulaError shows a text that cannot be read.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return read(text)  # whose messages show the place
    if not any(isinstance(node, ast.BoolOp | ast.Not) for node in ast.walk(tree)):
        return read(ast.unparse(_as_number(tree))) if isinstance(tree, ast.Compare) else read(text)
    if any(isinstance(node, ast.IfExp) for node in ast.walk(tree)):
        raise problem(text, 0, "a condition joins comparisons by and, or, not: it has no if")
    return read(ast.unparse(_as_number(tree)))


def _as_number(node: ast.expr) -> ast.expr:
    """Return a tree that is 1 where a condition holds, else 0."""
    match node:
        case ast.BoolOp(op=ast.And(), values=[first, *others]):
            return ast.IfExp(_test_of(first), _join_tests(node, others), NO)
        case ast.BoolOp(values=[first, *others]):
            return ast.IfExp(_test_of(first), YES, _join_tests(node, others))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.IfExp(_test_of(operand), NO, YES)
        case _:
            return ast.IfExp(node, YES, NO)


def _join_tests(node: ast.BoolOp, others: list[ast.expr]) -> ast.expr:
    return _as_number(others[0] if len(others) == 1 else ast.BoolOp(node.op, others))


def _test_of(node: ast.expr) -> ast.expr:
    return _as_number(node) if isinstance(node, ast.BoolOp | ast.UnaryOp) else node
