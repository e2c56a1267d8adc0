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

from flopsheet.accounting.data import read_table
from flopsheet.export.shown_units import shown_units
from flopsheet.units.named_values import DATE
from livesheets import excel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openpyxl.cell import Cell
    from openpyxl.styles.cell_style import StyleArray
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

FONT, SIZE = "Arial", 10
_TABLE = read_table("flopsheet.export.layout", "looks.toml")
COLORS: Mapping[str, str] = _TABLE["colors"]
FORMATS: Mapping[str, str] = _TABLE["formats"]
AMBER, RED = ("amber", "pale_amber"), ("red", "pale_red")
"""The colors of what warns and of what fails: of letters, and behind them."""
NAVY, GREEN, GREY = COLORS["navy"], COLORS["green"], COLORS["gray"]
SIDES = {"hair": Side(style="hair", color=COLORS["hair"]), "line": Side(style="thin", color=NAVY)}
TINY = 0.0005
"""What is smaller, as a number or as a share, would show as 0.000 or 0.0%."""
TINY_FORMS = {"figure": ("0", "0.0E+00"), "share": ('"exact"', '"≈ 0%"')}
"""What 0 and what is smaller show instead."""
FORMS = (
    "General",
    *TINY_FORMS["figure"],
    *TINY_FORMS["share"],
    *(FORMATS[name] for name in ("typed", "percent", "whole", "balance", "day")),
)
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


WORDS: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(("color", "fill"), COLORS),
    "form": FORMATS,
    **dict.fromkeys(("top", "bottom"), SIDES),
}
"""What the words of a look mean."""


def _read_looks() -> dict[str, Look]:
    """Return the looks of looks.toml, and those of figures in units that have a format of their own."""
    looks: dict[str, Look] = {}
    for name, entry in _TABLE["looks"].items():
        own = {key: WORDS.get(key, {}).get(value, value) for key, value in entry.items() if key != "like"}
        looks[name] = replace(looks[entry["like"]] if "like" in entry else Look(), **own)
    for name in ("headline", "link_headline", "link_figure", "delivered_figure"):
        own_looks = {unit: replace(looks[name], form=FORMATS[form]) for unit, form in shown_units("figure").items()}
        looks |= {f"{name}_{unit}": look for unit, look in own_looks.items()}
    return looks


LOOKS = _read_looks()
PRINT_AREA = "_xlnm.Print_Area"
"""The name of a sheet under which files hold what is printed."""


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
    colors = {"ok": ("deep_green", "light_green"), "approximate": AMBER, "error": RED}
    for status, (color, fill) in colors.items():
        _mark(sheet, ref, _bold(color, fill), str(excel.literal(status)), operator="equal")


def mark_zero(sheet: Worksheet, ref: str) -> None:
    """Color a 0, which is a `no` or a `FAIL`, red; a blank cell would equal it."""
    _stop_at(sheet, ref, '""', "General")
    _mark(sheet, ref, _bold(*RED), "0", operator="equal")


def mark_verdict(sheet: Worksheet, ref: str) -> None:
    """Color the verdict of a check: 0 fails, and -1 warns."""
    mark_zero(sheet, ref)
    _mark(sheet, ref, _bold(*AMBER), "-1", operator="equal")


def mark_wrong(sheet: Worksheet, ref: str, condition: str) -> None:
    """Color cells red where a condition holds."""
    _mark(sheet, ref, _bold(*RED), condition)


def mark_unread(sheet: Worksheet, ref: str, condition: str) -> None:
    """Show cells as no input where a condition holds: grey on white."""
    style = DifferentialStyle(font=Font(color=GREY), fill=PatternFill("solid", bgColor="FFFFFF"))
    _mark(sheet, ref, style, condition)


def mark_warned(sheet: Worksheet, ref: str) -> None:
    """Color a 0 that warns; a blank cell would equal it."""
    _stop_at(sheet, ref, '""', "General")
    _mark(sheet, ref, _bold(*AMBER), "0", operator="equal")


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
    _mark(sheet, ref, _in_format(FORMATS["whole"]), "-999.995", "999.995", operator="notBetween")


def mark_negative(sheet: Worksheet, ref: str) -> None:
    """Show numbers below 0 with their sign, which LibreOffice leaves out of formats with conditions."""
    _mark(sheet, ref, _in_format(FORMATS["balance"]), "0", operator="lessThan")


def mark_typed(sheet: Worksheet, ref: str, condition: str) -> None:
    """Show numbers as they were typed where a condition holds."""
    _mark(sheet, ref, _in_format(FORMATS["typed"]), condition)


def mark_unit(sheet: Worksheet, ref: str, unit: str) -> None:
    """Show shares in percent and days as dates, where the cell `unit` of the row says that it holds one."""
    for kind, form in (("share", FORMATS["percent"]), (DATE, FORMATS["day"])):
        _mark(sheet, ref, _in_format(form), str(excel.cell(unit) == kind), stops=True)


def mark_check(sheet: Worksheet, ref: str, last: str = "") -> None:
    """Turn the state of the checks red where some fail, and amber where some warn, to the `last` cell next to it."""
    for words, color, fill in (("FAIL", *RED), ("warning", *AMBER)):
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
    return DifferentialStyle(font=Font(color=COLORS[color], bold=True), fill=PatternFill("solid", bgColor=COLORS[fill]))


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
