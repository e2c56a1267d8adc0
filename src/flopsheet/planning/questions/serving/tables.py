"""Tables around the models' lines: batches, contexts, kinds of traffic, months."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.data import read_table
from flopsheet.planning.places import at_places, lines_at_places
from flopsheet.planning.question import MODELS, Link, Rows, Table
from flopsheet.planning.questions.serving.capacity import capacity, in_month
from flopsheet.planning.questions.serving.links import SERVED, from_models
from flopsheet.planning.questions.serving.step import itl, where_written
from flopsheet.planning.questions.serving.summary import AT_PLACE, BILL_LINES, OWN_PLACE, ROOM, SUMMARY
from flopsheet.planning.written_lines import lines_from

if TYPE_CHECKING:
    from flopsheet.accounting.line import Line

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
BATCH_LINES = lines_from(__package__, "tables.toml", "batch", {"batch_itl": where_written(itl("sequences"))})

CONTEXT_LINES = lines_from(__package__, "tables.toml", "context")

MONTH_LINES = (
    *lines_from(__package__, "tables.toml", "month_requests"),
    *capacity("month_requests", "month_"),
    *lines_from(
        __package__,
        "tables.toml",
        "month_utilization",
        {"month_tokens": in_month("month_requests * SECONDS * (input_tokens + decodes * output_tokens)")},
    ),
)


def _by_place(table: str, name: str, title: str) -> tuple[tuple[Line, ...], tuple[Link, ...]]:
    """Return a line of a table for each of the cheapest models, and the links that they read."""
    unit = next(line.unit for line in (*BATCH_LINES, *CONTEXT_LINES, *MONTH_LINES) if line.name == name)
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
        (
            *from_models("replica_size", "served_tensor", "attention_ranks", "cache_copies", "window_values"),
            *from_models("kv_bytes", "cache_room_bytes"),
            OWN_PLACE,
        ),
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
            *from_models("mean_requests", "least_prefill"),
            Link("spent", "serving_monthly", "month_cost", "running", "Cost since the first month"),
            OWN_PLACE,
        ),
    ),
    Table("serving_spend", "Cost by month", _SPEND[0], (MONTHS,), _SPEND[1]),
)
"""Tables of the question, next to Models."""
