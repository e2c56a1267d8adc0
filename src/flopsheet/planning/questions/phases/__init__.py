"""What each phase of training takes: pretraining, mid-training and long context."""

from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.phases.lines import MODEL_LINES, PHASE_LINES, REPLACED

NAMES = ("main", "mid", "long")
PHASES = Rows(
    "phase",
    "Phase",
    values=tuple(
        {"phase": place} | {f"is_{name}": int(name == phase) for name in NAMES} for place, phase in enumerate(NAMES, 1)
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

QUESTION = question_from(
    __name__,
    (
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,), replaces=REPLACED),
        Table("training_phases", "Phases of each model", PHASE_LINES, (MODELS, PHASES), OWN),
    ),
)
