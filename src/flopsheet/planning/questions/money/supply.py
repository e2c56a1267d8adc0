"""Which hours compute a month of a program: reserved and owned ones, and the rest on demand or on spot."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.money.fleet import SUPPLY


def _beyond(hours: str, others: str) -> str:
    """Return the formula of the hours above others: a run that takes every hour leaves none, whatever rounding says."""
    return fill("HOURS - OTHERS if HOURS - OTHERS > HOURS / 1000000000 else 0", HOURS=hours, OTHERS=others)


SUPPLY_LINES = (
    Line(
        "final_share",
        "max(min(month_to, run_to) - max(month_from, run_from), 0) / (run_to - run_from)",
        "share",
        title="Final run in this month",
        source="Overlap of the month and the run",
    ),
    Line(
        "research_share",
        "max(min(month_to, research_to) - month_from, 0) / research_to",
        "share",
        title="Research in this month",
        about="Failed runs are spread with it, evenly by day",
        source="Overlap of the month and the time of research",
    ),
    Line(
        "need",
        "run_hours * (final_share + extra_runs * research_share)",
        "GPU-h",
        title="Accelerator-hours needed",
        about="Final run, research and failed runs",
        source="Accelerator-hours × shares of this month",
    ),
    Line(
        "reserved_now",
        "reserved_count * (1 if max(reserved_from - month, month - reserved_until) <= 0 else 0)",
        "accelerators",
        title="Reserved accelerators",
        source="Months of the reservation",
    ),
    Line(
        "owned_now",
        "owned_count * (1 if month >= delivered_in else 0)",
        "accelerators",
        title="Owned accelerators",
        source="Months from delivery on",
    ),
    Line(
        "held",
        "(reserved_now + owned_now) * month_hours",
        "GPU-h",
        title="Hours held",
        source="Reserved and owned accelerators × hours of the month",
    ),
    Line(
        "reserved_used",
        "min(need, reserved_now * month_hours)",
        "GPU-h",
        title="Reserved hours used",
        source=SUPPLY,
    ),
    Line(
        "unused",
        _beyond("reserved_now * month_hours", "need"),
        "GPU-h",
        title="Reserved hours not used",
        about="Paid for all the same",
        source=SUPPLY,
    ),
    Line(
        "owned_used",
        fill("min(REST, owned_now * month_hours)", REST=_beyond("need", "reserved_now * month_hours")),
        "GPU-h",
        title="Owned hours used",
        source=SUPPLY,
    ),
    Line(
        "beyond",
        _beyond("need", "held"),
        "GPU-h",
        title="Hours beyond what is held",
        source=SUPPLY,
    ),
    Line("on_demand", "beyond * rest_on_demand", "GPU-h", title="Hours on demand", source=SUPPLY),
    Line("spot", "beyond * rest_on_spot * spot_factor", "GPU-h", title="Hours on spot", source=SUPPLY),
    Line(
        "shortfall",
        "beyond * (1 - rest_on_demand - rest_on_spot)",
        "GPU-h",
        title="Shortfall",
        about="What nothing supplies",
        source=SUPPLY,
    ),
    Line(
        "month_utilization",
        "(reserved_used + owned_used) / held if held else 0",
        "share",
        title="Utilization of what is held",
        about="0: nothing is held",
        source="Hours used / hours held",
    ),
    Line(
        "run_held",
        "min(run_hours * final_share, held)",
        "GPU-h",
        title="Held hours of the final run alone",
        source=SUPPLY,
    ),
    Line(
        "run_beyond",
        _beyond("run_hours * final_share", "held"),
        "GPU-h",
        title="Hours of the final run alone, beyond what is held",
        source=SUPPLY,
    ),
)
"""Lines of each model and month."""
