"""What fits: models and token counts within time, money and memory; and the accelerators that a date takes."""

from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.question_file import question_from
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

QUESTION = question_from(
    __name__,
    (
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
)
