"""The sheets of a plan's questions: what is laid out for each, and what fills its tables and named cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.accounting.values import plain
from flopsheet.errors import PluginError
from flopsheet.export.layout.spec import (
    FIGURE_CELLS,
    LaidChart,
    LaidColumn,
    LaidFigure,
    LaidSheet,
    LaidTable,
    figure_name,
)
from flopsheet.export.workbook.gathering import gathered
from flopsheet.export.workbook.naming import table_name
from flopsheet.export.workbook.question_tables import (
    QuestionTable,
    check_header,
    tables_of,
)
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.question import CASES_TABLE, MODELS
from flopsheet.planning.registry import BASE
from flopsheet.planning.sheet import sheet_of
from flopsheet.spreadsheet.engine import Formula, Value
from flopsheet.units.readable import divisor, readable, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.planning.plan import Answer, Plan
    from flopsheet.planning.question import Figure, Question
    from flopsheet.planning.sheet import Sheet, SheetChart

Cells = dict[str, Value | Formula]
SEEN = "see_"
"""How the names of a figure's cells on About begin."""
PAPERS = {"A4": 9, "A3": 8}
STALE = f"{TITLES['low']}, {TITLES['base']} and {TITLES['high']} are as delivered; inputs have changed since"


@dataclass(frozen=True)
class QuestionSheet:
    """A question's own sheet in a plan's workbook."""

    plan: Plan
    question: Question

    @cached_property
    def sheet(self) -> Sheet:
        """How the sheet looks."""
        return sheet_of(self.plan.program, self.question)

    @cached_property
    def tables(self) -> list[QuestionTable]:
        """The tables that stand on it: a table of several questions stands on the sheet of the first."""
        earlier = self.plan.program.questions[: self.plan.program.questions.index(self.question)]
        before = {table.name for question in earlier for table in question.tables}
        return tables_of(self.plan, [table for table in self.sheet.tables if table.name not in before])

    @cached_property
    def answers(self) -> list[Answer]:
        """The question's figures."""
        return [answer for answer in self.plan.answers() if answer.question is self.question]

    def laid(self) -> LaidSheet:
        """Return what its layout needs to know."""
        return LaidSheet(
            self.question.name,
            self.sheet.name,
            self.sheet.title,
            self.sheet.about,
            tuple(
                LaidFigure(_key(self.question, figure), figure.table == CASES_TABLE) for figure in self.question.figures
            ),
            tuple(_laid_table(table) for table in self.tables),
            tuple(chart for one in self.sheet.charts for chart in self._charts(one)),
            self.sheet.notes,
            PAPERS[self.sheet.paper],
        )

    def _charts(self, chart: SheetChart) -> Iterator[LaidChart]:
        for table in self.tables:
            if table.table.name == chart.table:
                last = table.table.rows[-1] if table.table.rows else None
                category = chart.category or (last.key if last else chart.series[0])
                _check_units(chart, table)
                yield LaidChart(
                    chart.kind,
                    chart.title,
                    table.name,
                    table.header(category),
                    tuple(map(table.header, chart.series)),
                    tuple(table.reference(chart._asdict(), one.of) for one in chart.references),
                    chart.x_title,
                    chart.y_title,
                )

    def cells(self) -> Cells:
        """Return its named cells: the state of the checks, and each figure, on its own sheet and on About."""
        names: Cells = {f"chk_{self.question.name}": Formula("chk_master", None)}
        for answer in self.answers:
            names |= self._figure(answer)
        return names

    def said(self) -> dict[str, tuple[str, str, str]]:
        """Return title, unit and meaning of the cells with numbers."""
        found: dict[str, tuple[str, str, str]] = {}
        for answer in self.answers:
            what = answer.figure.title, readable(answer.unit, answer.base), answer.figure.about
            key = _key(answer.question, answer.figure)
            found |= {figure_name(cell, key): what for cell in ("out", *CASES)}
        return found

    def _figure(self, answer: Answer) -> Cells:
        key, unit = _key(answer.question, answer.figure), readable(answer.unit, answer.base)
        values = {case: plain(getattr(answer, case)) / size(unit, answer.unit) for case in CASES}
        names: Cells = {
            f"lbl_{key}": answer.figure.title,
            f"unit_{key}": unit,
            f"abt_{key}": answer.figure.about,
            f"out_{key}": Formula(f"{self._live(answer)}/{divisor(unit, answer.unit)}", values[self.plan.scenario]),
        }
        for row, case in enumerate(CASES, start=1):
            name = figure_name(case, key)
            names[name] = values[case]
            if answer.figure.table == CASES_TABLE:
                of_case = f"INDEX(cases[{answer.figure.line}],{row})"
                names[name] = Formula(f"{of_case}/{divisor(unit, answer.unit)}", values[case])
        names[f"since_{key}"] = self._since(key)
        names |= {figure_name(cell, key, SEEN): _same(names, figure_name(cell, key)) for cell in FIGURE_CELLS[:-1]}
        return names

    def _since(self, key: str) -> Formula:
        """Return what says that numbers of the cases are no longer those of the inputs."""
        shown = f"CHOOSE(in_scenario,out_{key}_low,out_{key}_base,out_{key}_high)"
        return Formula(f'IF(ABS({shown}-out_{key})<=0.000000001*ABS(out_{key}),"","{STALE}")', "")

    def _live(self, answer: Answer) -> str:
        figure = answer.figure
        return gathered(figure.how, self.plan.program.tables[figure.table], figure.line)


def question_sheets(plan: Plan) -> list[QuestionSheet]:
    """Return the sheets of a plan's questions; those that are part of every plan have the shipped sheets."""
    return [QuestionSheet(plan, question) for question in plan.program.questions if question.name not in BASE]


def question_checks(plan: Plan, sheets: Sequence[QuestionSheet]) -> list[tuple[str, str, str]]:
    """Return title, formula of how much is off, and reason of each check of the questions, in the live case."""
    found: list[tuple[str, str, str]] = []
    for _, check in plan.program.checks:
        column = f"{table_name(check.table)}[{check_header(check.name)}]"
        off = f'SUMPRODUCT(({column}=0)*({column}<>""))'  # the blank row of a table without rows fails nothing
        if check.table == CASES_TABLE:
            off = f'IF(SUMIFS(cases[{check_header(check.name)}],cases[case],"Live")=0,1,0)'
        remedy = f". {check.remedy}" if check.remedy else ""
        found.append((check.title, off, f"{check.message}{remedy}"))
    return found + [one for sheet in sheets for table in sheet.tables for one in _rows_suffice(table)]


def _rows_suffice(table: QuestionTable) -> Iterator[tuple[str, str, str]]:
    """Give the checks that a table has a row for everything that its inputs count."""
    for rows, count in table.counts():
        lacking = f"MAX(0,{count}-MAX({table.name}[{rows.key}]))"
        yield (
            f"{table.table.title}: a row for every {rows.title.lower() or rows.key}",
            f"IF(COUNT(models[No])=0,0,{lacking})" if MODELS in table.table.rows else lacking,
            "An input asks for more rows than the workbook has: write it again with flopsheet",
        )


def fills(sheets: Sequence[QuestionSheet]) -> Mapping[str, QuestionTable]:
    """Return every table of the sheets by its name in the workbook, in lower case."""
    return {table.name.casefold(): table for sheet in sheets for table in sheet.tables}


def _check_units(chart: SheetChart, table: QuestionTable) -> None:
    """Refuse a chart whose series have several units: one axis has one."""
    headers = [table.header(name) for name in chart.series]
    units = {one.unit for one in table.columns if one.header in headers}
    if len(units) > 1:
        named = ", ".join(sorted(units))
        raise PluginError(f"chart {chart.title!r}: its series are in {named}; columns in one unit are expected")


def _laid_table(table: QuestionTable) -> LaidTable:
    columns = (LaidColumn(one.header, one.title, one.unit, one.look, one.width) for one in table.columns)
    return LaidTable(table.name, table.sheet.title, tuple(columns), table.printed)


def _key(question: Question, figure: Figure) -> str:
    return f"{question.name}_{figure.name}"


def _same(names: Cells, name: str) -> Formula:
    """Return what shows a cell again: a number, or a text that may be empty."""
    cell = names[name]
    value = cell.value if isinstance(cell, Formula) else cell
    return Formula(f'{name}&""' if isinstance(value, str) else name, value)
