"""Tables around the models' lines: batches, contexts, months, kinds of traffic, API prices, and measurements."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import Line
from flopsheet.planning.catalogue import accelerator
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.questions.serving.capacity import CAPACITY, HOURS, SECONDS, capacity
from flopsheet.planning.questions.serving.decode import DECODE, itl
from flopsheet.planning.questions.serving.memory import MEMORY
from flopsheet.planning.questions.serving.prefill import PREFILL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.planning.question import How


def data(package: str, name: str) -> dict[str, Any]:
    """Return a TOML table that comes with flopsheet."""
    return tomllib.loads((files(package) / name).read_text(encoding="utf-8"))


def from_models(*names: str) -> tuple[Link, ...]:
    """Return links to lines of the same model, under their own names."""
    lines = {line.name: line.title for line in (*MEMORY, *PREFILL, *DECODE, *CAPACITY)}
    return tuple(Link(name, MODELS_TABLE, name, title=lines[name]) for name in names)


def spread(table: str, line: str, title: str) -> tuple[tuple[Line, ...], tuple[Link, ...]]:
    """Return the least and the most of a line over all models, as lines and the links that they read."""
    unit = next(one.unit for one in (*BATCH_LINES, *CONTEXT_LINES, *MONTH_LINES) if one.name == line)
    ends: tuple[tuple[str, How, str], ...] = (
        ("least", "min", "least of all models"),
        ("most", "max", "most of all models"),
    )
    lines = tuple(
        Line(f"{end}_{line}", f"{end}_of_{line}", unit, title=f"{title}, {said}", source="Table by model")
        for end, _, said in ends
    )
    return lines, tuple(Link(f"{end}_of_{line}", table, line, how, f"{title}, {end}") for end, how, _ in ends)


BATCHES = Rows("sequences", "Batch", "sequences", values=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512))
CONTEXTS = Rows("context_tokens", "Context", "tokens", values=(1024, 4096, 16384, 65536, 262144, 1048576))
MONTHS = Rows("serving_month", "Month", "month", until="serving_months")

_PROFILES = data(__package__, "latency_profiles.toml")
PROFILES = Rows(
    "profile",
    "Traffic",
    values=tuple(
        {"profile": place, "concurrency": 0} | {name: number for name, number in row.items() if name != "title"}
        for place, row in enumerate(_PROFILES["profiles"], start=1)
    ),
    labels=tuple(row["title"] for row in _PROFILES["profiles"]),
)
_PRICES = data(__package__, "api_prices.toml")
APIS = Rows(
    "api",
    "API",
    values=tuple(
        {
            "api": place,
            "api_input": row["input"],
            "api_cached": row.get("cached", row["input"]),
            "api_output": row["output"],
        }
        for place, row in enumerate(_PRICES["api_prices"], start=1)
    ),
    labels=tuple(f"{row['provider']} {row['model']}, {row['date']}" for row in _PRICES["api_prices"]),
)
_MEASURED = data("flopsheet.planning", "data/serving_measurements.toml")


def _measured(row: Mapping[str, Any]) -> dict[str, float]:
    return {
        "measured_active": _MEASURED["active"][row["model"]],
        "measured_input": row["input_tokens"],
        "measured_output": row["output_tokens"],
        "measured_peak": accelerator(row["accelerator"]).peak_tflops,
        "measured_throughput": row["throughput"],
    }


MEASURED = Rows(
    "measurement",
    "Measurement",
    values=tuple({"measurement": place} | _measured(row) for place, row in enumerate(_MEASURED["measurements"], 1)),
    labels=tuple(
        f"{row['model']}, {row['accelerator']} {row['weight_precision']}, {row['input_tokens']}/{row['output_tokens']}"
        f" (row {place})"
        for place, row in enumerate(_MEASURED["measurements"], start=1)
    ),
)

BATCH_LINES = (
    Line(
        "batch_itl",
        itl("sequences"),
        "s",
        title="Time between tokens",
        source="Form of the decode step",
    ),
    Line(
        "batch_user_speed",
        "1 / batch_itl",
        "tokens/s",
        title="Tokens per second per request",
        source="1 / time between tokens",
    ),
    Line(
        "batch_throughput",
        "sequences / (replica_accelerators * (batch_itl - sequences * shared_prefill_seconds)"
        " + sequences * prompt_accelerator_seconds / output_tokens)",
        "tokens/s",
        title="Output tokens per second per accelerator",
        about="Prefill included",
        source="1 / accelerator time per output token",
    ),
    Line(
        "batch_cost",
        "price_per_hour / 3600 / batch_throughput * 1000000",
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
        "1 if batch_itl <= itl_target_ms / 1000 else 0",
        "flag",
        title="Meets the latency target",
        source="Input itl_target_ms",
    ),
)

CONTEXT_LINES = (
    Line(
        "context_bytes",
        "cache_copies * kv_bytes * (cache_start + cache_per_token * context_tokens"
        " + cache_capped * min(context_tokens / cache_cap, 1)) + state_bytes_per_sequence",
        "bytes",
        title="Cache and states of a sequence",
        about="States stay as they are, windows fill up, caches grow",
        source="The model's caches and states",
    ),
    Line(
        "context_batch",
        "floor(min(cache_room_bytes * replica_accelerators / max(context_bytes, 1),"
        " sequence_limit * replica_accelerators / tensor_parallel))",
        "sequences",
        title="Sequences that fit in a replica",
        source="Room / bytes of a sequence",
    ),
)

MONTH_LINES = (
    Line(
        "month_requests",
        "requests_per_second * power(1 + demand_growth, serving_month - 1)",
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
        f"month_requests * {SECONDS} * (input_tokens + output_tokens)",
        "tokens",
        title="Tokens",
        about="Input and output",
        source="Requests × tokens",
    ),
)

API_LINES = (
    Line(
        "api_request_cost",
        "(api_input * input_tokens * (1 - cache_hit_rate) + api_cached * input_tokens * cache_hit_rate"
        " + api_output * output_tokens) / 1000000",
        "USD",
        title="API cost per request",
        source="List prices × tokens of a request",
    ),
    Line(
        "api_cost_per_month",
        f"api_request_cost * requests_per_second * {SECONDS}",
        "USD",
        title="API cost per month",
        source="Requests × cost",
    ),
    Line(
        "api_saving",
        "api_cost_per_month - serving_cost_per_month",
        "USD",
        title="Saved by serving it oneself, per month",
        about="Below 0: the API is cheaper",
        source="API cost - own cost",
    ),
    Line(
        "own_request_cost",
        "price_per_hour / 3600 * peak_to_mean * (1 + headroom)"
        " * (replica_accelerators / replica_requests + disaggregated * prompt_accelerator_seconds)"
        " if replica_requests else 0",
        "USD",
        title="Own cost per further request",
        source="Accelerator time per request, with peak and headroom",
    ),
    Line(
        "break_even_requests",
        f"(redundancy + 1) * replica_accelerators * price_per_hour * {HOURS} / {SECONDS}"
        " / (api_request_cost - own_request_cost) if own_request_cost * max(api_request_cost - own_request_cost, 0)"
        " else 0",
        "requests/s",
        title="Break-even requests",
        about="Serving it oneself is cheaper above; 0: never. One replica and the redundant ones run in any case",
        source="Fixed cost / (API cost - own cost per request)",
    ),
    Line(
        "break_even_tokens",
        f"break_even_requests * {SECONDS} * (input_tokens + output_tokens)",
        "tokens",
        title="Break-even tokens per month",
        source="Requests × tokens",
    ),
)

NEAREST_LINES = (
    Line(
        "log_active",
        "log(parameters_active / measured_active)",
        "ratio",
        title="Active parameters, logarithm of the ratio",
        source="Model and measurement",
    ),
    Line(
        "log_input",
        "log(input_tokens / measured_input)",
        "ratio",
        title="Input tokens, logarithm of the ratio",
        source="Plan and measurement",
    ),
    Line(
        "log_output",
        "log(output_tokens / measured_output)",
        "ratio",
        title="Output tokens, logarithm of the ratio",
        source="Plan and measurement",
    ),
    Line(
        "log_peak",
        "log(peak_tflops / measured_peak)",
        "ratio",
        title="Peak, logarithm of the ratio",
        source="Accelerators of plan and measurement",
    ),
    Line(
        "measured_distance",
        "max(log_active, -log_active) + max(log_input, -log_input) + max(log_output, -log_output)"
        " + max(log_peak, -log_peak)",
        "ratio",
        title="Distance",
        about="0 for the same size, lengths and accelerator; 1 is a factor of 2.7 in one of them",
        source="Sum of the logarithms",
    ),
    Line(
        "nearest_ratio",
        "own_throughput * exp(log_active - log_peak) / measured_throughput"
        " if measured_distance <= least_distance else 0",
        "ratio",
        title="Throughput over that of the nearest",
        about="At maximum load, in proportion to active parameters and peak; 0 for all others",
        source="Predicted / measured",
    ),
)

_CURVE = [
    spread("serving_batches", name, title)
    for name, title in (
        ("batch_throughput", "Output tokens per second per accelerator"),
        ("batch_itl", "Time between tokens"),
    )
]
_GROWTH = spread("serving_contexts", "context_bytes", "Cache and states of a sequence")
_SPEND = spread("serving_monthly", "month_serving_cost_per_month", "Cost")

TABLES = (
    Table(
        "serving_batches",
        "Throughput against latency, by batch",
        BATCH_LINES,
        (MODELS, BATCHES),
        from_models(
            *("replica_accelerators", "max_batch", "token_fixed_seconds", "token_expert_seconds"),
            *("token_batch_seconds", "miss_log", "shared_prefill_seconds", "prompt_accelerator_seconds"),
        ),
    ),
    Table(
        "serving_curve",
        "Throughput and latency by batch, over all models",
        tuple(line for lines, _ in _CURVE for line in lines),
        (BATCHES,),
        tuple(link for _, links in _CURVE for link in links),
    ),
    Table(
        "serving_contexts",
        "Caches and states by context",
        CONTEXT_LINES,
        (MODELS, CONTEXTS),
        from_models("replica_accelerators", "cache_copies", "kv_bytes", "cache_room_bytes"),
    ),
    Table("serving_growth", "Cache of a sequence by context, over all models", _GROWTH[0], (CONTEXTS,), _GROWTH[1]),
    Table(
        "serving_profiles",
        "Kinds of traffic, each with its latency targets",
        (*MEMORY, *PREFILL, *DECODE, *CAPACITY),
        (MODELS, PROFILES),
    ),
    Table(
        "serving_monthly",
        "Month by month",
        MONTH_LINES,
        (MODELS, MONTHS),
        from_models("replica_accelerators", "replica_requests", "prompt_accelerator_seconds"),
    ),
    Table("serving_spend", "Cost by month, over all models", _SPEND[0], (MONTHS,), _SPEND[1]),
    Table(
        "serving_apis",
        "The same traffic bought from an API",
        API_LINES,
        (MODELS, APIS),
        from_models(
            *("replica_accelerators", "replica_requests", "serving_cost_per_month", "prompt_accelerator_seconds")
        ),
    ),
    Table(
        "serving_nearest",
        "Published measurements like this plan",
        NEAREST_LINES,
        (MODELS, MEASURED),
        (
            Link(
                "own_throughput",
                MODELS_TABLE,
                "max_output_tokens_per_second_per_accelerator",
                title="Throughput at maximum load",
            ),
            Link("least_distance", MODELS_TABLE, "nearest_distance", title="Distance of the nearest"),
        ),
    ),
)
"""Tables of the question, next to Models."""

NEAREST = (
    Line(
        "nearest_distance",
        "smallest_distance",
        "ratio",
        title="Distance of the nearest measurement",
        source="Least of the table of measurements",
    ),
    Line(
        "measured_ratio",
        "ratio_of_nearest",
        "ratio",
        title="Throughput over the nearest measurement",
        about="At maximum load, in proportion to active parameters and peak",
        source="Table of measurements",
    ),
)
NEAREST_LINKS = (
    Link("smallest_distance", "serving_nearest", "measured_distance", "min", "Distance of the nearest measurement"),
    Link("ratio_of_nearest", "serving_nearest", "nearest_ratio", "max", "Throughput over the nearest measurement"),
)
"""What the table of measurements says of each model."""
