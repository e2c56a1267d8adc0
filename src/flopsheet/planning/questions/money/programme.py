"""What a program around one final training run costs."""

from flopsheet.accounting.formula.compose import times
from flopsheet.accounting.line import Line

SUM = "final run × (1 + research multiplier + failed runs) + storage, network and staff, × (1 + contingency)"
CAP = "Money cap against what it covers"
TIMES = "1 + research_multiplier + failed_share"
UPKEEP = (
    "program_storage_tb * program_storage_price + program_egress_tb * program_egress_price"
    " + program_staff * program_staff_cost / 12"
)
COVERED = "Input budget_covers"

PROGRAMME_LINES = (
    Line("final_run", "run_hours * hour", "USD", title="Final run", source="Accelerator-hours × price of an hour"),
    Line(
        "research",
        "final_run * research_multiplier",
        "USD",
        title="Research",
        about="Experiments and ablations",
        source="Final run × research multiplier",
    ),
    Line("failed_runs", "final_run * failed_share", "USD", title="Failed runs", source="Final run × failed share"),
    Line(
        "storage",
        "program_storage_tb * program_storage_price * program_months",
        "USD",
        title="Storage",
        source="TB × price × months",
    ),
    Line(
        "network",
        "program_egress_tb * program_egress_price * program_months",
        "USD",
        title="Network",
        source="TB × price × months",
    ),
    Line(
        "staffing",
        "program_staff * program_staff_cost * program_months / 12",
        "USD",
        title="Staff",
        source="People × cost × years",
    ),
    Line(
        "other_cost",
        "failed_runs + storage + network",
        "USD",
        title="Failed runs, storage, network",
        source="Sum",
    ),
    Line(
        "contingency",
        "(final_run + research + other_cost + staffing) * contingency_share",
        "USD",
        title="Contingency",
        source="Share of everything else",
    ),
    Line(
        "total_cost",
        "final_run + research + other_cost + staffing + contingency",
        "USD",
        title="Program",
        source=f"Program = {SUM}",
    ),
    Line(
        "reserve",
        "total_cost * reserve_share",
        "USD",
        title="Management reserve",
        about="Held above the program",
        source="Share of the program",
    ),
    Line(
        "local_cost",
        "total_cost * currency_rate",
        "currency",
        title="Program in the plan's currency",
        source="USD × exchange rate",
    ),
    Line(
        "capped_cost",
        "final_run * times_under_cap + fixed_under_cap",
        "USD",
        title="Cost under the cap",
        source=COVERED,
    ),
    Line(
        "cap_margin",
        "budget_usd - capped_cost if budget_usd else 0",
        "USD",
        title="Left under the cap",
        about="Below 0: over it. 0 without a cap",
        source=CAP,
    ),
    Line(
        "affordable",
        "run_tokens * max(budget_usd - fixed_under_cap, 0) / (final_run * times_under_cap) if final_run else 0",
        "tokens",
        title="Tokens that the cap pays for",
        about="Without regard to time. 0 without a cap",
        source=CAP,
    ),
    Line(
        "programme_energy",
        times("run_energy", TIMES),
        "kWh",
        title="Energy",
        about="Final run, research and failed runs",
        source="Energy of the final run × what goes with it",
    ),
    Line(
        "programme_carbon",
        "programme_energy * carbon",
        "kg CO2e",
        title="Emissions",
        source="Energy × carbon intensity",
    ),
)
"""One row per model."""

CASE_LINES = (
    Line(
        "program_cap",
        "budget_usd * budget_covers_is_program",
        "USD",
        title="Cap on the program",
        about="0: there is none, or it covers the final run alone",
        source=CAP,
    ),
    Line("plan_upkeep", UPKEEP, "USD/month", title="Storage, network, staff per month", source="A month of each"),
    Line(
        "plan_times",
        times(TIMES, "1 + contingency_share"),
        "ratio",
        title="Final runs in a program",
        source=f"Program = {SUM}",
    ),
    Line(
        "paid_hours",
        "max(budget_usd - plan_upkeep * program_months * (1 + contingency_share) * budget_covers_is_program, 0)"
        " / (1 + (plan_times - 1) * budget_covers_is_program) / hour_price if hour_price else 0",
        "GPU-h",
        title="Accelerator-hours that the cap pays for",
        about="Of one final run. 0 without a cap or a price",
        source=CAP,
    ),
    Line(
        "paid_flop",
        "paid_hours * flops_per_accelerator * goodput * 3600",
        "FLOP",
        title="FLOP that the cap pays for",
        about="Of one dense final run, without regard to time. 0 without a cap or a price",
        source="Hours × FLOP/s that end up in the model",
    ),
    Line(
        "trainable_flop",
        "min(paid_flop, budget_flop) if budget_usd * hour_price else budget_flop",
        "FLOP",
        title="FLOP within time and money",
        about="The fewer of what the window and the cap allow",
        source=CAP,
    ),
)
"""Lines of one case."""

MODEL_LINES = (
    Line("programme_cost", "programme_total", "USD", title="Program cost", source=f"Program = {SUM}"),
    Line(
        "program_times",
        times(TIMES, "1 + contingency_share"),
        "ratio",
        title="Final runs in the program",
        about="With research, failed runs and their contingency",
        source=f"Program = {SUM}",
    ),
    Line("monthly_upkeep", UPKEEP, "USD/month", title="Storage, network, staff per month", source="A month of each"),
    Line(
        "program_fixed",
        "monthly_upkeep * program_months * (1 + contingency_share)",
        "USD",
        title="Program costs outside the runs",
        about="Storage, network and staff with their contingency",
        source=f"Program = {SUM}",
    ),
    Line(
        "capped_times",
        "1 + (program_times - 1) * budget_covers_is_program",
        "ratio",
        title="Final runs under the cap",
        source=COVERED,
    ),
    Line(
        "capped_fixed",
        "program_fixed * budget_covers_is_program",
        "USD",
        title="Storage, network, staff under the cap",
        source=COVERED,
    ),
    Line("has_cap", "1 if budget_usd > 0 else 0", "flag", title="There is a money cap", source="Input budget_usd"),
    Line(
        "cap_left",
        "budget_usd - capped_fixed",
        "USD",
        title="What the cap leaves for runs",
        source=CAP,
    ),
    Line(
        "tokens_within_budget",
        "min(affordable_tokens, paid_tokens) if budget_usd else affordable_tokens",
        "tokens",
        title="Tokens within time and money",
        about="The fewer of what the window and the cap allow",
        source=CAP,
    ),
    Line(
        "within_budget",
        "1 if budget_usd * (cost_under_cap - budget_usd) <= 0 else 0",
        "flag",
        title="Within the cap",
        about="1: what the cap covers costs no more than it; 1 without a cap",
        source=CAP,
    ),
)
"""Lines that a question adds to every model."""
