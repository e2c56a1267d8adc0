"""What the cap pays for, by cash: hours on demand, or as many accelerators as can be held for the program."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.money.calendar import days_until
from flopsheet.planning.questions.money.programme import COVERED
from flopsheet.planning.questions.money.verdict import CAP

HELD = "Reserved and owned accelerators in their months"


CAPPED_LINES = (
    Line(
        "paid_per_dollar",
        "1 + contingency_share * budget_covers_is_program",
        "ratio",
        title="Cash under the cap per dollar of running cost",
        source=COVERED,
    ),
    Line(
        "reserved_span",
        "max(min(reserved_until, program_months) - reserved_from + 1, 0)",
        "months",
        title="Months of the reservation",
        source="Inputs reserved_from and reserved_months",
    ),
    Line(
        "reserved_before",
        days_until("(reserved_from - 1)"),
        "days",
        title="Days before the reservation",
        source="Months of the program",
    ),
    Line(
        "reserved_to",
        days_until("min(reserved_until, program_months)"),
        "days",
        title="Days with the reservation",
        source="Months of the program",
    ),
    Line(
        "reserved_each",
        "24 * max(reserved_to - reserved_before, 0)",
        "hours",
        title="Hours of a reserved accelerator",
        source="Real hours of its months",
    ),
    Line(
        "owned_span",
        "max(program_months - delivered_in + 1, 0)",
        "months",
        title="Months from delivery",
        source="Months of the program",
    ),
    Line(
        "owned_before",
        days_until("(delivered_in - 1)"),
        "days",
        title="Days before delivery",
        source="Months of the program",
    ),
    Line(
        "owned_each",
        "24 * max(program_days - owned_before, 0)",
        "hours",
        title="Hours of an owned accelerator",
        source="Real hours from delivery",
    ),
    Line(
        "held_capacity",
        "reserved_count * reserved_each + owned_count * owned_each",
        "GPU-h",
        title="Hours held",
        source=HELD,
    ),
    Line(
        "held_running",
        "(reserved_count * reserved_span * reserved_month_hours * reserved_rate if reserved_count else 0)"
        " + (owned_count * owned_span * (colocation_unit + support_unit) if owned_count else 0)",
        "USD",
        title="Running cost of what is held",
        about="Without electricity",
        source=HELD,
    ),
    Line("held_bought", "owned_count * cluster_price if owned_count else 0", "USD", title="Purchase", source=HELD),
    Line(
        "plan_upkeep",
        "(program_storage_tb * program_storage_price + program_egress_tb * program_egress_price) * program_months"
        " + program_staff * program_staff_cost / 12 * max(min(staff_until, program_months) - staff_from + 1, 0)",
        "USD",
        title="Storage, network, staff",
        source="Months of each",
    ),
    Line(
        "cap_left",
        "max(budget_usd - paid_per_dollar * plan_upkeep * budget_covers_is_program, 0)",
        "USD",
        title="What the cap leaves for computing",
        about="0 without a cap",
        source=CAP,
    ),
    Line("held_count", "reserved_count + owned_count", "accelerators", title="Accelerators held", source=HELD),
    Line(
        "held_alone",
        "1 if min(held_count - accelerators, held_count - 1) >= 0 else 0",
        "flag",
        title="All accelerators are held",
        source=HELD,
    ),
    Line(
        "held_power",
        "owned_count * owned_each * power_cost if owned_count else 0",
        "USD",
        title="Electricity of owned accelerators at work in all hours",
        source=HELD,
    ),
    Line(
        "held_paid",
        "floor(cap_left * held_count / (held_bought + paid_per_dollar * (held_running + held_power)))"
        " if held_alone else 0",
        "accelerators",
        title="Accelerators that the cap holds",
        source="What the cap leaves / what one costs at work in all its hours",
    ),
    Line(
        "held_work",
        "held_paid * held_capacity / held_count if held_alone else held_capacity",
        "GPU-h",
        title="Hours held that the cap pays for",
        source=HELD,
    ),
    Line(
        "rented_room",
        "max(cap_left - held_bought - paid_per_dollar * held_running, 0)",
        "USD",
        title="What the cap leaves for rent beyond what is held",
        source=CAP,
    ),
    Line(
        "rented_work",
        "rented_room / (paid_per_dollar * rest_rate) if rest_rate else 0",
        "GPU-h",
        title="Hours beyond what is held that the cap pays for",
        source="What is left / price of an hour",
    ),
    Line(
        "work_paid",
        "held_work + (1 - held_alone) * rented_work",
        "GPU-h",
        title="Hours of work that the cap pays for",
        source="Hours held, and what is rented beyond them",
    ),
    Line(
        "paid_hours",
        "work_paid / (1 + extra_runs * budget_covers_is_program) if budget_usd else 0",
        "GPU-h",
        title="Accelerator-hours that the cap pays for",
        about="Of one final run. 0 without a cap",
        source=CAP,
    ),
    Line(
        "rented_accelerators",
        "floor(paid_hours * (1 + rest_on_spot * (spot_factor - 1)) / (24 * days))",
        "accelerators",
        title="Accelerators rented for the window that the cap pays for",
        source="Hours / hours of the window",
    ),
    Line(
        "paid_accelerators",
        "held_paid if held_alone else rented_accelerators",
        "accelerators",
        title="Accelerators that the cap pays for",
        about="Held for the program, else rented for the window. 0 without a cap",
        source=CAP,
    ),
    Line(
        "paid_flop",
        "paid_hours * flops_per_accelerator * goodput * 3600",
        "FLOP",
        title="FLOP that the cap pays for",
        about="Of one dense final run, without regard to time. 0 without a cap",
        source="Hours × FLOP/s that end up in the model",
    ),
    Line(
        "trainable_flop",
        "min(paid_flop, budget_flop) if budget_usd else budget_flop",
        "FLOP",
        title="FLOP within time and money",
        about="The fewer of what the window and the cap allow",
        source=CAP,
    ),
)
"""Lines of one case."""
