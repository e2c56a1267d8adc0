"""From the tree of a formula to code that Python runs."""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from flopsheet.accounting.formula.language import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Mode = Literal["exact", "columns", "cells"]
ROWS = "rows()"
"""What code for cells goes through: a name that no value can have."""
HERE: dict[str, Any] = {"lineno": 1, "col_offset": 0}
"""The place of a new node: compilers want one."""


def compile_tree(tree: ast.expr, mode: Mode) -> CodeType:
    """Compile a formula: exact code skips the branch not taken, code for columns computes both."""
    return compile(ast.Expression(_lower(tree, mode)), "<formula>", "eval")


def compile_steps(trees: Mapping[str, ast.expr], given: Sequence[str], through: str = "") -> CodeType:
    """Compile formulas to the exact code of a function of what is given; each may use the names before it.

    Where `through` is given, each number goes through the helper of that name, in which the formula's stands for `{}`.
    """
    values = {name: _lower(tree, "exact") for name, tree in trees.items()}
    if through:
        values = {name: _helper(through.format(name), value) for name, value in values.items()}
    steps = [_step(name, value) for name, value in values.items()]
    found = ast.Tuple([ast.Name(name, ast.Load(), **HERE) for name in trees], ast.Load(), **HERE)
    arguments = ast.arguments([], [ast.arg(name, **HERE) for name in given], None, [], [], None, [])
    function = ast.FunctionDef("formulas", arguments, [*steps, ast.Return(found, **HERE)], [], **HERE)
    module = compile(ast.Module([function], []), "<formulas>", "exec")
    return next(one for one in module.co_consts if isinstance(one, CodeType))


def compile_rows(tree: ast.expr, names: Sequence[str]) -> CodeType:
    """Compile a formula to code that computes it in every row, as cells of a spreadsheet do."""
    target = ast.Tuple([ast.Name(name, ast.Store(), **HERE) for name in names], ast.Store(), **HERE)
    rows = ast.comprehension(target, ast.Name(ROWS, ast.Load(), **HERE), [], 0)
    return compile(ast.Expression(ast.ListComp(_lower(tree, "cells"), [rows], **HERE)), "<formula>", "eval")


def _step(name: str, value: ast.expr) -> ast.stmt:
    target = ast.Name(name, ast.Store(), **HERE)
    return ast.Assign([target], value, **HERE)


def _lower(node: ast.expr, mode: Mode) -> ast.expr:  # noqa: PLR0911  one return for each kind of node
    """Put a helper in the place of whatever Python and spreadsheets compute differently."""
    match node:
        case ast.Name():
            return node
        case ast.Constant(value=int() | float() as value) if mode == "columns":
            return ast.Constant(float(value), **HERE)
        case ast.UnaryOp(op=op, operand=operand):
            return ast.UnaryOp(op, _lower(operand, mode), **HERE)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _call("divide", mode, left, right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right) if mode == "cells":
            return _call("subtract", mode, left, right)
        case ast.BinOp(left=left, op=op, right=right):
            return ast.BinOp(_lower(left, mode), op, _lower(right, mode), **HERE)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, mode, *args)
        case ast.IfExp():
            return _lower_choice(node, mode)
        case _:
            return node


def _lower_choice(node: ast.IfExp, mode: Mode) -> ast.expr:
    test, body, orelse = node.test, node.body, node.orelse
    if isinstance(test, ast.Compare):
        comparison = COMPARISONS[type(test.ops[0])]
        left, right = test.left, test.comparators[0]
        test = _call(comparison.helper, mode, *((right, left) if comparison.swapped else (left, right)))
        if comparison.turned:
            body, orelse = orelse, body
    else:
        test = _lower(test, mode)
    parts = (test, _lower(body, mode), _lower(orelse, mode))
    return _helper("choose", *parts) if mode == "columns" else ast.IfExp(*parts, **HERE)


def _call(name: str, mode: Mode, *arguments: ast.expr) -> ast.expr:
    return _helper(name, *(_lower(argument, mode) for argument in arguments))


def _helper(name: str, *arguments: ast.expr) -> ast.expr:
    """Call a helper by a name that no value can have, so that none can be in its place."""
    function = ast.Name(f"{name}()", ast.Load(), **HERE)
    return ast.Call(function, list(arguments), [], **HERE)
