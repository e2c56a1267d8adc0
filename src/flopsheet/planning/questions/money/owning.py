"""What an owned accelerator-hour costs, and from which utilization owning is cheaper than renting."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

RECOVERY = "Capital recovery r(1+r)^n / ((1+r)^n - 1) of the price, less r / ((1+r)^n - 1) of the residual value"
POWER = "Nameplate power of a server's share × average draw × PUE × price of electricity"
PRESENT = "Present value, all flows in the middle of their month, the purchase too, at (1+r)^(1/12) - 1 a month"
KNOWN = "0: no purchase price is known"

HOURS = {"MONTH": "24 * month_days"}
"""Hours of a month."""

OWNING_LINES = (
    Line(
        "cluster_price",
        "purchase_price / (1 - interconnect_share)",
        "USD",
        title="Price of an owned accelerator",
        about="With its share of the server and of the network",
        source="Purchase price / (1 - network's share): inputs of this plan",
    ),
    Line(
        "horizon",
        "horizon_months if horizon_months else 12 * owned_life_years",
        "months",
        title="Months over which owning is compared with renting",
        source="Input horizon_months; without one the useful life",
    ),
    Line(
        "present_months",
        "(1 - power(1 + wacc, -horizon / 12)) / (power(1 + wacc, 1 / 12) - 1) * power(1 + wacc, 1 / 24)"
        " if wacc else horizon",
        "months",
        title="Discounted months of the horizon",
        source=PRESENT,
    ),
    Line(
        "value_left",
        "cluster_price * (1 - (1 - residual_share) * min(horizon / (12 * owned_life_years), 1))",
        "USD",
        title="Value of an accelerator after the horizon",
        about="Its book value; at the end of its life the residual value",
        source="Straight line over the useful life",
    ),
    Line(
        "capital_now",
        "cluster_price / power(1 + wacc, 1 / 24) - value_left / power(1 + wacc, (horizon - 1 / 2) / 12)",
        "USD",
        title="Purchase per accelerator less what is left of it, present value",
        source=PRESENT,
    ),
    Line(
        "standing_cost",
        fill(
            "(capital_now / present_months + cluster_price * support_share / 12"
            " + tdp_w * server_power_factor / 1000 * colocation_price) / MONTH",
            **HOURS,
        ),
        "USD/hour",
        title="Standing cost per accelerator",
        about="What it costs in every hour, whether it works or not: capital, support and colocation",
        source=PRESENT,
    ),
    Line(
        "power_cost",
        "tdp_w * server_power_factor * draw_fraction * pue / 1000 * electricity_price",
        "USD/GPU-h",
        title="Electricity per hour of work",
        source=POWER,
    ),
    Line(
        "owned_price",
        "standing_cost / owned_utilization + power_cost if purchase_price else 0",
        "USD/GPU-h",
        title="Cost of an owned accelerator-hour",
        about=f"Per hour of work, at the plan's utilization. {KNOWN}",
        source="Standing cost / utilization + electricity",
    ),
    Line(
        "hour_price",
        "owned_price if acquisition_is_owned else price_per_hour",
        "USD/GPU-h",
        title="Price of an hour in this plan",
        source="Input acquisition",
    ),
    Line(
        "break_even_utilization",
        "standing_cost / (price_per_hour - power_cost) if purchase_price * max(price_per_hour - power_cost, 0) else 0",
        "share",
        title="Break-even utilization",
        about=f"Owning is cheaper than renting above it; over 100% renting always is. {KNOWN}",
        source="Standing cost = utilization × (rental price - electricity)",
    ),
    Line(
        "owned_month",
        fill(
            "cluster_price * support_share / 12 + tdp_w * server_power_factor / 1000 * colocation_price"
            " + power_cost * owned_utilization * MONTH",
            **HOURS,
        ),
        "USD/month",
        title="Support, colocation and electricity per accelerator",
        source="Support + colocation + electricity of the hours of work",
    ),
    Line(
        "owning_now",
        "(capital_now + owned_month * present_months) * accelerators if purchase_price else 0",
        "USD",
        title="Owning, present value",
        about=f"The whole cluster over its useful life. {KNOWN}",
        source=PRESENT,
    ),
    Line(
        "renting_now",
        fill("price_per_hour * owned_utilization * MONTH * present_months * accelerators", **HOURS),
        "USD",
        title="Renting the same hours, present value",
        source=PRESENT,
    ),
    Line(
        "npv",
        "renting_now - owning_now if purchase_price else 0",
        "USD",
        title="Net present value of owning instead of renting",
        about=f"Above 0: owning is cheaper at the plan's utilization. {KNOWN}",
        source=PRESENT,
    ),
    Line(
        "npv_of_owning_each",
        "npv / accelerators",
        "USD",
        title="The same per accelerator",
        source=PRESENT,
    ),
    Line(
        "recovered_capital",
        "cluster_price * wacc * (power(1 + wacc, owned_life_years) - residual_share)"
        " / (power(1 + wacc, owned_life_years) - 1)"
        " if wacc else cluster_price * (1 - residual_share) / owned_life_years",
        "USD/year",
        title="Capital recovery per accelerator, yearly",
        source=RECOVERY,
    ),
    Line(
        "standing_yearly",
        fill(
            "(recovered_capital / 12 + cluster_price * support_share / 12"
            " + tdp_w * server_power_factor / 1000 * colocation_price) / MONTH",
            **HOURS,
        ),
        "USD/hour",
        title="Standing cost per accelerator, yearly",
        about="As textbooks have it, with payments at the end of each year; shown to compare with other sheets",
        source=RECOVERY,
    ),
    Line(
        "levelized_price_yearly",
        "standing_yearly / owned_utilization + power_cost if purchase_price else 0",
        "USD/GPU-h",
        title="Cost of an owned accelerator-hour, yearly",
        about=KNOWN,
        source=RECOVERY,
    ),
    Line(
        "break_even_utilization_yearly",
        "standing_yearly / (price_per_hour - power_cost)"
        " if purchase_price * max(price_per_hour - power_cost, 0) else 0",
        "share",
        title="Break-even utilization, yearly",
        about=KNOWN,
        source=RECOVERY,
    ),
)
"""Lines of one case."""

WAY_LINES = lines_from(__package__, "owning.toml", "way", known=KNOWN)
"""One row per way to have accelerators."""

CROSSING_LINES = lines_from(__package__, "owning.toml", "crossing", known=KNOWN)
"""One row per utilization of owned accelerators."""
