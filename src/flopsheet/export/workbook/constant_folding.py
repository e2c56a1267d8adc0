"""What a formula always comes to while some of its names are 0, whatever its other names are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.exact import HELPERS, divide

if TYPE_CHECKING:
    from collections.abc import Collection

    from flopsheet.accounting.line import Number

FUNCTIONS = ("min", "max", "ceil", "floor")


def constant_value(tree: ast.expr, zeros: Collection[str]) -> Number | None:  # noqa: PLR0911  one return for each kind of node
    """Return the number that an expression always gives; None where another name can change it."""
    match tree:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return 0 if name in zeros else None
        case ast.UnaryOp(op=op, operand=operand):
            inner = constant_value(operand, zeros)
            return -inner if inner is not None and isinstance(op, ast.USub) else inner
        case ast.BinOp(left=left, op=op, right=right):
            return _fold_operation(op, constant_value(left, zeros), constant_value(right, zeros))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, then, other = (constant_value(part, zeros) for part in (test, body, orelse))
            return (then if condition else other) if condition is not None else then if then == other else None
        case ast.Call(func=ast.Name(id=name), args=args) if name in FUNCTIONS:
            return _fold_call(name, [constant_value(argument, zeros) for argument in args])
    return None


def _fold_operation(op: ast.operator, left: Number | None, right: Number | None) -> Number | None:
    if left == 0 and isinstance(op, ast.Mult | ast.Div):
        return 0
    if right == 0 and isinstance(op, ast.Mult | ast.Div):
        return 0 if isinstance(op, ast.Mult) else None
    if left is None or right is None:
        return None
    if isinstance(op, ast.Div):
        return divide(left, right)
    return left * right if isinstance(op, ast.Mult) else left + right if isinstance(op, ast.Add) else left - right


def _fold_call(name: str, values: list[Number | None]) -> Number | None:
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) or (name == "ceil" and numbers[0] < 0):
        return None
    result: Number = HELPERS[f"{name}()"](*numbers)
    return result
