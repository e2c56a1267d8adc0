"""What a cluster buys, and what each model takes of it: FLOP, hours, days, money and energy."""

from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.budget.lines import CLUSTER_LINES, MODEL_LINES

QUESTION = question_from(
    __name__,
    (
        Table(CASES_TABLE, "Cluster", CLUSTER_LINES),
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,)),
    ),
)
