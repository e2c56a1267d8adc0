"""Every model in a row: what serving it takes, what a sequence takes in memory, and bills by month."""

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS, Link, Table
from flopsheet.planning.questions.serving.capacity import in_month
from flopsheet.planning.questions.serving.links import SERVED, from_models
from flopsheet.planning.written_lines import lines_from

_LINES = {line.name: line for line in SERVED}


def _show_lines(prefix: str, names: tuple[str, ...]) -> tuple[Line, ...]:
    """Return lines that show lines of Models again."""
    result = (_LINES[name] for name in names)
    return tuple(
        Line(f"{prefix}_{line.name}", line.name, line.unit, title=line.title, source="Models") for line in result
    )


EACH = "Of the model in the first place, or of each that can be served with serve_all; 0 for others"
FIRST = "1 if place == 1 else 0"
COUNTED = "1 if place == 1 else serve_all * is_served"
"""Whether a model counts: the cheapest alone, or each that can be served."""


def _of_first(name: str, counts: str = FIRST) -> Line:
    """Return a line of the models that count, 0 for others."""
    line = _LINES[name]
    about = "Of the model in the first place; 0 for others" if counts == FIRST else EACH
    return Line(
        f"first_{name}",
        times(name, counts),
        line.unit,
        title=line.title,
        about=about,
        source="Models",
    )


def _of_served(name: str) -> Line:
    """Return a line of the models that can be served, 0 for others."""
    line = _LINES[name]
    about = "0: the model cannot be served"
    return Line(f"served_{name}", times("is_served", name), line.unit, title=line.title, about=about, source="Models")


_SUMMARY = (
    *(
        "replicas",
        "serving_accelerators",
        "serving_paid",
        "serving_cost_per_month",
        "usd_per_mtok_input",
        "usd_per_mtok_output",
    ),
    *("usd_per_mtok_blended", "ttft_seconds", "itl_seconds", "serving_energy_per_month"),
    *("ttft_at_quantile", "itl_at_quantile"),
    "input_tokens_per_second_per_accelerator",
)
SUMMARY_LINES = (
    *lines_from(__package__, "summary.toml", "writes"),
    *_show_lines("sum", _SUMMARY),
    *lines_from(
        __package__,
        "summary.toml",
        "typed_saving",
        {
            "place_order": substitute(
                "(0 - is_served / price if decodes else price) + most * (1 - is_served)",
                {
                    "price": "max(usd_per_mtok_blended, 1 / 1000000000000) * (1 + model / 1000000000)",
                    "most": "1000000000000",
                },
            )
        },
    ),
    *(_of_first(name, COUNTED) for name in ("serving_accelerators", "serving_cost_per_month")),
    _of_first("usd_per_mtok_blended"),
    Line(
        "first_typed_saving",
        times("typed_saving", COUNTED),
        "USD",
        title="Saved against your API price",
        about=EACH,
        source="API prices",
    ),
    *(_of_served(name) for name in ("ttft_seconds", "itl_seconds")),
)
"""One row per model."""

_ROOM = (
    *("served_bytes_per_accelerator", "cache_room_bytes", "sequence_bytes", "replica_size", "max_batch"),
    *("prompt_hit_rate", "smallest_replica", "weights_fit"),
)
ROOM_LINES = (
    *lines_from(__package__, "summary.toml", "token"),
    *_show_lines("room", _ROOM),
)
"""One row per model."""

BILL_LINES = lines_from(__package__, "summary.toml", "bill", {"consumed_quantity": in_month("month_paid * HOURS")})
"""One row per model and month."""

SUMMARY = Table(
    "serving_summary",
    "Models side by side",
    SUMMARY_LINES,
    (MODELS,),
    (
        *from_models(*_SUMMARY, "mean_requests"),
        Link("saving_at_typed_price", "serving_apis", "your_saving", "sum", "Saved against your price"),
        Link("ahead", "serving_summary", "place_order", "below", "Models before it"),
    ),
)
ROOM = Table("serving_room", "Memory of a replica", ROOM_LINES, (MODELS,), from_models(*_ROOM, "full_context"))
OWN_PLACE = Link("own_place", "serving_summary", "place", title="Rank by USD per token")
AT_PLACE = Line("at_place", "own_place", "", title="Rank by USD per token", source="Models side by side")
