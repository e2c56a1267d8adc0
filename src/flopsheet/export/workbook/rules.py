"""Rules of thumb: columns of the workings, live next to the exact numbers, and a row a rule on the sheet Rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.export.workbook.cells import lookup, referring
from flopsheet.export.workbook.column_spec import ColumnSpec, split_sum
from flopsheet.export.workbook.excel_form import blank_unless, excel_form
from flopsheet.export.workbook.formula_names import look_up
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.rule_results import CORRECTED, PUBLISHED
from flopsheet.planning.rules import DIFFERENCE, where
from livesheets import Formula, TableFill, Value
from livesheets.excel import call, column, here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Rule
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.export.workbook.rule_results import RuleResults
    from livesheets.excel import Expression

TABLE = "rules"
NUMBER, EXACT = DIFFERENCE.names


class Names(Struct, frozen=True):
    """The columns of the workings that hold a rule: published, corrected ("" without) and exact."""

    published: str
    corrected: str
    exact: str


def names(result: RuleResults, arch: ArchitectureTable) -> Names:
    """Return the columns of a rule; where the exact number is a line that has a column, that one."""
    name, compares = f"rule_{result.rule.name}", result.rule.compares
    corrected_header = f"{name}_corrected" if result.rule.corrected else ""
    exact = compares if compares in arch.names else f"rule_{_first(result, arch).rule.name}_exact"
    return Names(name, corrected_header, exact)


def _off(header: str) -> str:
    """Return the column with what a form of a rule is off."""
    return f"{header}_off"


def _first(result: RuleResults, arch: ArchitectureTable) -> RuleResults:
    """Return the first rule that compares with the same exact number: its column serves them all."""
    return next(other for other in arch.rules if other.rule.compares == result.rule.compares)


def rule_columns(arch: ArchitectureTable) -> list[ColumnSpec]:
    """Return the columns of an architecture's rules; they are blank for models that a rule does not mean."""
    return [spec for result in arch.rules for spec in _columns(arch, result)]


def _columns(arch: ArchitectureTable, result: RuleResults) -> list[ColumnSpec]:
    rule, columns = result.rule, names(result, arch)
    specs: list[ColumnSpec] = []
    if columns.exact not in arch.names and _first(result, arch) is result:
        specs += _exact(arch, rule, columns.exact)
    specs += _form(arch, result, columns, columns.published, rule.formula)
    if columns.corrected:
        specs += _form(arch, result, columns, columns.corrected, rule.corrected)
    return specs


def _band(rule: Rule) -> str:
    return f"Rule: {rule.title}"


def _exact(arch: ArchitectureTable, rule: Rule, header: str) -> list[ColumnSpec]:
    spec = ColumnSpec(header, "helper", _band(rule), "Exact number", rule.unit, formula.read(rule.compares))
    parts, whole = split_sum(arch, spec, rule.compares)
    return [*parts, replace(spec, formula=whole)]


def _form(arch: ArchitectureTable, result: RuleResults, columns: Names, header: str, text: str) -> list[ColumnSpec]:
    """Return the columns of the published or corrected form, its parts before it and what it is off after it."""
    rule, is_corrected = result.rule, header == columns.corrected
    band, title = _band(rule), "Corrected" if is_corrected else "As published"
    values, errors = result.columns(CORRECTED if is_corrected else PUBLISHED)
    form = ColumnSpec(header, "helper", band, title, rule.unit, values)
    parts, whole = split_sum(arch, form, text)
    means = _excel(arch, where(rule, EXACT), columns, header)
    difference = blank_unless(means, _excel(arch, DIFFERENCE.text, columns, header))
    off = ColumnSpec(_off(header), "difference", band, f"{title}, error", "ratio", errors, difference)
    return [*parts, replace(form, formula=blank_unless(means, whole)), off]


def _excel(arch: ArchitectureTable, text: str, columns: Names, number: str) -> Expression:
    """Return a formula in which a rule's exact number and the number of one of its forms are columns."""
    own = {EXACT: here(arch.table, columns.exact), NUMBER: here(arch.table, number)}
    refer_to = referring(arch)
    return excel_form(formula.read(text), lambda name: own[name] if name in own else refer_to(name))


def rules_table(architectures: Sequence[ArchitectureTable]) -> TableFill:
    """Return a row for each rule of an architecture: how far it is off over the batch, and one model as example."""
    return fill_list(TABLE, (_row(arch, result) for arch in architectures for result in arch.rules))


def _row(arch: ArchitectureTable, result: RuleResults) -> list[Value | Formula]:
    rule, columns = result.rule, names(result, arch)
    return [
        arch.table,
        rule.title,
        formula.read(rule.formula).markdown(lambda name: name),
        rule.unit,
        *_spread(arch, columns),
        rule.erratum,
        rule.source,
        *_example(arch, result, columns),
    ]


def _spread(arch: ArchitectureTable, columns: Names) -> list[Value | Formula]:
    """Return how many models a rule means, and from what to what it is off."""
    cells: list[Value | Formula] = [Formula(call("COUNT", column(arch.table, _off(columns.published))))]
    for header in (columns.published, columns.corrected):
        off = column(arch.table, _off(header))
        cells += [_extreme("MIN", off), _extreme("MAX", off)] if header else ["", ""]
    return cells


def _extreme(function: str, off: Expression) -> Formula:
    return Formula(call("IF", here(TABLE, "Models") == 0, "", call(function, off)))


def _example(arch: ArchitectureTable, result: RuleResults, columns: Names) -> list[Value | Formula]:
    """Return the numbers of one model, by default the first one that the rule means."""
    example = here(TABLE, "Example no")
    return [
        next(iter(result.places)),
        Formula(look_up(arch.table, "model", "no", example)),
        Formula(lookup(arch.table, columns.published, example)),
        Formula(lookup(arch.table, columns.corrected, example)) if columns.corrected else "",
        Formula(lookup(arch.table, columns.exact, example)),
    ]
