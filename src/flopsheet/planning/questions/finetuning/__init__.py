"""What does fine-tuning cost: all weights, adapters, or adapters on a quantized base; a teacher, and fleets of them."""

from flopsheet.planning.question import MODELS, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.training.links import from_training
from flopsheet.planning.written_lines import lines_from

QUESTION = question_from(
    __name__,
    (
        Table(
            "finetuning",
            "Fine-tuning",
            lines_from(__package__, "lines.toml", "finetuning"),
            (MODELS,),
            from_training("own_step", "own_tokens", "own_fits"),
        ),
    ),
)
