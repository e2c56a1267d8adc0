"""From a lowered formula to code that Python runs."""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from flopsheet.accounting.formula.nodes import Apply, Choose, Name, Number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.formula.nodes import Lowered

Mode = Literal["exact", "columns", "cells"]
ROWS = "rows()"
"""What code for cells goes through: a name that no value can have."""
HERE: dict[str, Any] = {"lineno": 1, "col_offset": 0}
"""The place of a new node: compilers want one."""
PYTHONS: dict[str, ast.operator] = {"add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult()}
"""What Python computes as spreadsheets do, exactly and over columns."""


def compile_tree(node: Lowered, mode: Mode) -> CodeType:
    """Compile a formula: exact code skips the branch not taken, code for columns computes both."""
    return compile(ast.Expression(_emit(node, mode)), "<formula>", "eval")


def exact_tree(node: Lowered) -> ast.expr:
    """Return what Python runs to compute a formula exactly."""
    return _emit(node, "exact")


def compile_steps(values: Mapping[str, ast.expr], inputs: Sequence[str], through: str = "") -> CodeType:
    """Compile what computes formulas to the exact code of a function of what is given; each may use those before it.

    Where `through` is given, each number goes through the helper of that name, in which the formula's stands for `{}`.
    """
    if through:
        values = {name: _helper(through.format(name), value) for name, value in values.items()}
    steps = [ast.Assign([ast.Name(name, ast.Store(), **HERE)], value, **HERE) for name, value in values.items()]
    result = ast.Tuple([ast.Name(name, ast.Load(), **HERE) for name in values], ast.Load(), **HERE)
    arguments = ast.arguments([], [ast.arg(name, **HERE) for name in inputs], None, [], [], None, [])
    function = ast.FunctionDef("formulas", arguments, [*steps, ast.Return(result, **HERE)], [], **HERE)
    module = compile(ast.Module([function], []), "<formulas>", "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, CodeType))


def compile_rows(node: Lowered, names: Sequence[str]) -> CodeType:
    """Compile a formula to code that computes it in every row, as cells of a spreadsheet do."""
    target = ast.Tuple([ast.Name(name, ast.Store(), **HERE) for name in names], ast.Store(), **HERE)
    rows = ast.comprehension(target, ast.Name(ROWS, ast.Load(), **HERE), [], 0)
    return compile(ast.Expression(ast.ListComp(_emit(node, "cells"), [rows], **HERE)), "<formula>", "eval")


def _emit(node: Lowered, mode: Mode) -> ast.expr:  # noqa: PLR0911 - one return for each kind of node
    """Return what Python runs: a helper in the place of whatever it computes otherwise than spreadsheets."""
    match node:
        case Name(name=name):
            return ast.Name(name, ast.Load(), **HERE)
        case Number(value=value):
            return ast.Constant(float(value) if mode == "columns" else value, **HERE)
        case Choose(test=test, then=then, otherwise=otherwise):
            parts = (_emit(test, mode), _emit(then, mode), _emit(otherwise, mode))
            return _helper("choose", *parts) if mode == "columns" else ast.IfExp(*parts, **HERE)
        case Apply(function="negate", arguments=(argument,)):
            return ast.UnaryOp(ast.USub(), _emit(argument, mode), **HERE)
        case Apply(function="subtract", arguments=(a, b)) if mode == "cells":
            return _helper("subtract", _emit(a, mode), _emit(b, mode))
        case Apply(function=name, arguments=(a, b)) if name in PYTHONS:
            return ast.BinOp(_emit(a, mode), PYTHONS[name], _emit(b, mode), **HERE)
        case Apply(function=name, arguments=arguments):
            return _helper(name, *(_emit(argument, mode) for argument in arguments))


def _helper(name: str, *arguments: ast.expr) -> ast.expr:
    """Call a helper by a name that no value can have, so that none can be in its place."""
    function = ast.Name(f"{name}()", ast.Load(), **HERE)
    return ast.Call(function, list(arguments), [], **HERE)
