"""What a program costs month by month, for each model and over all of them: cash, expense and book value."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.money.calendar import MONTH_DAYS_LINES
from flopsheet.planning.questions.money.owning import PRESENT
from flopsheet.planning.questions.money.supply import SUPPLY_LINES
from flopsheet.planning.questions.money.verdict import CAP

RENT_LINES = (
    Line(
        "rent_on_demand",
        "on_demand * on_demand_rate if on_demand else 0",
        "USD",
        title="Rent on demand",
        source="Hours × price on demand",
    ),
    Line(
        "rent_reserved",
        "reserved_now * reserved_month_hours * reserved_rate if reserved_now else 0",
        "USD",
        title="Rent of the reservation",
        about="Whether its hours are used or not",
        source="Reserved accelerators × billed hours of a month × reserved price",
    ),
    Line(
        "rent_spot",
        "spot * spot_rate if spot else 0",
        "USD",
        title="Rent on spot",
        source="Hours × spot price",
    ),
    Line("rent", "rent_on_demand + rent_reserved + rent_spot", "USD", title="Rent", source="Sum"),
)
OWNED_LINES = (
    Line(
        "bought_now",
        "owned_count * (1 if month == purchase_month else 0)",
        "accelerators",
        title="Bought",
        source="Owned accelerators in the month of the purchase",
    ),
    Line(
        "purchase",
        "bought_now * cluster_price if bought_now else 0",
        "USD",
        title="Purchase",
        source="Accelerators bought × price of one with its share of server and network",
    ),
    Line(
        "electricity",
        "owned_used * power_hour if owned_used else 0",
        "USD",
        title="Electricity",
        about="Of owned accelerators; rent includes it",
        source="Owned hours used × electricity per hour of work",
    ),
    Line(
        "colocation",
        "owned_now * colocation_unit if owned_now else 0",
        "USD",
        title="Colocation",
        source="Owned × colocation of one",
    ),
    Line(
        "support",
        "owned_now * support_unit if owned_now else 0",
        "USD",
        title="Support",
        source="Owned × support of one",
    ),
    Line(
        "facility",
        "electricity + colocation + support",
        "USD",
        title="Electricity, colocation, support",
        source="Of owned accelerators; rent includes them",
    ),
)
UPKEEP_LINES = (
    Line("storage", "program_storage_tb * program_storage_price", "USD", title="Storage", source="TB × price"),
    Line("network", "program_egress_tb * program_egress_price", "USD", title="Network", source="TB × price"),
    Line(
        "staff",
        "program_staff * program_staff_cost / 12 * (1 if max(staff_from - month, month - staff_until) <= 0 else 0)",
        "USD",
        title="Staff",
        source="People × cost of a month, in the months of the staff",
    ),
    Line("services", "storage + network", "USD", title="Storage and network", source="Sum"),
    Line("upkeep", "services + staff", "USD", title="Storage, network, staff", source="Sum"),
    Line(
        "contingency",
        "(rent + facility + upkeep) * contingency_share",
        "USD",
        title="Contingency",
        about="On a reservation too; not on a purchase, which has a quote",
        source="Share of the month's running cost",
    ),
)
CASH_LINES = (
    Line(
        "running",
        "rent + facility + upkeep + contingency",
        "USD",
        title="Running costs",
        source="Rent, electricity, colocation, support, storage, network, staff and contingency",
    ),
    Line(
        "sold_now",
        "owned_count * disposal_share * (1 if month == program_months else 0)",
        "accelerators",
        title="Accelerators whose price a sale brings",
        about="On the last day of the program",
        source="Share of the purchase",
    ),
    Line(
        "disposal",
        "sold_now * cluster_price if sold_now else 0",
        "USD",
        title="Sale of owned accelerators",
        about="On the last day of the program",
        source="Share of the purchase",
    ),
    Line(
        "cash",
        "running + purchase - disposal",
        "USD",
        title="Cash",
        source="What leaves in the month, less a sale",
    ),
    Line(
        "received",
        "-disposal",
        "USD",
        title="Sale of owned accelerators, received",
        source="Below 0: what comes in",
    ),
    Line("cumulative_cash", "cash_so_far", "USD", title="Cumulative cash", source="Sum of the months"),
    Line(
        "funded",
        "cumulative_cash + disposal",
        "USD",
        title="Cumulative cash before a sale",
        source="Cumulative cash + sale of the month",
    ),
    Line(
        "headroom_now",
        "budget_usd - funded if budget_usd * budget_covers_is_program else 0",
        "USD",
        title="Left under the cap",
        about="Below 0: over it; 0 without a cap on the program",
        source="Cap - cumulative cash before a sale",
    ),
    Line(
        "run_on_demand",
        "run_beyond * on_demand_rate if run_beyond * rest_on_demand else 0",
        "USD",
        title="Rent on demand of the final run alone",
        source="Hours × price on demand",
    ),
    Line(
        "run_spot",
        "run_beyond * spot_factor * spot_rate if run_beyond * rest_on_spot else 0",
        "USD",
        title="Rent on spot of the final run alone",
        source="Hours × price on spot",
    ),
    Line(
        "run_power",
        "max(run_held - reserved_now * month_hours, 0) * power_hour * (1 if owned_now > 0 else 0)",
        "USD",
        title="Electricity of the final run alone",
        source="Owned hours × electricity per hour of work",
    ),
    Line(
        "run_cash",
        "rent_reserved + purchase + colocation + support + run_power + run_on_demand + run_spot",
        "USD",
        title="Cash of the final run alone",
        about="Without research, failed runs and contingency; an idle reservation or a purchase counts in full",
        source="Rent, purchase, electricity, colocation and support",
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
        "(1 if budget_usd * (funded - budget_usd) > 0 else 0) * budget_covers_is_program",
        "flag",
        title="Cash over the cap",
        about="0 where the cap covers the final run alone",
        source="Cumulative cash before a sale, against budget_usd",
    ),
    Line(
        "before_peak",
        "1 if funded < most_funded * (1 - 1 / 1000000000000) else 0",
        "flag",
        title="Before peak funding",
        source="The largest cumulative cash before a sale",
    ),
)
BOOK_LINES = (
    Line(
        "depreciating",
        "owned_now * (1 if month < delivered_in + 12 * owned_life_years else 0)",
        "accelerators",
        title="Accelerators within their useful life",
        source="Months from delivery",
    ),
    Line(
        "depreciation",
        "depreciating * cluster_price * (1 - residual_share) / (12 * owned_life_years) if depreciating else 0",
        "USD",
        title="Depreciation",
        source="Straight line over the useful life, from delivery, down to the residual value",
    ),
    Line(
        "kept_value",
        "bought_so_far - depreciated_so_far",
        "USD",
        title="Book value before a sale",
        source="Purchase - depreciation",
    ),
    Line(
        "loss_on_sale",
        "kept_value - disposal if disposal else 0",
        "USD",
        title="Loss on a sale",
        about="Below 0: a gain",
        source="Book value - sale",
    ),
    Line(
        "book_value",
        "0 if disposal else kept_value",
        "USD",
        title="Book value",
        source="Purchase - depreciation; nothing once sold",
    ),
    Line(
        "expense",
        "running + depreciation + loss_on_sale",
        "USD",
        title="Expense",
        about="The profit-and-loss view: depreciation and loss on a sale in place of the purchase",
        source="Sum of the month",
    ),
)
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

SPEND_LINES = (
    Line("least_spent", "least_so_far", "USD", title="Lowest of all models", source="Cumulative cash"),
    Line("most_spent", "most_so_far", "USD", title="Highest of all models", source="Cumulative cash"),
    Line(
        "cap_shown",
        "budget_usd * budget_covers_is_program if budget_usd * budget_covers_is_program else highest_program",
        "USD",
        title="Cap on the program, or its highest cost",
        source=CAP,
    ),
)
"""One row per month, over all models."""
