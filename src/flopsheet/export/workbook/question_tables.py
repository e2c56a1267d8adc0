"""The tables of questions: their columns, each with its formula, how it looks, and the exact values of its rows."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.answer_cells import sentence_columns
from flopsheet.export.workbook.cells import constant, unit_size
from flopsheet.export.workbook.excel_form import excel_form
from flopsheet.export.workbook.formula_names import (
    LIVE_ROW,
    NAME,
    NUMBER,
    checks_of,
    input_cell,
    key_header,
    look_up,
    refer,
    table_name,
    used_header,
)
from flopsheet.export.workbook.link_formulas import link_formula
from flopsheet.export.workbook.model_columns import Batch, meaning_of
from flopsheet.export.workbook.question_rows import QuestionRows, row_count
from flopsheet.export.workbook.table_columns import (
    MOST_WIDTH,
    NAME_WIDTH,
    WIDTH,
    TableColumn,
    count_rows,
    look_of,
    numbers,
    slug,
    wider,
)
from flopsheet.planning.compiled.references import Flag, Given, Own
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, OTHERS, extra_keys
from flopsheet.planning.sheet import sheets_of
from flopsheet.units.named_values import words_of
from flopsheet.units.readable import size, units_of
from livesheets import Column, TableFill
from livesheets.excel import MOST_NESTED, call, column, depth, here, multiply_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.accounting.line import Input, Line
    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Check, Rows, Table
    from flopsheet.planning.sheet import SheetTable
    from flopsheet.planning.sheet_records import SheetChart, SheetColumn
    from livesheets.excel import Expression


class QuestionTable(Struct, frozen=True, dict=True):
    """A question's table in the workbook, in the chosen case; rows that only another case has are 0."""

    plan: Plan
    table: Table
    sheet: SheetTable

    @property
    def name(self) -> str:
        """The name of the Excel table."""
        return table_name(self.table.name)

    @property
    def row_looks(self) -> tuple[tuple[str, ...], ...]:
        """How the cells of each row look, where rows differ."""
        return ()

    @property
    def has_gaps(self) -> bool:
        """Whether something that the plan asks has no number."""
        return self.plan.has_gaps

    @cached_property
    def rows(self) -> QuestionRows:
        """Its rows in the workbook."""
        return QuestionRows(self.plan, self.table)

    def fill(self) -> TableFill:
        """Return its rows, with the values of the exact run."""
        columns = self.columns
        blank = [None] * count_rows(columns)
        # where there are gaps formulas are calculated: an error may reach further in a spreadsheet than here
        values = (blank if self.has_gaps and spec.formula is not None else spec.values or blank for spec in columns)
        rows = [list(row) for row in zip(*values, strict=True)]
        likes = range(len(rows)) if self.row_looks else None
        return TableFill(rows, tuple(Column(spec.header, spec.formula, width=wider(spec)) for spec in columns), likes)

    @cached_property
    def columns(self) -> list[TableColumn]:
        """The columns that people see, in their order, and behind them those that formulas need."""
        first, sheet_columns = self._first, self._sheet_columns
        names = {column.name for column in first} | {column.name for column in sheet_columns if not column.is_scaled}
        others = [column for name, column in self._columns_by_name.items() if name not in names]
        return [*first, *sheet_columns, *others]

    @property
    def printed_columns(self) -> int:
        """How many columns are printed, the first ones of all; none of a table for the screen alone, or for charts."""
        is_for_charts = self.table.lines and not self.plan.program.list_shown(self.table.name)
        if is_for_charts or not self.sheet.print:
            return 0
        return len(self._first) + sum(spec.print for spec in self._sheet_specs)

    @cached_property
    def _columns_by_name(self) -> dict[str, TableColumn]:
        return {column.name: column for column in self._every()}

    @cached_property
    def _sheet_columns(self) -> list[TableColumn]:
        specs = sorted(self._sheet_specs, key=lambda spec: not spec.print)
        return [replace(column, place=spec.place) for spec in specs for column in self._show_columns(spec)]

    @property
    def _sheet_specs(self) -> list[SheetColumn]:
        """The columns that the sheet asks for; those of places that no model has are left out."""
        return [spec for spec in self.sheet.columns if spec.place <= len(self.plan.costed)]

    def shows(self, name: str) -> bool:
        """Whether a line has a column for people, unless it is of a place that no model has."""
        places = [spec.place for spec in self.sheet.columns if spec.line == name]
        return not places or min(places) <= len(self.plan.costed)

    @property
    def _first(self) -> list[TableColumn]:
        """The keys that no column asks for, and what people call their rows."""
        lines = {spec.line for spec in self.sheet.columns}
        keys = [rows.key for rows in self.table.rows if rows.key not in lines]
        names = [name for rows in self.table.rows if (name := label_header(rows)) != rows.key]
        return [self._columns_by_name[name] for name in (*keys, *names)]

    def header(self, name: str) -> str:
        """Return the header of the column in which people see a line or key: in its readable unit, where it has one.

        A key has the column with what people call its rows.
        """
        shown_name = {rows.key: label_header(rows) for rows in self.table.rows}.get(name, name)
        return next(column.header for column in self.columns if column.name == shown_name)

    def _show_columns(self, spec: SheetColumn) -> Iterator[TableColumn]:
        column = self._columns_by_name[spec.line]
        unit, title = spec.unit or column.unit, spec.title or column.title
        is_link = (spec.look, column.look) == ("general", "link_general")  # which is green whatever the sheet asks for
        look, width = column.look if is_link else spec.look or column.look, spec.width or column.width
        if words := words_of(unit):
            text = call("CHOOSE", here(self.name, column.header) + 1, *words)
            header = f"{spec.line} (words)"
            yield TableColumn(header, title, "", "wrapped", width, text, None, spec.line, is_scaled=True)
            return
        if unit == column.unit:
            yield replace(column, title=title, look=look, width=width)
            return
        header = f"{spec.line} ({unit})"
        largest = max(map(abs, numbers(column)), default=0) / size(unit, column.unit)
        text = here(self.name, column.header) / unit_size(unit, column.unit)
        look = spec.look or "figure"
        yield TableColumn(header, title, unit, look, width, text, None, spec.line, is_scaled=True, largest=largest)

    def _every(self) -> Iterator[TableColumn]:
        yield from self._keys()
        yield from self._model_columns()
        for link in self.table.links:
            text = link_formula(self.plan.program, self.table, link, has_gaps=self.has_gaps)
            counted_keys = {rows.key for rows in self.rows.counted_rows}
            if link.how not in ("min", "max") or not counted_keys <= {*self.plan.program.tables[link.table].keys}:
                text = self._inside(text)  # the least or most of rows that another table has as 0 is 0 itself
            values = self.rows.spread(self.rows.run.evaluate_link(self.table.name, link))
            line = _line(self.plan.program.lines(link.table), link.line)
            unit = "" if link.how == "first" else line.unit
            title = link.title or link.name.replace("_", " ").capitalize()
            look = look_of(unit) if self._beside(link.table) else "link_general"
            yield TableColumn(link.name, title, unit, look, WIDTH, text, values, link.name)
        for line in self.table.lines:
            values = self.rows.spread(self.rows.table_values.columns[line.name])
            text = self._inside(self._excel(line.formula))
            look = "link_general" if str(text) == str(input_cell(line.formula)) else look_of(line.unit)
            yield TableColumn(line.name, line.label, line.unit, look, WIDTH, text, values, line.name)
        yield from map(self._check, checks_of(self.plan.program, self.table.name))
        yield from self._sentence_columns()
        yield from self._references()

    def _sentence_columns(self) -> Iterator[TableColumn]:
        """Give the columns with the sentence of each row, where the table is that of an answer in words."""
        for question in self.plan.program.questions:
            best = question.described.best
            if best and best.said and best.table == self.table.name and not self.has_gaps:
                for name, text in sentence_columns(self.plan, best):
                    title = name.replace("_", " ").capitalize()
                    yield TableColumn(name, title, "", "wrapped", WIDTH, text, None, name)

    def _check(self, check: Check) -> TableColumn:
        header = check_header(check.name)
        result = self._excel(check.formula)
        excel = 1 - self._is_counted * (1 - result) if self.rows.counted_rows else result
        look = "warned" if check.warning else "pass"
        return TableColumn(header, check.title, "", look, WIDTH, excel, None, header)

    def _keys(self) -> Iterator[TableColumn]:
        for place, rows in enumerate(self.table.rows):
            keys = [row[place] for row in self.rows.keys]
            if rows in (MODELS, OTHERS):
                number, title = key_header(self.table, rows), "No" if rows == MODELS else "Other no."
                model_numbers = Batch(self.plan).numbers
                yield TableColumn(number, title, "", "no", 7, None, [model_numbers[int(key)] for key in keys], rows.key)
                text = call("IFERROR", look_up(MODELS_TABLE, "Model", "No", here(self.name, number)), "")
                longest = max((len(model.name) for model in self.plan.costed), default=0)
                width = max(NAME_WIDTH, min(longest + 2, MOST_WIDTH))
                yield TableColumn(label_header(rows), rows.title, "", "wrapped", width, text, None, label_header(rows))
                continue
            title = rows.title or rows.key.replace("_", " ").capitalize()
            values = [plain(key) for key in keys]
            width = max(9, 2 + max(map(len, title.split())))
            key_title = f"{title} no." if rows.labels else title
            yield TableColumn(rows.key, key_title, rows.unit, "no", width, None, values, rows.key)
            if rows.labels:
                labels = [self.plan.label(rows, key) for key in keys]
                width = max(NAME_WIDTH, *(len(str(label)) for label in labels)) if labels else NAME_WIDTH
                yield TableColumn(label_header(rows), title, "", "wrapped", width, None, labels, label_header(rows))
            yield from self._listed_columns(rows)

    def _listed_columns(self, rows: Rows) -> Iterator[TableColumn]:
        """Give the numbers that listed rows bring, as far as the table reads them.

        Where another table has these rows alone they are there, and are looked up.
        """
        home, key = self._home(rows), rows.key
        for extra in extra_keys(rows):
            if home and extra not in self._read:
                continue
            title, unit = self._meaning(extra)
            values = [constant(own.get(extra, 0)) for own in self.rows.row_values]
            result = look_up(table_name(home), extra, key, here(self.name, key)) if home else None
            look = "fact" if not home else "general" if self._beside(home) else "link_general"
            yield TableColumn(extra, title, unit, look, WIDTH, result, values, extra)

    def _beside(self, table: str) -> bool:
        """Whether another table is on the same sheet: the first one that has it."""
        home = next((tables for tables in _homes(self.plan.program) if self.table.name in tables), frozenset())
        return table in home

    def _home(self, rows: Rows) -> str:
        """Return the table that has these rows and no others, "" where none has or this is the first one."""
        homes = [table for table in self.plan.program.tables.values() if table.rows == (rows,)]
        return homes[0].name if homes and homes[0] is not self.table else ""

    @cached_property
    def _read(self) -> set[str]:
        """The names that the formulas of the table read."""
        program = self.plan.program
        texts = [line.formula for line in self.table.lines]
        texts += [check.formula for check in checks_of(program, self.table.name)]
        return {name for text in texts for name in program.formula(self.table.name, text).names}

    def _model_columns(self) -> Iterator[TableColumn]:
        """Give what a model brings along: totals of its ledger, and inputs of its own."""
        if MODELS not in self.table.rows:
            return
        own = self._own_inputs
        for name in (*sorted(self.plan.program.facts(self.table.name)), *own):
            title, unit = self._meaning(name)
            header = used_header(name) if name in own else name
            text = look_up(MODELS_TABLE, header, "No", here(self.name, NUMBER))
            values = None if name in own else self.rows.read(name)
            yield TableColumn(header, title, unit, "link_general", WIDTH, text, values, name)

    def _meaning(self, name: str) -> tuple[str, str]:
        """Return title and unit of a number that a row or a model brings along."""
        return meaning_of(self.plan, name) or (name.replace("_", " ").capitalize(), "")

    @property
    def _own_inputs(self) -> list[str]:
        """The inputs of single models that formulas read, as such or by a flag, and that no row of the table sets."""
        read = {ref.name for ref in self._refs if isinstance(ref, Own) and isinstance(ref.otherwise, Given)}
        return [name for name in self.plan.own_inputs if name in read]

    @property
    def _refs(self) -> list[Ref]:
        """What the names refer to that formulas of the table read; a flag, to its choice."""
        refs = [self.plan.program.ref(self.table.name, name) for name in self._read]
        return [ref.of if isinstance(ref, Flag) else ref for ref in refs]

    def _references(self) -> Iterator[TableColumn]:
        """Give what charts of the table draw as straight lines."""
        charts = [chart for question in self.plan.program.questions for chart in question.described.charts]
        mine = [chart for chart in charts if chart.table == self.table.name]
        pairs = ((line.of, self._unit_beside(chart, line.of)) for chart in mine for line in chart.references)
        return (self._reference(name, unit) for name, unit in dict.fromkeys(pairs))

    def _unit_beside(self, chart: SheetChart, name: str) -> str:
        """Return the unit in which a straight line is drawn: that of the chart's first series, if it is of its kind."""
        own, first = self._input_or_line(name).unit, chart.series[0]
        unit = next((spec.unit for spec in self.sheet.columns if spec.line == first and spec.unit), "")
        return unit if unit in units_of(own) else own

    def reference(self, chart: SheetChart, name: str) -> str:
        """Return the header of the column that a straight line of a chart is drawn from."""
        return self._reference(name, self._unit_beside(chart, name)).header

    def _input_or_line(self, name: str) -> Input | Line:
        return self.plan.program.inputs.get(name) or _line(self.plan.case_lines, name)

    def _reference(self, name: str, unit: str) -> TableColumn:
        source = self._input_or_line(name)
        times = size(unit, source.unit)
        is_input = name in self.plan.program.inputs
        text = input_cell(name) if is_input else call("INDEX", column(CASES_TABLE, name), LIVE_ROW)
        text = text / unit_size(unit, source.unit) if times != 1 else text
        header = f"line_{name}_{slug(unit)}" if times != 1 else f"line_{name}"
        return TableColumn(header, source.title, unit, "link_general", WIDTH, text, None, header)

    def _excel(self, text: str) -> Expression:
        program = self.plan.program
        return excel_form(program.formula(self.table.name, text), refer(program, self.table, self.plan.own_inputs))

    def _inside(self, number: Expression) -> Expression:
        """Return a formula that is 0 in rows that the live case does not have, where others are 0 that it divides by.

        What may stand in no IF is multiplied: its errors would be those of other columns, which are 0. In a plan with
        gaps it is in an IF all the same.
        """
        if not self.rows.counted_rows:
            return number
        is_within = self.has_gaps or depth(number) < MOST_NESTED
        return call("IF", self._is_counted, number, 0) if is_within else self._is_counted * number

    @property
    def _is_counted(self) -> Expression:
        """Whether the live case has the row, of a table with rows that inputs count."""
        return multiply_all(here(self.name, rows.key) <= row_count(rows) for rows in self.rows.counted_rows)


@lru_cache(maxsize=4)
def _homes(program: Program) -> tuple[frozenset[str], ...]:
    """Return the names of the tables of each sheet, in the order of sheets."""
    sheets = (sheet for question in program.questions for sheet in sheets_of(program, question))
    return tuple(frozenset(table.name for table in sheet.tables) for sheet in sheets)


def label_header(rows: Rows) -> str:
    """Return the column with what people call rows: the models' names, labels, or the key itself."""
    if rows in (MODELS, OTHERS):
        return NAME if rows == MODELS else f"{OTHERS.key}_{NAME}"
    return f"{rows.key}_label" if rows.labels else rows.key


def check_header(name: str) -> str:
    """Return the header of a check's column."""
    return f"check_{name}"


def _line(lines: Sequence[Line], name: str) -> Line:
    return next(line for line in lines if line.name == name)
