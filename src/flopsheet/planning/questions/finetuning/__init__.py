"""What does fine-tuning cost: all weights, adapters, or adapters on a quantized base; a teacher, and fleets of them."""

from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import MODELS, Check, Figure, Question, Table
from flopsheet.planning.questions.finetuning.lines import FINETUNING
from flopsheet.planning.questions.training.links import from_training

TABLE = "finetuning"

QUESTION = Question(
    name="finetuning",
    title="What does fine-tuning cost?",
    about="Time, cost and memory of fine-tunings under this plan's layout; of one, and of a fleet.",
    inputs=inputs_from(__name__),
    tables=(
        Table(
            TABLE,
            "Fine-tuning",
            FINETUNING,
            (MODELS,),
            from_training("own_step", "own_tokens", "own_fits"),
        ),
    ),
    figures=(
        Figure("tuning_cost", "Cost of a fine-tuning", TABLE, "finetuning_cost", "Dearest model and method", "max"),
        Figure("tuning_time", "Time of a fine-tuning", TABLE, "finetuning_duration", "Slowest model and method", "max"),
        Figure("fleet_cost", "Cost of all fine-tunings", TABLE, "fleet_cost", "Dearest model and method", "max"),
    ),
    checks=(
        Check(
            "enough_tokens",
            "A fine-tuning has at least one step of tokens",
            TABLE,
            "1 if finetuning_tokens >= own_tokens else 0",
            "A step takes more tokens than the fine-tuning has",
            "Lower {global_batch}, or raise {finetuning_examples}",
        ),
    ),
    sheet=sheet_from(__name__),
    optional=True,
    needs=("training",),
)
