"""Days as spreadsheets count them: from 1 March 1900, number 61, on they are those of the calendar."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

DAY_0 = date(1899, 12, 30)
"""The day from which they are counted. Before March 1900 they count a day that there was not."""
FIRST, LAST = 61, 2_958_465
"""The first day on which spreadsheets and calendars agree, and the last that spreadsheets have, of the year 9999."""

_OFFSET_1904 = 1462
"""By how many days fewer a workbook counts whose days are those from 1904, as Excel for Mac had them."""

FROM_1900 = "turn off File > Options > Advanced > Use 1904 date system"
"""How a person makes Excel count from 1900; the numbers in cells stay, so that days move by four years."""


def day_offset(workbook: _Element) -> int:
    """Return by how many days fewer a workbook counts than these, from the root of its main part: 0 but for few."""
    settings = workbook.find("{*}workbookPr")
    is_late = settings is not None and settings.get("date1904") in {"1", "true"}
    return _OFFSET_1904 if is_late else 0


def day_number(day: date) -> int:
    """Return the number that a spreadsheet has for a day."""
    return (date(day.year, day.month, day.day) - DAY_0).days


def day_at(number: float) -> date:
    """Return the day that a number stands for."""
    return DAY_0 + timedelta(int(number))


def month_end(day: int, months: int) -> int:
    """Return the last day of the month that is so many months after that of a day; ValueError where there is none."""
    if not FIRST <= day <= LAST:
        raise ValueError("month_end of a day before March 1900 or after 9999")
    of = day_at(day)
    month = 12 * of.year + of.month + months  # that after the one meant, counted from 0
    if not 12 * MINYEAR < month < 12 * MAXYEAR:
        raise ValueError("month_end of a month that no calendar has")
    result = day_number(date(month // 12, month % 12 + 1, 1)) - 1
    if result < FIRST:
        raise ValueError("month_end of a month before March 1900")
    return result
