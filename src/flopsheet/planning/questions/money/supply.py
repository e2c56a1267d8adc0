"""Which hours compute a month of a program: reserved and owned ones, and the rest on demand or on spot."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.planning.written_lines import lines_from

SUPPLY = "Reserved hours first, which are paid for anyway, then owned ones, then the rest"

FLEET_LINES = lines_from(__package__, "fleet.toml", "fleet", supply=SUPPLY)
"""Lines of one case."""


def _beyond(hours: str, others: str) -> str:
    """Return the formula of the hours above others: a run that takes every hour leaves none, whatever rounding says."""
    return fill("HOURS - OTHERS if HOURS - OTHERS > HOURS / 1000000000 else 0", HOURS=hours, OTHERS=others)


SUPPLY_LINES = lines_from(
    __package__,
    "supply.toml",
    "supply",
    {
        "unused": _beyond("reserved_now * month_hours", "need"),
        "owned_used": fill("min(REST, owned_now * month_hours)", REST=_beyond("need", "reserved_now * month_hours")),
        "beyond": _beyond("need", "held"),
        "run_beyond": _beyond("run_hours * final_share", "held"),
    },
    supply=SUPPLY,
)
"""Lines of each model and month."""
