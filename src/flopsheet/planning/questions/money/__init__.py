"""What a program costs: around its final run, month by month, rented or owned, and against a cap."""

from flopsheet.planning.catalog import price_kinds
from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Check, Figure, Link, Question, Rows, Table
from flopsheet.planning.questions.money.calendar import CALENDAR_LINES
from flopsheet.planning.questions.money.capped import CAPPED_LINES
from flopsheet.planning.questions.money.fleet import FLEET_LINES
from flopsheet.planning.questions.money.monthly import MONTH_LINES, SPEND_LINES
from flopsheet.planning.questions.money.owning import CROSSING_LINES, OWNING_LINES, WAY_LINES
from flopsheet.planning.questions.money.programme import PROGRAMME_LINES
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
    *("on_demand_rate", "spot_rate", "rest_rate"),
)
HELD = _of_the_case(
    *("reserved_count", "reserved_until", "owned_count", "delivered_in", "extra_runs"),
    *("reserved_rate", "cluster_price", "colocation_unit", "support_unit", "staff_until"),
)
CAPPED = (
    *_of_the_case(*("program_days", "research_first", "paid_per_dollar", "paid_accelerators", "paid_hours")),
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

QUESTION = Question(
    name="money",
    title="What does the program cost, and is it within the cap?",
    about="The final run with research, storage, network, staff and contingency; month by month; rented or owned.",
    inputs=inputs_from(__name__),
    tables=(
        Table(CASES_TABLE, "Cluster", CASE_LINES, replaces=("trainable_flop",)),
        Table("programme", "Program of each model", PROGRAMME_LINES, (MODELS,), (*PROGRAMME, *HOUR, *RENTED, *CAPPED)),
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,), COST),
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
    figures=(
        Figure("cheapest", "Cheapest program", "programme", "cash_total", "Of the models, research included", "min"),
        Figure("highest", "Most expensive program", "programme", "cash_total", "Of the models", "max"),
        Figure(
            "break_even", "Break-even utilization", CASES_TABLE, "break_even_utilization", "Owning is cheaper above it"
        ),
        Figure("renting", "Renting, present value", CASES_TABLE, "renting_now", "The cluster over its useful life"),
        Figure("owning", "Owning, present value", CASES_TABLE, "owning_now", "The same hours of an owned cluster"),
        Figure("npv", "Owning instead of renting, NPV", CASES_TABLE, "npv", "Above 0: owning is cheaper"),
        Figure(
            "paid", "FLOP that the cap pays for", CASES_TABLE, "paid_flop", "Of a dense final run; none without a cap"
        ),
    ),
    checks=(
        Check(
            "within_cap",
            "Every model is within the money cap",
            "programme",
            "within_cap",
            "The cash of a model is more than the money cap",
            "Train on fewer tokens, raise {budget_usd}, or leave the model out",
        ),
        Check(
            "within_program",
            "Every final run is within the program",
            "programme",
            "1 - too_short",
            "A final run begins before the program or takes longer than it has",
            "Raise {program_months}, set an earlier {program_start}, or train on more accelerators",
        ),
        Check(
            "has_capacity",
            "Every hour of the program is computed",
            "programme",
            "1 - no_capacity",
            "A month needs more hours than are reserved or owned, and nothing is rented beyond them",
            "Set {rest} to on_demand, raise {accelerators}, or let research end before the run: {research_until}",
        ),
        Check(
            "worth_reserving",
            "A reservation costs no more than its hours on demand",
            "programme",
            "1 if rent_reserved_total * (cash_total - cash_if_on_demand) <= 0 else 0",
            "A reservation costs more than all hours on demand would, since it is paid for when idle too",
            "Reserve less, with {reserved_accelerators} and {reserved_months}, or rent on demand",
            warning=True,
        ),
        Check(
            "reserved_within",
            "The reservation ends with the program",
            CASES_TABLE,
            "1 if reserved_count * (reserved_until - program_months) <= 0 else 0",
            "A reservation goes on after the program, and what it costs there is not in the plan",
            "Raise {program_months}, or lower {reserved_months}",
        ),
        Check(
            "failures_once",
            "Failed runs are given once",
            CASES_TABLE,
            "0 if failed_share * failed_runs > 0 else 1",
            "Failed runs are given as {failed_share} and as {failed_runs}, and both are counted",
            "Set one of them to 0",
        ),
        Check(
            "purchase_known",
            "Owned accelerators have a price",
            CASES_TABLE,
            "min(purchase_price + (0 if owned_count > 0 else 1), 1)",
            "The plan owns its accelerators, but has no purchase price",
            "Enter {purchase_price} under [inputs]",
        ),
        Check(
            "rate_given",
            "A foreign currency has an exchange rate",
            CASES_TABLE,
            "max(report_currency_is_USD, 1 - (1 if currency_rate == 1 else 0))",
            "The plan's currency is not USD, but its exchange rate is 1",
            "Enter {currency_rate} with source and date under [inputs]",
        ),
    ),
    sheet=sheet_from(__name__),
    optional=True,
)
