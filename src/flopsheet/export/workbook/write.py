"""Fill a template with a plan: the lists and prototypes of the shipped one where it has them, its own lists, names."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.errors import TemplateError
from flopsheet.export.binding.bind import find_lists, find_names, remarks_on, unknown_markers
from flopsheet.export.binding.headers import Catalog
from flopsheet.export.binding.lists import fill_list
from flopsheet.export.binding.names import HIDDEN, markers, named_values
from flopsheet.export.binding.periods import PeriodList, periods_of
from flopsheet.export.shipped_templates import DEFAULT, shipped_templates
from flopsheet.export.workbook.checks import not_passed
from flopsheet.export.workbook.compose import laid_out
from flopsheet.export.workbook.hidden import describe_hidden, find_print_set, hidden_sheets, is_brief
from flopsheet.export.workbook.labeled_cells import (
    count_days,
    label_values,
    money_of,
    undated,
    unknown_results,
    unread_units,
)
from flopsheet.export.workbook.lead import SAY, lead_name
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.registry import BASE, find_unasked
from livesheets import Fill, Formula, Rows, check_workbook_file, fill, read_template
from livesheets.suggestions import names_like
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flopsheet.export.binding.lists import ModelList
    from flopsheet.planning.plan import Plan
    from livesheets import Clone, FillReport, TableFill, Template, Value
    from livesheets.tokens import Token

PREFIXES = ("in_", "out_", "chk_", "meta_", "drv_")
"""How flopsheet's own names begin; other names in a formula are the template's."""


def write_workbook(
    plan: Plan,
    output: Path,
    template: str = DEFAULT,
    allow: Collection[str] = (),
    *,
    protect: bool = False,
    sheets: Sequence[str] | None = None,
) -> FillReport:
    """Write the planning workbook of a plan; return what a person should know of how the template was filled.

    `template` is the name of a shipped template or the path of one; `allow` has the words of the active content that it
    may bring along; `protect` locks every sheet but its open cells. `sheets` names those that are shown, behind the
    first, or is `all`; without it sheets are as in the template. The output is written aside and renamed, so that
    an error, a TemplateError, leaves what was there.
    """
    data, name = template_of(plan, template, brief=is_brief(find_print_set(sheets)))
    read = read_template(data)
    left_out = _scenarios_without_column(plan, read)
    plan = _about(read, plan.without_scenarios() if left_out else plan)
    filler = PlanFiller(plan, read, data, name, allow)
    filler.check_questions()
    filler.check_days()
    catalog = catalog_of(plan)
    lists, remarks = find_lists(filler.template, catalog, filler.filled_names | filler.reserved_names)
    values = {**named_values(plan, data, name), **filler.named.named_values}
    hidden_names = hidden_sheets(filler, sheets)
    values[f"meta_{HIDDEN}"] = replace(values[f"meta_{HIDDEN}"], value=describe_hidden(hidden_names))
    tables = [*filler.filled_tables, *(model_list.table for model_list in lists)]
    wrote, question_of = filler.named.wrote, partial(find_unasked, plan.host, plan.program)
    places, name_remarks = find_names(filler.template, values, tables, filler.prototypes, wrote, question_of)
    available = _available(filler)
    texts = {**markers(plan, data, name), HIDDEN: describe_hidden(hidden_names)}
    if not (tables or places or filler.clones or any(marker in texts for marker in filler.template.markers)):
        raise TemplateError("\n  ".join(["nothing in the template can be filled:", *remarks, *name_remarks]))
    failures, warnings = (tuple(not_passed(filler.book, result)) for result in (0, -1))
    refusals = [*filler.incomplete]
    refusals += [why for model_list in lists if isinstance(model_list, PeriodList) for why in model_list.check_rows()]
    cells = dict(label_values(filler, values, places, refusals))
    cells |= unknown_results(filler.template, values, tables, refusals, question_of)
    cells = filler.book.evaluate_cells(cells, "")
    name_remarks += [*undated(values, places, cells), *unread_units(filler, values, places)]
    cells = count_days(filler.template, values, places, cells)
    request = _fill(filler, lists, cells, available)
    request = replace(request, texts=texts, allow=allow, protect=protect)
    filler.book.forget()
    filler.template.release()
    report = fill(data, replace(request, hidden=None if sheets is None else hidden_names), output)
    remarks += [*left_out, *name_remarks, *unknown_markers(filler.template, texts)]
    remarks += available.remarks if filler.filled_tables else []
    remarks += [remark for model_list in lists for remark in remarks_on(model_list, filler.template, plan, catalog)]
    return replace(report, unbound=tuple(remarks), refused=tuple(refusals), failing=failures, warning=warnings)


def _about(template: Template, plan: Plan) -> Plan:
    """Return the plan with the question that a copied template's cover is about."""
    questions = [question.name for question in plan.program.questions]
    result = next((name for name in questions if lead_name(SAY, name) in template.names), plan.lead)
    return replace(plan, lead=result) if result != plan.lead else plan


def catalog_of(plan: Plan) -> Catalog:
    """Return what headers may mean to a plan: fields of models and of months, money in its currency too."""
    return Catalog(plan.host, money_of(plan), partial(periods_of, plan))


def _scenarios_without_column(plan: Plan, template: Template) -> list[str]:
    """Say which named scenarios a template's list of inputs has no column for: none of them is then in the workbook."""
    table = template.book.tables.get("drivers")
    missing = [scenario.name for scenario in plan.named if table and scenario.name not in table.columns]
    if not missing:
        return []
    text = f"; {TITLES['base']} is shown" if plan.scenario in plan.cases[len(CASES) :] else ""
    reason = f"the template's table drivers has no column {missing[0]!r}"
    remedy = "Insert a column for each between those of the cases and Live"
    return [f"{reason}: the portfolio's named scenarios are left out{text}. {remedy}"]


def _fill(
    filler: PlanFiller, lists: Sequence[ModelList], names: Mapping[str, Value | Formula], available: AvailableNames
) -> Fill:
    tables = {name: available.table(table) for name, table in filler.tables().items()}
    tables |= {model_list.table.name: fill_list(filler.plan, model_list, filler.template) for model_list in lists}
    return Fill(
        tables=tables,
        names=available.values(names),
        clones=[available.clone(clone) for clone in filler.clones],
        new_names=filler.named.new_names(),
        properties={"title": filler.plan.name} if filler.filled_tables else {},
        prototypes=filler.prototypes,
    )


def _available(filler: PlanFiller) -> AvailableNames:
    """Return the tables and names of the output."""
    book, left_out = filler.template.book, filler.foreign_tables
    others = [table for name, table in book.tables.items() if name not in left_out]
    tables = [table.name for table in others if table.sheet not in filler.prototypes]
    tables += [name for clone in filler.clones for name, _ in clone.tables.values()]
    return available_names([*tables, *filler.template.valid_names, *filler.named.new_names()])


def template_of(plan: Plan, name: str, *, brief: bool = False) -> tuple[bytes, str]:
    """Return a template for a plan: a shipped one has the sheets of the plan's further questions, `brief` on paper."""
    template = shipped_templates().get(name)
    if template is None:
        return load_template(name)
    question_names = {question.name for question in plan.program.questions}
    if missing := [question for question in template.questions if question not in question_names]:
        raise TemplateError(f"the template {name} has sheets of the questions {', '.join(missing)}: the plan asks none")
    if name == DEFAULT and not plan.named and question_names <= {*BASE} and not brief:
        return load_template(name)
    return laid_out(plan, template, brief=brief), f"{name}.xlsx"


def load_template(name: str) -> tuple[bytes, str]:
    """Return the bytes and the file name of a shipped template or of a file; a TemplateError if it is neither."""
    if name == DEFAULT:
        return (files("flopsheet_templates") / f"{DEFAULT}.xlsx").read_bytes(), f"{DEFAULT}.xlsx"
    if template := shipped_templates().get(name):
        from flopsheet.export.workbook.sample import sample_bytes  # noqa: PLC0415 - only who asks for a sample makes it

        return sample_bytes(template), f"{name}.xlsx"
    path = Path(name)
    if not path.is_file():
        hint = names_like(name, shipped_templates()) or f"; expected a file, or one of {', '.join(shipped_templates())}"
        raise TemplateError(f"no such template{hint}")
    try:
        check_workbook_file(path, "the template")
        return path.read_bytes(), path.name
    except OSError as error:
        raise TemplateError(f"{path}: the template cannot be read: {error.strerror or error}") from None


class AvailableNames(Struct, frozen=True):
    """The tables and names of the output, in lower case."""

    names: frozenset[str]
    missing: dict[str, set[str]] = field(default_factory=dict)
    """What each formula seen so far refers to that the output does not have."""

    def has(self, formula: str) -> bool:
        """Whether the output has all tables and names of a formula."""
        if formula not in self.missing:
            result = {_name_of(piece) for piece in tokens(formula)} - {""}
            self.missing[formula] = {name for name in result if name.casefold() not in self.names}
        return not self.missing[formula]

    @property
    def remarks(self) -> list[str]:
        """Return a line about the tables and names that formulas missed."""
        names = sorted(set().union(*self.missing.values()))
        them = "it" if len(names) == 1 else "them"
        line = f"the template has no {', '.join(names)}; formulas that use {them} were replaced by their values"
        return [line] if names else []

    def value(self, value: Value | Formula) -> Value | Formula:
        """Return a cell's content: a formula that misses something, the template's too, gives way to its value."""
        return Formula("", value.value) if isinstance(value, Formula) and not self.has(value.text) else value

    def values(self, cells: Mapping[str, Value | Formula]) -> dict[str, Value | Formula]:
        """Return named cells, each with its formula or its value."""
        return {name: self.value(value) for name, value in cells.items()}

    def table(self, fill: TableFill) -> TableFill:
        """Return a table whose columns and cells keep the formulas that miss nothing."""
        columns = fill.columns and tuple(
            column if self.has(column.text) else replace(column, formula=None) for column in fill.columns
        )
        rows = fill.rows
        if not isinstance(rows, Rows) and any(
            isinstance(value, Formula) and not self.has(value.text) for row in rows for value in row
        ):
            rows = [[self.value(value) for value in row] for row in rows]
        return replace(fill, columns=columns, rows=rows)

    def clone(self, clone: Clone) -> Clone:
        """Return a clone whose tables and cells keep the formulas that miss nothing."""
        tables = {name: (new, self.table(fill)) for name, (new, fill) in clone.tables.items()}
        return replace(clone, tables=tables, cells=self.values(clone.cells))


def _name_of(piece: Token) -> str:
    """Return the table or name that a piece of a formula is, "" for neither."""
    if piece.kind == "table":
        return read_structured(piece.text).table
    return piece.text if piece.kind == "name" and piece.text.startswith(PREFIXES) else ""


def available_names(names: Iterable[str]) -> AvailableNames:
    """Return the tables and names of the output, given in any case."""
    return AvailableNames(frozenset(name.casefold() for name in names))
