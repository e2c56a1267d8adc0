"""Scenarios side by side: the figures of all questions in every case of a plan, with what differs from Base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.figures import figure_in_case, unit_of
from flopsheet.export.workbook.question_tables import QuestionTable
from flopsheet.export.workbook.table_columns import TableColumn
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import Question, Table
from flopsheet.planning.sheet import Sheet, SheetTable
from livesheets.excel import here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.planning.answers import Answer
    from flopsheet.planning.plan import Plan
    from livesheets import Formula, Value

NAME = "scenario_figures"
SCENARIOS = Question("scenarios", "", "")
"""What stands for the question of the sheet."""
BASE = "base"
NUMBER_WIDTH, TITLE_WIDTH, UNIT_WIDTH = 13, 36, 16
MONEY = "USD"
LOOKS = {"models": "count_seen", "flag": "yes_seen", "nats per token": "loss_seen"}
"""How the numbers of a figure look by its unit; others have two decimals."""
PERCENT = 100
UNITS = {"share": "%", "flag": "yes or no"}


class ScenarioTable(QuestionTable, frozen=True):
    """A row per figure, and a column per case; each named scenario has one more, for what differs from Base."""

    @property
    def answers(self) -> list[Answer]:
        """Its rows: figures that have a number in Base."""
        return [*self.plan.answers()]

    @property
    def columns(self) -> list[TableColumn]:
        """Title and unit, then the cases."""
        answers = self.answers
        titles = [answer.figure.title for answer in answers]
        units = [UNITS.get(answer.unit, unit_of(answer)) for answer in answers]
        return [
            TableColumn("Figure", "Figure", "", "wrapped", TITLE_WIDTH, None, titles),
            TableColumn("Unit", "Unit", "", "wrapped", UNIT_WIDTH, None, units),
            *(column for place, case in enumerate(self.plan.cases, 1) for column in self._case(place, case)),
        ]

    @property
    def row_looks(self) -> tuple[tuple[str, ...], ...]:
        """How the cells of each figure look: numbers by its unit."""
        looks = [column.look for column in self.columns]
        return tuple(
            tuple(LOOKS.get(answer.unit, look) if look == "link_balance" else look for look in looks)
            for answer in self.answers
        )

    def _case(self, place: int, case: str) -> Iterator[TableColumn]:
        title = self.plan.titles[case]
        cells = [self._cell(answer, place) for answer in self.answers]
        yield TableColumn(title, title, "", "link_balance", NUMBER_WIDTH, None, cells)
        if case not in CASES:
            less = here(NAME, title) - here(NAME, self.plan.titles[BASE])
            header = f"{title} less {self.plan.titles[BASE]}"
            yield TableColumn(header, header, "", "balance", NUMBER_WIDTH, less, None)

    def _cell(self, answer: Answer, place: int) -> Value | Formula:
        """Return a figure in a case; a share in percent, as the column has numbers of all units."""
        return figure_in_case(self.plan, answer, place, PERCENT if answer.unit == "share" else 1)

    @property
    def printed_columns(self) -> int:
        """All of it is printed."""
        return len(self.columns)


def _sources(plan: Plan) -> tuple[str, ...]:
    """Return for each named scenario its accelerator, and where its prices are from that Base does not have."""
    titles = {driver.name: driver.title for driver in plan.drivers if driver.unit.startswith(MONEY)}
    scenarios = zip(plan.named, plan.named_accelerators, plan.named_sources, strict=True)
    notes = (
        [f"{scenario.name}: {accelerator.title}", *(f"{titles[name]}: {own[name]}" for name in titles if name in own)]
        for scenario, accelerator, own in scenarios
    )
    return tuple(". ".join(parts) for parts in notes)


def scenario_sheet(plan: Plan) -> tuple[Sheet, ScenarioTable]:
    """Return the sheet of a plan with named scenarios, and its table."""
    table = ScenarioTable(plan, Table(NAME, "Figures", ()), SheetTable(NAME, "Figures in every scenario", ()))
    about = "The figures of all questions in each case; of a named scenario also what differs from Base."
    title, notes = "Scenarios side by side", _sources(plan)
    sheet = Sheet("Scenarios", title, about, (table.sheet,), (), notes, "A4", first=True, one_page=True)
    return sheet, table
