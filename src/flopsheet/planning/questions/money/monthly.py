"""What a program costs month by month, for each model and over all of them: cash, expense and book value."""

from flopsheet.planning.questions.money.calendar import MONTH_DAYS_LINES
from flopsheet.planning.questions.money.owning import PRESENT
from flopsheet.planning.questions.money.supply import SUPPLY_LINES
from flopsheet.planning.questions.money.verdict import CAP
from flopsheet.planning.written_lines import lines_from

MONTH_LINES = (
    *MONTH_DAYS_LINES,
    *SUPPLY_LINES,
    *lines_from(__package__, "monthly.toml", "month", present=PRESENT),
)
"""One row per model and month."""

SPEND_LINES = lines_from(__package__, "monthly.toml", "spend", cap=CAP)
"""One row per month, over all models."""
