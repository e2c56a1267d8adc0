"""What figures read, with a row for each case: Low cost, Base and High cost follow every edit, whichever is shown.

The tables are those of the questions with a key more, the case, whose rows bring the inputs of that case. They hold the
lines that figures need, and are linked among themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flopsheet.export.workbook.cells import held
from flopsheet.export.workbook.formula_names import KEYS, NUMBER, own_header
from flopsheet.export.workbook.question_rows import QuestionRows
from flopsheet.export.workbook.question_tables import QuestionTable, called_by
from flopsheet.export.workbook.row_formulas import own_or
from flopsheet.export.workbook.table_columns import WIDTH, TableColumn, look_of
from flopsheet.planning.compiled.references import Brought, Own
from flopsheet.planning.inputs import CASES
from flopsheet.planning.program import Program
from flopsheet.planning.question import CASE_KEY, CASES_TABLE, MODELS, MODELS_TABLE, Figure, Link, Question, Rows, Table
from flopsheet.planning.sheet import Sheet, SheetTable
from flopsheet.spreadsheet.excel import call, column, here

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.export.workbook.question_rows import Values
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Node
    from flopsheet.planning.run import Run
    from flopsheet.spreadsheet.excel import Expression

MOST_MODELS = 60
"""Costed models up to which figures of questions follow edits in every case: each model has a row a case."""
SHEET = "Workings cases"
EACH_CASE = Rows(CASE_KEY, "Case")
"""The rows of the cases, without what they bring."""


def follows(program: Program, figure: Figure, models: int) -> bool:
    """Tell whether a figure follows every edit in all cases: rows that inputs count, or that were searched, cannot."""
    if figure.table == CASES_TABLE:
        return True
    tables = [program.tables[segment.table] for segment in program.segments_for(((figure.table, figure.line),))]
    return models <= MOST_MODELS and all(_is_listed(rows) for table in tables for rows in table.rows)


def _is_listed(rows: Rows) -> bool:
    return rows == MODELS or (bool(rows.values) and not rows.search)


def name_by_case(table: str) -> str:
    """Return the name of the table with a row for each case."""
    return f"each_{table}"


def tables_by_case(plan: Plan) -> list[CaseTable]:
    """Return the tables behind the figures that follow in every case, but for those of the table of cases."""
    figures = [figure for _, figure in plan.program.figures if figure.table != CASES_TABLE]
    wanted = tuple((one.table, one.line) for one in figures if follows(plan.program, one, len(plan.costed)))
    if not wanted:
        return []
    tables = _tables(plan.program, wanted, tuple(tuple(plan.case(case).items()) for case in CASES))
    question = Question("by_case", "", "", tuple(plan.program.inputs.values()), tables)
    own = replace(plan, program=Program((*plan.program.questions, question)))
    run = own.run(plan.scenario)
    return [CaseTable(own, one, SheetTable(one.name, one.title, ()), run, plan.has_gaps) for one in tables]


@lru_cache(maxsize=4)
def _tables(
    program: Program, wanted: tuple[Node, ...], inputs: tuple[tuple[tuple[str, Any], ...], ...]
) -> tuple[Table, ...]:
    lines: dict[str, set[str]] = {}
    for segment in program.segments_for(wanted):
        lines.setdefault(segment.table, set()).update(segment.steps.formulas)
    rows = EACH_CASE._replace(values=tuple({CASE_KEY: at, **dict(one)} for at, one in enumerate(inputs, 1)))
    return tuple(_by_case(program, program.tables[name], lines, rows) for name in program.tables if name in lines)


def _by_case(program: Program, table: Table, lines: dict[str, set[str]], rows: Rows) -> Table:
    """Return a table with the lines that are needed of it, and the links that these read."""
    kept = tuple(line for line in table.lines if line.name in lines[table.name])
    read = {name for line in kept for name in program.formula(table.name, line.formula).names}
    links = tuple(_link(one, lines) for one in _with_kin(table, read))
    return Table(name_by_case(table.name), table.title, kept, (rows, *table.rows), links)


def _with_kin(table: Table, read: Collection[str]) -> Iterator[Link]:
    """Give the links that are read; those of places stand together, as their formulas count them."""
    kinds = {one._replace(name="", title="", where=None) for one in table.links if one.where and one.name in read}
    for one in table.links:
        if one.name in read or (one.where and one._replace(name="", title="", where=None) in kinds):
            yield one


def _link(link: Link, lines: Collection[str]) -> Link:
    return link._replace(table=name_by_case(link.table)) if link.table in lines and not link.case else link


@dataclass(frozen=True)
class CaseRows(QuestionRows):
    """The rows of such a table: those of each case in turn."""

    own: Run

    @property
    def run(self) -> Run:
        """The exact numbers of all cases."""
        return self.own

    @property
    def keys(self) -> list[tuple[Number, ...]]:
        """The keys of all rows."""
        return [*self.filled.keys]

    def spread(self, column: Sequence[Number]) -> Values:
        """Return a column as cells hold it."""
        return [held(number) for number in column]


@dataclass(frozen=True)
class CaseTable(QuestionTable):
    """A table with a row for each case, as formulas read it: nobody has to look at it."""

    own: Run
    gaps: bool

    @property
    def rows(self) -> CaseRows:
        """Its rows in the workbook."""
        return CaseRows(self.plan, self.table, self.own)

    @property
    def has_gaps(self) -> bool:
        """Whether something that the plan asks has no number."""
        return self.gaps

    @property
    def columns(self) -> list[TableColumn]:
        """Its columns: keys, what rows and models bring, links and lines; what people call rows is on other sheets."""
        called = {name for rows in self.table.rows if (name := called_by(rows)) != rows.key}
        return [column for column in self._every() if column.name not in called]

    @property
    def printed(self) -> int:
        """None of it is printed."""
        return 0

    def _listed(self, rows: Rows) -> Iterator[TableColumn]:
        if rows.key != CASE_KEY:
            yield from super()._listed(rows)
            return
        refs = [ref.otherwise if isinstance(ref, Own) else ref for ref in self._refs]
        read = {ref.name for ref in refs if isinstance(ref, Brought)}
        for name in self.plan.program.inputs:
            if name in read:
                title, unit = self._meaning(name)
                yield TableColumn(name, title, unit, look_of(unit), WIDTH, self._input(name), None, name)

    def _input(self, name: str) -> Expression:
        """Return the formula of an input in a row: what the model states for itself, else that of the case."""
        planned = call("INDEX", column(CASES_TABLE, name), here(self.name, CASE_KEY))
        if MODELS not in self.table.rows or name not in self.plan.own_inputs:
            return planned
        row = call("MATCH", here(self.name, NUMBER), KEYS, 0)
        return own_or(call("INDEX", column(MODELS_TABLE, own_header(name)), row), planned)


def sheet_by_case(tables: Sequence[CaseTable]) -> Sheet:
    """Return the sheet that holds them."""
    about = "What figures read in every case, with the inputs of that case. Nothing here is for you to change."
    shown = tuple(table.sheet for table in tables)
    return Sheet(SHEET, "Workings of the cases", about, shown, (), (), "A4", first=False, one_page=False)
