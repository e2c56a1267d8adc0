"""Which option to choose: every model side by side in each case, and what would change the choice."""

from flopsheet.planning.inputs import CASES, TITLES, sheet_from
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Figure, Link, Question, Table
from flopsheet.planning.questions.decision.lines import OPTION_LINES


def _in_cases(name: str, line: str, title: str, table: str = MODELS_TABLE) -> tuple[Link, ...]:
    return tuple(Link(f"{name}_{case}", table, line, title=f"{title}: {TITLES[case]}", case=case) for case in CASES)


LINKS = (
    *_in_cases("run_cost", "training_cost", "Final run"),
    *_in_cases("run_days", "training_days", "Days"),
    *_in_cases("hour", "hour_price", "Price of an hour", CASES_TABLE),
    *_in_cases("run_mfu", "model_mfu", "MFU"),
    *_in_cases("run_tokens", "training_tokens", "Training tokens"),
    Link("own_tokens", MODELS_TABLE, "training_tokens", title="Training tokens"),
    Link("own_mfu", MODELS_TABLE, "model_mfu", title="MFU"),
    Link("own_price", CASES_TABLE, "hour_price", title="Price of an hour"),
    Link("own_loss", MODELS_TABLE, "predicted_loss", title="Predicted loss"),
    Link("own_memory", MODELS_TABLE, "fits_memory", title="Fits in memory"),
    Link("own_time", MODELS_TABLE, "fits_time", title="Within schedule"),
    Link("own_money", MODELS_TABLE, "within_budget", title="Within the cap"),
    Link("own_program", MODELS_TABLE, "programme_cost", title="Program"),
    Link("window_tokens", MODELS_TABLE, "affordable_tokens", title="Tokens within the window"),
    Link("paid_tokens", "programme", "affordable", title="Tokens that the cap pays for"),
)

QUESTION = Question(
    name="decision",
    title="Which option should we choose, and what would change that?",
    about="Each model's cost, days and loss, whether it fits, and the prices, MFU and tokens at which that changes.",
    tables=(Table("decision_options", "Options side by side", OPTION_LINES, (MODELS,), LINKS),),
    figures=(
        Figure("holds", "Options that hold", "decision_options", "option_counts", "Within schedule, memory and cap"),
        Figure("turns", "Options that an input may turn", "decision_options", "may_turn", "Inside the input's range"),
        Figure("program", "Cheapest program", "decision_options", "option_program", "Of all options", "min"),
        Figure("loss", "Lowest loss", "decision_options", "option_loss", "Of all options, chosen law", "min"),
    ),
    sheet=sheet_from(__name__),
    optional=True,
    asked_by=("budget_usd",),
    needs=("scaling", "money"),
)
