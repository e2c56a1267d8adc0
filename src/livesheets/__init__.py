"""livesheets: fills the tables of .xlsx templates with live formulas, and reads workbooks back.

It knows workbooks and nothing of what stands in them. These names are its interface, with the modules `excel`
(formulas as trees), `tokens`, `references` and `addresses` (formulas as text), `spelling`, `days`, `suggestions` and
`errors`. Everything else is internal. README.md beside this file begins with an example.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from livesheets.allow import WORDS, read_allowed
    from livesheets.cells import NOT_CALCULATED, Cell, Unusable
    from livesheets.engine.active import find_active, places
    from livesheets.engine.book import Table, sheet_elements, table_named, wrong_width
    from livesheets.engine.cells import unescape
    from livesheets.engine.fill import Clone, Column, Fill, FillReport, Formula, Rows, TableFill, Value, fill
    from livesheets.engine.markup import attribute
    from livesheets.engine.model import Row, RowChoices
    from livesheets.engine.plan import locate_errors
    from livesheets.engine.recalculate import recalculate
    from livesheets.engine.texts import marked_headers
    from livesheets.evaluate.book import Book, Corner
    from livesheets.libreoffice import program
    from livesheets.package import MAX_RATIO, check_workbook_file, overlap
    from livesheets.reading import Sheet, Spreadsheet, open_spreadsheet
    from livesheets.template import Template, read_template

__all__ = [
    "MAX_RATIO",
    "NOT_CALCULATED",
    "WORDS",
    "Book",
    "Cell",
    "Clone",
    "Column",
    "Corner",
    "Fill",
    "FillReport",
    "Formula",
    "Row",
    "RowChoices",
    "Rows",
    "Sheet",
    "Spreadsheet",
    "Table",
    "TableFill",
    "Template",
    "Unusable",
    "Value",
    "attribute",
    "check_workbook_file",
    "fill",
    "find_active",
    "locate_errors",
    "marked_headers",
    "open_spreadsheet",
    "overlap",
    "places",
    "program",
    "read_allowed",
    "read_template",
    "recalculate",
    "sheet_elements",
    "table_named",
    "unescape",
    "wrong_width",
]

_HOMES = {
    **dict.fromkeys(("WORDS", "read_allowed"), "livesheets.allow"),
    **dict.fromkeys(("Cell", "NOT_CALCULATED", "Unusable"), "livesheets.cells"),
    **dict.fromkeys(
        ("Clone", "Column", "Fill", "FillReport", "Formula", "Rows", "TableFill", "Value", "fill"),
        "livesheets.engine.fill",
    ),
    **dict.fromkeys(("find_active", "places"), "livesheets.engine.active"),
    **dict.fromkeys(("Table", "sheet_elements", "table_named", "wrong_width"), "livesheets.engine.book"),
    **dict.fromkeys(("unescape",), "livesheets.engine.cells"),
    **dict.fromkeys(("attribute",), "livesheets.engine.markup"),
    **dict.fromkeys(("Row", "RowChoices"), "livesheets.engine.model"),
    **dict.fromkeys(("locate_errors",), "livesheets.engine.plan"),
    **dict.fromkeys(("recalculate",), "livesheets.engine.recalculate"),
    **dict.fromkeys(("marked_headers",), "livesheets.engine.texts"),
    **dict.fromkeys(("Book", "Corner"), "livesheets.evaluate.book"),
    **dict.fromkeys(("program",), "livesheets.libreoffice"),
    **dict.fromkeys(("MAX_RATIO", "check_workbook_file", "overlap"), "livesheets.package"),
    **dict.fromkeys(("Sheet", "Spreadsheet", "open_spreadsheet"), "livesheets.reading"),
    **dict.fromkeys(("Template", "read_template"), "livesheets.template"),
}
"""Where each name is defined: it is imported on first use, so that a program that fills nothing starts quickly."""


def __getattr__(name: str) -> Any:
    """Return a name of the interface from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'livesheets' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
