"""The sheets of a plan's questions: what is laid out for each, and what fills its tables and named cells."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict, replace

from flopsheet.export.layout.spec import (
    FIGURE_CELLS,
    ChartLayout,
    ColumnLayout,
    SheetLayout,
    TableLayout,
    figure_name,
)
from flopsheet.export.workbook.by_case import sheet_by_case, tables_by_case
from flopsheet.export.workbook.check_rows import CheckRow, stated_check
from flopsheet.export.workbook.figures import figure_cells, figure_key, figure_layout, figure_meanings
from flopsheet.export.workbook.formula_names import KEYS, table_name
from flopsheet.export.workbook.lead import lead_cells, model_in_place
from flopsheet.export.workbook.question_rows import row_count
from flopsheet.export.workbook.question_tables import QuestionTable, check_header
from flopsheet.export.workbook.scenarios import SCENARIOS, scenario_sheet
from flopsheet.export.workbook.sign_off import decided_cells, is_decided
from flopsheet.export.workbook.table_columns import count_rows
from flopsheet.export.workbook.timeline import pick_cells, timeline_key, timeline_of
from flopsheet.planning.memo import once
from flopsheet.planning.question import CASES_TABLE, MODELS, Question
from flopsheet.planning.registry import BASE
from flopsheet.planning.sheet import SHARED, sheets_of
from flopsheet.planning.sheet_records import Reference
from livesheets import Formula, Value
from livesheets.excel import call, cell, column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.planning.answers import Answer
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.sheet import Sheet
    from flopsheet.planning.sheet_records import SheetChart

Cells = dict[str, Value | Formula]
SEEN = "see_"
"""How the names of a figure's cells on About begin."""
BESIDE = 12
"""Models of which a chart is readable on half a sheet."""
PAPERS = {"A4": 9, "A3": 8}


class QuestionSheet(Struct, frozen=True, dict=True):
    """One of a question's own sheets in a plan's workbook; the first of them has its figures."""

    plan: Plan
    question: Question
    sheet: Sheet
    place: int = 0

    @property
    def key(self) -> str:
        """What the names of its cells hold."""
        return f"{self.question.name}_{self.place + 1}" if self.place else self.question.name

    @cached_property
    def tables(self) -> list[QuestionTable]:
        """The tables that are on it: a table of several questions is on the sheet of the first."""
        earlier = self.plan.program.questions[: self.plan.program.questions.index(self.question)]
        before = {table.name for question in earlier for table in question.tables}
        specs = [spec for spec in self.sheet.tables if spec.name not in {*SHARED, *before}]
        return [QuestionTable(self.plan, self.plan.program.tables[spec.name], spec) for spec in specs]

    @cached_property
    def answers(self) -> list[Answer]:
        """The figures that are on it."""
        answers = () if self.place else self.plan.answers()
        return [answer for answer in answers if answer.question.name == self.question.name]

    def lay_out(self) -> SheetLayout:
        """Return what its layout needs to know."""
        program, models = self.plan.program, len(self.plan.costed)
        return SheetLayout(
            self.key,
            self.sheet.name,
            self.sheet.title,
            self.sheet.about,
            tuple(figure_layout(program, self.question, answer.figure, models) for answer in self.answers),
            tuple(_table_layout(table) for table in self.tables),
            tuple(chart for spec in self._drawn_charts for chart in self._charts(spec)),
            self.sheet.notes,
            PAPERS[self.sheet.paper],
            self.sheet.first,
            self.sheet.one_page,
            detail=self.sheet.detail,
            decided=len(self.question.described.drivers) if self._is_decided else 0,
        )

    @property
    def _drawn_charts(self) -> Sequence[SheetChart]:
        """The charts that are drawn: of many models a page that somebody signs has room for the one with a limit."""
        charts = self.sheet.charts
        if not self._is_decided or len(self.plan.costed) <= BESIDE:
            return charts
        return [chart for chart in charts if chart.over or chart.references][:1] or charts[:1]

    @property
    def kind(self) -> str:
        """What it is for: the page with the answer, a summary, a question, a detail of one, or workings."""
        return "answer" if self._is_decided else "detail" if self.place or self.sheet.detail else "question"

    @property
    def _is_decided(self) -> bool:
        """Whether it is the page of a question that is answered by a sentence."""
        return not self.place and is_decided(self.plan, self.question)

    def _charts(self, chart: SheetChart) -> Iterator[ChartLayout]:
        for table in self.tables:
            if table.table.name == chart.table:
                last = table.table.rows[-1] if table.table.rows else None
                category = chart.category or (last.key if last else chart.series[0])
                shown = {
                    names: tuple(table.header(name) for name in getattr(chart, names) if table.shows(name))
                    for names in ("series", "over", "across")
                }
                references = tuple(Reference(table.reference(chart, line.of)) for line in chart.references)
                look = next((spec.look for spec in table.columns if spec.name in chart.series), "")
                wide = chart.wide or (last == MODELS and len(self.plan.costed) > BESIDE)
                own = {"table": table.name, "category": table.header(category), "references": references, "wide": wide}
                yield ChartLayout(**asdict(chart) | shown | own, look=look)

    def cells(self) -> Cells:
        """Return its named cells: the state of the checks, and each figure, on its own sheet and on About."""
        names: Cells = {f"chk_{self.key}": Formula("chk_master")}
        if not self.place:
            names |= lead_cells(self.plan, self.question) | decided_cells(self.plan, self.question)
        for answer in self.answers:
            key, cells = figure_key(answer.question, answer.figure), figure_cells(self.plan, answer)
            names |= cells
            for name in (figure_name(part, key) for part in FIGURE_CELLS[:-1]):
                names[f"{SEEN}{name}"] = Formula(cell(name) & "" if isinstance(cells[name], str) else name)
        return names | self._titles()

    def _titles(self) -> Cells:
        """Return the titles of columns that are of the model in a place: its name, looked up once for each place."""
        program = self.plan.program
        every = [pair for sheet in sheets_of(program, self.question) for pair in _place_columns(sheet)]
        first, best = dict(reversed(every)), self.question.described.best
        if best is None:
            return {}
        return {
            name: Formula(model_in_place(best, place) if first[place] == name else first[place])
            for place, name in _place_columns(self.sheet)
        }

    def describe_cells(self) -> dict[str, tuple[str, str, str]]:
        """Return title, unit and meaning of the cells with numbers."""
        return {name: meaning for answer in self.answers for name, meaning in figure_meanings(answer).items()}


class GivenSheet(QuestionSheet, frozen=True):
    """A sheet whose tables are made for it, without figures."""

    own_tables: Sequence[QuestionTable] = ()
    kind = "summary"

    @property
    def tables(self) -> list[QuestionTable]:
        """The tables that are given to it."""
        return [*self.own_tables]

    @property
    def answers(self) -> list[Answer]:
        """No figures."""
        return []


class TimelineSheet(GivenSheet, frozen=True):
    """A question's timeline: a model's rows side by side, and the steps to its peak as a chart."""

    chart: ChartLayout | None = None

    def lay_out(self) -> SheetLayout:
        """Return what its layout needs to know."""
        return replace(super().lay_out(), charts=(self.chart,) if self.chart else (), pick=True)

    def cells(self) -> Cells:
        """Return its named cells: the state of the checks, and those that choose a model."""
        return super().cells() | pick_cells(self.plan, self.key)


class CaseSheet(GivenSheet, frozen=True):
    """The workings behind figures in every case."""

    kind = "workings"

    def lay_out(self) -> SheetLayout:
        """Return what its layout needs to know."""
        return replace(super().lay_out(), workings=True)


BY_CASE = Question("by_case", "", "")
"""What stands for the question of a sheet that has none."""


@once
def question_sheets(plan: Plan) -> list[QuestionSheet]:
    """Return the sheets of a plan's questions, and that of their figures in every case behind the others.

    Questions that are part of every plan have the shipped sheets.
    """
    results = [
        QuestionSheet(plan, question, sheet, place)
        for question in plan.program.questions
        if question.name not in BASE
        for place, sheet in enumerate(sheets_of(plan.program, question))
    ]
    tables = tables_by_case(plan)
    scenarios = []
    if plan.named:
        sheet, table = scenario_sheet(plan)
        scenarios = [GivenSheet(plan, SCENARIOS, sheet, own_tables=[table])]
    answers = [sheet for sheet in results if sheet.kind == "answer"]
    others = [sheet for sheet in results if sheet.kind != "answer"]
    results = [*answers, *scenarios, *_timelines(plan), *others]
    return [*results, CaseSheet(plan, BY_CASE, sheet_by_case(tables), own_tables=tables)] if tables else results


def _timelines(plan: Plan) -> Iterator[TimelineSheet]:
    for question in plan.program.questions:
        if timeline := timeline_of(plan, question):
            own, (sheet, tables, chart) = Question(timeline_key(question), "", ""), timeline
            yield TimelineSheet(plan, own, sheet, own_tables=tables, chart=chart)


def question_checks(plan: Plan, sheets: Sequence[QuestionSheet]) -> list[CheckRow]:
    """Return the checks of the questions, in the live case."""
    results: list[CheckRow] = []
    for _, check in plan.program.checks:
        check_cells = column(table_name(check.table), check_header(check.name))
        # the blank row of a table without rows fails nothing
        off = call("SUMPRODUCT", (check_cells == 0) * (check_cells != ""))
        if check.table == CASES_TABLE:
            off = call("IF", call("SUMIFS", check_cells, column(CASES_TABLE, "case"), "Live") == 0, 1, 0)
        results.append(CheckRow(check.title, off, check.describe(partial(_title_of, plan)), check.warning))
    return results + [row for sheet in sheets for table in sheet.tables for row in _rows_suffice(table)]


def _title_of(plan: Plan, name: str) -> str:
    """Return an input as Assumptions calls it."""
    definition = plan.program.inputs.get(name)
    return f"\N{LEFT DOUBLE QUOTATION MARK}{definition.title}\N{RIGHT DOUBLE QUOTATION MARK}" if definition else name


def _rows_suffice(table: QuestionTable) -> Iterator[CheckRow]:
    """Give the checks that a table has a row for everything that its inputs count."""
    for rows in table.table.rows:
        if not rows.until:
            continue
        missing = call("MAX", 0, row_count(rows) - call("MAX", column(table.name, rows.key)))
        lacking = call("IF", call("COUNT", KEYS) == 0, 0, missing) if MODELS in table.table.rows else missing
        thing = rows.title.lower() or rows.key
        yield stated_check("enough_rows", {"missing": lacking}, table=table.table.title, thing=thing)


def _table_layout(table: QuestionTable) -> TableLayout:
    columns, layouts = table.columns, []
    for spec in columns:
        title_cell = title_name(table.name, spec.name) if spec.place else ""
        layouts.append(ColumnLayout(spec.header, spec.title, spec.unit, spec.look, spec.width, title_cell))
    count, looks = count_rows(columns), table.row_looks
    return TableLayout(table.name, table.sheet.title, tuple(layouts), table.printed_columns, count, looks)


def title_name(table: str, line: str) -> str:
    """Return the name of the cell above a column that has a model's name for its title."""
    return f"ttl_{table}_{line}"


def _place_columns(sheet: Sheet) -> list[tuple[int, str]]:
    """Return the place of each column that is of the model in it, with the name of the cell of its title."""
    return [
        (spec.place, title_name(table_name(table.name), spec.line))
        for table in sheet.tables
        for spec in table.columns
        if spec.place
    ]
