"""A timeline as finance draws it: periods across columns with their days and a total, for one model at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.export.layout.spec import ChartLayout
from flopsheet.export.workbook.answer_cells import in_place
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.formula_names import KEYS, NUMBER, look_up, table_name
from flopsheet.export.workbook.question_rows import row_count
from flopsheet.export.workbook.question_tables import QuestionTable
from flopsheet.export.workbook.table_columns import NAME_WIDTH, TableColumn
from flopsheet.planning.question import MODELS_TABLE, Question, Table
from flopsheet.planning.row_limits import listed_rows
from flopsheet.planning.sheet import Sheet, SheetTable, tab
from flopsheet.units.named_values import DATE
from livesheets import Formula, Value
from livesheets.excel import Expression, call, cell, cells, column, headers, here

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.accounting.line import Line
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Rows
    from flopsheet.planning.sheet_records import Paper, Timeline, TimelineLine

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


class TimelineRow(Struct, frozen=True):
    """A row: its title, unit and role, and the formula of a period, whose number is given; of all periods, too."""

    title: Value | Formula
    unit: str
    role: str
    periods: Sequence[Value | Formula] = ()
    total: Value | Formula = None


class LinesTable(QuestionTable, frozen=True):
    """A table with a row per line of a timeline; `key` is what the names of the timeline's cells hold."""

    timeline: Timeline
    key: str

    @property
    def source(self) -> str:
        """The name of the Excel table that has the lines in every period."""
        return table_name(self.timeline.table)

    @property
    def periods(self) -> Rows:
        """The periods, which are the last key of that table."""
        return self.plan.program.tables[self.timeline.table].rows[-1]

    def title(self, line: TimelineLine) -> str:
        """Return what people call a line."""
        return line.title or self.find_line(self.timeline.table, line.line).label

    def units(self, line: TimelineLine) -> tuple[str, str]:
        """Return the unit in which a line is shown, and its plain one."""
        plain_unit = self.find_line(self.timeline.table, line.line).unit
        return line.unit or plain_unit, plain_unit

    def find_line(self, table: str, name: str) -> Line:
        """Return a line of a table of the plan."""
        return next(line for line in self.plan.program.lines(table) if line.name == name)

    def sum_periods(self, line: TimelineLine, number: Expression, period: Expression) -> Expression:
        """Return the sum of a line of the model with a number over the periods that meet a condition."""
        model, periods = column(self.source, NUMBER), column(self.source, self.periods.key)
        return call("SUMIFS", column(self.source, line.line), model, number, periods, period)


class TimelineTable(LinesTable, frozen=True, dict=True):
    """A row per line, and a column per period: all of one model, and below them some of every model."""

    @cached_property
    def timeline_rows(self) -> list[TimelineRow]:
        """Its rows."""
        return [*self._of_model(), *self._of_every_model()]

    @property
    def columns(self) -> list[TableColumn]:
        """Line and unit, all periods, and each of them."""
        rows, word = self.timeline_rows, self.periods.title or self.periods.key.capitalize()
        columns = _first_columns(rows)
        columns.append(TableColumn(TOTAL, TOTAL, "", "cash", TOTAL_WIDTH, None, [row.total for row in rows]))
        for at, period in enumerate(self.across):
            cells = [row.periods[at] if row.periods else None for row in rows]
            columns.append(TableColumn(str(period), f"{word} {period}", "", "cash", PERIOD_WIDTH, None, cells))
        return columns

    @property
    def row_looks(self) -> tuple[tuple[str, ...], ...]:
        """How each row looks, column by column."""
        looks = (LOOKS[row.role] for row in self.timeline_rows)
        return tuple((words, unit, *[number] * (1 + len(self.across))) for words, unit, number in looks)

    @property
    def printed_columns(self) -> int:
        """All of it is printed."""
        return len(self.columns)

    @cached_property
    def across(self) -> list[int]:
        """The periods, by number."""
        return [*range(1, listed_rows(self.periods, self.plan.case(self.plan.scenario)) + 1)]

    def _of_model(self) -> Iterator[TimelineRow]:
        for block in self.timeline.blocks:
            yield TimelineRow(block.title, "", "block")
            for line in block.lines:
                yield self._row(line, cell(chosen_cell(self.key)))

    def _of_every_model(self) -> Iterator[TimelineRow]:
        for line in self.timeline.each:
            yield TimelineRow(f"{self.title(line)}, each model", "", "block")
            for place in range(1, len(self.plan.costed) + 1):
                name = Formula(call("INDEX", column(MODELS_TABLE, "Model"), place))
                yield replace(self._row(line, call("INDEX", KEYS, place)), title=name)

    def _row(self, line: TimelineLine, number: Expression) -> TimelineRow:
        unit, plain_unit = self.units(line)
        cells = [Formula(self._period(line, headers(self.key, str(period)), number)) for period in self.across]
        total = self._total(line, number)
        return TimelineRow(self.title(line), YES if line.flag else unit, _role(line, plain_unit), cells, total)

    def _period(self, line: TimelineLine, period: Expression, number: Expression) -> Expression:
        result = self.sum_periods(line, number, period)
        return call("IF", result > 0, 1, 0) if line.flag else result / unit_size(*self.units(line))

    def _total(self, line: TimelineLine, number: Expression) -> Value | Formula:
        """Return what the column of all periods shows."""
        first, last = str(self.across[0]), str(self.across[-1])
        match line.total:
            case "sum":
                return Formula(call("SUM", here(self.key, first, last)))
            case "first":
                return Formula(here(self.key, first))
            case "last":
                last_period = call("MIN", call("MAX", column(self.source, self.periods.key)), row_count(self.periods))
                return Formula(self._period(line, last_period, number))
        return None


class StepsTable(LinesTable, frozen=True, dict=True):
    """A row per line of a timeline up to the peak, then the peak and what it is held against: bars that add up."""

    @cached_property
    def timeline_rows(self) -> list[TimelineRow]:
        """Its rows: title, unit, amount."""
        lines, peak = self.timeline.steps, self.peak
        steps = [TimelineRow(self.title(line), self.units(line)[0], "", [self._up_to(line)]) for line in lines]
        unit = steps[0].unit
        limits = [self.find_line(self.timeline.of, self.timeline.limit)] if self.timeline.limit else []
        for line in (peak, *limits):
            amount = Formula(self._of(line.name) / unit_size(unit, line.unit))
            steps.append(TimelineRow(line.label, unit, "", [amount]))
        return steps

    @property
    def peak(self) -> Line:
        """The line of each model that the steps add up to."""
        return self.find_line(self.timeline.of, self.timeline.peak)

    @property
    def columns(self) -> list[TableColumn]:
        """Line, unit and amount, and what its bar stands on."""
        rows, steps, own = self.timeline_rows, len(self.timeline.steps), here(self.name, AMOUNT)
        so_far = call("SUM", cells(call("INDEX", column(self.name, AMOUNT), 1), own)) - own
        below: list[Value | Formula] = [Formula(so_far)] * steps + [0] * (len(rows) - steps)
        return [
            *_first_columns(rows),
            TableColumn(AMOUNT, AMOUNT, "", "link_balance", TOTAL_WIDTH, None, [row.periods[0] for row in rows]),
            TableColumn(BELOW, "Stands on", "", "balance", TOTAL_WIDTH, None, below),
        ]

    def _up_to(self, line: TimelineLine) -> Formula:
        amount = self.sum_periods(line, cell(chosen_cell(self.key)), "<=" & self._of(self.timeline.until))
        return Formula(amount / unit_size(*self.units(line)))

    def _of(self, name: str) -> Expression:
        """Return the formula of a line of the model, in the table with a row for each model."""
        other = table_name(self.timeline.of)
        return call("SUMIFS", column(other, name), column(other, NUMBER), cell(chosen_cell(self.key)))


def _first_columns(rows: Sequence[TimelineRow]) -> list[TableColumn]:
    return [
        TableColumn(LINE, LINE, "", "wrapped", NAME_WIDTH, None, [row.title for row in rows]),
        TableColumn(UNIT, UNIT, "", "text", UNIT_WIDTH, None, [row.unit for row in rows]),
    ]


def chosen_cell(key: str) -> str:
    """Return the name of the cell with the number of the model that a timeline shows."""
    return f"shown_{key}"


def pick_cells(plan: Plan, key: str) -> dict[str, Value | Formula]:
    """Return the cells with which people choose a model: without a choice it is the best one, where a plan ranks."""
    pick, number = cell(f"pick_{key}"), cell(chosen_cell(key))
    best = next((question.described.best for question in plan.program.questions if question.described.best), None)
    first = call("INDEX", KEYS, 1)
    default = call("IFERROR", in_place(best, NUMBER), first) if best else first
    name = look_up(MODELS_TABLE, "Model", "No", number)
    return {
        f"pick_{key}": None,
        f"first_{key}": Formula(default),
        chosen_cell(key): Formula(call("IF", pick == "", cell(f"first_{key}"), pick)),
        f"name_{key}": Formula(name),
    }


def _role(line: TimelineLine, unit: str) -> str:
    """Return the role of a row by its line and the line's unit."""
    if line.flag or line.bold:
        return "flag" if line.flag else "bold"
    return {DATE: "date", MONEY: "money"}.get(unit, "count")


def timeline_of(plan: Plan, question: Question) -> tuple[Sheet, list[QuestionTable], ChartLayout | None] | None:
    """Return the sheet and tables of a question's timeline, with the chart of the steps to the peak; None for none."""
    spec = question.described.timeline
    if spec is None:
        return None
    key, title = timeline_key(question), spec.title or question.title
    table = TimelineTable(plan, Table(key, title, ()), SheetTable(key, title, ()), spec, key)
    name = steps_key(question)  # of which the chart is printed, not the table
    steps = StepsTable(plan, Table(name, title, ()), SheetTable(name, title, (), print=False), spec, key)
    paper: Paper = "A3" if len(table.across) > MOST_ACROSS else "A4"
    about = spec.about or question.about
    sheet = Sheet(tab(spec.name), title, about, (table.sheet,), (), spec.notes, paper, first=False, one_page=True)
    if not spec.steps:
        return sheet, [table], None
    unit, peak = steps.timeline_rows[0].unit, steps.peak.label
    title, series = f"What {peak.lower()} is made of", (BELOW, AMOUNT)
    chart = ChartLayout(steps.name, series, "steps", title, LINE, LINE, unit, wide=True, labels=True)
    return sheet, [table, steps], chart


def timeline_key(question: Question) -> str:
    """Return what the names of a timeline's cells hold, and what its table is called."""
    return f"{question.name}_timeline"


def steps_key(question: Question) -> str:
    """Return what the table of the steps to the peak is called."""
    return f"{timeline_key(question)}_steps"
