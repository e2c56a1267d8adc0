"""What a program costs month by month, for each model and over all of them: cash, expense and book value."""

from flopsheet.planning.questions.money.calendar import MONTH_DAYS_LINES
from flopsheet.planning.questions.money.owning import PRESENT
from flopsheet.planning.questions.money.supply import SUPPLY_LINES
from flopsheet.planning.questions.money.verdict import CAP
from flopsheet.planning.written_lines import lines_from

RENT_LINES = lines_from(__package__, "monthly.toml", "rent")
OWNED_LINES = lines_from(__package__, "monthly.toml", "owned")
UPKEEP_LINES = lines_from(__package__, "monthly.toml", "upkeep")
CASH_LINES = lines_from(__package__, "monthly.toml", "cash", present=PRESENT)
BOOK_LINES = lines_from(__package__, "monthly.toml", "book")
MONTH_LINES = (
    *MONTH_DAYS_LINES,
    *SUPPLY_LINES,
    *RENT_LINES,
    *OWNED_LINES,
    *UPKEEP_LINES,
    *CASH_LINES,
    *BOOK_LINES,
)
"""One row per model and month."""

SPEND_LINES = lines_from(__package__, "monthly.toml", "spend", cap=CAP)
"""One row per month, over all models."""
