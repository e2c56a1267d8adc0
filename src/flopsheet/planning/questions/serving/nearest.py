"""Published measurements: which is most like a model's plan, and how far the plan is from it."""

from collections.abc import Mapping
from typing import Any

from flopsheet.planning.catalog import list_unpriced
from flopsheet.planning.datafiles import data_rows, data_value
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.written_lines import lines_from

_MEASURED = data_rows("serving_measurements", "measurements")


def _measurement_row(row: Mapping[str, Any]) -> dict[str, float]:
    return {
        "measured_active": data_value("serving_measurements", "active")[row["model"]],
        "measured_input": row["input_tokens"],
        "measured_output": row["output_tokens"],
        "measured_peak": list_unpriced()[row["accelerator"]].peak_tflops,
        "measured_bandwidth": list_unpriced()[row["accelerator"]].bandwidth_tbs,
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


NEAREST_LINES = lines_from(__package__, "nearest.toml", "nearest_lines")

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

NEAREST = lines_from(__package__, "nearest.toml", "nearest")
NEAREST_LINKS = (
    Link("smallest_distance", "serving_nearest", "measured_distance", "min", "Distance of the nearest measurement"),
    Link("ratio_of_nearest", "serving_nearest", "nearest_ratio", "max", "Throughput over the nearest measurement"),
)
"""What the table of measurements says of each model."""
