"""What each phase of training takes: pretraining, mid-training and long context."""

from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import MODELS, MODELS_TABLE, Check, Figure, Link, Question, Rows, Table
from flopsheet.planning.questions.phases.lines import MODEL_LINES, PHASE_LINES, REPLACED

NAMES = ("main", "mid", "long")
PHASES = Rows(
    "phase",
    "Phase",
    values=tuple(
        {"phase": place} | {f"is_{name}": int(name == one) for name in NAMES} for place, one in enumerate(NAMES, 1)
    ),
    labels=("Main pretraining", "Mid-training", "Long context"),
)
OWN = (
    Link("all_tokens", MODELS_TABLE, "training_tokens", title="Training tokens"),
    Link("own_rate", MODELS_TABLE, "model_flops_per_accelerator", title="FLOP/s per accelerator"),
    Link("long_flop_of_token", MODELS_TABLE, "long_flops_per_token", title="FLOP per token at long context"),
    Link("flop_of_token", MODELS_TABLE, "usual_flops_per_token", title="FLOP per token"),
    Link("usual_length", MODELS_TABLE, "usual_length", title="Sequence length"),
    Link("all_parameters", MODELS_TABLE, "phase_parameters", title="All parameters"),
)

QUESTION = Question(
    name="phases",
    title="What does each phase of training take?",
    about="Main pretraining, mid-training and long context: tokens, FLOP, days and cost.",
    inputs=inputs_from(__name__),
    tables=(
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,), replaces=REPLACED),
        Table("training_phases", "Phases of each model", PHASE_LINES, (MODELS, PHASES), OWN),
    ),
    figures=(Figure("long", "Longest long-context phase", MODELS_TABLE, "long_days", "Slowest model", "max"),),
    checks=(
        Check(
            "phases_within",
            "Phases fit within the training tokens",
            MODELS_TABLE,
            "1 if mid_tokens + long_tokens <= training_tokens else 0",
            "{mid_tokens} and {long_tokens} together are more than the model's training tokens",
            "Lower {mid_tokens} or {long_tokens}: they are parts of the training tokens",
        ),
        Check(
            "phases_counted",
            "Long-context attention can be counted",
            MODELS_TABLE,
            "1 if long_tokens * max(core_form - 1, 1 - core_form) <= long_tokens / 100 else 0",
            "This model's attention grows in another way with the length, so its long-context FLOP are wrong",
            "Set {long_tokens} to 0 for this model",
        ),
    ),
    sheet=sheet_from(__name__),
    optional=True,
)
