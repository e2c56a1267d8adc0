"""What a program costs: around its final run, month by month, rented or owned, and against a cap."""

from flopsheet.planning.catalog import price_kinds
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.money.calendar import CALENDAR_LINES
from flopsheet.planning.questions.money.cash_cap import CAPPED_LINES
from flopsheet.planning.questions.money.monthly import MONTH_LINES, SPEND_LINES
from flopsheet.planning.questions.money.owning import CROSSING_LINES, OWNING_LINES, WAY_LINES
from flopsheet.planning.questions.money.programme import PROGRAMME_LINES
from flopsheet.planning.questions.money.supply import FLEET_LINES
from flopsheet.planning.questions.money.totals import TOTALS
from flopsheet.planning.questions.money.verdict import MODEL_LINES

MONTHS = Rows("month", "Month", "month", until="program_months")
WAYS = Rows(
    "way",
    "Way",
    values=(
        *(
            {"way": at, "is_owned": int(at > len(price_kinds()))}
            | {f"is_{name}": int(at == place) for place, name in enumerate(price_kinds(), 1)}
            for at in range(1, len(price_kinds()) + 2)
        ),
    ),
    labels=(*(kind.title.capitalize() for kind in price_kinds().values()), "Owned"),
)
SHARES = Rows("used_share", "Utilization", "share", values=tuple(tenths / 10 for tenths in range(2, 11)))
RUN = (
    Link("training_hours", MODELS_TABLE, "training_hours", title="Accelerator-hours"),
    Link("training_days", MODELS_TABLE, "training_days", title="Training days"),
    Link("run_tokens", MODELS_TABLE, "training_tokens", title="Training tokens"),
    Link("run_spot_hours", MODELS_TABLE, "spot_hours", title="Hours at the plan's price per hour needed"),
    Link("run_energy", MODELS_TABLE, "training_energy", title="Energy of the final run"),
)
HOUR = (
    Link("hour", CASES_TABLE, "hour_price", title="Price of an hour"),
    Link("owned_hour", CASES_TABLE, "owned_price", title="Cost of an owned hour"),
    Link("standing", CASES_TABLE, "standing_cost", title="Standing cost"),
    Link("power_hour", CASES_TABLE, "power_cost", title="Electricity per hour"),
)
CASE_LINES = (*CALENDAR_LINES, *OWNING_LINES, *FLEET_LINES, *CAPPED_LINES)
TITLES = {line.name: line.title for line in CASE_LINES}


def _of_the_case(*names: str) -> tuple[Link, ...]:
    return tuple(Link(name, CASES_TABLE, name, title=TITLES[name]) for name in names)


RENTED = _of_the_case(
    *("is_dated", "first_day", "before_program", "program_first", "rest_on_demand", "rest_on_spot", "spot_factor"),
    *("on_demand_rate", "reserved_rate", "spot_rate", "rest_rate"),
)
HELD = _of_the_case(
    *("reserved_count", "reserved_until", "owned_count", "delivered_in", "extra_runs"),
    *("cluster_price", "colocation_unit", "support_unit", "staff_until"),
)
CAPPED = (
    *_of_the_case(*("program_days", "research_first", "paid_per_dollar", "paid_accelerators", "paid_hours")),
    *_of_the_case("evenly_held", "extra_runs"),
    Link("even_utilization", CASES_TABLE, "break_even_utilization", title="Break-even utilization"),
    Link("yearly_price", CASES_TABLE, "levelized_price_yearly", title="Cost of an owned hour, yearly"),
    Link("yearly_even", CASES_TABLE, "break_even_utilization_yearly", title="Break-even utilization, yearly"),
    Link("npv_each", CASES_TABLE, "npv_of_owning_each", title="NPV per accelerator"),
)
PROGRAMME = (
    *RUN,
    Link("run_rate", MODELS_TABLE, "model_flops_per_accelerator", title="FLOP/s per accelerator"),
    Link("run_fits", MODELS_TABLE, "fits_layout", title="Fits in memory"),
    Link("run_in_time", MODELS_TABLE, "fits_time", title="Within schedule"),
    *(total.link for total in TOTALS),
    *(
        Link(f"{name}_sum", "programme_monthly", name, "sum", title)
        for name, title in (
            ("before_peak", "Months before peak funding"),
            ("over_cap", "Months over the cap"),
            ("run_on_demand", "Rent on demand of the final run alone"),
            ("run_spot", "Rent on spot of the final run alone"),
        )
    ),
)
COST = (
    Link("programme_total", "programme", "cash_total", title="Cash"),
    Link("paid_tokens", "programme", "affordable", title="Tokens that the cap pays for"),
    Link("cost_under_cap", "programme", "capped_cash", title="Cash under the cap"),
    Link("is_paid", "programme", "within_cap", title="Within the cap"),
    Link("why_not", "programme", "reason", title="Why not"),
    Link("run_begun", "programme", "run_first_day", title="First day of the final run"),
    Link("run_ended", "programme", "run_end", title="Last day of the final run"),
)
MONTHLY = (
    *(Link(name, "programme", name) for name in ("run_hours", "run_from", "run_to", "research_to")),
    Link("most_funded", "programme", "peak_funding", title="Peak funding"),
    Link("cash_so_far", "programme_monthly", "cash", "running", "Cumulative cash"),
    Link("bought_so_far", "programme_monthly", "purchase", "running", "Bought so far"),
    Link("depreciated_so_far", "programme_monthly", "depreciation", "running", "Depreciated so far"),
)
SPENT = (
    Link("least_so_far", "programme_monthly", "cumulative_cash", "min", "Lowest cash so far"),
    Link("most_so_far", "programme_monthly", "cumulative_cash", "max", "Highest cash so far"),
    Link("highest_program", "programme", "peak_funding", "max", "Highest peak funding"),
)

QUESTION = question_from(
    __name__,
    (
        Table(CASES_TABLE, "Cluster", CASE_LINES, replaces=("trainable_flop",)),
        Table("programme", "Program of each model", PROGRAMME_LINES, (MODELS,), (*PROGRAMME, *HOUR, *RENTED, *CAPPED)),
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,), COST, replaces=("training_days", "training_cost")),
        Table(
            "programme_monthly",
            "Program month by month",
            MONTH_LINES,
            (MODELS, MONTHS),
            (*HOUR, *RENTED, *HELD, *MONTHLY),
        ),
        Table("programme_spend", "Cumulative cash, by month", SPEND_LINES, (MONTHS,), SPENT),
        Table("supply_ways", "Ways to obtain the accelerators", WAY_LINES, (WAYS,), HOUR),
        Table("rent_or_own", "Rented or owned by utilization", CROSSING_LINES, (SHARES,), HOUR),
    ),
)
