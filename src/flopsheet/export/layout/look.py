"""How the shipped templates look: fonts, colors, number formats and print setup, designed once."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace
from openpyxl.cell.cell import TYPE_STRING
from openpyxl.formatting.rule import ColorScaleRule, Rule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.styles.numbers import NumberFormat
from openpyxl.utils.cell import absolute_coordinate, quote_sheetname
from openpyxl.workbook.defined_name import DefinedName

from flopsheet.export.layout.shipped_lists import WRAPPED
from flopsheet.units.named_values import DATE
from livesheets import excel

if TYPE_CHECKING:
    from openpyxl.cell import Cell
    from openpyxl.styles.cell_style import StyleArray
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

FONT, SIZE = "Arial", 10
NAVY, BLUE, GREEN, GREY, WHITE = "1F3864", "0000FF", "00703C", "7F7F7F", "FFFFFF"
AMBER, PALE_AMBER, RED, PALE_RED = "7F6000", "FFEB9C", "9C0006", "FFC7CE"
PALE_YELLOW, PALE_GREY, PALE_BLUE, BAND = "FFF8DC", "F2F2F2", "DCE6F1", "E9EEF6"
HAIR = Side(style="hair", color="BFBFBF")
LINE = Side(style="thin", color=NAVY)
FIGURE = "[=0]0;[<1]0.000;#,##0.00"
TENTH = "[=0]0;[<1]0.000;#,##0.0"
MIXED = "[>=1000]#,##0;[>=1]#,##0.00;0.000"
"""Results of all sizes. For what is never negative: LibreOffice leaves the sign out under conditions."""
BESIDE = "[>=1]#,##0.00;[>=0.0005]0.000;0.0E+00"
"""Numbers next to bars, where no conditional format helps."""
SIGNED = "+#,##0.00;-#,##0.00"
TINY = 0.0005
"""What is smaller, as a number or as a share, would show as 0.000 or 0.0%."""
TINY_FORMS = {"figure": ("0", "0.0E+00"), "share": ('"exact"', '"≈ 0%"')}
"""What 0 and what is smaller show instead."""
SPARSE = '[=0]"-";[<1]0.000;#,##0.00'
"""Figures of which 0 means that there is none."""
SPARSE_PERCENT = '0.0%;-0.0%;"-"'
REACHABLE_PERCENT = '[>1]"none";[=0]"-";0.0%'
"""Shares that something would have to reach: none can be over 100%."""
PRICE = '#,##0.00##;-#,##0.00##;"-"'
"""Prices as they are listed, with two decimals at least; a dash where none is."""
RANK = '0;-0;"-"'
COUNT = '#,##0;-#,##0;"-"'
BALANCE = '#,##0.00;-#,##0.00;"-"'
CASH = '#,##0.00;(#,##0.00);"-"'
COUNT_SEEN = '#,##0;(#,##0);"-"'
"""Amounts and numbers as finance writes them: negative ones in parentheses."""
FLAG = '"\u25a0";"\u25a0";""'
"""A mark where something is so."""
SIGNED_FIGURE = '#,##0.000;-#,##0.000;"-"'
"""Small amounts that may be below 0."""
LOSS = '0.000;-0.000;"-"'
"""Nats per token: laws that predict no loss give 0."""
TYPED = "[>=1000]#,##0;General"
"""What people typed: with its own digits, and thousands apart; along axes without negative numbers, too."""
KNOWN = '[=0]"-";[>=1000]#,##0;General'
"""The same of what may not be known."""
DAY = 'yyyy-mm-dd;;"-"'
"""Days; a dash where there is none."""
INPUT = "[>=1000000000]##0.0##E+0;[>=1000]#,##0;General"
"""Inputs: trillions of tokens in thousands of powers of ten, 15.0E+12, and no point without digits behind it."""
WHOLE = "#,##0"
PERCENT = "0.0%"
WHOLE_PERCENT = "0%"
"""Shares along the axis of a chart."""
ON_BARS, SHARE_ON_BARS = '[=0]"";[<100]0.00;#,##0', "0%;;"
"""Values on bars, none where there is no bar."""
FORMS = ("General", *TINY_FORMS["figure"], *TINY_FORMS["share"], TYPED, PERCENT, WHOLE, BALANCE, DAY)
"""Formats under conditions: each has a number, beyond those of cells' own formats."""


class Look(Struct, frozen=True):
    """One kind of cell; an `open` one can be changed where sheets are protected."""

    color: str = "000000"
    fill: str = ""
    bold: bool = False
    italic: bool = False
    size: float = SIZE
    form: str = "General"
    align: str = ""
    wrap: bool = False
    top: Side | None = None
    bottom: Side | None = None
    vertical: str = "center"
    indent: int = 0
    open: bool = False
    shrink: bool = False


LOOKS = {
    "title": Look(color=NAVY, bold=True, size=16),
    "title_fit": Look(color=NAVY, bold=True, size=16, shrink=True),
    "question": Look(bold=True, size=13),
    "answer": Look(color=NAVY, bold=True, size=13, wrap=True, vertical="center"),
    "note": Look(color=GREY, italic=True, size=9),
    "note_in": Look(color=GREY, italic=True, size=9, indent=1),
    "heading": Look(color=WHITE, fill=NAVY, bold=True, align="left", wrap=True),
    "heading_in": Look(color=WHITE, fill=NAVY, bold=True, wrap=True, indent=1),
    "heading_open": Look(color=WHITE, fill=NAVY, bold=True, indent=1),
    "heading_center": Look(color=WHITE, fill=NAVY, bold=True, align="center", wrap=True),
    "heading_right": Look(color=WHITE, fill=NAVY, bold=True, align="right", wrap=True),
    "section": Look(color=NAVY, bold=True),
    "plain": Look(),
    "source_line": Look(color=GREY, size=8),
    "sign": Look(open=True, bottom=LINE),
    "check": Look(color="006100", bold=True, size=9),
    "band": Look(color=NAVY, fill=PALE_BLUE, bold=True, size=9),
    "column_title": Look(color=NAVY, fill=BAND, bold=True, size=9, wrap=True, align="center"),
    "link_title": Look(color=GREEN, fill=BAND, bold=True, size=9, wrap=True, align="center"),
    "column_unit": Look(color=GREY, fill=BAND, size=8, align="center"),
    "place": Look(color=GREY, fill=BAND, size=8, form="0", align="center"),
    "column_id": Look(color=GREY, size=7, align="center", wrap=True, bottom=LINE),
    "column_unseen": Look(color=GREY, size=7, form=";;;", align="center", bottom=LINE),
    "text": Look(bottom=HAIR),
    "small": Look(bottom=HAIR, size=WRAPPED["small"], wrap=True, indent=1),
    "wrapped": Look(bottom=HAIR, size=WRAPPED["wrapped"], wrap=True),
    "words": Look(bottom=HAIR, size=WRAPPED["words"], wrap=True, indent=1),
    "clip": Look(bottom=HAIR, size=8, wrap=True, indent=1),
    "indented": Look(bottom=HAIR, indent=1),
    "id": Look(color=GREY, size=8, bottom=HAIR, indent=1),
    "path": Look(color=GREY, size=8, bottom=HAIR, shrink=True),
    "mark": Look(bold=True, align="center", bottom=HAIR),
    "link": Look(color="0563C1"),
    "number": Look(form="#,##0", bottom=HAIR),
    "no": Look(form="0", align="center", bottom=HAIR),
    "figure": Look(form=FIGURE, bottom=HAIR),
    "sparse": Look(form=SPARSE, bottom=HAIR),
    "sparse_percent": Look(form=SPARSE_PERCENT, bottom=HAIR),
    "reachable_percent": Look(form=REACHABLE_PERCENT, bottom=HAIR),
    "price": Look(form=PRICE, bottom=HAIR),
    "rank": Look(form=RANK, align="center", bottom=HAIR),
    "balance": Look(form=BALANCE, bottom=HAIR),
    "signed": Look(form=SIGNED_FIGURE, bottom=HAIR),
    "loss": Look(form=LOSS, bottom=HAIR),
    "change": Look(form=f'{SIGNED};"-"', bottom=HAIR),
    "drawn": Look(form=f"{SIGNED};", bottom=HAIR),
    "tenth": Look(form=TENTH, bottom=HAIR),
    "general": Look(form=TYPED, bottom=HAIR),
    "percent": Look(form=PERCENT, bottom=HAIR),
    "difference": Look(form='+0.0%;-0.0%;"exact"', bottom=HAIR),
    "date": Look(form=DAY, align="center", bottom=HAIR),
    "yes": Look(form='"yes";"yes";"no"', align="center", bottom=HAIR),
    "output": Look(form='"tokens";"tokens";"writes no tokens"', align="center", bottom=HAIR),
    "block": Look(bold=True, color=NAVY, top=LINE),
    "cash": Look(color=GREEN, form=CASH, bottom=HAIR),
    "cash_total": Look(color=GREEN, bold=True, form=CASH, top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "count_seen": Look(color=GREEN, form=COUNT_SEEN, bottom=HAIR),
    "yes_seen": Look(color=GREEN, form='"yes";"yes";"no"', align="right", bottom=HAIR),
    "loss_seen": Look(color=GREEN, form=LOSS, bottom=HAIR),
    "day_seen": Look(color=GREEN, form=DAY, align="right", bottom=HAIR),
    "flag_seen": Look(color=GREEN, form=FLAG, align="center", bottom=HAIR),
    "pass": Look(form='"pass";"Warning";"FAIL"', align="center", bold=True, bottom=HAIR),
    "warned": Look(form='"pass";"pass";"Warning"', align="center", bold=True, bottom=HAIR),
    "assumption": Look(open=True, color=BLUE, fill=PALE_YELLOW, form=INPUT, align="right", bottom=HAIR),
    "assumption_text": Look(open=True, color=BLUE, fill=PALE_YELLOW, align="center", bottom=HAIR),
    "log": Look(open=True, color=BLUE, fill=PALE_YELLOW, bottom=HAIR),
    "pick": Look(open=True, color=BLUE, fill=PALE_YELLOW, form="0", align="center", bold=True, bottom=HAIR),
    "pick_text": Look(open=True, shrink=True, color=BLUE, fill=PALE_YELLOW, align="center", bold=True, bottom=HAIR),
    "follows": Look(open=True, fill=PALE_YELLOW, form=INPUT, align="right", bottom=HAIR),
    "plain_big": Look(form="0.0000E+00", bottom=HAIR),
    "fact": Look(open=True, color=BLUE, fill=PALE_GREY, form=TYPED, bottom=HAIR),
    "fact_known": Look(open=True, color=BLUE, fill=PALE_GREY, form=KNOWN, bottom=HAIR),
    "fact_price": Look(open=True, color=BLUE, fill=PALE_GREY, form=PRICE, bottom=HAIR),
    "fact_yes": Look(open=True, color=BLUE, fill=PALE_GREY, form='"yes";"yes";"no"', align="center", bottom=HAIR),
    "fact_figure": Look(open=True, color=BLUE, fill=PALE_GREY, form=FIGURE, bottom=HAIR),
    "delivered": Look(color=BLUE, fill=PALE_GREY, form="#,##0", bottom=HAIR),
    "delivered_figure": Look(color=BLUE, fill=PALE_GREY, form=FIGURE, bottom=HAIR),
    "link_number": Look(color=GREEN, form="#,##0", bottom=HAIR),
    "link_balance": Look(color=GREEN, form=BALANCE, bottom=HAIR),
    "link_figure": Look(color=GREEN, form=FIGURE, bottom=HAIR),
    "link_general": Look(color=GREEN, form=TYPED, bottom=HAIR),
    "link_input": Look(color=GREEN, form=INPUT, bottom=HAIR),
    "link_percent": Look(color=GREEN, form=PERCENT, bottom=HAIR),
    "link_mixed": Look(color=GREEN, form=MIXED, bottom=HAIR),
    "headline": Look(bold=True, form=FIGURE, bottom=HAIR),
    "link_headline": Look(color=GREEN, bold=True, form=FIGURE, bottom=HAIR),
    "live": Look(bold=True, form=INPUT, align="right", bottom=HAIR),
    "input_seen": Look(form=INPUT, bottom=HAIR),
    "mixed": Look(bold=True, form=MIXED, bottom=HAIR),
    "subtotal": Look(bold=True, form="#,##0", top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "subtotal_text": Look(bold=True, wrap=True, top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "subtotal_unit": Look(bold=True, indent=1, top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "subtotal_words": Look(bold=True, size=9, wrap=True, indent=1, top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "subtotal_small": Look(size=8, wrap=True, indent=1, top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "subtotal_percent": Look(bold=True, form="0.0%", top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "subtotal_id": Look(color=GREY, size=8, indent=1, top=HAIR, bottom=HAIR, fill=PALE_GREY),
    "total": Look(bold=True, form="#,##0", top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_text": Look(bold=True, wrap=True, top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_unit": Look(bold=True, indent=1, top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_right": Look(bold=True, align="right", top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_words": Look(bold=True, size=9, wrap=True, indent=1, top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_small": Look(size=8, wrap=True, indent=1, top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_percent": Look(bold=True, form="0.0%", top=LINE, bottom=LINE, fill=PALE_BLUE),
    "total_id": Look(color=GREY, size=8, indent=1, top=LINE, bottom=LINE, fill=PALE_BLUE),
}


PRINT_AREA = "_xlnm.Print_Area"
"""The name of a sheet under which files hold what is printed."""
COUNTED = ("models", "cases", "runs")
AMOUNTS = ("bytes", "s", "FLOP", "tokens", "parameters", "USD/Mtok")
"""Units in which 0 says that there is none: no model that could be costed, no option that holds, no cap."""
OF_UNITS = (
    {"share": SPARSE_PERCENT, "flag": '"yes";"yes";"no"', "nats per token": LOSS, "USD": BALANCE, "accelerators": COUNT}
    | dict.fromkeys(COUNTED, "#,##0")
    | dict.fromkeys(AMOUNTS, SPARSE)
)
"""Number formats of figures by their units."""
LOOKS |= {
    f"{name}_{unit}": replace(LOOKS[name], form=form)
    for name in ("headline", "link_headline", "link_figure", "delivered_figure")
    for unit, form in OF_UNITS.items()
}


def of_unit(look: str, unit: str) -> str:
    """Return the look of a number in a unit: a share is a percentage, a flag yes or no, a count whole."""
    return f"{look}_{unit}" if f"{look}_{unit}" in LOOKS else look


_WORN: WeakKeyDictionary[Workbook, dict[str, StyleArray]] = WeakKeyDictionary()
"""The styles of the looks that cells of a workbook wear already: openpyxl takes long to make one."""


def put(sheet: Worksheet, address: str, value: object, look: str) -> Cell:
    """Write a value into a cell with a look."""
    cell: Cell = sheet[address]
    write(cell, value)
    worn = _WORN.setdefault(sheet.parent, {})
    if look not in worn:
        wear(cell, LOOKS[look])
    _share_style(cell, worn, look)
    return cell


def _share_style(cell: Any, worn: dict[str, StyleArray], look: str) -> None:
    """Give a cell the style that a look has got: openpyxl's documentation copies it so, and its stubs leave it out."""
    cell._style = copy(worn.setdefault(look, cell._style))  # noqa: SLF001 - as above


def write(cell: Cell, value: object) -> None:
    """Write a value into a cell: a text is a text, however it begins. Nothing else writes into cells of openpyxl."""
    cell.value = value
    if isinstance(value, str):
        cell.data_type = TYPE_STRING  # openpyxl takes what begins with = for a formula, and #N/A for an error


def wear(cell: Cell, look: Look) -> None:
    """Give a cell a look, whatever it wore before."""
    cell.font = Font(name=FONT, size=look.size, bold=look.bold, italic=look.italic, color=look.color)
    cell.fill = PatternFill("solid", fgColor=look.fill) if look.fill else PatternFill()
    cell.number_format = look.form
    cell.alignment = Alignment(
        horizontal=look.align or ("left" if look.indent else None),
        vertical=look.vertical,
        wrap_text=look.wrap or None,
        indent=look.indent,
        shrink_to_fit=look.shrink or None,
    )
    cell.border = Border(top=look.top, bottom=look.bottom)
    cell.protection = Protection(locked=not look.open)


def mark_status(sheet: Worksheet, ref: str) -> None:
    """Color the status marks: green, amber, red."""
    colors = {"ok": ("006100", "C6EFCE"), "approximate": (AMBER, PALE_AMBER), "error": (RED, PALE_RED)}
    for status, (color, fill) in colors.items():
        _mark(sheet, ref, _bold(color, fill), str(excel.literal(status)), operator="equal")


def mark_zero(sheet: Worksheet, ref: str) -> None:
    """Color a 0, which is a `no` or a `FAIL`, red; a blank cell would equal it."""
    _stop_at(sheet, ref, '""', "General")
    _mark(sheet, ref, _bold(RED, PALE_RED), "0", operator="equal")


def mark_verdict(sheet: Worksheet, ref: str) -> None:
    """Color the verdict of a check: 0 fails, and -1 warns."""
    mark_zero(sheet, ref)
    _mark(sheet, ref, _bold(AMBER, PALE_AMBER), "-1", operator="equal")


def mark_wrong(sheet: Worksheet, ref: str, condition: str) -> None:
    """Color cells red where a condition holds."""
    _mark(sheet, ref, _bold(RED, PALE_RED), condition)


def mark_unread(sheet: Worksheet, ref: str, condition: str) -> None:
    """Show cells as no input where a condition holds: grey on white."""
    style = DifferentialStyle(font=Font(color=GREY), fill=PatternFill("solid", bgColor="FFFFFF"))
    _mark(sheet, ref, style, condition)


def mark_warned(sheet: Worksheet, ref: str) -> None:
    """Color a 0 that warns; a blank cell would equal it."""
    _stop_at(sheet, ref, '""', "General")
    _mark(sheet, ref, _bold(AMBER, PALE_AMBER), "0", operator="equal")


def mark_tiny(sheet: Worksheet, ref: str, kind: str) -> None:
    """Give 0, and numbers of which their own format would leave nothing but zeros, formats of their own."""
    zero, tiny = TINY_FORMS[kind]
    _stop_at(sheet, ref, "0", zero)
    _mark(sheet, ref, _in_format(tiny), str(-TINY), str(TINY), operator="between")


def mark_heat(sheet: Worksheet, ref: str) -> None:
    """Color cells, the darker the larger their number."""
    colors = ColorScaleRule("min", start_color="FFFFFF", end_type="max", end_color="F4B183")
    sheet.conditional_formatting.add(ref, colors)


def mark_large(sheet: Worksheet, ref: str) -> None:
    """Show numbers of a thousand and more without decimals: next to such an amount they say nothing."""
    _mark(sheet, ref, _in_format(WHOLE), "-999.995", "999.995", operator="notBetween")


def mark_negative(sheet: Worksheet, ref: str) -> None:
    """Show numbers below 0 with their sign, which LibreOffice leaves out of formats with conditions."""
    _mark(sheet, ref, _in_format(BALANCE), "0", operator="lessThan")


def mark_typed(sheet: Worksheet, ref: str, condition: str) -> None:
    """Show numbers as they were typed where a condition holds."""
    _mark(sheet, ref, _in_format(TYPED), condition)


def mark_unit(sheet: Worksheet, ref: str, unit: str) -> None:
    """Show shares in percent and days as dates, where the cell `unit` of the row says that it holds one."""
    for kind, form in (("share", PERCENT), (DATE, DAY)):
        _mark(sheet, ref, _in_format(form), str(excel.cell(unit) == kind), stops=True)


def mark_check(sheet: Worksheet, ref: str, last: str = "") -> None:
    """Turn the state of the checks red where some fail, and amber where some warn, to the `last` cell next to it."""
    for words, color, fill in (("FAIL", RED, PALE_RED), ("warning", AMBER, PALE_AMBER)):
        condition = excel.call("ISNUMBER", excel.call("SEARCH", words, excel.cell(absolute_coordinate(ref))))
        _mark(sheet, f"{ref}:{last}" if last else ref, _bold(color, fill), str(condition), stops=True)


def _stop_at(sheet: Worksheet, ref: str, value: str, form: str) -> None:
    """Leave cells of a value as they are, whatever further formats say; LibreOffice asks for a format of theirs."""
    _mark(sheet, ref, _in_format(form), value, operator="equal", stops=True)


def _mark(
    sheet: Worksheet, ref: str, style: DifferentialStyle, *formulas: str, operator: str = "", stops: bool = False
) -> None:
    """Give cells a style where an operator holds between them and formulas, without one where the formula is true."""
    kind = "cellIs" if operator else "expression"
    rule = Rule(kind, operator=operator or None, formula=formulas, dxf=style, stopIfTrue=stops or None)
    sheet.conditional_formatting.add(ref, rule)


def _bold(color: str, fill: str) -> DifferentialStyle:
    return DifferentialStyle(font=Font(color=color, bold=True), fill=PatternFill("solid", bgColor=fill))


def _in_format(form: str) -> DifferentialStyle:
    return DifferentialStyle(numFmt=NumberFormat(FORMS.index(form) + 400, form))


def print_setup(sheet: Worksheet, titles: str = "", *, high: int = 0, area: str = "", paper: int = 9) -> None:
    """Set paper (9 is A4, 8 is A3), the rows that each page repeats, the area, the header and the footer.

    A sheet is one page wide and at most `high` pages high, or as many as it takes.
    """
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = paper
    sheet.page_margins.left = sheet.page_margins.right = 0.4
    sheet.page_margins.top, sheet.page_margins.bottom = 0.5, 0.8
    sheet.page_margins.header, sheet.page_margins.footer = 0.25, 0.35
    sheet.oddHeader.left.text = "{{ title }}"
    sheet.oddFooter.center.text = "&A"
    sheet.oddFooter.right.text = "flopsheet {{ version }}   &P of &N"
    for part in (sheet.oddHeader.left, sheet.oddFooter.center, sheet.oddFooter.right):
        part.font, part.size = f"{FONT},Regular", 8
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, high
    if titles:
        sheet.print_title_rows = titles
    if area:  # openpyxl's own property does not write the areas in their order
        references = ",".join(reference(sheet, cells) for cells in area.split(","))
        sheet.defined_names[PRINT_AREA] = DefinedName(PRINT_AREA, attr_text=references)
    sheet.sheet_view.showGridLines = False


def reference(sheet: Worksheet, cells: str) -> str:
    """Return what refers to cells of a sheet from anywhere in its workbook."""
    return f"{quote_sheetname(sheet.title)}!{absolute_coordinate(cells)}"
