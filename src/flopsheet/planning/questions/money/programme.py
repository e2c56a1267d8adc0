"""What a program around one final training run costs, in all and month by month."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.money.owning import PRESENT

SUM = "final run × (1 + research multiplier + failed runs) + storage, network and staff, × (1 + contingency)"
CAP = "Money cap against what it covers"
TIMES = "(1 + research_multiplier + failed_share)"
UPKEEP = (
    "programme_storage_tb * programme_storage_price + programme_egress_tb * programme_egress_price"
    " + programme_staff * programme_staff_cost / 12"
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
        "programme_storage_tb * programme_storage_price * programme_months",
        "USD",
        title="Storage",
        source="TB × price × months",
    ),
    Line(
        "network",
        "programme_egress_tb * programme_egress_price * programme_months",
        "USD",
        title="Network",
        source="TB × price × months",
    ),
    Line(
        "staffing",
        "programme_staff * programme_staff_cost * programme_months / 12",
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
        f"run_energy * {TIMES}",
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
        "programme_cap",
        "budget_usd * budget_covers_is_programme",
        "USD",
        title="Cap on the program (at 0: none)",
        source=CAP,
    ),
    Line("plan_upkeep", UPKEEP, "USD/month", title="Storage, network, staff per month", source="A month of each"),
    Line(
        "plan_times",
        f"{TIMES} * (1 + contingency_share)",
        "ratio",
        title="Final runs in a program",
        source=f"Program = {SUM}",
    ),
    Line(
        "paid_hours",
        "max(budget_usd - plan_upkeep * programme_months * (1 + contingency_share) * budget_covers_is_programme, 0)"
        " / (1 + (plan_times - 1) * budget_covers_is_programme) / hour_price if hour_price else 0",
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
        f"{TIMES} * (1 + contingency_share)",
        "ratio",
        title="Final runs in the program",
        about="With research, failed runs and their contingency",
        source=f"Program = {SUM}",
    ),
    Line("monthly_upkeep", UPKEEP, "USD/month", title="Storage, network, staff per month", source="A month of each"),
    Line(
        "program_fixed",
        "monthly_upkeep * programme_months * (1 + contingency_share)",
        "USD",
        title="Program beside the runs",
        about="Storage, network and staff with their contingency",
        source=f"Program = {SUM}",
    ),
    Line(
        "capped_times",
        "1 + (program_times - 1) * budget_covers_is_programme",
        "ratio",
        title="Final runs under the cap",
        source=COVERED,
    ),
    Line(
        "capped_fixed",
        "program_fixed * budget_covers_is_programme",
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

MONTH_LINES = (
    Line(
        "final_months",
        "min(run_days / month_days, programme_months)",
        "months",
        title="Months of the final run",
        source="Training days, at the end of the program",
    ),
    Line(
        "final_share",
        "max(min(month, programme_months) - max(month - 1, programme_months - final_months), 0) / final_months",
        "share",
        title="Final run in this month",
        source="Overlap of the month and the run",
    ),
    Line(
        "compute_share",
        "final_share + (research_multiplier + failed_share) / programme_months",
        "ratio",
        title="Final runs computed",
        about="Research and failed runs are spread evenly",
        source="Judgment: even research",
    ),
    Line(
        "needed_hours",
        "run_hours * compute_share",
        "GPU-h",
        title="Accelerator-hours needed",
        about="Final run, research and failed runs",
        source="Accelerator-hours × final runs computed",
    ),
    Line(
        "available_hours",
        "accelerators * 24 * month_days",
        "GPU-h",
        title="Accelerator-hours of the cluster",
        source="Accelerators × hours of a month",
    ),
    Line(
        "short_hours",
        "max(needed_hours - available_hours, 0)",
        "GPU-h",
        title="Shortfall",
        about="What the month needs beyond the cluster: rent more, or move research",
        source="Needed - available",
    ),
    Line(
        "month_utilization",
        "min(needed_hours / available_hours, 1)",
        "share",
        title="Utilization",
        source="Needed / available, at most all",
    ),
    Line(
        "rent",
        "run_cost * compute_share * acquisition_is_rented",
        "USD",
        title="Rent",
        source="Final run × share of this month",
    ),
    Line(
        "purchase",
        "(owned_unit * accelerators if month == 1 else 0) * acquisition_is_owned",
        "USD",
        title="Purchase",
        about="The cluster is paid for in the first month",
        source="Price of an owned accelerator × accelerators",
    ),
    Line(
        "facility",
        "(accelerators * (tdp_w * server_power_factor / 1000 * colocation_price + owned_unit * support_share / 12)"
        " + run_hours * compute_share * power_hour) * acquisition_is_owned",
        "USD",
        title="Power, colocation, support",
        source="Of an owned cluster; a rent holds them",
    ),
    Line(
        "upkeep",
        UPKEEP,
        "USD",
        title="Storage, network, staff",
        source="A month of each",
    ),
    Line(
        "spare",
        "(rent + facility + upkeep) * contingency_share",
        "USD",
        title="Contingency",
        about="Not on the purchase, which has a quote",
        source="Share of the month's running cost",
    ),
    Line("cash", "rent + purchase + facility + upkeep + spare", "USD", title="Cash", source="Sum of the month"),
    Line("cumulative_cash", "cash_so_far", "USD", title="Cash so far", source="Sum of the months"),
    Line(
        "depreciation",
        "(owned_unit * accelerators * (1 - residual_share) / (12 * owned_life_years)"
        " if month <= 12 * owned_life_years else 0) * acquisition_is_owned",
        "USD",
        title="Depreciation",
        source="Straight line over the useful life, down to the residual value",
    ),
    Line(
        "expense",
        "rent + facility + upkeep + spare + depreciation",
        "USD",
        title="Expense",
        about="The profit-and-loss view: depreciation in place of the purchase",
        source="Sum of the month",
    ),
    Line(
        "book_value", "bought_so_far - depreciated_so_far", "USD", title="Book value", source="Purchase - depreciation"
    ),
    Line(
        "present_cash",
        "cash / power(1 + wacc, (month - 1 / 2) / 12)",
        "USD",
        title="Present value of the cash",
        source=PRESENT,
    ),
    Line(
        "over_cap",
        "(1 if budget_usd * (cumulative_cash - budget_usd) > 0 else 0) * budget_covers_is_programme",
        "flag",
        title="Cash over the cap",
        about="0 where the cap covers the final run alone",
        source="Cash so far against budget_usd",
    ),
)
"""One row per model and month."""

SPEND_LINES = (
    Line("least_spent", "least_so_far", "USD", title="Least, of all models", source="Cash so far"),
    Line("most_spent", "most_so_far", "USD", title="Most, of all models", source="Cash so far"),
    Line("most_cash", "most_of_month", "USD", title="Most in this month", source="Cash of a month"),
)
"""One row per month, over all models."""
