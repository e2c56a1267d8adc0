"""What a cluster buys, and what each model takes of it: FLOP, hours, days, money and energy."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.budget.lines import CLUSTER_LINES, MODEL_LINES

REACHED = "model_flops_per_accelerator / (1000000000000 * peak_tflops)"
"""The MFU that a model's own speed means."""

QUESTION = question_from(
    __name__,
    (
        Table(CASES_TABLE, "Cluster", CLUSTER_LINES),
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,)),
    ),
    {
        "speed_published": fill("1 if REACHED <= most_mfu else 0", REACHED=REACHED),
        "speed_usual": fill("1 if REACHED >= least_mfu else 0", REACHED=REACHED),
    },
)
