"""What does serving a model cost: memory, latency, throughput, replicas, and dollars per million tokens."""

from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import MODELS, MODELS_TABLE, Figure, Question, Table
from flopsheet.planning.questions.serving.apis import APIS_TABLE
from flopsheet.planning.questions.serving.checks import CHECKS
from flopsheet.planning.questions.serving.links import SERVED
from flopsheet.planning.questions.serving.nearest import NEAREST, NEAREST_LINKS, NEAREST_TABLE
from flopsheet.planning.questions.serving.tables import TABLES

SHARED = {
    "flopsheet.planning.questions.training": (
        *("tensor_parallel", "pipeline_parallel", "expert_parallel", "fp8_tflops", "fp4_tflops", "bandwidth_tbs"),
        *("scale_up_gbs", "scale_up_size"),
    ),
    "flopsheet.planning.questions.money": ("month_days",),
}
"""Inputs of other questions that this one reads too."""

QUESTION = Question(
    name="serving",
    title="What does it cost to serve?",
    about="Replicas, latency and throughput for a demand, and dollars per million tokens, own and from an API.",
    inputs=(
        *inputs_from(__name__),
        *(one for package, names in SHARED.items() for one in inputs_from(package) if one.name in names),
    ),
    tables=(
        Table(
            MODELS_TABLE,
            "Models",
            (*SERVED, *NEAREST),
            (MODELS,),
            NEAREST_LINKS,
        ),
        *TABLES,
        APIS_TABLE,
        NEAREST_TABLE,
    ),
    figures=(
        Figure(
            "fleet",
            "Accelerators to serve",
            MODELS_TABLE,
            "serving_accelerators",
            "Model that needs least",
            "min",
        ),
        Figure(
            "cost", "Serving cost per month", MODELS_TABLE, "serving_cost_per_month", "Of the cheapest model", "min"
        ),
        Figure("price", "USD per million tokens", MODELS_TABLE, "usd_per_mtok_blended", "Of the cheapest model", "min"),
        Figure("itl", "Time between tokens", MODELS_TABLE, "itl_seconds", "Of the slowest model", "max"),
        Figure("ttft", "Time to first token", MODELS_TABLE, "ttft_seconds", "Of the slowest model", "max"),
    ),
    checks=CHECKS,
    sheet=sheet_from(__name__),
    optional=True,
)
