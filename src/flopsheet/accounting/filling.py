"""Values of dimensions, compiled once for all models that say the same dimensions and take the same defaults."""

from __future__ import annotations

import ast
from copy import deepcopy
from types import FunctionType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.formula.exact import HELPERS, hold
from flopsheet.accounting.formula.nodes import lower
from flopsheet.accounting.formula.program import compile_steps, exact_tree
from flopsheet.accounting.values import LARGEST, check, fill_in, is_plain_count
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.accounting.line import Dimension, Number

MOST = 512
"""Kinds of models that are kept: with other dimensions said, or other defaults."""
OF_CONFIG, THROUGH, CHECKED = "{} of the config", "check {}", "check {}()"
"""The names of a field and of a check in compiled code: names that no dimension can have."""
Key = tuple[frozenset[str], tuple[tuple[str, Any], ...], tuple[type, ...]]


class Filling(Struct, frozen=True):
    """How dimensions get their values where certain ones are said.

    `blank` has every dimension with its default, `fields` the dimensions that are said, each with the smallest whole
    number that needs no look at its kind. `results` are those whose default is a formula, `compute` gives all of them
    from the values of the dimensions and fields of `needs`, of which a field is marked.
    """

    blank: Mapping[str, Number]
    fields: Sequence[tuple[str, Dimension, int]]
    results: Sequence[str]
    needs: Sequence[tuple[str, bool]]
    compute: Callable[..., Sequence[Number]] | None

    def values(self, raw_values: Mapping[str, Any], fields: Mapping[str, Number]) -> dict[str, Number] | None:
        """Return the value of every dimension; None where one has none, for who asks to find out which and why."""
        values = dict(self.blank)
        try:
            for name, dimension, least in self.fields:
                value = raw_values[name]
                whole = type(value) is int and least <= value <= LARGEST
                values[name] = value if whole else check(dimension, value)
            if self.compute:
                arguments = [(fields if is_field else values)[name] for name, is_field in self.needs]
                values.update(zip(self.results, self.compute(*arguments), strict=True))
        except (KeyError, NameError, ZeroDivisionError, OverflowError, ValueError, FormulaError):
            return None
        return values


class Fillings:
    """The fillings of some dimensions, each made when a model first asks for it."""

    def __init__(self, dimensions: Sequence[Dimension]) -> None:
        self.dimensions = dimensions
        self.names = frozenset(dimension.name for dimension in dimensions)
        self._fillings: dict[Key, Filling | None] = {}

    def fill(
        self, raw_values: Mapping[str, Any], fields: Mapping[str, Number], defaults: Mapping[str, float | str]
    ) -> tuple[dict[str, Number], dict[str, str]]:
        """Return what `fill_in` returns."""
        key = frozenset(raw_values), tuple(defaults.items()), tuple(map(type, defaults.values()))
        if key not in self._fillings:
            if len(self._fillings) >= MOST:
                self._fillings.clear()
            self._fillings[key] = _filling(self.dimensions, raw_values.keys() & self.names, defaults)
        filling = self._fillings[key]
        values = filling.values(raw_values, fields) if filling else None
        return fill_in(self.dimensions, raw_values, fields, defaults) if values is None else (values, {})


def _filling(dimensions: Sequence[Dimension], names: set[str], defaults: Mapping[str, float | str]) -> Filling | None:
    """Return the filling of dimensions of which some are said; None where another one has no default."""
    blank: dict[str, Number] = {}
    trees: dict[str, ast.expr] = {}
    needs: dict[str, tuple[str, bool]] = {}
    for dimension in dimensions:
        name, default = dimension.name, defaults.get(dimension.name, dimension.default)
        if name in names:
            blank[name] = 0
        elif default is None:
            return None
        elif isinstance(default, str):
            text = formula.read(default)
            of_config = [field for field in text.names if field not in blank]
            needs |= {OF_CONFIG.format(field): (field, True) for field in of_config}
            needs |= {field: (field, False) for field in text.names if field in blank and field not in trees}
            trees[name], blank[name] = _of_config(text.tree, of_config), 0
        else:
            blank[name] = default
    least = [(dimension.name, dimension, _least(dimension)) for dimension in dimensions]
    return Filling(
        blank,
        [field for field in least if field[0] in names],
        list(trees),
        list(needs.values()),
        _compute(trees, list(needs), {dimension.name: dimension for dimension in dimensions}) if trees else None,
    )


def _of_config(tree: ast.expr, names: Sequence[str]) -> ast.expr:
    """Return a tree in which some names are those of config fields: a dimension behind it may have the same."""
    result = deepcopy(tree) if names else tree
    for node in ast.walk(result) if names else ():
        if isinstance(node, ast.Name) and node.id in names:
            node.id = OF_CONFIG.format(node.id)
    return result


def _compute(
    trees: Mapping[str, ast.expr], arguments: Sequence[str], dimensions: Mapping[str, Dimension]
) -> Callable[..., Sequence[Number]]:
    """Return all defaults as one function of what they ask for; each number is checked before the next one uses it."""
    checks = {CHECKED.format(name): _checker(dimensions[name]) for name in trees}
    steps = {name: exact_tree(lower(tree)) for name, tree in trees.items()}
    return FunctionType(compile_steps(steps, arguments, THROUGH), {**HELPERS, **checks})


def _checker(dimension: Dimension) -> Callable[[Number], Number]:
    """Return what checks a number that a default gives."""
    least = _least(dimension)

    def check_number(number: Number) -> Number:
        whole = type(number) is int and least <= number <= LARGEST
        return number if whole else check(dimension, hold("", number))

    return check_number


def _least(dimension: Dimension) -> int:
    """Return the smallest whole number that needs no look at the dimension's kind."""
    return dimension.minimum if is_plain_count(dimension) else LARGEST + 1
