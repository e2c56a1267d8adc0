"""What a program around one final training run comes to, and whether it may be: in time, memory, capacity and cap."""

from flopsheet.accounting.formula.compose import times
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.money.totals import TOTALS
from flopsheet.planning.questions.money.verdict import CAP, VERDICT_LINES
from flopsheet.planning.written_lines import lines_from

COVERED = "Input budget_covers"

RUN_LINES = lines_from(__package__, "programme.toml", "run")
PEAK_LINES = (
    Line(
        "peak_funding",
        "cash_sum + disposal_sum",
        "USD",
        title="Peak funding",
        source="Largest cumulative cash: all of it, before a sale on the last day",
    ),
    Line(
        "peak_month",
        "1 + before_peak_sum",
        "month",
        title="Month of peak funding",
        source="The first with that much cash",
    ),
    Line(
        "over_month",
        "program_months + 1 - over_cap_sum if over_cap_sum else 0",
        "month",
        title="First month over the cap",
        about="0: none, or the cap covers the final run alone",
        source=CAP,
    ),
    Line(
        "book_value",
        "0 if disposal_sum else purchase_sum - depreciation_sum",
        "USD",
        title="Book value",
        about="At the end of the program",
        source="Purchase - depreciation; nothing once sold",
    ),
    Line(
        "reserve",
        "peak_funding * reserve_share",
        "USD",
        title="Management reserve",
        about="Held above the program",
        source="Share of peak funding",
    ),
    Line(
        "local_cash",
        "cash_sum * currency_rate",
        "currency",
        title="Cash in the plan's currency",
        source="USD × exchange rate",
    ),
    Line(
        "levelized_cost",
        "(need_total * hour + storage_total + network_total + staff_total) * (1 + contingency_share)",
        "USD",
        title="Program, levelized",
        about="Each hour at its price; an owned one with its share of the capital. To compare, not to pay",
        source="(Hours × price of an hour + storage, network and staff) × (1 + contingency)",
    ),
    Line(
        "cash_if_on_demand",
        "(need_total * on_demand_rate + storage_total + network_total + staff_total) * (1 + contingency_share)",
        "USD",
        title="Cash if all hours were on demand",
        source="(Hours × price on demand + storage, network and staff) × (1 + contingency)",
    ),
    Line(
        "energy_total",
        "run_energy * (reserved_total + owned_total + on_demand_total + spot_total) / run_hours if run_hours else 0",
        "kWh",
        title="Energy",
        about="Final run, research and failed runs",
        source="Energy of the final run × hours used / its hours",
    ),
    Line("co2e_kg", times("energy_total", "carbon"), "kg CO2e", title="Emissions", source="Energy × carbon intensity"),
)
CAP_LINES = lines_from(__package__, "programme.toml", "cap", cap=CAP, covered=COVERED)
PROGRAMME_LINES = (
    *RUN_LINES,
    *(total.line for total in TOTALS),
    *PEAK_LINES,
    Line(
        "final_run",
        "run_hours * hour",
        "USD",
        title="Final run, levelized",
        source="Accelerator-hours × price of an hour",
    ),
    Line(
        "demand_capped",
        "rent_on_demand_total * budget_covers_is_program + run_on_demand_sum * budget_covers_is_final_run",
        "USD",
        title="Rent on demand under the cap",
        source=COVERED,
    ),
    Line(
        "spot_capped",
        "rent_spot_total * budget_covers_is_program + run_spot_sum * budget_covers_is_final_run",
        "USD",
        title="Rent on spot under the cap",
        source=COVERED,
    ),
    *CAP_LINES,
    *VERDICT_LINES,
    Line(
        "levelized_price",
        "owned_hour",
        "USD/GPU-h",
        title="Cost of an owned accelerator-hour, levelized",
        source="Cluster",
    ),
    Line(
        "levelized_price_yearly",
        "yearly_price",
        "USD/GPU-h",
        title="The same by yearly capital recovery",
        source="Cluster",
    ),
    Line(
        "break_even_utilization_yearly",
        "yearly_even",
        "share",
        title="The same, break-even utilization",
        source="Cluster",
    ),
    Line(
        "npv_of_owning_each",
        "npv_each",
        "USD",
        title="NPV of owning an accelerator instead of renting",
        source="Cluster",
    ),
    Line("break_even_utilization", "even_utilization", "share", title="Break-even utilization", source="Cluster"),
)
"""One row per model."""
