"""Dimensions that follow others until somebody types over them, and the rules that a row of workings has to hold."""

from __future__ import annotations

import ast
from functools import cache, lru_cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.export.workbook.architecture_table import constant_value, without
from flopsheet.export.workbook.check_rows import CheckRow, stated_check
from flopsheet.export.workbook.column_spec import MAX_FORMULA, ColumnSpec, excel_formula
from flopsheet.export.workbook.excel_form import excel_form
from flopsheet.export.workbook.formula_names import look_up
from flopsheet.planning.memo import once
from livesheets.excel import call, column, column_of_row, here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Dimension
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.planning.costed_model import Costed
    from livesheets.excel import Expression

BAND = "Rules of the dimensions"
"""The band of the columns that say whether a row holds."""
PLAIN = {0, 1, 2}
"""The numbers that a formula of a family may have, so that it is one of dimensions."""
WORKLOAD_NAMES = frozenset(dimension.name for dimension in WORKLOAD)


class RowRule(NamedTuple):
    """A rule of a table's rows: the header of its column, its sentence, and its formula, 1 where a row holds."""

    header: str
    sentence: str
    text: str


@once
def followers_of(arch: ArchitectureTable) -> dict[str, dict[int, Expression]]:
    """Return the Excel formulas of each dimension by the numbers of the models whose configs do not state it.

    It is the default that the family or the architecture has for it, where that is a formula of other columns.
    """
    return {dimension.name: _follow(arch, dimension) for dimension in arch.dimensions}


def _follow(arch: ArchitectureTable, dimension: Dimension) -> dict[int, Expression]:
    if dimension.name in WORKLOAD_NAMES or dimension.kind == "choice":
        return {}
    if not isinstance(dimension.default, str) and dimension.name not in arch.defaults:
        return {}
    earlier = {other.name: other for other in takewhile(lambda other: other.name != dimension.name, arch.dimensions)}
    forms = cache(partial(_form, arch, dimension))
    result = {}
    for number, costed in arch.models.items():
        model = costed.model
        if model.given.get(dimension.name) is not None:
            continue
        text = model.defaults.get(dimension.name, dimension.default)
        if isinstance(text, str):
            names = _read(text, arch.left_out).names
            result[number] = forms(text, tuple(_column(arch, earlier, name, dimension, costed) for name in names))
    return {number: form for number, form in result.items() if form is not None}


@lru_cache(maxsize=1024)
def _read(text: str, left_out: frozenset[str]) -> Formula:
    return formula.read(without(formula.read(text), left_out))


def _form(arch: ArchitectureTable, dimension: Dimension, text: str, columns: Sequence[str]) -> Expression | None:
    """Return the Excel formula of a default whose names are in columns, "" where one is in none."""
    default_formula = _read(text, arch.left_out)
    if not columns or not all(columns) or (text != dimension.default and _numbers(default_formula) - PLAIN):
        return None
    as_seen = str(excel_form(default_formula, column_of_row))
    if len(as_seen) >= MAX_FORMULA or as_seen.count("IF(") > 1:
        return None
    places = dict(zip(default_formula.names, columns, strict=True))
    return excel_form(default_formula, lambda name: here(arch.table, places[name]))


def _column(
    arch: ArchitectureTable, earlier: Mapping[str, Dimension], name: str, dimension: Dimension, model: Costed
) -> str:
    """Return the column with what a default names: an earlier dimension, or one that the config states as a field."""
    if name in earlier:
        return name if earlier[name].kind != "choice" else ""
    field, config_values = model.model.fields.get(name), model.model.given
    own = (other.name for other in arch.dimensions if name in other.keys and config_values.get(other.name) is not None)
    return next((other for other in own if other != dimension.name and model.numbers[other] == field), "")


def _numbers(default_formula: Formula) -> set[float]:
    values = (node.value for node in ast.walk(default_formula.tree) if isinstance(node, ast.Constant))
    return {value for value in values if isinstance(value, int | float)}


@once
def row_rules(arch: ArchitectureTable) -> list[RowRule]:
    """Return the rules that the rows of a table have to hold: those of the architecture whose every name is a column.

    So do dimensions that follow others by a division, which have to be whole, or by a difference.
    """
    checks = arch.ledger.architecture.checks.items()
    rules = [(text, sentence) for text, sentence in checks if _is_checkable(arch, text)]
    results = [RowRule(f"holds_{at}", sentence, text) for at, (text, sentence) in enumerate(rules, start=1)]
    for dimension in arch.dimensions:
        name, least_value = dimension.name, dimension.minimum
        forms = {id(form): form for form in followers_of(arch)[name].values()}  # models share most of them
        formulas = "".join(map(str, forms.values()))
        whole = f"1 if floor({name}) == {name} else 0" if dimension.kind == "count" and "/" in formulas else ""
        least = f"1 if {name} >= {least_value} else 0" if "-" in formulas else ""
        if whole or least:
            sentence = f"{dimension.title} must be {'a whole number' if whole else f'at least {least_value}'}"
            results.append(RowRule(f"holds_{name}", sentence, whole or least))
    return results


def _is_checkable(arch: ArchitectureTable, text: str) -> bool:
    """Whether a rule can be read in a row and be broken there: one condition of dimensions, some of them columns."""
    rule, names = formula.read(text), {other.name for other in arch.ledger.dimensions if other.kind != "choice"}
    test = rule.tree.test if isinstance(rule.tree, ast.IfExp) else None
    if not isinstance(test, ast.Compare) or not {*rule.names} <= names:
        return False
    if str(excel_formula(arch, text)).count("IF(") > 1:
        return False
    return any(constant_value(side, arch.left_out) is None for side in (test.left, *test.comparators))


def rule_specs(arch: ArchitectureTable, rules: Sequence[RowRule]) -> list[ColumnSpec]:
    """Return the columns that say of each row whether it holds."""
    return [
        ColumnSpec(header, "helper", BAND, sentence, "", formula.read(text), excel_formula(arch, text))
        for header, sentence, text in rules
    ]


def rule_checks(arch: ArchitectureTable) -> list[CheckRow]:
    """Return the check of each rule: in how many rows it does not hold, and of which model the first one is."""
    return [_check(arch, rule) for rule in row_rules(arch)]


def _check(arch: ArchitectureTable, rule: RowRule) -> CheckRow:
    holds = column(arch.table, rule.header)
    first = look_up(arch.table, "model", rule.header, 0)
    words = {"architecture": arch.ledger.architecture.title, "sentence": rule.sentence, "sheet": arch.sheet}
    names = {"holds": holds, "numbers": column(arch.table, "no")}
    result = stated_check("row_rule", names, header=rule.header, **words)
    return replace(result, more=call("IFERROR", " First: " & first, ""))
