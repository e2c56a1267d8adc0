"""Small templates for the tests of the template engine, built with openpyxl, and tools to look into workbooks."""

from __future__ import annotations

import re
import zipfile
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.chart.data_source import AxDataSource, NumRef, StrRef
from openpyxl.chart.series import SeriesLabel
from openpyxl.formatting.rule import CellIsRule, FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableFormula

from livesheets.engine import Fill, fill

if TYPE_CHECKING:
    from pathlib import Path

PINK = PatternFill("solid", bgColor="FFC7CE")


ROWS = [("gamma", 5, 10.0, "yes"), ("delta", 7, 14, "no"), ("epsilon", 1, 2, None)]
"""Three rows for the table `models`, with the values of its formula column."""


def filled(folder: Path, data: bytes, **asked) -> Path:
    """Fill a template and return the written file."""
    output = folder / "filled.xlsx"
    fill(data, Fill(**asked), output)
    return output


def save(book: Workbook) -> bytes:
    """Return a workbook's bytes."""
    book._fonts[0] = Font(size=11)  # noqa: SLF001 openpyxl's own default font breaks the schema
    out = BytesIO()
    book.save(out)
    return out.getvalue()


@cache
def template() -> bytes:
    """Return a template with everything that an ordinary fill touches, and a sheet that it does not.

    Models holds the table `models` (A5:D8: two data rows and a totals row), a validation and a format on it, and
    single cells with names. Charts shows it, Lists refers to it, Notes has nothing to do with it.
    """
    book = Workbook()
    models = book.active
    models.title = "Models"
    _fill_models(models)
    _add_charts(book)
    lists = book.create_sheet("Lists")
    lists["A1"] = "=SUM(Models!$B$6:$B$7)"
    lists["A2"] = "=COUNTA(models[name])"
    notes = book.create_sheet("Notes")
    notes["A1"], notes["A2"] = "untouched", "=1+1"
    for name, target in {
        "in_price": "Models!$F$1",
        "out_total": "Models!$F$2",
        "out_sum": "Models!$B$8",
        "all_names": "Models!$A$6:$A$7",
        "meta_label": "Models!$F$3",
    }.items():
        book.defined_names[name] = DefinedName(name, attr_text=target)
    return save(book)


def whole_charts() -> bytes:
    """Return the template with all rows in both of its charts, so that everything can follow."""
    return patched(template(), "xl/charts/chart2.xml", ("$6:$B$6", "$6:$B$7"), ("$6:$A$6", "$6:$A$7"))


def _fill_models(sheet) -> None:
    sheet["A1"] = "Plan for {{ purpose }}"
    sheet["F1"], sheet["F2"], sheet["G1"] = 2, "=SUM(B6:B7)*in_price", "=F1*10"
    rows = [
        ("name", "size", "cost", "open"),
        ("alpha", 10, "=models[[#This Row],[size]]*in_price", "yes"),
        ("beta", 20, "=models[[#This Row],[size]]*in_price", "no"),
        ("Total", "=SUBTOTAL(109,models[size])", None, None),
    ]
    for at, row in enumerate(rows, 5):
        for column, value in enumerate(row, 1):
            sheet.cell(at, column, value)
    for at in (6, 7):
        sheet.cell(at, 2).number_format = "#,##0"
        sheet.cell(at, 3).number_format = "0.00"
    sheet["A6"].font, sheet["A7"].font = Font(italic=True), Font(bold=True)
    sheet.row_dimensions[6].height = 21
    sheet.column_dimensions["B"].width = 17
    table = Table(displayName="models", ref="A5:D8", totalsRowCount=1, totalsRowShown=True)
    table._initialise_columns()  # noqa: SLF001 openpyxl names columns only when it saves
    for column, header in zip(table.tableColumns, rows[0], strict=True):
        column.name = header
    table.tableColumns[0].totalsRowLabel = "Total"
    table.tableColumns[1].totalsRowFunction = "sum"
    table.tableColumns[2].calculatedColumnFormula = TableFormula(attr_text="models[[#This Row],[size]]*in_price")
    sheet.add_table(table)
    choice = DataValidation("list", formula1='"yes,no"')
    choice.add("D6:D7")
    sheet.add_data_validation(choice)
    names = DataValidation("list", formula1="$A$6:$A$7")
    names.add("H1")
    sheet.add_data_validation(names)
    sheet.conditional_formatting.add("B6:B7", CellIsRule("greaterThan", formula=["15"], fill=PINK))
    sheet.print_area = "A1:D8"
    sheet.print_title_rows = "5:5"
    sheet.oddFooter.center.text = "{{ purpose }} page &P"


def _add_charts(book) -> None:
    sheet = book.create_sheet("Charts")
    models = book["Models"]
    for anchor, last in (("A1", 7), ("A20", 6)):
        chart = BarChart()
        chart.add_data(Reference(models, min_col=2, min_row=6, max_row=last))
        chart.series[0].tx = SeriesLabel(strRef=StrRef("Models!$B$5"))
        chart.series[0].val.numRef.f = f"Models!$B$6:$B${last}"
        chart.series[0].cat = AxDataSource(numRef=NumRef(f=f"Models!$A$6:$A${last}"))
        sheet.add_chart(chart, anchor)


@cache
def prototype_template() -> bytes:
    """Return a template with a prototype sheet between two ordinary ones.

    Proto holds the table `proto` (B5:D7) with titles and units above, a flag column with a validation and a format,
    a local name, a print area and formulas that refer to its own table and sheet.
    """
    book = Workbook()
    book.active.title = "About"
    book["About"]["A1"] = "about"
    sheet = book.create_sheet("Proto")
    sheet["A1"], sheet["A2"] = "=SUM(proto[size])", "=Proto!B5"
    sheet["A3"] = '=INDIRECT("proto[size]")'
    grid = [
        ("Name", "Size", "Open?"),
        ("", "parameters", "flag"),
        ("name", "size", "flag"),
        ("alpha", 10, 1),
        ("beta", 20, 0),
    ]
    for at, row in enumerate(grid, 3):
        for column, value in enumerate(row, 2):
            sheet.cell(at, column, value)
    sheet["C3"].font, sheet["C5"].font, sheet["D3"].font = Font(bold=True), Font(italic=True), Font(underline="single")
    sheet["C6"].number_format, sheet["D6"].number_format = "#,##0", "0"
    sheet.column_dimensions["C"].width = 22
    sheet.column_dimensions["D"].width = 5
    table = Table(displayName="proto", ref="B5:D7")
    sheet.add_table(table)
    flags = DataValidation("list", formula1='"0,1"')
    flags.add("D6")
    sheet.add_data_validation(flags)
    sheet.conditional_formatting.add("D6:D7", FormulaRule(formula=["D6=1"], fill=PINK))
    sheet.conditional_formatting.add("C6:C7", FormulaRule(formula=["$D6=1"], fill=PINK))
    sheet.defined_names["title"] = DefinedName("title", attr_text="Proto!$A$1")
    sheet.defined_names["sub"] = DefinedName("sub", attr_text="Proto!$G$1")
    sheet.print_area = "A1:D7"
    end = book.create_sheet("End")
    end["A1"] = "end"
    end.print_area = "A1:B2"
    book.active = 2
    return save(book)


def rezipped(change, data: bytes | None = None) -> bytes:
    """Return a workbook, else the template, with its entries changed: `change` gets and gives (name, content)s."""
    with zipfile.ZipFile(BytesIO(data or template())) as old:
        entries = [(info.filename, old.read(info)) for info in old.infolist()]
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in change(entries):
            new.writestr(name, content)
    return out.getvalue()


def patched(data: bytes, part: str, *changes: tuple[str, str]) -> bytes:
    """Return a workbook with texts of one part replaced; each must be there."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == part:
                for before, after in changes:
                    assert before.encode() in content, (before, content)
                    content = content.replace(before.encode(), after.encode())
            new.writestr(info, content)
    return out.getvalue()


def raw_entries(data: bytes) -> dict[str, bytes]:
    """Return the compressed bytes of every entry, in order."""
    entries = {}
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for info in archive.infolist():
            start = info.header_offset + 26
            name, extra = (int.from_bytes(data[start + at : start + at + 2], "little") for at in (0, 2))
            begin = start + 4 + name + extra
            entries[info.filename] = data[begin : begin + info.compress_size]
    return entries


def part(path: Path, name: str) -> str:
    """Return a part of a workbook as text."""
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()


def cell_xml(path: Path, name: str, ref: str) -> str:
    """Return the XML of one cell of a sheet part; "" if the sheet does not have it."""
    match = re.search(rf'<c r="{ref}"(?: [^>/]*)?(?:/>|>.*?</c>)', part(path, name), re.DOTALL)
    return match[0] if match else ""
