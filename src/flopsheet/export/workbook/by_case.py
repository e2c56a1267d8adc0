"""What figures and links to a case read, with a row for each case: each case follows every edit, whichever is shown.

The tables are those of the questions with a key more, the case, whose rows bring the inputs of that case. They hold the
lines that are needed, and are linked among themselves. Rows that inputs count are as many as any case has; those that a
case lacks are 0 in it.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting.formula.compose import fill
from flopsheet.export.workbook.excel_form import own_or
from flopsheet.export.workbook.formula_names import NUMBER, look_up, own_header
from flopsheet.export.workbook.link_formulas import kind_of, name_by_case
from flopsheet.export.workbook.model_columns import linked_in_cases
from flopsheet.export.workbook.question_rows import QuestionRows
from flopsheet.export.workbook.question_tables import QuestionTable, label_header
from flopsheet.export.workbook.table_columns import WIDTH, TableColumn, look_of
from flopsheet.planning.compiled.references import Brought, Own
from flopsheet.planning.program import Program
from flopsheet.planning.question import CASE_KEY, CASES_TABLE, MODELS, MODELS_TABLE, Figure, Link, Question, Rows, Table
from flopsheet.planning.row_limits import listed_rows
from flopsheet.planning.sheet import Sheet, SheetTable
from livesheets.excel import call, column, here

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Segment
    from flopsheet.planning.question import Node
    from livesheets.excel import Expression

MOST_MODELS = 60
"""Costed models up to which figures of questions follow edits in every case: each model has a row a case."""
ENDS = ("min", "max", "below")
"""Links that rows a case lacks would win, with their 0."""
SHEET = "Workings cases"
EACH_CASE = Rows(CASE_KEY, "Case")
"""The rows of the cases, without what they bring."""


def follows(program: Program, figure: Figure, models: int) -> bool:
    """Tell whether a figure follows every edit in all cases: rows that were searched cannot."""
    if figure.table == CASES_TABLE:
        return True
    is_affordable = models <= MOST_MODELS or _is_read(program, figure.table, figure.line)
    return is_affordable and _can_follow(program, (figure.table, figure.line), figure.how)


def _is_read(program: Program, table: str, line: str) -> bool:
    """Tell whether a line is computed in each case for others, so that it costs nothing to show."""
    nodes = tuple((MODELS_TABLE, name) for name in linked_in_cases(program))
    segments = program.segments_for(nodes) if nodes else ()
    return any(line in segment.steps.formulas for segment in segments if segment.table == table)


def _can_follow(program: Program, node: Node, how: str) -> bool:
    """Tell whether all that a line needs can be in such tables: not what was searched, nor an end of counted rows."""
    segments = program.segments_for((node,))
    tables = [program.tables[segment.table] for segment in segments]
    ends = {link.table for segment in segments for link in _links_read(program, segment) if link.how in ENDS}
    ends |= {node[0]} if how in ENDS else set()
    counted_tables = {table.name for table in tables if any(rows.until for rows in table.rows)}
    return not ends & counted_tables and all(_is_listed(rows) for table in tables for rows in table.rows)


def _links_read(program: Program, segment: Segment) -> Iterator[Link]:
    table = program.tables[segment.table]
    read = {name for text in segment.steps.formulas.values() for name in text.names}
    yield from (link for link in table.links if link.name in read)


def _is_listed(rows: Rows) -> bool:
    return rows == MODELS or rows.until.isidentifier() or (bool(rows.values) and not rows.search)


def tables_by_case(plan: Plan) -> list[CaseTable]:
    """Return the tables behind the figures that follow in every case, but for those of the table of cases."""
    figures = [figure for _, figure in plan.program.figures if figure.table != CASES_TABLE]
    nodes = tuple((figure.table, figure.line) for figure in figures if follows(plan.program, figure, len(plan.costed)))
    nodes += tuple((MODELS_TABLE, line) for line in linked_in_cases(plan.program))
    if not nodes:
        return []
    tables = _tables(plan.program, nodes, tuple(tuple(plan.case(case).items()) for case in plan.cases), _most(plan))
    question = Question("by_case", "", "", tuple(plan.program.inputs.values()), tables)
    own = replace(plan, program=Program((*plan.program.questions, question)))
    sheets = [SheetTable(table.name, table.title, (), print=False) for table in tables]
    return [CaseTable(own, *pair, plan.has_gaps) for pair in zip(tables, sheets, strict=True)]


def _most(plan: Plan) -> tuple[tuple[Rows, int], ...]:
    """Return how many rows that inputs count there are in the case that has most of them."""
    tables = plan.program.tables.values()
    counted_rows = {rows for table in tables for rows in table.rows if rows.until.isidentifier()}
    return tuple((rows, max(listed_rows(rows, plan.case(case)) for case in plan.cases)) for rows in counted_rows)


@lru_cache(maxsize=4)
def _tables(
    program: Program,
    nodes: tuple[Node, ...],
    inputs: tuple[tuple[tuple[str, Any], ...], ...],
    most: tuple[tuple[Rows, int], ...],
) -> tuple[Table, ...]:
    lines: dict[str, set[str]] = {}
    for segment in program.segments_for(nodes):
        lines.setdefault(segment.table, set()).update(segment.steps.formulas)
    rows = EACH_CASE._replace(values=tuple({CASE_KEY: at} | dict(own) for at, own in enumerate(inputs, 1)))
    counts = dict(most)
    tables = (table for name, table in program.tables.items() if name in lines)
    return tuple(_by_case(program, table, lines, rows, counts) for table in tables)


def _by_case(program: Program, table: Table, lines: dict[str, set[str]], rows: Rows, most: Mapping[Rows, int]) -> Table:
    """Return a table with the lines that are needed of it, and the links that these read."""
    table_lines = tuple(_where_counted(line, table.rows) for line in table.lines if line.name in lines[table.name])
    read = {name for line in table_lines for name in program.formula(table.name, line.formula).names}
    links = tuple(_link(link, lines) for link in _with_kin(table, read))
    own = tuple(
        axis._replace(until="", values=tuple(range(1, most[axis] + 1))) if axis.until else axis for axis in table.rows
    )
    return Table(name_by_case(table.name), table.title, table_lines, (rows, *own), links)


def _where_counted(line: Line, rows: Sequence[Rows]) -> Line:
    """Return a line that is 0 in the rows that a case lacks."""
    for axis in rows:
        if axis.until:
            text = fill("LINE * (1 if KEY <= UNTIL else 0)", LINE=line.formula, KEY=axis.key, UNTIL=axis.until)
            line = line._replace(formula=text)
    return line


def _with_kin(table: Table, read: Collection[str]) -> Iterator[Link]:
    """Give the links that are read; those of places stand together, as their formulas count them."""
    kinds = {kind_of(link) for link in table.links if link.where and link.name in read}
    for link in table.links:
        if link.name in read or (link.where and kind_of(link) in kinds):
            yield link


def _link(link: Link, lines: Collection[str]) -> Link:
    return link._replace(table=name_by_case(link.table)) if link.table in lines and not link.case else link


class CaseRows(QuestionRows, frozen=True, dict=True):
    """The rows of such a table: those of each case in turn."""

    @cached_property
    def keys(self) -> list[tuple[Number, ...]]:
        """The keys of all rows, which are the same in every case."""
        return [*self.table_values.keys]


class CaseTable(QuestionTable, frozen=True, dict=True):
    """A table with a row for each case, as formulas read it: nobody has to look at it."""

    gaps: bool

    @cached_property
    def rows(self) -> CaseRows:
        """Its rows in the workbook."""
        return CaseRows(self.plan, self.table)

    @property
    def has_gaps(self) -> bool:
        """Whether something that the plan asks has no number."""
        return self.gaps

    @cached_property
    def columns(self) -> list[TableColumn]:
        """Its columns: keys, what rows and models bring, links and lines; what people call rows is on other sheets."""
        label_headers = {name for rows in self.table.rows if (name := label_header(rows)) != rows.key}
        return [column for column in self._every() if column.name not in label_headers]

    def _listed_columns(self, rows: Rows) -> Iterator[TableColumn]:
        if rows.key != CASE_KEY:
            yield from super()._listed_columns(rows)
            return
        refs = [ref.otherwise if isinstance(ref, Own) else ref for ref in self._refs]
        read = {ref.name for ref in refs if isinstance(ref, Brought)}
        for name in self.plan.program.inputs:
            if name in read:
                title, unit = self._meaning(name)
                text, values = self._input(name), self.rows.read(name)
                yield TableColumn(name, title, unit, look_of(unit), WIDTH, text, values, name)

    def _input(self, name: str) -> Expression:
        """Return the formula of an input in a row: what the model states for itself, else that of the case."""
        plan_value = call("INDEX", column(CASES_TABLE, name), here(self.name, CASE_KEY))
        if MODELS not in self.table.rows or name not in self.plan.own_inputs:
            return plan_value
        return own_or(look_up(MODELS_TABLE, own_header(name), "No", here(self.name, NUMBER)), plan_value)


def sheet_by_case(tables: Sequence[CaseTable]) -> Sheet:
    """Return the sheet that holds them."""
    about = "What figures read in every case, with the inputs of that case. Nothing here is for you to change."
    sheet_tables = tuple(table.sheet for table in tables)
    return Sheet(SHEET, "Workings of the cases", about, sheet_tables, (), (), "A4", first=False, one_page=False)
