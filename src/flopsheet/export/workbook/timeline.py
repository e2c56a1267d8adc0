"""A timeline as finance draws it: periods across columns with their days and a total, for one model at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.export.layout.spec import ChartLayout
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.formula_names import KEYS, NUMBER, input_cell, table_name
from flopsheet.export.workbook.lead import number_in_place
from flopsheet.export.workbook.question_rows import row_count
from flopsheet.export.workbook.question_tables import QuestionTable
from flopsheet.export.workbook.table_columns import NAME_WIDTH, TableColumn
from flopsheet.planning.question import MODELS_TABLE, Question, Table
from flopsheet.planning.row_limits import listed_rows
from flopsheet.planning.sheet import Sheet, SheetTable, tab
from flopsheet.units.called import DATE
from livesheets import Formula, Value
from livesheets.excel import Expression, call, cell, cells, column, headers, here

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.accounting.line import Line
    from flopsheet.planning.described import Paper, Timeline, TimelineLine
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Rows

LINE, UNIT, TOTAL = "Line", "Unit", "Total"
BELOW, AMOUNT = "Below", "Amount"
MONEY, YES = "USD", "yes or no"
UNIT_WIDTH, PERIOD_WIDTH, TOTAL_WIDTH = 10, 11, 12
WORDS = ("wrapped", "text")
LOOKS = {
    "block": ("block", "block", "block"),
    "money": (*WORDS, "cash"),
    "bold": ("subtotal_text", "subtotal_text", "cash_total"),
    "count": (*WORDS, "count_seen"),
    "date": (*WORDS, "day_seen"),
    "flag": (*WORDS, "flag_seen"),
}
"""How the rows of a role look: line, unit and numbers."""
MOST_ACROSS = 14
"""Periods that an A4 page is wide enough for."""


@dataclass(frozen=True)
class TimelineRow:
    """A row: its title, unit and role, and the formula of a period, whose number is given; of all periods, too."""

    title: Value | Formula
    unit: str
    role: str
    periods: Sequence[Value | Formula] = ()
    total: Value | Formula = None


@dataclass(frozen=True)
class TimelineRows:
    """The rows of a table: lines, of which nothing else is asked."""

    keys: Sequence[TimelineRow]


@dataclass(frozen=True)
class TimelineTable(QuestionTable):
    """A row per line, and a column per period: all of one model, and below them some of every model."""

    timeline: Timeline
    key: str

    @property
    def name(self) -> str:
        """The name of the Excel table."""
        return self.key

    @cached_property
    def rows(self) -> TimelineRows:  # type: ignore[override]  # its rows are lines
        """Its rows."""
        return TimelineRows([*self._of_model(), *self._of_every_model()])

    def counts(self) -> list[tuple[Rows, Expression]]:
        """No rows that inputs count: the table with the periods says whether they suffice."""
        return []

    @property
    def columns(self) -> list[TableColumn]:
        """Line and unit, all periods, and each of them."""
        rows = self.rows.keys
        number_columns = [TableColumn(TOTAL, TOTAL, "", "cash", TOTAL_WIDTH, None, [row.total for row in rows])]
        for at, period in enumerate(self.across):
            cells = [row.periods[at] if row.periods else None for row in rows]
            number_columns.append(
                TableColumn(str(period), f"{self._period_title} {period}", "", "cash", PERIOD_WIDTH, None, cells)
            )
        return [
            TableColumn(LINE, LINE, "", "wrapped", NAME_WIDTH, None, [row.title for row in rows]),
            TableColumn(UNIT, UNIT, "", "text", UNIT_WIDTH, None, [row.unit for row in rows]),
            *number_columns,
        ]

    @property
    def row_looks(self) -> tuple[tuple[str, ...], ...]:
        """How each row looks, column by column."""
        looks = (LOOKS[row.role] for row in self.rows.keys)
        return tuple((words, unit, *[number] * (1 + len(self.across))) for words, unit, number in looks)

    @property
    def printed_columns(self) -> int:
        """All of it is printed."""
        return len(self.columns)

    @cached_property
    def across(self) -> list[int]:
        """The periods, by number."""
        return [*range(1, listed_rows(self._periods, self.plan.case(self.plan.scenario)) + 1)]

    @property
    def _periods(self) -> Rows:
        return self.plan.program.tables[self.timeline.table].rows[-1]

    @property
    def _period_title(self) -> str:
        return self._periods.title or self._periods.key.capitalize()

    def _of_model(self) -> Iterator[TimelineRow]:
        for block in self.timeline.blocks:
            yield TimelineRow(block.title, "", "block")
            for line in block.lines:
                yield self._row(line, cell(chosen_cell(self.key)))

    def _of_every_model(self) -> Iterator[TimelineRow]:
        for line in self.timeline.each:
            yield TimelineRow(f"{self._title(line)}, each model", "", "block")
            for place in range(1, len(self.plan.costed) + 1):
                number = call("INDEX", KEYS, place)
                name = Formula(call("INDEX", column(MODELS_TABLE, "Model"), place))
                yield replace(self._row(line, number), title=name)

    def _title(self, line: TimelineLine) -> str:
        return line.title or self._line(line).label

    def _line(self, line: TimelineLine) -> Line:
        return next(
            table_line for table_line in self.plan.program.lines(self.timeline.table) if table_line.name == line.line
        )

    def _row(self, line: TimelineLine, number: Expression) -> TimelineRow:
        own = self._line(line).unit
        unit = line.unit or own
        cells = [Formula(self._period(line, headers(self.key, str(period)), number)) for period in self.across]
        unit_text = YES if line.flag else unit
        return TimelineRow(self._title(line), unit_text, _role(line, own), cells, self._total(line, number))

    def _period(self, line: TimelineLine, period: Expression, number: Expression) -> Expression:
        source, own = table_name(self.timeline.table), self._line(line).unit
        result = call(
            "SUMIFS",
            column(source, line.line),
            column(source, NUMBER),
            number,
            column(source, self._periods.key),
            period,
        )
        return call("IF", result > 0, 1, 0) if line.flag else result / unit_size(line.unit or own, own)

    def _total(self, line: TimelineLine, number: Expression) -> Value | Formula:
        """Return what the column of all periods shows."""
        first, last = str(self.across[0]), str(self.across[-1])
        match line.total:
            case "sum":
                return Formula(call("SUM", here(self.key, first, last)))
            case "first":
                return Formula(here(self.key, first))
            case "last":
                last_period = call("MAX", column(table_name(self.timeline.table), self._periods.key))
                return Formula(self._period(line, call("MIN", last_period, row_count(self._periods)), number))
        return None


@dataclass(frozen=True)
class StepsTable(QuestionTable):
    """A row per line of a timeline up to the peak, then the peak and what it is held against: bars that add up."""

    timeline: Timeline
    key: str

    @property
    def name(self) -> str:
        """The name of the Excel table."""
        return self.table.name

    @cached_property
    def rows(self) -> TimelineRows:  # type: ignore[override]  # its rows are lines
        """Its rows: title, unit, amount."""
        steps = [
            TimelineRow(self._label(line), self._unit(line), "", [self._up_to(line)]) for line in self.timeline.steps
        ]
        unit, peak = self._unit(self.timeline.steps[0]), self.peak
        steps.append(TimelineRow(peak.label, unit, "", [Formula(self._of(peak.name) / unit_size(unit, peak.unit))]))
        if self.timeline.limit:
            limit = self.plan.program.inputs[self.timeline.limit]
            amount = Formula(input_cell(limit.name) / unit_size(unit, limit.unit))
            steps.append(TimelineRow(limit.title, unit, "", [amount]))
        return TimelineRows(steps)

    @property
    def peak(self) -> Line:
        """The line of each model that the steps add up to."""
        return next(line for line in self.plan.program.lines(self.timeline.of) if line.name == self.timeline.peak)

    def counts(self) -> list[tuple[Rows, Expression]]:
        """No rows that inputs count."""
        return []

    @property
    def columns(self) -> list[TableColumn]:
        """Line, unit and amount, and what its bar stands on."""
        rows, steps, own = self.rows.keys, len(self.timeline.steps), here(self.name, AMOUNT)
        so_far = call("SUM", cells(call("INDEX", column(self.name, AMOUNT), 1), own)) - own
        below: list[Value | Formula] = [Formula(so_far)] * steps + [0] * (len(rows) - steps)
        return [
            TableColumn(LINE, LINE, "", "wrapped", NAME_WIDTH, None, [row.title for row in rows]),
            TableColumn(UNIT, UNIT, "", "text", UNIT_WIDTH, None, [row.unit for row in rows]),
            TableColumn(AMOUNT, AMOUNT, "", "link_balance", TOTAL_WIDTH, None, [row.periods[0] for row in rows]),
            TableColumn(BELOW, "Stands on", "", "balance", TOTAL_WIDTH, None, below),
        ]

    @property
    def printed_columns(self) -> int:
        """None of it is printed: the chart is."""
        return 0

    def _unit(self, line: TimelineLine) -> str:
        return line.unit or self._line(line).unit

    def _label(self, line: TimelineLine) -> str:
        return line.title or self._line(line).label

    def _line(self, line: TimelineLine) -> Line:
        return next(
            table_line for table_line in self.plan.program.lines(self.timeline.table) if table_line.name == line.line
        )

    def _up_to(self, line: TimelineLine) -> Formula:
        source, period = table_name(self.timeline.table), self.plan.program.tables[self.timeline.table].rows[-1].key
        until = "<=" & self._of(self.timeline.until)
        own = column(source, NUMBER), cell(chosen_cell(self.key)), column(source, period), until
        return Formula(
            call("SUMIFS", column(source, line.line), *own) / unit_size(self._unit(line), self._line(line).unit)
        )

    def _of(self, name: str) -> Expression:
        """Return the formula of a line of the model, in the table with a row for each model."""
        other = table_name(self.timeline.of)
        return call("SUMIFS", column(other, name), column(other, NUMBER), cell(chosen_cell(self.key)))


def chosen_cell(key: str) -> str:
    """Return the name of the cell with the number of the model that a timeline shows."""
    return f"shown_{key}"


def pick_cells(plan: Plan, key: str) -> dict[str, Value | Formula]:
    """Return the cells with which people choose a model: without a choice it is the best one, where a plan ranks."""
    pick, number = cell(f"pick_{key}"), cell(chosen_cell(key))
    best = next((question.described.best for question in plan.program.questions if question.described.best), None)
    first = call("INDEX", KEYS, 1)
    default = call("IFERROR", number_in_place(best, 1), first) if best else first
    row = call("MATCH", number, KEYS, 0)
    return {
        f"pick_{key}": None,
        f"first_{key}": Formula(default),
        chosen_cell(key): Formula(call("IF", pick == "", cell(f"first_{key}"), pick)),
        f"name_{key}": Formula(call("INDEX", column(MODELS_TABLE, "Model"), row)),
    }


def _role(line: TimelineLine, unit: str) -> str:
    """Return the role of a row by its line and the line's unit."""
    if line.flag or line.bold:
        return "flag" if line.flag else "bold"
    return {DATE: "date", MONEY: "money"}.get(unit, "count")


class TimelineParts(NamedTuple):
    """A timeline: its sheet and tables, and the chart of the steps to the peak."""

    sheet: Sheet
    tables: list[QuestionTable]
    chart: ChartLayout | None


def timeline_of(plan: Plan, question: Question) -> TimelineParts | None:
    """Return the timeline that a question has, None for none."""
    spec = question.described.timeline
    if spec is None:
        return None
    key, title = timeline_key(question), spec.title or question.title
    sheet_table, more = SheetTable(key, title, ()), SheetTable(steps_key(question), title, ())
    table = TimelineTable(plan, Table(key, title, ()), sheet_table, spec, key)
    steps = StepsTable(plan, Table(more.name, title, ()), more, spec, key)
    paper: Paper = "A3" if len(table.across) > MOST_ACROSS else "A4"
    about = spec.about or question.about
    sheet = Sheet(tab(spec.name), title, about, (sheet_table,), (), spec.notes, paper, first=False, one_page=True)
    if not spec.steps:
        return TimelineParts(sheet, [table], None)
    unit, peak = steps.rows.keys[0].unit, steps.peak.label
    title, series = f"What {peak.lower()} is made of", (BELOW, AMOUNT)
    chart = ChartLayout("steps", title, steps.name, LINE, series, (), LINE, unit, wide=True, labels=True)
    return TimelineParts(sheet, [table, steps], chart)


def timeline_key(question: Question) -> str:
    """Return what the names of a timeline's cells hold, and what its table is called."""
    return f"{question.name}_timeline"


def steps_key(question: Question) -> str:
    """Return what the table of the steps to the peak is called."""
    return f"{timeline_key(question)}_steps"
