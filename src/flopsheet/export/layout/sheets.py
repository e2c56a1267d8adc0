"""The sheets of a plan: assumptions, budget, models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.export.layout.look import (
    TINY_FIGURE,
    TINY_SHARE,
    mark_large,
    mark_negative,
    mark_status,
    mark_tiny,
    mark_typed,
    mark_unit,
    mark_unread,
    mark_wrong,
    mark_zero,
    print_setup,
    put,
)
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.layout.tables import Columns, bound, head, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openpyxl import Workbook


def assumptions(book: Workbook, titles: Sequence[str], *, brief: bool = False) -> None:
    """Lay out one row per input, with a column per case."""
    last, live = (get_column_letter(3 + len(titles) + more) for more in (0, 1))
    sheet = book.create_sheet("Assumptions")
    head(
        sheet,
        "Assumptions",
        "Change the blue cells. Formulas use the column Live, which follows the scenario chosen on About.",
        last="H",
    )
    name(sheet, "chk_assumptions", "F1")
    columns = laid_out("drivers", {"case": titles, "choice": ["1"]})
    put(sheet, "A4", "Fixed units", "section")
    for row, (key, title, value, source) in enumerate(UNITS, start=5):
        put(sheet, f"B{row}", title, "text")
        put(sheet, f"C{row}", "bytes", "text")
        for place in range(len(titles)):
            put(sheet, f"{get_column_letter(4 + place)}{row}", None, "text")
        bound(sheet, key, f"{live}{row}", value, "delivered")
        put(sheet, f"{get_column_letter(5 + len(titles))}{row}", source, "small")
    table(sheet, "drivers", 8, columns)
    amount = DataValidation("custom", formula1='AND(ISNUMBER(D9),D9>=0,OR($C9<>"share",D9<=1))', showErrorMessage=True)
    amount.error, amount.errorTitle = (
        "Type a number of at least 0; a share is at most 1, such as 0.45 or 45%",
        "Assumption",
    )
    sheet.add_data_validation(amount)
    amount.add(f"D9:{last}9")
    mark_unit(sheet, f"D9:{live}9", "$C9")
    read, valid = (get_column_letter(1 + [one for one, *_ in columns].index(header)) for header in ("Read", "Valid"))
    mark_wrong(sheet, f"B9:{last}9", f"${valid}9=0")
    mark_unread(sheet, f"B9:{last}9", f"${read}9=0")
    sheet.freeze_panes = "C9"
    print_setup(sheet, "8:8", area=f"A1:{get_column_letter(6 + len(titles))}9", high=2 * brief)


UNITS = (
    ("in_gib", "Bytes in a GiB", 1024**3, "IEC 80000-13: 2 to the power of 30"),
    ("in_mib", "Bytes in a MiB", 1024**2, "IEC 80000-13: 2 to the power of 20"),
)


def budget(book: Workbook, titles: Sequence[str]) -> None:
    """Lay out one row per input or line, the cases across."""
    live = get_column_letter(4 + len(titles))
    sheet = book.create_sheet("Budget")
    note = "What the cluster delivers in each case, and the drivers behind it. Live follows the scenario on About."
    head(sheet, "Budget", note, last="H")
    name(sheet, "chk_budget", "F1")
    table(sheet, "budget", 4, laid_out("budget", {"case": titles}))
    mark_unit(sheet, f"D5:{live}5", "$C5")
    mark_typed(sheet, f"D5:{live}5", '$A5="Driver"')
    mark_tiny(sheet, f"D5:{live}5", TINY_FIGURE)
    mark_negative(sheet, f"D5:{live}5")
    sheet.freeze_panes = "C5"
    print_setup(sheet, "4:4", area=f"A1:{get_column_letter(5 + len(titles))}5", high=2)


def cases(book: Workbook) -> None:
    """Lay out a row a scenario: all drivers, then what the cluster buys."""
    sheet = book.create_sheet("Workings budget")
    head(sheet, "Workings of the budget", "Every row carries all drivers of one case, and the same formulas.", last="H")
    name(sheet, "chk_cases", "F1")
    columns: Columns = [
        ("no", "no", 5, 1),
        ("case", "text", 36, TITLES["low"]),
        ("scenario", "no", 10, 1),
        ("changed", "text", 20, ""),
        ("side", "no", 7, None),
        ("driver", "link_general", 20, 1),
        ("result", "general", 20, 1),
        ("big", "number", 40, 1),
    ]
    for place, row in enumerate((4, 5), start=0):
        for column, (_, _, width, _) in zip("ABCDEFGH", columns, strict=True):
            put(sheet, f"{column}{row}", "-", ("column_title", "column_unit")[place])
            sheet.column_dimensions[column].width = width
    table(sheet, "cases", 6, columns, heading="column_id")
    sheet.freeze_panes = "C7"
    sheet.row_dimensions[4].height = 40
    sheet.sheet_state = "hidden"
    print_setup(sheet, "4:6", area="A3")


def models(book: Workbook) -> None:
    """Lay out a row a costed model: results for people on the left, the first of them printed, plain units right."""
    sheet = book.create_sheet("Models")
    head(
        sheet,
        "Models",
        "Every model that could be costed. Type tokens into the blue cells to override the plan's for one model.",
        "G",
        "J",
    )
    name(sheet, "chk_models", "G1")
    put(sheet, "A3", FITS, "note")
    kinds = (
        ("no", "no", 5, 1),
        ("name", "wrapped", 32, "Model"),
        ("status", "mark", 13, "ok"),
        ("text", "indented", 13, "dense"),
        ("computed", "figure", 13, 1),
        ("input", "assumption", 11, None),
        ("figure", "figure", 13, 1),
        ("day", "tenth", 11, 1),
        ("yes", "yes", 11, 1),
        ("end", "yes", 11, 1),
        ("fact", "fact_figure", 12, 1),
        ("difference", "difference", 11, 0),
        ("tenth", "tenth", 12, 1),
        ("percent", "percent", 8, 1),
        ("close", "figure", 14, 1),
        ("whole", "number", 14, 1),
        ("open", "tenth", 14, 1),
        ("last", "figure", 14, 1),
        ("link", "link_general", 26, 1),
        ("raw", "general", 22, 1),
    )
    for place, kind in enumerate(kinds, start=1):
        letter = sheet.cell(1, place).column_letter
        put(sheet, f"{letter}4", "-", "band")
        sheet.column_dimensions[letter].width = kind[2]
    table(sheet, "models", 5, list(kinds))
    sheet.row_dimensions[5].height = 54
    mark_status(sheet, "C6")
    mark_tiny(sheet, "E6", TINY_FIGURE)
    mark_tiny(sheet, "G6:H6", TINY_FIGURE)
    mark_tiny(sheet, "L6", TINY_SHARE)
    mark_tiny(sheet, "M6", TINY_FIGURE)
    mark_tiny(sheet, "O6:R6", TINY_FIGURE)
    for large in ("E6", "G6:H6", "M6", "O6", "Q6:R6"):
        mark_large(sheet, large)
    mark_zero(sheet, "I6:J6")
    tokens = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)
    tokens.error, tokens.errorTitle = "Type tokens in trillions (1e12), or leave blank to use the plan's", "Tokens"
    sheet.add_data_validation(tokens)
    tokens.add("F6")
    sheet.freeze_panes = "C6"
    print_setup(sheet, "4:5", area="A1:J6")


FITS = (
    "Within schedule: training days are at most the plan's days. Fits in cluster memory: weights, gradients and"
    " optimizer states, spread over all accelerators (ZeRO stage 3), are at most usable memory, without activations."
)
"""What the two verdicts on each model compare."""
