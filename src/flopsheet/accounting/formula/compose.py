"""Formulas made of formulas, as trees: inside another, each part means what it means alone.

Every function takes formula texts and returns one, with parentheses where the meaning needs them and nowhere else.
FormulaError shows a text that cannot be read.
"""

from __future__ import annotations

import ast
from functools import reduce
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.exact import evaluate
from flopsheet.accounting.formula.language import FUNCTIONS
from flopsheet.accounting.formula.nodes import lower
from flopsheet.accounting.formula.problem import problem
from flopsheet.accounting.formula.program import HERE, compile_tree
from flopsheet.accounting.formula.read import read, remember
from flopsheet.accounting.formula.write import Source, write

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

__all__ = [
    "call",
    "factors",
    "fill",
    "is_multiple",
    "minus",
    "names",
    "over",
    "plus",
    "settle",
    "substitute",
    "terms",
    "times",
]

SOURCE = Source()


def names(text: str) -> Collection[str]:
    """Return the names that a formula uses, in the order of their first use."""
    return read(text).names


def times(*factors: str) -> str:
    """Return the product of formulas."""
    return _text(reduce(_product, map(_tree, factors)))


def over(dividend: str, divisor: str) -> str:
    """Return the quotient of two formulas."""
    return _text(_node(_tree(dividend), ast.Div(), _tree(divisor)))


def plus(*terms: str) -> str:
    """Return the sum of formulas, 0 of none; one that is negated is taken away."""
    return _text(reduce(_sum, map(_tree, terms))) if terms else "0"


def minus(first: str, *others: str) -> str:
    """Return a formula less others."""
    return _text(reduce(lambda left, right: _node(left, ast.Sub(), right), map(_tree, others), _tree(first)))


def call(function: str, *arguments: str) -> str:
    """Return a function of the language applied to formulas."""
    return _text(ast.Call(ast.Name(function, ast.Load(), **HERE), [_tree(part) for part in arguments], [], **HERE))


def terms(text: str) -> list[str]:
    """Return the terms whose sum a formula is; one that is taken away is negated."""
    return [_text(term) for term in _terms(_tree(text))]


def factors(text: str) -> list[str]:
    """Return the factors whose product a formula is; one that it is divided by is a factor of the rest."""
    return [_text(factor) for factor in _factors(_tree(text))]


def substitute(text: str, meanings: Mapping[str, str]) -> str:
    """Return a formula with formulas in the place of names, all at once; the text itself where it uses none of them."""
    trees = {name: _tree(meanings[name]) for name in names(text) if name in meanings}
    return _text(_replace_names(_tree(text), trees)) if trees else text


def fill(text: str, **slots: str | int) -> str:
    """Return a formula with its slots filled: what is written in capitals is a formula, or a part of a name.

    `fill("MOST * rate_CASE", MOST="a + b", CASE="low")` is `(a + b) * rate_low`. A part that is empty goes.
    """
    return _text(_fill_slots(_tree(text), slots))


def settle(text: str) -> str:
    """Return a formula in which each choice whose test names nothing is made."""
    return _text(_settle(_tree(text)))


def is_multiple(text: str, name: str) -> bool:
    """Tell whether a formula is a product with a name as one of its factors, which it uses nowhere else."""
    tree = _tree(text)
    uses = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
    return uses == 1 and _is_factor(tree, name)


def _tree(text: str) -> ast.expr:
    return read(text).tree


def _text(tree: ast.expr) -> str:
    text = write(tree, SOURCE)
    remember(text, tree)
    return text


def _node(left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
    return ast.BinOp(left, op, right, **HERE)


def _product(left: ast.expr, right: ast.expr) -> ast.expr:
    """Multiply; the factors of a product join those before them, as people write it."""
    match right:
        case ast.BinOp(left=first, op=(ast.Mult() | ast.Div()) as op, right=last):
            return _node(_product(left, first), op, last)
        case _:
            return _node(left, ast.Mult(), right)


def _sum(left: ast.expr, right: ast.expr) -> ast.expr:
    """Add; the terms of a sum join those before them, a negated one is taken away, and 0 adds nothing."""
    match right:
        case ast.Constant(value=0):
            return left
        case ast.BinOp(left=first, op=ast.Add(), right=last):
            return _sum(_sum(left, first), last)
        case ast.BinOp(left=first, op=ast.Sub(), right=last):
            return _node(_sum(left, first), ast.Sub(), last)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _node(left, ast.Sub(), operand)
        case _:
            return _node(left, ast.Add(), right)


def _terms(tree: ast.expr) -> Iterator[ast.expr]:
    match tree:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _terms(left)
            yield from _terms(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _terms(left)
            yield ast.UnaryOp(ast.USub(), right, **HERE)
        case _:
            yield tree


def _factors(tree: ast.expr) -> Iterator[ast.expr]:
    match tree:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from _factors(left)
            yield from _factors(right)
        case _:
            yield tree


def _replace_names(tree: ast.expr, meanings: Mapping[str, ast.expr]) -> ast.expr:
    match tree:
        case ast.Name(id=name):
            return meanings.get(name, tree)
        case ast.BinOp(left=left, op=op, right=ast.Name(id=name)) if name in meanings and type(op) in JOINED:
            return JOINED[type(op)](_replace_names(left, meanings), meanings[name])
        case _:
            return _rebuilt(tree, lambda part: _replace_names(part, meanings))


JOINED: Mapping[type[ast.operator], Callable[[ast.expr, ast.expr], ast.expr]] = {ast.Mult: _product, ast.Add: _sum}
"""How a formula joins a product or sum in the place of a name."""


def _fill_slots(tree: ast.expr, slots: Mapping[str, str | int]) -> ast.expr:
    match tree:
        case ast.Name(id=name):
            return _tree(str(slots[name])) if name in slots else _spell_name(name, slots)
        case _:
            return _rebuilt(tree, lambda part: _fill_slots(part, slots))


def _spell_name(name: str, slots: Mapping[str, str | int]) -> ast.expr:
    spelling = "_".join(filter(None, (str(slots.get(part, part)) for part in name.split("_"))))
    if not spelling.isidentifier():
        raise problem(spelling, 0, f"{name} with its slots filled is not a name")
    return ast.Name(spelling, ast.Load(), **HERE)


def _settle(tree: ast.expr) -> ast.expr:
    match tree:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            new_test = _settle(test)
            if any(isinstance(node, ast.Name) and node.id not in FUNCTIONS for node in ast.walk(new_test)):
                return ast.IfExp(new_test, _settle(body), _settle(orelse), **HERE)
            return _settle(body if _holds(new_test) else orelse)
        case _:
            return _rebuilt(tree, _settle)


def _holds(test: ast.expr) -> bool:
    choice = ast.IfExp(test, ast.Constant(1, **HERE), ast.Constant(0, **HERE), **HERE)
    return evaluate(write(choice, SOURCE), compile_tree(lower(choice), "exact"), {}) == 1


def _rebuilt(tree: ast.expr, change: Callable[[ast.expr], ast.expr]) -> ast.expr:
    """Return an expression with its parts changed."""
    match tree:
        case ast.BinOp(left=left, op=op, right=right):
            return _node(change(left), op, change(right))
        case ast.UnaryOp(op=sign, operand=operand):
            return ast.UnaryOp(sign, change(operand), **HERE)
        case ast.Call(func=function, args=arguments):
            return ast.Call(function, [change(argument) for argument in arguments], [], **HERE)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(change(test), change(body), change(orelse), **HERE)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return ast.Compare(change(left), ops, [change(side) for side in comparators], **HERE)
        case _:
            return tree


def _is_factor(tree: ast.expr, name: str) -> bool:
    match tree:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _is_factor(left, name) or _is_factor(right, name)
        case ast.BinOp(left=left, op=ast.Div()):
            return _is_factor(left, name)
        case _:
            return isinstance(tree, ast.Name) and tree.id == name
