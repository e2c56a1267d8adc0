"""What a program costs month by month, for each model and over all of them."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.money.owning import PRESENT
from flopsheet.planning.questions.money.programme import CAP, UPKEEP

MONTH_LINES = (
    Line(
        "final_months",
        "min(run_days / month_days, program_months)",
        "months",
        title="Months of the final run",
        source="Training days, at the end of the program",
    ),
    Line(
        "final_share",
        "max(min(month, program_months) - max(month - 1, program_months - final_months), 0) / final_months",
        "share",
        title="Final run in this month",
        source="Overlap of the month and the run",
    ),
    Line(
        "compute_share",
        "final_share + (research_multiplier + failed_share) / program_months",
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
        source="Of an owned cluster; rent includes them",
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
    Line("cumulative_cash", "cash_so_far", "USD", title="Cumulative cash", source="Sum of the months"),
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
        "(1 if budget_usd * (cumulative_cash - budget_usd) > 0 else 0) * budget_covers_is_program",
        "flag",
        title="Cash over the cap",
        about="0 where the cap covers the final run alone",
        source="Cumulative cash against budget_usd",
    ),
)
"""One row per model and month."""

SPEND_LINES = (
    Line("least_spent", "least_so_far", "USD", title="Lowest of all models", source="Cumulative cash"),
    Line("most_spent", "most_so_far", "USD", title="Highest of all models", source="Cumulative cash"),
    Line("most_cash", "most_of_month", "USD", title="Highest in this month", source="Cash of a month"),
    Line(
        "cap_shown",
        "budget_usd * budget_covers_is_program if budget_usd * budget_covers_is_program else highest_program",
        "USD",
        title="Cap on the program, or its highest cost",
        source=CAP,
    ),
)
"""One row per month, over all models."""
