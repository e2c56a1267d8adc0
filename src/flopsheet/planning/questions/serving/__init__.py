"""What does serving a model cost: memory, latency, throughput, replicas, and dollars per million tokens."""

from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import MODELS, MODELS_TABLE, Figure, Gathered, Question, Table
from flopsheet.planning.questions.serving.apis import APIS_TABLE, OFFERS_TABLE
from flopsheet.planning.questions.serving.checks import CHECKS
from flopsheet.planning.questions.serving.layouts import REPLICAS
from flopsheet.planning.questions.serving.links import SERVED
from flopsheet.planning.questions.serving.memory import LAYOUTS
from flopsheet.planning.questions.serving.nearest import NEAREST, NEAREST_LINKS, NEAREST_TABLE
from flopsheet.planning.questions.serving.summary import SUMMARY
from flopsheet.planning.questions.serving.tables import TABLES

SHARED = {
    "flopsheet.planning.questions.training": (
        *LAYOUTS,
        *("fp8_tflops", "fp4_tflops", "bandwidth_tbs", "scale_up_gbs", "scale_up_size", "host_gbs"),
    ),
    "flopsheet.planning.questions.money": ("month_days",),
}
"""Inputs of other questions that this one reads too."""


def _figure(name: str, title: str, line: str, about: str, how: Gathered = "sum") -> Figure:
    """Return a figure of the models that can be served."""
    return Figure(name, title, SUMMARY.name, line, about, how)


QUESTION = Question(
    name="serving",
    title="What does it cost to serve?",
    about=(
        "Replicas, latency and throughput for a demand, and dollars per million tokens,"
        " on your own accelerators and from an API."
    ),
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
        REPLICAS,
        APIS_TABLE,
        OFFERS_TABLE,
        NEAREST_TABLE,
    ),
    figures=(
        _figure("fleet", "Accelerators to serve", "first_serving_accelerators", "Cheapest model per token, or all"),
        _figure("cost", "Serving cost per month", "first_serving_cost_per_month", "Cheapest model per token, or all"),
        _figure("price", "USD per million tokens", "first_usd_per_mtok_blended", "Cheapest model per token"),
        _figure(
            "saving", "Saved against your API price per month", "first_typed_saving", "A dash: you entered no API price"
        ),
        _figure("served", "Models that can be served", "is_served", "They fit on a replica; Checks covers latency"),
        _figure("itl", "Time between tokens", "served_itl_seconds", "Slowest model that can be served", "max"),
        _figure("ttft", "Time to first token", "served_ttft_seconds", "Slowest model that can be served", "max"),
    ),
    checks=CHECKS,
    sheet=sheet_from(__name__),
    optional=True,
)
