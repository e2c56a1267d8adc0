"""What computes a program: hours reserved and owned, the rest on demand or on spot, and what an hour of each costs."""

from flopsheet.accounting.line import Line

SUPPLY = "Reserved hours first, which are paid for anyway, then owned ones, then the rest"
RATES = "Inputs rented_as, price_per_hour, list_price, reserved_price and spot_price"

FLEET_LINES = (
    Line(
        "reserving",
        "(rented_as_is_reserved + rented_as_is_reserved_3y) * acquisition_is_rented",
        "flag",
        title="The plan's price is that of a reservation",
        source="Input rented_as",
    ),
    Line(
        "reserved_count",
        "reserved_accelerators if reserved_accelerators else accelerators * reserving",
        "accelerators",
        title="Reserved accelerators",
        source="Input reserved_accelerators; all where the price is that of a reservation",
    ),
    Line(
        "reserved_until",
        "reserved_from + reserved_months - 1 if reserved_months else program_months",
        "month",
        title="Last month of the reservation",
        source="Inputs reserved_from and reserved_months",
    ),
    Line(
        "owned_count",
        "owned_accelerators if owned_accelerators else accelerators * acquisition_is_owned",
        "accelerators",
        title="Owned accelerators",
        source="Input owned_accelerators; all where the plan owns its accelerators",
    ),
    Line(
        "delivered_in",
        "purchase_month + delivery_months",
        "month",
        title="Month from which owned accelerators work",
        source="Inputs purchase_month and delivery_months",
    ),
    Line(
        "held_throughout",
        "(owned_count if delivered_in <= 1 else 0)"
        " + (reserved_count if max(reserved_from - 1, program_months - reserved_until) <= 0 else 0)",
        "accelerators",
        title="Accelerators held from the first month to the last",
        source=SUPPLY,
    ),
    Line(
        "research_first",
        "max(research_until_is_run_start, research_until_is_automatic * (1 if held_throughout >= accelerators else 0))",
        "flag",
        title="Research ends where the run begins",
        source="Input research_until; by itself where all accelerators are held throughout",
    ),
    Line(
        "rest_on_spot",
        "max(rest_is_spot, rest_is_automatic * rented_as_is_spot * (0 if owned_count > 0 else 1))",
        "flag",
        title="The rest is on spot",
        source="Input rest",
    ),
    Line(
        "rest_on_demand",
        "max(rest_is_on_demand, rest_is_automatic * (1 - rented_as_is_spot) * (0 if owned_count > 0 else 1))",
        "flag",
        title="The rest is on demand",
        source="Input rest",
    ),
    Line(
        "rented_hour",
        "price_per_hour",
        "USD/GPU-h",
        title="Price of a rented hour",
        source="Input price_per_hour",
    ),
    Line(
        "on_demand_rate",
        "price_per_hour if rented_as_is_on_demand else list_price",
        "USD/GPU-h",
        title="Price on demand",
        source=RATES,
    ),
    Line(
        "reserved_rate",
        "price_per_hour if rented_as_is_reserved + rented_as_is_reserved_3y else reserved_price",
        "USD/GPU-h",
        title="Price of a reserved hour",
        source=RATES,
    ),
    Line(
        "spot_rate",
        "price_per_hour if rented_as_is_spot else spot_price",
        "USD/GPU-h",
        title="Price of an hour on spot",
        source=RATES,
    ),
    Line(
        "spot_factor",
        "goodput / spot_goodput",
        "ratio",
        title="Hours on spot per hour needed",
        about="Interruptions lose work that has to be done again",
        source="Goodput of the plan / goodput on spot",
    ),
    Line(
        "rest_rate",
        "rest_on_demand * on_demand_rate + rest_on_spot * spot_factor * spot_rate",
        "USD/GPU-h",
        title="Price of an hour beyond what is held",
        about="0: there is no more than what is held",
        source=SUPPLY,
    ),
    Line(
        "extra_runs",
        "research_multiplier + failed_share + failed_runs * failed_run_length",
        "ratio",
        title="Research and failed runs, in final runs",
        source="Inputs research_multiplier, failed_share, failed_runs and failed_run_length",
    ),
    Line(
        "staff_until",
        "staff_from + staff_months - 1 if staff_months else program_months",
        "month",
        title="Last month of the staff",
        source="Inputs staff_from and staff_months",
    ),
    Line(
        "colocation_unit",
        "tdp_w * server_power_factor / 1000 * colocation_price",
        "USD/month",
        title="Colocation of an owned accelerator",
        source="Nameplate power × price of colocation",
    ),
    Line(
        "support_unit",
        "cluster_price * support_share / 12",
        "USD/month",
        title="Support of an owned accelerator",
        source="Share of its price per year",
    ),
)
"""Lines of one case."""
