"""The Excel form of formulas of the language: what a cell holds of a line, a rule or a check, and what a row shows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.formula.language import COMPARISONS, FUNCTIONS
from flopsheet.accounting.values import plain
from livesheets.excel import Operation, call, literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.formula.guarded_formula import Guarded
    from livesheets.excel import Expression

    Refer = Callable[[str], Expression]
    """What gives the reference for a name."""
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.accounting.line import Number
    from livesheets import Value

SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def excel_form(formula: Formula, refer: Refer) -> Expression:
    """Return a formula for a cell; `refer` gives the reference for a name."""
    return _form(formula.tree, refer)


def guarded_form(formula: Guarded, refer: Refer) -> Expression:
    """Return a formula for a cell that is blank where its condition is 0."""
    return blank_unless(excel_form(formula.where, refer), excel_form(formula.formula, refer))


def blank_unless(where: Expression, content: Expression) -> Expression:
    """Return what leaves a cell blank where a condition is 0."""
    return call("IF", where == 0, "", content)


def _form(node: ast.expr, refer: Refer) -> Expression:  # noqa: PLR0911  one return for each kind of node
    match node:
        case ast.Name(id=name):
            return refer(name)
        case ast.Constant(value=int() | float() as value):
            return literal(value)
        case ast.BinOp(left=left, op=op, right=right):
            return Operation(SIGNS[type(op)], _form(left, refer), _form(right, refer))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return Operation(COMPARISONS[type(op)].sheet, _form(left, refer), _form(right, refer))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_form(operand, refer)
        case ast.UnaryOp(operand=operand):
            return _form(operand, refer)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            function = FUNCTIONS[name]
            return call(function.sheet, *(_form(argument, refer) for argument in arguments), *function.sheet_too)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return call("IF", _form(test, refer), _form(body, refer), _form(orelse, refer))
        case _:
            raise TypeError(type(node))


class Cells(Struct, frozen=True):
    """What a name of a formula stands for: how Excel refers to it, and its numbers, a row each."""

    reference: Expression
    numbers: Callable[[], Iterable[Number]]


OWN_OR_PLANNED = "own if stated else planned"
"""An input as a row uses it: what a model states for itself, else the plan's."""


def row_formula(text: str, cells: Mapping[str, Cells]) -> tuple[Expression, Callable[[], Iterable[Value]]]:
    """Return a formula for Excel, and what gives its values, computed in floats as spreadsheets do."""
    source_formula = formula.read(text)

    def values() -> Iterable[Value]:
        columns = {name: cells[name].numbers() for name in source_formula.names}
        return map(plain, source_formula.cells(columns))

    return excel_form(source_formula, lambda name: cells[name].reference), values


def is_stated(own: Expression) -> Expression:
    """Return the test whether a cell of inputs has one."""
    return own != ""


def own_or(own: Expression, plan_value: Expression) -> Expression:
    """Return the formula of an input that a model may state for itself: blank means the plan's."""
    meanings = {"own": own, "stated": is_stated(own), "planned": plan_value}
    return excel_form(formula.read(OWN_OR_PLANNED), meanings.__getitem__)
