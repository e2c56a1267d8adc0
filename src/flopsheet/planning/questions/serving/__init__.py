"""What does serving a model cost: memory, latency, throughput, replicas, and dollars per million tokens."""

from flopsheet.planning.question import MODELS, MODELS_TABLE, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.serving.apis import APIS_TABLE, OFFERS_TABLE
from flopsheet.planning.questions.serving.layouts import REPLICAS
from flopsheet.planning.questions.serving.links import SERVED
from flopsheet.planning.questions.serving.nearest import NEAREST, NEAREST_LINKS, NEAREST_TABLE
from flopsheet.planning.questions.serving.tables import TABLES
from flopsheet.planning.questions.training.divisions import experts_divide, heads_divide

QUESTION = question_from(
    __name__,
    (
        Table(
            MODELS_TABLE,
            "Models",
            (*SERVED, *NEAREST),
            (MODELS,),
            NEAREST_LINKS,
        ),
        *TABLES,
        REPLICAS,
        APIS_TABLE,
        OFFERS_TABLE,
        NEAREST_TABLE,
    ),
    {"serving_heads": heads_divide("served_tensor"), "serving_experts": experts_divide("served_experts")},
)
