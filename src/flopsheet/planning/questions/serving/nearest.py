"""Published measurements: which is most like a model's plan, and how far the plan is from it."""

from collections.abc import Mapping
from typing import Any

from flopsheet.accounting.line import Line
from flopsheet.planning.catalog import accelerators
from flopsheet.planning.datafiles import data_rows, data_value
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table

_MEASURED = data_rows("serving_measurements", "measurements")


def _measurement_row(row: Mapping[str, Any]) -> dict[str, float]:
    return {
        "measured_active": data_value("serving_measurements", "active")[row["model"]],
        "measured_input": row["input_tokens"],
        "measured_output": row["output_tokens"],
        "measured_peak": accelerators()[row["accelerator"]].peak_tflops,
        "measured_bandwidth": accelerators()[row["accelerator"]].bandwidth_tbs,
        "measured_throughput": row["throughput"],
    }


MEASURED = Rows(
    "measurement",
    "Measurement",
    values=tuple({"measurement": place} | _measurement_row(row) for place, row in enumerate(_MEASURED, 1)),
    labels=tuple(
        f"{row['model']}, {row['accelerator']} {row['weight_precision']}, {row['input_tokens']}/{row['output_tokens']}"
        f" (row {place})"
        for place, row in enumerate(_MEASURED, start=1)
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
        "log_bandwidth",
        "log(bandwidth_tbs / measured_bandwidth)",
        "ratio",
        title="Memory bandwidth, logarithm of the ratio",
        source="Accelerators of plan and measurement",
    ),
    Line(
        "measured_distance",
        "max(log_active, -log_active) + max(log_input, -log_input) + max(log_output, -log_output)"
        " + max(log_peak, -log_peak) + max(log_bandwidth, -log_bandwidth)",
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

NEAREST_TABLE = Table(
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
)

NEAREST = (
    Line(
        "nearest_distance",
        "smallest_distance",
        "ratio",
        title="Distance of the nearest measurement",
        source="Lowest of the table of measurements",
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
