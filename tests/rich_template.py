"""A planner's own workbook with every feature that spreadsheet libraries lose: the hardest template of the tests.

openpyxl builds the sheets; tests/data/rich holds, as they stand in a file, the parts that it cannot write, and
rich.toml how they are joined to the rest. Data!A4:F9 is the table to fill: four models and a totals row. Summary,
Charts and Pivot look at it, Lists feeds a validation, Notes has nothing to do with it.
"""

from __future__ import annotations

from functools import cache

import openpyxl.chart
from openpyxl import Workbook
from openpyxl.chart import Reference, Series
from openpyxl.chart.data_source import AxDataSource, NumData, NumRef, NumVal, StrData, StrRef, StrVal
from openpyxl.chart.series import SeriesLabel
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table, TableFormula
from rich_parts import with_parts
from xlsx_templates import PINK, save

HEADERS = ("Model", "Family", "Parameters (B)", "Training cost [USD m]", "Fits?", "Cost per B")
SAMPLES = [
    ("alpha", "dense", 1, 1.5, "yes"),
    ("beta", "moe", 2, 3.0, "no"),
    ("gamma", "dense", 4, 6.0, "yes"),
    ("delta", "moe", 8, 9.5, "no"),
]
COST = "Data[[#This Row],[Training cost '[USD m']]]/Data[[#This Row],[Parameters (B)]]"
CACHED: dict[str, dict[str, float | str]] = {
    "xl/worksheets/sheet1.xml": {"C9": 15, "D9": 20, "F5": 1.5, "F6": 1.5, "F7": 1.5, "F8": 1.1875},
    "xl/worksheets/sheet2.xml": {"B2": 7.5, "B3": 12.5, "C2": 5, "C3": 10, "D2": 8.1, "D3": 13.5, "F2": "dense"}
    | {"B5": 20, "B6": 20, "B7": 20, "B8": 5, "B9": 4},
}
"""Values that the program which saved the workbook stored beside its formulas."""

CHARTS = ("Bar", "Line", "Area", "Pie", "Doughnut", "Radar", "Scatter", "Bubble")


@cache
def rich_template() -> bytes:
    """Return the workbook, an .xlsm."""
    return with_parts(_base(), CACHED)


def _base() -> bytes:
    book = Workbook()
    book.active.title = "Data"
    _data(book["Data"])
    _summary(book.create_sheet("Summary"))
    _charts(book.create_sheet("Charts"))
    for title, rows in {
        "Pivot": [(), (), ("Family", "Sum of Training cost"), ("dense", 7.5), ("moe", 12.5), ("Grand Total", 20)],
        "Lists": [("Family",), ("dense",), ("moe",)],
        "Notes": [("untouched",), ("=1+1",)],
    }.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    for name, target in {
        "all_costs": "Data!$D$5:$D$8",
        "out_total_cost": "Data!$D$9",
        "in_price": "Data!$B$2",
        "Slicer_Family": "#N/A",
    }.items():
        book.defined_names[name] = DefinedName(name, attr_text=target)
    return save(book)


def _data(sheet) -> None:
    sheet["A1"], sheet["A2"], sheet["B2"] = "Budget", "Price of a GPU hour", 2
    for at, row in enumerate([HEADERS, *SAMPLES], 4):
        for column, value in enumerate(row, 1):
            sheet.cell(at, column, value).font = Font(bold=at == 4, italic=at > 4)
        if at > 4:
            sheet.cell(at, 4).number_format, sheet.cell(at, 6).number_format = "0.00", "0.000"
            sheet.cell(at, 6, f"={COST}")
    sheet["A9"], sheet["C9"] = "Total", "=SUBTOTAL(109,Data[Parameters (B)])"
    sheet["D9"] = "=SUBTOTAL(109,Data[Training cost '[USD m']])"
    table = Table(displayName="Data", ref="A4:F9", totalsRowCount=1, totalsRowShown=True)
    table._initialise_columns()  # noqa: SLF001 openpyxl names columns only when it saves
    for column, header in zip(table.tableColumns, HEADERS, strict=True):
        column.name = header
    table.tableColumns[0].totalsRowLabel = "Total"
    table.tableColumns[2].totalsRowFunction = table.tableColumns[3].totalsRowFunction = "sum"
    table.tableColumns[5].calculatedColumnFormula = TableFormula(attr_text=COST)
    sheet.add_table(table)
    _rules(sheet)
    sheet["D4"].comment = Comment("[Threaded comment]", "tc={3F1B6A52-93F5-4C57-8D0F-4B2C7B1E5A01}")


def _rules(sheet) -> None:
    choice = DataValidation("list", formula1='"yes,no"')
    choice.add("E5:E8")
    sheet.add_data_validation(choice)
    sheet.conditional_formatting.add("D5:D8", CellIsRule("greaterThan", formula=["5"], fill=PINK))
    sheet.conditional_formatting.add("A5:F8", FormulaRule(formula=['$E5="no"'], fill=PatternFill(bgColor="EEEEEE")))
    sheet.print_area, sheet.print_title_rows = "A1:F9", "4:4"
    sheet.page_setup.orientation = "landscape"
    sheet.oddHeader.left.text, sheet.oddFooter.center.text = "&G", "page &P of &N"
    for letter, width in zip("ABCDEF", (24, 12, 16, 24, 10, 14), strict=True):
        sheet.column_dimensions[letter].width = width


def _summary(sheet) -> None:
    rows = [
        ("Family", "Cost", "Parameters", "Cost in EUR", "Trend", "Families"),
        *(
            (
                name,
                f"=SUMIFS(Data!$D$5:$D$8,Data!$B$5:$B$8,A{at})",
                f"=SUMIFS(Data[Parameters (B)],Data[Family],A{at})",
                f"=B{at}*[1]Rates!$B$2",
            )
            for at, name in ((2, "dense"), (3, "moe"))
        ),
        (),
        ("Sum", "=SUM(B2:B3)"),
        ("Total of the table", "=Data!D9"),
        ("Total by name", "=SUM(all_costs)"),
        ("Average", "=AVERAGE(Data!D5:D8)"),
        ("Models", "=ROWS(Data[Model])"),
    ]
    for row in rows:
        sheet.append(row)
    sheet["F2"] = ArrayFormula("F2:F3", "=_xlfn.UNIQUE(Data!$B$5:$B$8)")
    sheet["F3"], sheet["H2"] = "moe", True


def _charts(sheet) -> None:
    """Add eight kinds of charts over the table, each with the points that its program drew."""
    for at, kind in enumerate(CHARTS):
        chart = getattr(openpyxl.chart, f"{kind}Chart")()
        chart.title = kind
        chart.height, chart.width = 7, 12
        cost, size = _numbers("D", 3), _numbers("C", 2)
        series = Series(Reference(sheet, range_string="Data!$D$5:$D$8"))
        if kind in {"Scatter", "Bubble"}:
            series = openpyxl.chart.series.XYSeries(xVal=AxDataSource(numRef=size), yVal=_source(cost))
            series.bubbleSize = _source(_numbers("C", 2)) if kind == "Bubble" else None
        else:
            series.val, series.cat = _source(cost), AxDataSource(strRef=_names())
        if kind == "Scatter":
            chart.scatterStyle = "lineMarker"
        if kind in {"Pie", "Doughnut"}:
            chart.legend = None
        series.tx = SeriesLabel(strRef=StrRef("Data!$D$4", StrData(1, [StrVal(v=HEADERS[3])])))
        chart.series.append(series)
        sheet.add_chart(chart, f"{'AIQ'[at % 3]}{1 + 16 * (at // 3)}")


def _source(numbers: NumRef):
    return openpyxl.chart.data_source.NumDataSource(numRef=numbers)


def _numbers(letter: str, column: int) -> NumRef:
    points = [NumVal(idx=at, v=str(row[column])) for at, row in enumerate(SAMPLES)]
    return NumRef(f"Data!${letter}$5:${letter}$8", NumData("0.00", len(points), points))


def _names() -> StrRef:
    points = [StrVal(idx=at, v=row[0]) for at, row in enumerate(SAMPLES)]
    return StrRef("Data!$A$5:$A$8", StrData(len(points), points))
