"""A plain budget workbook as a planning team has it: a list of models with totals, and sheets that look at it."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table, TableFormula

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DATA: Mapping[str, object] = {
    "Model": "Sample",
    "Architecture": "dense",
    "Parameters (B)": 8.03,
    "Training cost [USD m]": 1.5,
    "Cost a parameter": "=Data[[#This Row],[Training cost '[USD m']]]/Data[[#This Row],[Parameters (B)]]",
    "MFU": 0.4,
    "KV cache, GiB": 0.5,
    "Fits?": "yes",
    "Owner": "Ann",
}
"""The columns of the list with its sample row."""


def budget(data: Mapping[str, object] = DATA, names: Mapping[str, str] | None = None) -> bytes:
    """Return the workbook: the list Data, a sheet of sums over it with named cells, and a chart."""
    book = Workbook()
    book._fonts[0] = Font(size=11)  # noqa: SLF001 openpyxl's own default font breaks the schema
    sheet = book.active
    sheet.title = "Data"
    add_table(sheet, "Data", 3, data)
    sheet["A1"] = "{{ title }}, {{ n_models }} models"
    sums = book.create_sheet("Sums")
    sums["A1"] = "=SUMIFS(Data[Training cost '[USD m']],Data[Architecture],\"dense\")"
    sums["A2"], sums["A3"], sums["B2"] = 1, "title", "untouched"
    for name, cell in {"in_mfu": "$A$2", "meta_title": "$A$3", **(names or {})}.items():
        book.defined_names[name] = DefinedName(name, attr_text=f"Sums!{cell}")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=3, min_row=3, max_row=4), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=4, max_row=4))
    book.create_sheet("Chart").add_chart(chart, "A1")
    return saved(book)


def add_table(sheet, name: str, top: int, data: Mapping[str, object], *, totals: bool = True) -> None:
    """Lay out a table with a sample row and a totals row."""
    for column, (header, value) in enumerate(data.items(), start=1):
        sheet.cell(top, column, header)
        sheet.cell(top + 1, column, value)
        if header == "MFU":
            sheet.cell(top + 1, column).number_format = "0.0%"
    last = sheet.cell(top + 1 + totals, len(data)).coordinate
    table = Table(displayName=name, ref=f"A{top}:{last}", totalsRowCount=int(totals))
    table._initialise_columns()  # noqa: SLF001 openpyxl names columns only when it saves
    for column, (header, value) in zip(table.tableColumns, data.items(), strict=True):
        column.name = header
        if isinstance(value, str) and value.startswith("="):
            column.calculatedColumnFormula = TableFormula(attr_text=value[1:])
    if totals:
        _add_totals(sheet, table, top + 2, list(data))
    sheet.add_table(table)


def _add_totals(sheet, table: Table, row: int, headers: Sequence[str]) -> None:
    table.tableColumns[0].totalsRowLabel = sheet.cell(row, 1, "Total").value
    for place, header in enumerate(headers):
        if header.startswith(("Parameters", "Training cost")):
            table.tableColumns[place].totalsRowFunction = "sum"
            escaped = header.replace("[", "'[").replace("]", "']")
            sheet.cell(row, place + 1, f"=SUBTOTAL(109,{table.displayName}[{escaped}])")


def saved(book: Workbook) -> bytes:
    """Return a workbook's bytes."""
    out = BytesIO()
    book.save(out)
    return out.getvalue()
