"""The months of a program: calendar months where a plan has a date, else mean months; and when its final run lies."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line

DATED = "0 where the plan has no date"
CALENDAR = "Calendar months, else months of month_days days"


def days_until(month: str) -> str:
    """Return the formula of the days of the program until the end of one of its months."""
    return fill("is_dated * (MONTH_END - before_program) + (1 - is_dated) * MONTH * month_days", **_of(month))


def _of(month: str) -> dict[str, str]:
    return {"MONTH": month, "MONTH_END": fill("month_end(first_day, MONTH - 1)", MONTH=month)}


CALENDAR_LINES = (
    Line(
        "is_dated",
        "1 if program_start + run_start > 0 else 0",
        "flag",
        title="Calendar months",
        about="0: months of month_days days",
        source="Inputs program_start and run_start",
    ),
    Line(
        "window_first",
        "run_start if run_start else 100000",
        "date",
        title="First day of the window",
        about="Without a date a day far ahead, from which nothing is computed",
        source="Input run_start",
    ),
    Line(
        "start",
        "run_start",
        "date",
        title="Start of the window",
        about=DATED,
        source="Input run_start",
    ),
    Line(
        "end",
        "run_start + ceil(days) - 1 if run_start else 0",
        "date",
        title="Last day of the window",
        about=DATED,
        source="Inputs run_start and days",
    ),
    Line(
        "latest_first",
        "min(month_end(window_first, -1), month_end(window_first + ceil(days) - 1, -program_months)) + 1",
        "date",
        title="First day of a program that ends with the window",
        about="And begins no later than it",
        source="Inputs run_start, days and program_months",
    ),
    Line(
        "first_day",
        "month_end(program_start, -1) + 1 if program_start else latest_first",
        "date",
        title="First day of the months",
        about="Without a start of its own, the last month is that in which the window ends",
        source="Inputs program_start, run_start, days and program_months",
    ),
    Line(
        "program_first", "first_day * is_dated", "date", title="First day of the program", about=DATED, source=CALENDAR
    ),
    Line("before_program", "first_day - 1", "date", title="Day before the program", source="First day - 1"),
    Line("program_days", days_until("program_months"), "days", title="Days of the program", source=CALENDAR),
)
"""Lines of one case."""

MONTH_DAYS_LINES = (
    Line(
        "month_first",
        "is_dated * (month_end(first_day, month - 2) + 1)",
        "date",
        title="First day",
        about=DATED,
        source=CALENDAR,
    ),
    Line(
        "month_last",
        "is_dated * month_end(first_day, month - 1)",
        "date",
        title="Last day",
        about=DATED,
        source=CALENDAR,
    ),
    Line("month_from", days_until("(month - 1)"), "days", title="Days of the program before", source=CALENDAR),
    Line("month_to", days_until("month"), "days", title="Days of the program with it", source=CALENDAR),
    Line("month_days_long", "month_to - month_from", "days", title="Days", source=CALENDAR),
    Line("month_hours", "24 * month_days_long", "hours", title="Hours of the month", source="Days × 24"),
)
"""Lines of each month: in days since the program began."""
