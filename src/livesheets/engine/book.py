"""A template's workbook as read: its sheets, tables, defined names and relationships."""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.addresses import unquote
from livesheets.engine.cells import unescape
from livesheets.engine.markup import MAIN, OFFICE, attribute, child, local, parse, tag, whole
from livesheets.errors import TemplateError
from livesheets.parts import AGAIN, read_elements
from livesheets.references import Area, read_area, references, rewrite
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from livesheets.engine.markup import Element
    from livesheets.package import Package

WORKBOOK = "xl/workbook.xml"


class Relationship(Struct, frozen=True):
    """One arrow from a part: its id, the last word of its type, and the part it points to ("" if outside)."""

    rid: str
    kind: str
    target: str


class Sheet(Struct, frozen=True):
    """A sheet in the workbook's order; `part` is its XML. Only a `worksheet` has cells."""

    name: str
    part: str
    kind: str


class Table(Struct, frozen=True):
    """An Excel table: where its header row, data rows and totals row (0 or 1) stand, its columns and their totals."""

    name: str
    part: str
    sheet: str
    area: Area
    headers: int
    totals: int
    columns: tuple[str, ...]
    functions: tuple[str, ...]

    @property
    def header_row(self) -> Area:
        """The cells of its headers, whose texts are the names of its columns; none without a header row."""
        return Area(self.area.top, self.area.left, self.area.top + self.headers - 1, self.area.right)


class Book(Struct, frozen=True, dict=True):
    """A template; sheets and tables by name in lower case, in the template's order."""

    package: Package
    root: Element
    sheets: Mapping[str, Sheet]
    tables: Mapping[str, Table]

    @cached_property
    def names(self) -> Mapping[tuple[str, str], str]:
        """What each defined name stands for, by the name and the sheet that it belongs to, "" for the workbook."""
        order, result = list(self.sheets), dict[tuple[str, str], str]()
        for element in defined_names(self.root):
            own = home_index(element, len(order))
            key = attribute(element, "name").casefold(), "" if own is None else order[own]
            result.setdefault(key, element.text or "")
        return result


def read_book(package: Package) -> Book:
    """Read the workbook part and every table."""
    root = parse(package.read(WORKBOOK), WORKBOOK)
    if root.tag != tag("workbook"):
        kind = "a Strict Open XML Spreadsheet" if local(root) == "workbook" else "no Excel workbook"
        raise TemplateError(f"the template is {kind}; save it again in Excel as 'Excel Workbook (*.xlsx)'")
    arrows = {arrow.rid: arrow for arrow in relationships(package, WORKBOOK)}
    sheets = [_sheet(element, arrows) for element in sheet_elements(root)]
    worksheets = [sheet for sheet in sheets if sheet.kind == "worksheet"]
    tables = [_table(package, part, sheet) for sheet in worksheets for part in targets(package, sheet.part, "table")]
    _refuse_doubles("sheets", [sheet.name for sheet in sheets])
    _refuse_doubles("tables", [table.name for table in tables])
    return Book(
        package,
        root,
        {sheet.name.casefold(): sheet for sheet in sheets},
        {table.name.casefold(): table for table in tables},
    )


def _refuse_doubles(what: str, names: Sequence[str]) -> None:
    keys = [name.casefold() for name in names]
    double = next((name for at, name in enumerate(names) if name.casefold() in keys[:at]), None)
    if double is not None:
        raise TemplateError(f"the template has two {what} named {double!r}; {AGAIN}")


def sheet_elements(root: Element) -> list[Element]:
    """Return the `<sheet>` elements of a workbook."""
    return root.findall(f"{tag('sheets')}/{tag('sheet')}")


def _sheet(element: Element, arrows: Mapping[str, Relationship]) -> Sheet:
    name, rid = attribute(element, "name"), attribute(element, tag("id", OFFICE))
    if rid not in arrows:
        raise TemplateError(f"the template's sheet {name!r} has no part; {AGAIN}")
    return Sheet(name, arrows[rid].target, arrows[rid].kind)


def rels_name(part: str) -> str:
    """Return the name of the part that holds another one's relationships."""
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def relationships(package: Package, part: str) -> list[Relationship]:
    """Return where a part points to; nothing if it points nowhere."""
    name = rels_name(part)
    if name not in package:
        return []
    return [relationship(element, part) for element in parse(package.read(name), name) if local(element)]


def targets(package: Package, part: str, kind: str) -> list[str]:
    """Return the parts of one kind that a part points to."""
    return [arrow.target for arrow in relationships(package, part) if arrow.kind == kind]


def relationship(element: Element, part: str) -> Relationship:
    """Read one arrow of a part."""
    kind = attribute(element, "Type").rpartition("/")[2]
    outside = attribute(element, "TargetMode") == "External"
    target = "" if outside else resolve_target(part, attribute(element, "Target"))
    return Relationship(attribute(element, "Id"), kind, target)


def resolve_target(part: str, target: str) -> str:
    """Return the entry that a relationship's target names, as seen from the part."""
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target)).lstrip("/")


def _table(package: Package, part: str, sheet: Sheet) -> Table:
    root = parse(package.read(part), part)
    columns = root.findall(f"{tag('tableColumns')}/{tag('tableColumn')}")
    return Table(
        attribute(root, "displayName") or attribute(root, "name"),
        part,
        sheet.name,
        read_area(attribute(root, "ref"), f"the table in {part}"),
        whole(root, "headerRowCount", 1),
        whole(root, "totalsRowCount", 0),
        tuple(unescape(attribute(column, "name")) for column in columns),
        tuple(attribute(column, "totalsRowFunction") for column in columns),
    )


def defined_names(root: Element) -> list[Element]:
    """Return the `<definedName>` elements of a workbook."""
    names = child(root, "definedNames")
    return [] if names is None else [name for name in names if name.tag == f"{{{MAIN}}}definedName"]


def home_index(name: Element, sheets: int) -> int | None:
    """Return the index of the sheet that a defined name belongs to, None for the workbook's own."""
    return None if name.get("localSheetId") is None else whole(name, "localSheetId", most=sheets - 1)


def names_seen(book: Book, home: str = "") -> dict[str, str]:
    """Return what each defined name (in lower case) stands for on a sheet, "" for the workbook's own names only."""
    own = {name: text for (name, sheet), text in book.names.items() if sheet and sheet == home.casefold()}
    return {name: own.get(name, text) for (name, sheet), text in book.names.items() if not sheet} | own


def name_cell(book: Book, name: str, scope: str = "") -> tuple[str, int, int] | None:
    """Return the sheet, row and column of a defined name of the workbook, or of a sheet; None without such a name.

    `Cover!cost` is the name that the sheet Cover has of its own. A name that does not point to exactly one cell, or to
    cells that are merged, is a TemplateError, as is one that points to a header of a table: that names its column.
    """
    sheet, _, own = name.rpartition("!")
    text = book.names.get((own.casefold(), (unquote(sheet) or scope).casefold()))
    if text is None:
        return None
    result = references(text)
    area = result[0].area if len(result) == 1 and not rewrite(text, lambda _: "") else None
    if area is None or (area.size > 1 and not _is_merged(book, result[0].sheet, area)):
        raise TemplateError(f"the defined name {name} points to {text}, which is not one cell")
    for table in book.tables.values():
        if table.sheet.casefold() == result[0].sheet.casefold() and area.meets(table.header_row):
            raise TemplateError(f"the defined name {name} points to {text}, a header of the table {table.name}")
    return result[0].sheet, area.top, area.left


def _is_merged(book: Book, name: str, area: Area) -> bool:
    """Whether cells of a sheet are merged into one."""
    sheet = book.sheets.get(name.casefold())
    if sheet is None or sheet.kind != "worksheet":
        return False
    merged = read_elements(book.package.pieces(sheet.part), tag("mergeCell"), sheet.part, book.package.what)
    return any(read_area(attribute(cell, "ref"), sheet.part) == area for cell in merged)


def sheet_named(book: Book, name: str) -> Sheet:
    """Return a worksheet by name; an unknown one is a TemplateError."""
    sheet = book.sheets.get(name.casefold())
    if sheet is None or sheet.kind != "worksheet":
        hint = names_like(name, [other.name for other in book.sheets.values()])
        raise TemplateError(f"the template has no worksheet {name!r}{hint}")
    return sheet


def table_named(book: Book, name: str) -> Table:
    """Return a table that can be filled; an unknown one is a TemplateError."""
    table = book.tables.get(name.casefold())
    if table is None:
        hint = names_like(name, [other.name for other in book.tables.values()])
        raise TemplateError(f"the template has no table {name!r}{hint}")
    if message := wrong_width(table):
        raise TemplateError(message)
    if table.headers != 1 or table.totals > 1 or table.area.bottom - table.area.top - table.totals < 1:
        raise TemplateError(f"the table {table.name} on the sheet {table.sheet!r} has no header row, or no data row")
    return table


def wrong_width(table: Table) -> str:
    """Say that a table names another number of columns than its range has; Excel repairs such a workbook."""
    wide = table.area.right - table.area.left + 1
    if wide == len(table.columns):
        return ""
    columns = f"{len(table.columns)} columns"
    return f"the table {table.name} in {table.part} names {columns}, and {table.area} has {wide}; {AGAIN}"
