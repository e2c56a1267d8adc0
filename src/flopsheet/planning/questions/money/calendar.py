"""The months of a program: calendar months where a plan has a date, else mean months; and when its final run lies."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.planning.written_lines import lines_from


def days_until(month: str) -> str:
    """Return the formula of the days of the program until the end of one of its months."""
    return fill("is_dated * (MONTH_END - before_program) + (1 - is_dated) * MONTH * month_days", **_of(month))


def _of(month: str) -> dict[str, str]:
    return {"MONTH": month, "MONTH_END": fill("month_end(first_day, MONTH - 1)", MONTH=month)}


CALENDAR_LINES = lines_from(__package__, "calendar.toml", "calendar", {"program_days": days_until("program_months")})
"""Lines of one case."""

MONTH_DAYS_LINES = lines_from(
    __package__,
    "calendar.toml",
    "month_days",
    {"month_from": days_until("(month - 1)"), "month_to": days_until("month")},
)
"""Lines of each month: in days since the program began."""
