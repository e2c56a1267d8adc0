"""What an owned accelerator-hour costs, and from which utilization owning is cheaper than renting."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.planning.written_lines import lines_from

PRESENT = "Present value, all flows in the middle of their month, the purchase too, at (1+r)^(1/12) - 1 a month"
KNOWN = "0: no purchase price is known"

HOURS = {"MONTH": "24 * month_days"}
"""Hours of a month."""

OWNING_LINES = lines_from(
    __package__,
    "owning.toml",
    "owning",
    {
        "standing_cost": fill(
            "(capital_now / present_months + cluster_price * support_share / 12"
            " + tdp_w * server_power_factor / 1000 * colocation_price) / MONTH",
            **HOURS,
        ),
        "owned_month": fill(
            "cluster_price * support_share / 12 + tdp_w * server_power_factor / 1000 * colocation_price"
            " + power_cost * owned_utilization * MONTH",
            **HOURS,
        ),
        "renting_now": fill("price_per_hour * owned_utilization * MONTH * present_months * accelerators", **HOURS),
        "standing_yearly": fill(
            "(recovered_capital / 12 + cluster_price * support_share / 12"
            " + tdp_w * server_power_factor / 1000 * colocation_price) / MONTH",
            **HOURS,
        ),
    },
    known=KNOWN,
    present=PRESENT,
)
"""Lines of one case."""

WAY_LINES = lines_from(__package__, "owning.toml", "way", known=KNOWN)
"""One row per way to have accelerators."""

CROSSING_LINES = lines_from(__package__, "owning.toml", "crossing", known=KNOWN)
"""One row per utilization of owned accelerators."""
