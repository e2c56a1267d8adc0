"""What a program costs: around its final run, month by month, rented or owned, and against a cap."""

from flopsheet.planning.catalog import price_kinds
from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Check, Figure, Link, Question, Rows, Table
from flopsheet.planning.questions.money.monthly import MONTH_LINES, SPEND_LINES
from flopsheet.planning.questions.money.owning import CROSSING_LINES, OWNING_LINES, WAY_LINES
from flopsheet.planning.questions.money.programme import CASE_LINES, MODEL_LINES, PROGRAMME_LINES

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
    Link("run_hours", MODELS_TABLE, "training_hours", title="Accelerator-hours"),
    Link("run_days", MODELS_TABLE, "training_days", title="Training days"),
    Link("run_tokens", MODELS_TABLE, "training_tokens", title="Training tokens"),
    Link("run_energy", MODELS_TABLE, "training_energy", title="Energy of the final run"),
)
HOUR = (
    Link("hour", CASES_TABLE, "hour_price", title="Price of an hour"),
    Link("owned_hour", CASES_TABLE, "owned_price", title="Cost of an owned hour"),
    Link("standing", CASES_TABLE, "standing_cost", title="Standing cost"),
    Link("power_hour", CASES_TABLE, "power_cost", title="Electricity per hour"),
    Link("owned_unit", CASES_TABLE, "cluster_price", title="Price of an owned accelerator"),
)
CAPPED = (
    Link("times_under_cap", MODELS_TABLE, "capped_times", title="Final runs under the cap"),
    Link("fixed_under_cap", MODELS_TABLE, "capped_fixed", title="Storage, network, staff under the cap"),
)
COST = (
    Link("programme_total", "programme", "total_cost", title="Program"),
    Link("paid_tokens", "programme", "affordable", title="Tokens that the cap pays for"),
    Link("cost_under_cap", "programme", "capped_cost", title="Cost under the cap"),
)
MONTHLY = (
    Link("run_cost", "programme", "final_run", title="Final run"),
    Link("cash_so_far", "programme_monthly", "cash", "running", "Cumulative cash"),
    Link("bought_so_far", "programme_monthly", "purchase", "running", "Bought so far"),
    Link("depreciated_so_far", "programme_monthly", "depreciation", "running", "Depreciated so far"),
)
SPENT = (
    Link("least_so_far", "programme_monthly", "cumulative_cash", "min", "Lowest cash so far"),
    Link("most_so_far", "programme_monthly", "cumulative_cash", "max", "Highest cash so far"),
    Link("most_of_month", "programme_monthly", "cash", "max", "Highest cash of a month"),
    Link("highest_program", "programme", "total_cost", "max", "Most expensive program"),
)

QUESTION = Question(
    name="money",
    title="What does the program cost, and is it within the cap?",
    about="The final run with research, storage, network, staff and contingency; month by month; rented or owned.",
    inputs=inputs_from(__name__),
    tables=(
        Table(CASES_TABLE, "Cluster", (*OWNING_LINES, *CASE_LINES), replaces=("trainable_flop",)),
        Table("programme", "Program of each model", PROGRAMME_LINES, (MODELS,), (*RUN, *HOUR, *CAPPED)),
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,), COST),
        Table("programme_monthly", "Program month by month", MONTH_LINES, (MODELS, MONTHS), (*RUN, *HOUR, *MONTHLY)),
        Table("programme_spend", "Cumulative cash, by month", SPEND_LINES, (MONTHS,), SPENT),
        Table("supply_ways", "Ways to obtain the accelerators", WAY_LINES, (WAYS,), HOUR),
        Table("rent_or_own", "Rented or owned by utilization", CROSSING_LINES, (SHARES,), HOUR),
    ),
    figures=(
        Figure("cheapest", "Cheapest program", "programme", "total_cost", "Of the models, research included", "min"),
        Figure("highest", "Most expensive program", "programme", "total_cost", "Of the models", "max"),
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
            "1 if budget_usd * (capped_cost - budget_usd) <= 0 else 0",
            "A model costs more than the money cap",
            "Train on fewer tokens, raise {budget_usd}, or leave the model out",
        ),
        Check(
            "within_program",
            "Every final run ends within the program",
            "programme_monthly",
            "1 if final_months >= run_days / month_days else 0",
            "A final run takes longer than the program",
            "Raise {program_months}, or train on more accelerators",
        ),
        Check(
            "purchase_known",
            "Owned accelerators have a price",
            CASES_TABLE,
            "min(purchase_price + acquisition_is_rented, 1)",
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
