"""A workbook file read into the evaluator of sheet formulas, and compared with what LibreOffice makes of it."""

import judges
import openpyxl

from livesheets.engine import Column, Formula, TableFill
from livesheets.evaluate.book import Book, Corner
from livesheets.references import reference


def content(cell):
    """Return what a cell holds: a formula, or a value."""
    return Formula(cell.value[1:]) if cell.data_type == "f" else cell.value


def book_of(source):
    """Return the tables, cells and names of openpyxl's workbook, of whose formulas nothing is known yet."""
    book = Book()
    for sheet in source:
        inside = set()
        for table in sheet.tables.values():
            head, *rows = sheet[table.ref]
            columns = tuple(Column(str(cell.value)) for cell in head)
            fill = TableFill([[content(cell) for cell in row] for row in rows], columns)
            book.add_table(table.name, fill, Corner(sheet.title, head[0].row + 1, head[0].column))
            inside |= {cell.coordinate for row in rows for cell in row}
        cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
        book.add_cells(sheet.title, {(c.row, c.column): content(c) for c in cells if c.coordinate not in inside})
    for name, target in source.defined_names.items():
        result = reference(target.attr_text)
        book.names[name.casefold()] = result.sheet.casefold(), result.area.top, result.area.left
    return book


def differing(path, recalculated):
    """Return the formula cells in which the evaluator gives something else than LibreOffice found."""
    source = openpyxl.load_workbook(path)
    book, result = book_of(source), []
    for sheet in source:
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
            ours = book.value(sheet.title.casefold(), cell.row, cell.column)
            other = recalculated.get((sheet.title, cell.coordinate), "")
            if not judges.shows(ours, other):
                result.append(f"{sheet.title}!{cell.coordinate}: {ours!r} against {other!r}: {cell.value}")
    return result
