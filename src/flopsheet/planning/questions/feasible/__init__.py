"""What fits: models and token counts within time, money and memory; and the accelerators that a date takes."""

from flopsheet.planning.inputs import sheet_from
from flopsheet.planning.question import MODELS, MODELS_TABLE, Figure, Link, Question, Rows, Table
from flopsheet.planning.questions.feasible.lines import LIMIT_LINES, NEEDED_LINES, OPTION_LINES
from flopsheet.planning.questions.scaling import MODEL_BEST

FACTORS = Rows("token_factor", "Token multiple", values=(0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3))
WINDOWS = Rows("window_days", "Days", "days", values=(30, 60, 90, 120, 180, 365))
RUN = (
    Link("model_tokens", MODELS_TABLE, "training_tokens", title="Tokens of the plan"),
    Link("model_flop", MODELS_TABLE, "training_flops", title="FLOP of the plan"),
    Link("model_days", MODELS_TABLE, "training_days", title="Days of the plan"),
    Link("model_hours", MODELS_TABLE, "training_hours", title="Accelerator-hours of the plan"),
    Link("model_fits_memory", MODELS_TABLE, "fits_layout", title="Fits in memory"),
    Link("model_capped", "programme", "capped_cash", title="Cash under the cap"),
    Link("model_moving", "programme", "cash_moving", title="Cash that fewer hours save"),
    Link("model_added", "programme", "cash_added", title="Cash of as many hours again"),
    Link("model_cost", "programme", "final_run", title="Final run of the plan"),
    Link("most_tokens", MODELS_TABLE, "tokens_within_budget", title="Tokens within time and money"),
    Link("window_tokens", MODELS_TABLE, "affordable_tokens", title="Tokens within the window"),
    *MODEL_BEST,
)

QUESTION = Question(
    name="feasible",
    title="Which models fit the time and money, and on how many tokens?",
    about=(
        "Each model at multiples of its tokens, the most tokens that time and money allow,"
        " and the accelerators needed by a date."
    ),
    tables=(
        Table("feasible_limits", "As many tokens as time and money allow", LIMIT_LINES, (MODELS,), RUN),
        Table("feasible_options", "Models and token counts", OPTION_LINES, (MODELS, FACTORS), RUN),
        Table(
            "feasible_accelerators",
            "Accelerators needed to finish in a given number of days",
            NEEDED_LINES,
            (MODELS, WINDOWS),
            RUN,
        ),
    ),
    figures=(
        Figure(
            "loss", "Lowest loss within the limits", "feasible_limits", "limit_loss", "Of all models, chosen law", "min"
        ),
        Figure("tokens", "Most tokens within the limits", "feasible_limits", "limit_tokens", "Of all models", "max"),
    ),
    sheet=sheet_from(__name__),
    optional=True,
    asked_by=("budget_usd",),
    needs=("scaling", "money"),
)
