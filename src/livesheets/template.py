"""A template to look into: the cells, formulas, number formats, names and markers that it holds."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.addresses import quote
from livesheets.days import day_offset
from livesheets.engine.book import Book, defined_names, home_index, name_cell, read_book
from livesheets.engine.dirty_cells import DirtyCells
from livesheets.engine.markup import attribute, child, parse, tag, whole
from livesheets.engine.sheet import SheetXml, read_sheet
from livesheets.engine.sheet_extras import find_areas
from livesheets.engine.styles import STYLES
from livesheets.engine.texts import MARKER
from livesheets.engine.values import UNKNOWN, Values
from livesheets.package import open_package
from livesheets.references import references

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from livesheets.engine import Value

LARGE = 2**20  # bytes of a sheet
_GENERAL = "General"
_OF_DAYS = (14, 15, 16, 17, 22, *range(27, 32), 36, *range(50, 55), 57, 58)
_BUILT_IN = {9: "0%", 10: "0.00%", **dict.fromkeys(_OF_DAYS, "yyyy-mm-dd")}
"""Formats that files have by number alone, Excel's short date among them; every country has its own way with days."""


class Template(Struct, frozen=True, dict=True):
    """A template's workbook; sheets are read when they are asked for."""

    book: Book
    _sheets: dict[str, SheetXml] = field(default_factory=dict)

    def sheet(self, name: str) -> SheetXml:
        """Return a worksheet by name."""
        part = self.book.sheets[name.casefold()].part
        if part not in self._sheets:
            self._sheets[part] = read_sheet(self.book.package.read(part), part)
        return self._sheets[part]

    def value(self, sheet: str, row: int, column: int) -> Value:
        """Return what a cell shows, None for a blank one and for a formula without a value."""
        cell = self.sheet(sheet).cells.get(row, {}).get(column)
        result = None if cell is None else self._values.read(cell)
        return None if result is UNKNOWN else result

    def list_cells(self, sheet: str) -> Iterator[tuple[int, int, int, str, Value]]:
        """Give every cell of a sheet: row, column, style number, type, and what it shows, as `value` gives it."""
        xml, values = self.sheet(sheet), self._values
        for row in xml.cells:
            plain = None if row in xml.calculated else xml.cells.plain(row)
            for column, style, kind, text in plain or ():
                yield row, column, style, kind, values.plain(kind, text, (row, column), xml.part)
            for column, cell in xml.cells[row].items() if plain is None else ():
                result = values.read(cell)
                kind, value = attribute(cell, "t", "n"), None if result is UNKNOWN else result
                yield row, column, whole(cell, "s", 0), kind, value

    def release(self) -> None:
        """Forget sheets that take much memory; they are read again if somebody asks."""
        for part, sheet in list(self._sheets.items()):
            if len(sheet.cells.frame.data) > LARGE:
                del self._sheets[part]

    @cached_property
    def _values(self) -> Values:
        return Values(self.book, {}, DirtyCells(), {}, ())

    def formula_text(self, sheet: str, row: int, column: int) -> str | None:
        """Return the formula in a cell, or the one that fills it with others; None without one."""
        xml = self.sheet(sheet)
        own = (at for at, area in xml.arrays.items() if area.has(row, column))
        return xml.formulas.get((row, column), xml.formulas.get(next(own, (0, 0))))

    def formula(self, sheet: str, row: int, column: int) -> str:
        """Return a formula that is in every row as it is; "" for none, and for one that refers to cells."""
        text = self.formula_text(sheet, row, column) or ""
        return "" if references(text) else text

    def has_sparkline(self, sheet: str, row: int, column: int) -> bool:
        """Whether a sparkline is drawn in a cell."""
        lines = self.sheet(sheet).root.iter("{*}sparkline")
        return any(area.has(row, column) for line in lines for area in find_areas(line))

    def number_format(self, sheet: str, row: int, column: int) -> str:
        """Return the number format of a cell, such as `0.0%`."""
        return self.format_of(self.sheet(sheet).style(row, column))

    def format_of(self, style: int) -> str:
        """Return the number format of a style by its number."""
        return self.number_formats[style] if style < len(self.number_formats) else _GENERAL

    @cached_property
    def number_formats(self) -> Sequence[str]:
        """Return the number format of each cell style."""
        if STYLES not in self.book.package:
            return []
        root = parse(self.book.package.read(STYLES), STYLES)
        forms = root.iterfind(f"{tag('numFmts')}/{tag('numFmt')}")
        own = {whole(form, "numFmtId"): attribute(form, "formatCode") for form in forms}
        styles = child(root, "cellXfs")
        formats: Mapping[int, str] = _BUILT_IN | own
        return [formats.get(whole(xf, "numFmtId", 0), _GENERAL) for xf in ([] if styles is None else styles)]

    @cached_property
    def day_offset(self) -> int:
        """Return by how many days fewer its numbers count: a workbook may begin in 1904."""
        return day_offset(self.book.root)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Return what the workbook's own defined names point to."""
        result = (name for name in defined_names(self.book.root) if not name.get("localSheetId"))
        return {attribute(name, "name"): name.text or "" for name in result}

    @cached_property
    def local_names(self) -> Mapping[str, str]:
        """Return what the defined names that only a sheet knows point to, by the name with its sheet: `Cover!cost`."""
        order = [quote(sheet.name) for sheet in self.book.sheets.values()]
        homes = ((name, home_index(name, len(order))) for name in defined_names(self.book.root))
        return {f"{order[at]}!{attribute(name, 'name')}": name.text or "" for name, at in homes if at is not None}

    @cached_property
    def all_names(self) -> Mapping[str, str]:
        """Return what the names of the workbook and of its sheets point to."""
        return {**self.names, **self.local_names}

    @cached_property
    def clear_names(self) -> Mapping[str, str]:
        """Return the names that stand for one thing, each as it is without a sheet: no two sheets have them."""
        names = {name: name.rpartition("!")[2] for name in self.all_names}
        counts = Counter(own.casefold() for own in names.values())
        return {name: own for name, own in names.items() if name == own or counts[own.casefold()] == 1}

    @property
    def valid_names(self) -> list[str]:
        """Return the names whose sheets are there: a deleted sheet leaves its names behind."""
        return [name for name, text in self.names.items() if "#REF!" not in text and self._stands(text)]

    def _stands(self, text: str) -> bool:
        sheets = [reference.sheet.casefold() for reference in references(text)]
        return all(sheet in self.book.sheets for sheet in sheets if sheet and "[" not in sheet)

    def place(self, name: str) -> tuple[str, int, int] | None:
        """Return the sheet, row and column of a defined name; None without such a name."""
        return name_cell(self.book, name)

    @cached_property
    def markers(self) -> Sequence[str]:
        """Return the names in `{{ name }}` markers, sorted."""
        results: set[str] = set()
        for name in self.book.package.entries:
            if name.endswith(".xml") and name.startswith("xl/"):
                data = self.book.package.read(name)
                if b"{{" in data:
                    results.update(MARKER.findall("".join(map(str, parse(data, name).itertext()))))
        return sorted(results)


def read_template(data: bytes) -> Template:
    """Read a template; TemplateError says why it cannot be one."""
    return Template(read_book(open_package(data)))
