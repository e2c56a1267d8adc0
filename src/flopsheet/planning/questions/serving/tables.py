"""Tables around the models' lines: batches, contexts, kinds of traffic, months."""

from __future__ import annotations

from flopsheet.accounting.data import read_table
from flopsheet.accounting.line import Line
from flopsheet.planning.places import at_places, lines_at_places
from flopsheet.planning.question import MODELS, Link, Rows, Table
from flopsheet.planning.questions.serving.capacity import capacity, in_month
from flopsheet.planning.questions.serving.links import SERVED, from_models
from flopsheet.planning.questions.serving.step import itl, where_written
from flopsheet.planning.questions.serving.summary import AT_PLACE, BILL_LINES, OWN_PLACE, ROOM, SUMMARY
from flopsheet.planning.written_lines import lines_from

BATCHES = Rows("sequences", "Batch", "sequences", values=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512))
CONTEXTS = Rows("context_tokens", "Context", "tokens", values=tuple(1024 * 2**power for power in range(11)))
MONTHS = Rows("serving_month", "Month", "month", until="serving_months")

_PROFILES = read_table(__package__, "latency_profiles.toml")
PROFILES = Rows(
    "profile",
    "Traffic",
    values=tuple(
        {"profile": place, "concurrency": 0} | {name: number for name, number in row.items() if name != "title"}
        for place, row in enumerate(_PROFILES["profiles"], start=1)
    ),
    labels=tuple(row["title"] for row in _PROFILES["profiles"]),
)
BATCH_LINES = (
    Line(
        "batch_itl",
        where_written(itl("sequences")),
        "s",
        title="Time between tokens",
        source="Form of the decode step",
    ),
    Line(
        "batch_reading",
        "0 if decodes else pass_seconds + expert_pass_seconds + sequences * prompt_accelerator_seconds / replica_size",
        "s",
        title="Time of a batch of inputs",
        about="Of models that write no tokens; 0 of others",
        source="Form of a prefill",
    ),
    Line(
        "batch_user_speed",
        "1 / batch_itl if decodes else 0",
        "tokens/s",
        title="Tokens per second per request",
        source="1 / time between tokens",
    ),
    Line(
        "batch_throughput",
        "sequences / (replica_size * (batch_itl - sequences * shared_prefill_seconds)"
        " + sequences * prompt_accelerator_seconds / output_tokens) if decodes else 0",
        "tokens/s",
        title="Output tokens per second per accelerator",
        about="Prefill included; 0: the model writes no tokens",
        source="1 / accelerator time per output token",
    ),
    Line(
        "batch_input",
        "input_tokens * (batch_throughput / output_tokens if decodes else sequences / batch_reading / replica_size)",
        "tokens/s",
        title="Input tokens per second per accelerator",
        about="Output included where there is any",
        source="Requests × input tokens",
    ),
    Line(
        "batch_cost",
        "price_per_hour / 3600 / batch_throughput * 1000000 if decodes else 0",
        "USD/Mtok",
        title="USD per million output tokens, fully used",
        about="With all of the prompt's cost",
        source="Price / throughput",
    ),
    Line(
        "batch_fits",
        "1 if sequences <= max_batch else 0",
        "flag",
        title="Fits in memory",
        source="Largest batch",
    ),
    Line(
        "batch_meets_target",
        "1 if max(batch_itl - itl_target_ms / 1000, batch_reading * read_wait - ttft_target_ms / 1000) <= 0 else 0",
        "flag",
        title="Meets the latency target",
        about="Time between tokens; where none are written, time of a batch with its wait",
        source="Inputs itl_target_ms and ttft_target_ms",
    ),
)

CONTEXT_LINES = lines_from(__package__, "tables.toml", "context")

MONTH_LINES = (
    Line(
        "month_requests",
        "mean_requests * power(1 + demand_growth, serving_month - 1)",
        "requests/s",
        title="Mean requests",
        source="First month × growth",
    ),
    *capacity("month_requests", "month_"),
    Line(
        "month_utilization",
        "month_requests / (month_replicas * replica_requests) if month_replicas * replica_requests else 0",
        "share",
        title="Mean utilization",
        source="Mean requests / requests of all replicas",
    ),
    Line(
        "month_tokens",
        in_month("month_requests * SECONDS * (input_tokens + decodes * output_tokens)"),
        "tokens",
        title="Tokens",
        about="Input and output",
        source="Requests × tokens",
    ),
)


def _by_place(table: str, name: str, title: str) -> tuple[tuple[Line, ...], tuple[Link, ...]]:
    """Return a line of a table for each of the cheapest models, and the links that they read."""
    unit = next(one.unit for one in (*BATCH_LINES, *CONTEXT_LINES, *MONTH_LINES) if one.name == name)
    return lines_at_places(name, unit, title, "Table by model"), at_places(name, table, name, title)


_CURVE = [
    _by_place("serving_batches", name, title)
    for name, title in (
        ("batch_throughput", "Output tokens per second per accelerator"),
        ("batch_itl", "Time between tokens"),
    )
]
_GROWTH = _by_place("serving_contexts", "context_bytes", "Cache and states of a sequence")
_SPEND = _by_place("serving_monthly", "month_cost", "Cost")

TABLES = (
    SUMMARY,
    ROOM,
    Table(
        "serving_batches",
        "Throughput against latency, by batch",
        (*BATCH_LINES, AT_PLACE),
        (MODELS, BATCHES),
        (
            *from_models("replica_size", "max_batch", "token_fixed_seconds", "token_expert_seconds"),
            *from_models("token_batch_seconds", "miss_log", "shared_prefill_seconds", "prompt_accelerator_seconds"),
            *from_models("pass_seconds", "expert_pass_seconds", "read_wait"),
            OWN_PLACE,
        ),
    ),
    Table(
        "serving_curve",
        "Throughput by batch",
        tuple(line for lines, _ in _CURVE for line in lines),
        (BATCHES,),
        tuple(link for _, links in _CURVE for link in links),
    ),
    Table(
        "serving_contexts",
        "Caches and states by context",
        (*CONTEXT_LINES, AT_PLACE),
        (MODELS, CONTEXTS),
        (*from_models("replica_size", "served_tensor", "cache_copies", "kv_bytes", "cache_room_bytes"), OWN_PLACE),
    ),
    Table("serving_growth", "Cache by context", _GROWTH[0], (CONTEXTS,), _GROWTH[1]),
    Table(
        "serving_profiles",
        "Kinds of traffic, each with its latency targets",
        SERVED,
        (MODELS, PROFILES),
    ),
    Table(
        "serving_monthly",
        "Serving month by month",
        (*MONTH_LINES, *BILL_LINES, AT_PLACE),
        (MODELS, MONTHS),
        (
            *from_models("replica_size", "served_tensor", "replica_requests", "prompt_accelerator_seconds"),
            *from_models("mean_requests"),
            Link("spent", "serving_monthly", "month_cost", "running", "Cost since the first month"),
            OWN_PLACE,
        ),
    ),
    Table("serving_spend", "Cost by month", _SPEND[0], (MONTHS,), _SPEND[1]),
)
"""Tables of the question, next to Models."""
