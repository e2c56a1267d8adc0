"""What the cap pays for, by cash: hours on demand, or as many accelerators as can be held for the program."""

from flopsheet.planning.questions.money.calendar import days_until
from flopsheet.planning.questions.money.programme import COVERED
from flopsheet.planning.questions.money.verdict import CAP
from flopsheet.planning.written_lines import lines_from

CAPPED_LINES = lines_from(
    __package__,
    "capped.toml",
    "capped",
    {
        "reserved_before": days_until("(reserved_from - 1)"),
        "reserved_to": days_until("min(reserved_until, program_months)"),
        "owned_before": days_until("(delivered_in - 1)"),
    },
    cap=CAP,
    covered=COVERED,
)
"""Lines of one case."""
