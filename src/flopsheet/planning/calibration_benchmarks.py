"""What a load generator measured of a server, and the efficiencies of serving that come closest to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.errors import FlopsheetError, UsageError
from flopsheet.planning.calibration_fit import Timed, TimedStep
from flopsheet.planning.datafiles import data_rows
from flopsheet.planning.question import MODELS_TABLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EFFICIENCIES = (
    *("read_efficiency", "layer_overhead_us", "product_efficiency", "served_expert_efficiency"),
    *("served_traffic_passes", "served_core_efficiency", "served_link_efficiency"),
)
"""What is fitted, where the measurements depend on it."""
BETWEEN, FIRST = (Timed("serving", MODELS_TABLE, line) for line in ("itl_seconds", "ttft_seconds"))
WHAT = ("requests_per_second", "input_tokens", "output_tokens", "ttft_ms", "itl_ms")


def read_benchmark(path: Path, inputs: Mapping[str, Any]) -> list[TimedStep]:
    """Return the times to the first token and between tokens of each run in a JSON file.

    `inputs` is what the file does not say: `model`, a config, and inputs of the replica. UsageError says what lacks.
    """
    try:
        content = parse_json(read_bytes(path), path)
    except FlopsheetError as error:
        raise UsageError(str(error)) from None
    results = [
        (form, run) for form in data_rows("benchmarks") for run in _runs(content, form) if _at(run, form["known_by"])
    ]
    if not results:
        names = ", ".join(form["name"] for form in data_rows("benchmarks"))
        raise UsageError(f"{path}: no result of a load test; what {names} write is read")
    return [
        step
        for place, (form, run) in enumerate(results, 1)
        for step in _steps(f"{path}, run {place}", form, run, inputs)
    ]


def _runs(content: Mapping[str, Any], form: Mapping[str, str]) -> list[Any]:
    runs = content.get(form["runs"], []) if "runs" in form else [content]
    return runs if isinstance(runs, list) else []


def _steps(where: str, form: Mapping[str, str], run: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[TimedStep]:
    numbers = {name: _at(run, form[name]) for name in WHAT}
    missing = [form[name] for name, number in numbers.items() if not number]
    if missing:
        raise UsageError(f"{where}: no {' and no '.join(missing)} of {form['name']}")
    rate, prompt, output, first, between = numbers.values()
    under_way = rate * (first + (output - 1) * between) / 1000  # Little's law
    row = {
        "input_tokens": round(prompt),
        "output_tokens": round(output),
        "concurrency": max(round(under_way), 1),
        **inputs,
    }
    try:
        return [
            TimedStep({**row, "seconds": milliseconds / 1000}, what)
            for what, milliseconds in ((BETWEEN, between), (FIRST, first))
        ]
    except FlopsheetError as error:
        raise UsageError(f"{where}: {error}") from None


def _at(run: Any, place: str) -> float:
    """Return the number at a place of a run, 0 where there is none."""
    parts = [_number(run, part) for part in place.split(" / ")]
    return parts[0] / parts[1] if len(parts) > 1 and parts[1] else parts[0]


def _number(run: Any, place: str) -> float:
    for name in place.split("."):
        run = run.get(name) if isinstance(run, dict) else None
    return float(run) if isinstance(run, int | float) and not isinstance(run, bool) and run > 0 else 0.0
