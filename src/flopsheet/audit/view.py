"""A template as the audit sees it: cells, formulas, inputs and looks, each found once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct

from flopsheet.accounting.data import read_table
from flopsheet.audit.styles import Style, read_styles
from flopsheet.audit.survey import ABOUT, SurveyRequest, survey
from flopsheet.audit.validation import read_validations
from flopsheet.errors import TemplateError
from flopsheet.export.workbook.template_columns import grows
from flopsheet.planning.inputs import TITLES
from livesheets.addresses import address
from livesheets.copies import Originals
from livesheets.engine.book import defined_names, name_cell, relationships
from livesheets.engine.markup import attribute, child, parse, whole
from livesheets.references import Area, references

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from flopsheet.audit.survey import Survey
    from flopsheet.audit.validation import Validation
    from flopsheet.export.binding.lists import ModelList
    from flopsheet.units.money import Money
    from livesheets.copies import Original
    from livesheets.engine import Value
    from livesheets.engine.book import Table
    from livesheets.engine.markup import Element
    from livesheets.engine.sheet import SheetXml
    from livesheets.evaluate.grids import Grid
    from livesheets.references import Reference
    from livesheets.template import Template

Judgment = TypeVar("Judgment")
NOTHING = ";;;"
"""The number format that shows nothing."""
RULE = "rule_"
"""How the headers of columns begin that hold rules of thumb."""
CASES = tuple(title.casefold() for title in TITLES.values())
"""The headers of the cases, in lower case."""
SHORT = {"low": CASES[0], "high": CASES[2]}
"""What other authors call them."""
NOTES = ("source", "sources", "note", "notes", "comment", "comments")
FEW = 16
"""Columns that are looked for one by one in a row."""


def case_header(header: str) -> str:
    """Return a header in lower case, that of a case as this program calls it."""
    return SHORT.get(header.casefold(), header.casefold())


def words() -> Mapping[str, Any]:
    """Return the lists of words.toml."""
    return read_table("flopsheet.audit", "words.toml")


class Cell(NamedTuple):
    """A cell of a sheet."""

    sheet: str
    row: int
    column: int

    def __str__(self) -> str:
        return f"{self.sheet}!{address(self.row, self.column)}"

    def is_in(self, table: Table) -> bool:
        """Whether it is a cell of a table."""
        return table.sheet == self.sheet and table.area.has(self.row, self.column)


class Chart(Struct, frozen=True):
    """A chart: the sheet that it is on, its part, and its XML."""

    sheet: str
    part: str
    root: Element


@dataclass(frozen=True)
class WorkbookView:
    """A template under the checklist.

    `name_units` are the units of the names that flopsheet fills, `filled_tables` the tables that it fills as those of
    the shipped template, both in lower case; `lists` are the lists of models; `prototypes` are the sheets that are
    cloned for each architecture, where columns are headed by names of lines, whose units are `units` and whose formulas
    hold the numbers `coefficients`; `name_formulas` are the names that are filled in the unit of their label, each with
    its formula in its own unit; `money` is the currency besides dollars that a plan fills in.
    """

    template: Template
    name_units: Mapping[str, str]
    lists: Sequence[ModelList]
    filled_tables: frozenset[str]
    prototypes: frozenset[str]
    units: Mapping[str, str]
    coefficients: Mapping[str, frozenset[float]]
    name_formulas: Mapping[str, str]
    money: Money
    grids: dict[tuple[str, Area], Grid] = field(default_factory=dict, init=False)
    """Ranges that formulas look through, each kept after its first use."""
    reference_cache: dict[str, list[tuple[str, Area, Reference | None]]] = field(default_factory=dict, init=False)
    """What formulas refer to, by their text, as far as somebody asked."""
    unknown_cache: dict[str, list[str]] = field(default_factory=dict, init=False)
    """What formulas name that is not there, by their text, as far as somebody asked."""
    _values: dict[Cell, Value] = field(default_factory=dict, init=False)
    _places: dict[str, dict[str, int]] = field(default_factory=dict, init=False)
    _last_rows: dict[str, int] = field(default_factory=dict, init=False)
    _validations: dict[str, list[Validation]] = field(default_factory=dict, init=False)

    @cached_property
    def sheets(self) -> Sequence[str]:
        """The worksheets' names, in order."""
        return [sheet.name for sheet in self.template.book.sheets.values() if sheet.kind == "worksheet"]

    def xml(self, sheet: str) -> SheetXml:
        """Return a worksheet's XML."""
        return self.template.sheet(sheet)

    @cached_property
    def tables(self) -> Sequence[Table]:
        """The tables, in order."""
        return list(self.template.book.tables.values())

    @cached_property
    def areas(self) -> Mapping[str, Sequence[Area]]:
        """The areas of the tables of each sheet."""
        return {sheet: [table.area for table in self.tables if table.sheet == sheet] for sheet in self.sheets}

    def in_table(self, cell: Cell) -> bool:
        """Whether a cell is in a table."""
        return any(area.has(cell.row, cell.column) for area in self.areas.get(cell.sheet, ()))

    @cached_property
    def formulas(self) -> Mapping[Cell, str]:
        """Every formula in a cell."""
        return {
            Cell(sheet, *at): text for sheet in self.sheets for at, text in self.xml(sheet).formulas.items() if text
        }

    @cached_property
    def originals(self) -> Mapping[Cell, Original]:
        """The formula that each formula in a cell is a copy of, the first one of itself."""
        copies = Originals()
        each = (original for sheet in self.sheets for original in copies.of(self.xml(sheet).formulas))
        return dict(zip(self.formulas, each, strict=True))

    def judge_formulas(self, judge: Callable[[str], Judgment]) -> Iterator[tuple[Cell, str, Judgment]]:
        """Give each formula of which something is said, with its cell and that; of copies the first one is judged."""
        judgments = {text: judge(text) for text in {original.text for original in self.originals.values()}}
        if any(judgments.values()):
            result = ((cell, judgments[original.text]) for cell, original in self.originals.items())
            yield from ((cell, self.formulas[cell], what) for cell, what in result if what)

    def within(self, sheet: str, area: Area) -> Iterator[Cell]:
        """Give the cells of an area that are there; `sheet` in lower case."""
        home = self.template.book.sheets.get(sheet)
        lines = self.xml(home.name).cells if home else {}
        few = area.bottom - area.top < len(lines)
        for row in range(area.top, area.bottom + 1) if few else lines:
            if home and row in lines and area.top <= row <= area.bottom:
                yield from self._across(home.name, row, range(area.left, area.right + 1))

    def _across(self, sheet: str, row: int, columns: range) -> Iterator[Cell]:
        """Give the cells of a row in some columns; those of a row with formulas are known without reading it again."""
        if row in self.xml(sheet).calculated and len(columns) <= FEW:
            return (cell for column in columns if (cell := Cell(sheet, row, column)) in self.survey.near)
        return (Cell(sheet, row, column) for column in self.xml(sheet).cells[row] if column in columns)

    def texts(self, sheet: str) -> Iterator[tuple[Cell, str]]:
        """Give every text in a cell of a sheet."""
        for row, column, _, _, value in self.template.list_cells(sheet):
            if isinstance(value, str):
                yield Cell(sheet, row, column), value

    @cached_property
    def computed_styles(self) -> frozenset[int]:
        """The numbers of the styles of computed cells; cells without a style are none."""
        return frozenset(number for number, style in enumerate(self._styles) if number and style.is_computed)

    @cached_property
    def survey(self) -> Survey:
        """What is asked of every cell."""
        looks, forms = list(enumerate(self._styles)), self.template.number_formats
        blank = {number for number, form in enumerate(forms) if form == NOTHING}
        request = SurveyRequest(
            self.areas,
            {number for number, style in looks if style.is_blue} | self.computed_styles,
            blank,
            {number for number, style in looks if style.is_unseen} - blank,
            next(filter(ABOUT.search, self.sheets), ""),
            frozenset(self.names.values()),
        )
        return survey(self.template, self.sheets, request)

    def value(self, cell: Cell) -> Value:
        """Return what a cell shows."""
        if entry := self.survey.near.get(cell):
            return entry[0]
        if cell not in self._values:
            self._values[cell] = self.template.value(cell.sheet, cell.row, cell.column)
        return self._values[cell]

    def has_value(self, cell: Cell) -> bool:
        """Whether it is known what a cell shows: libraries save formulas without values."""
        return cell not in self.formulas or self.value(cell) is not None

    @cached_property
    def names(self) -> Mapping[str, Cell]:
        """The workbook's names that point to one cell of a sheet, in lower case."""
        result = {}
        for name in self.template.names:
            try:
                place = name_cell(self.template.book, name)
            except TemplateError:
                continue  # a name of a range or a constant
            if place is not None and place[0].casefold() in self.template.book.sheets:
                sheet = self.template.book.sheets[place[0].casefold()].name
                result[name.casefold()] = Cell(sheet, *place[1:])
        return result

    @cached_property
    def targets(self) -> Mapping[str, str]:
        """What each name of the workbook points to, by name in lower case."""
        return {name.casefold(): text for name, text in self.template.names.items()}

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names that only a sheet knows, in lower case."""
        return frozenset(name.casefold() for sheet in self.sheets for name in self.local_names(sheet))

    def places(self, table: Table) -> Mapping[str, int]:
        """Return the place of each column of a table, from 0, by header in lower case."""
        if table.name not in self._places:
            self._places[table.name] = {case_header(header): place for place, header in enumerate(table.columns)}
        return self._places[table.name]

    def local_names(self, sheet: str) -> dict[str, str]:
        """Return what the names of a sheet's own point to."""
        order = [worksheet.name for worksheet in self.template.book.sheets.values()]
        names = defined_names(self.template.book.root)
        last, local = len(order) - 1, [name for name in names if name.get("localSheetId")]
        own = [name for name in local if order[whole(name, "localSheetId", most=last)] == sheet]
        return {attribute(name, "name"): name.text or "" for name in own}

    @cached_property
    def rules(self) -> Sequence[tuple[str, str]]:
        """Formulas outside of cells, each with where it is: validations, conditional formats, defined names."""
        results = [(f"the name {name}", text) for name, text in self.template.names.items()]
        for sheet in self.sheets:
            inside = self.xml(sheet).root.iter("{*}formula", "{*}formula1", "{*}formula2")
            results += [(f"{sheet}: a validation or format", element.text or "") for element in inside]
        return results

    @cached_property
    def inputs(self) -> Sequence[Table]:
        """The tables of inputs: those with a column for each case, unless they hold results of the cases."""
        candidates = [table for table in self.tables if set(CASES) <= self.places(table).keys()]
        return [table for table in candidates if self._is_typed(table)]

    @cached_property
    def checks(self) -> Sequence[Table]:
        """The lists of checks: the tables with the columns Check and Pass."""
        return [table for table in self.tables if {"check", "pass"} <= self.places(table).keys()]

    @cached_property
    def rule_columns(self) -> frozenset[tuple[str, int]]:
        """The columns, by sheet and number, that hold rules of thumb as they are published."""
        return frozenset(column for column, header in self._prototype_columns() if header.startswith(RULE))

    @cached_property
    def column_numbers(self) -> Mapping[tuple[str, int], frozenset[float]]:
        """The numbers that an architecture's lines are defined with, by the sheet and number of their column."""
        return {column: self.coefficients.get(header, frozenset()) for column, header in self._prototype_columns()}

    def _prototype_columns(self) -> Iterator[tuple[tuple[str, int], str]]:
        """Give the columns of tables on sheets that are cloned: sheet and number, and header."""
        for table in self.tables:
            if table.sheet in self.prototypes:
                for column, header in enumerate(table.columns, table.area.left):
                    yield (table.sheet, column), header

    @property
    def growing(self) -> list[Table]:
        """The tables that grow with the batch: lists of models, and the shipped lists but those of a fixed size."""
        shipped_tables = [table for table in self.tables if table.name.casefold() in self.filled_tables]
        own = [table for table in shipped_tables if grows(table.name.casefold())]
        return [*(model_list.table for model_list in self.lists), *own]

    def _is_typed(self, table: Table) -> bool:
        """Whether a table's cases are for typing: in the blue of inputs, validated, or with a source next to them."""
        cells = [cell for case in CASES for cell in self.column(table, case)]
        is_marked = any(self.style(cell).is_blue or self.validations(cell) for cell in cells)
        return is_marked or any(header.casefold() in NOTES for header in table.columns)

    def body(self, table: Table) -> range:
        """Return the data rows of a table."""
        return range(table.area.top + table.headers, table.area.bottom - table.totals + 1)

    def rows(self, table: Table) -> range:
        """Return the data rows of a table to look at: one stands for all those below the last cell of the sheet."""
        if table.sheet not in self._last_rows:
            self._last_rows[table.sheet] = max(self.xml(table.sheet).cells, default=0)
        body, below = self.body(table), self._last_rows[table.sheet] + 1
        return range(body.start, min(body.stop, max(body.start, below) + 1))

    def column(self, table: Table, header: str) -> list[Cell]:
        """Return the cells of a column in the rows to look at, by its header, of any case; nothing without such."""
        place = self.places(table).get(case_header(header))
        return [] if place is None else [Cell(table.sheet, row, table.area.left + place) for row in self.rows(table)]

    @cached_property
    def data_cells(self) -> Sequence[Cell]:
        """The cells of tables, and those with a name of the workbook or of their sheet."""
        cells = [
            Cell(table.sheet, row, table.area.left + place)
            for table in self.tables
            for row in self.rows(table)
            for place in range(len(table.columns))
        ]
        own = [(sheet, text) for sheet in self.sheets for text in self.local_names(sheet).values()]
        areas = [(sheet, reference.area) for sheet, text in own for reference in references(text)]
        alone = [Cell(sheet, area.top, area.left) for sheet, area in areas if area and area.top == area.bottom]
        return [*cells, *alone, *self.names.values()]

    @cached_property
    def case_cells(self) -> Sequence[Cell]:
        """The cells of the cases of every input."""
        return [cell for table in self.inputs for case in CASES for cell in self.column(table, case)]

    @cached_property
    def input_cells(self) -> Sequence[Cell]:
        """The cells that a planner changes: the cases of every input, and named inputs that hold no formula."""
        named_cells = [
            cell
            for name, cell in self.names.items()
            if name.startswith("in_") and not (name == "in_scenario" and "in_scenario_label" in self.names)
            if not any(map(cell.is_in, self.inputs))
        ]
        return [cell for cell in (*self.case_cells, *named_cells) if cell not in self.formulas]

    @cached_property
    def validated_cells(self) -> Sequence[Cell]:
        """The cells of tables and names that a validation is for, formulas left out."""
        return [cell for cell in dict.fromkeys(self.data_cells) if cell not in self.formulas and self.validations(cell)]

    def own_formulas(self, cells: Sequence[Cell]) -> Sequence[Cell]:
        """Return the cells of a column without formulas that are for typing over: filled, among inputs, not blue."""
        if not any(self.style(cell).is_blue or self.validations(cell) for cell in cells):
            return cells
        return [cell for cell in cells if cell not in self.formulas or not self.style(cell).fill]

    def list_offered(self, cell: Cell) -> Sequence[str]:
        """Return the texts that a cell's list offers; nothing without a list, or where it is in cells."""
        return next((rule.offers for rule in self.validations(cell) if rule.offers), ())

    def has_list(self, cell: Cell) -> bool:
        """Whether a cell has a list of what it may hold."""
        return any(rule.kind == "list" for rule in self.validations(cell))

    def validations(self, cell: Cell) -> list[Validation]:
        """Return the validations that refuse wrong values in a cell."""
        if cell.sheet not in self._validations:
            self._validations[cell.sheet] = read_validations(self.xml(cell.sheet).root)
        return [rule for rule in self._validations[cell.sheet] if rule.area.has(cell.row, cell.column)]

    @cached_property
    def charts(self) -> Sequence[Chart]:
        """Every chart, with the sheet that it is on."""
        package = self.template.book.package
        results = []
        for sheet in self.template.book.sheets.values():
            if sheet.kind == "worksheet" and child(self.xml(sheet.name).root, "drawing") is None:
                continue  # nothing on the sheet shows what its part still leads to
            drawings = [a.target for a in relationships(package, sheet.part) if a.kind == "drawing"]
            for drawing in drawings:
                parts = [a.target for a in relationships(package, drawing) if a.kind == "chart"]
                results += [Chart(sheet.name, part, parse(package.read(part), part)) for part in parts]
        return results

    def style(self, cell: Cell) -> Style:
        """Return how a cell looks."""
        entry = self.survey.near.get(cell)
        number = entry[1] if entry else self.xml(cell.sheet).style(cell.row, cell.column)
        return self._styles[number] if number < len(self._styles) else Style("", "")

    @cached_property
    def _styles(self) -> Sequence[Style]:
        return read_styles(self.template.book.package)
