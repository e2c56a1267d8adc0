"""What published training runs say of MFU: runs with their hours, and the ranges and defaults that follow from them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from flopsheet.planning.datafiles import data_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal["dense", "sparse"]
KINDS: Mapping[Kind, str] = {"dense": "dense models", "sparse": "mixtures of experts"}
PREFIXES: Mapping[Kind, str] = {"dense": "mfu", "sparse": "mfu_sparse"}
"""How the fields of an accelerator, and the inputs of their names, begin for a kind of model."""
FILE = "published_runs"
GATHERED = "2026-11-21"
"""The day on which runs were last looked for."""
GOODPUT = 0.9
"""What turns the MFU of a whole run into that of a step: the default of the input goodput."""
ENOUGH_TO_RANGE, ENOUGH_TO_DEFAULT = 3, 5
"""Runs of one generation from which its own range is taken, and its own default; all generations otherwise."""
TENTH, MIDDLE, LAST_TENTH = 0.1, 0.5, 0.9


class PublishedRun(Struct, frozen=True):
    """A published training run; see data/published_runs.toml.

    `hours` are accelerator-hours, `peak_tflops` the dense bf16 peak in 1e12 FLOP/s. `reported_mfu` is that of a step,
    0 where none is published. A `flag` says why nothing is calibrated on the run.
    """

    name: str
    kind: Kind
    year: int
    generation: str
    peak_tflops: float
    hours: int
    tokens: int
    training_flops_per_token: int
    reported_mfu: float
    flag: str
    row: Mapping[str, Any]

    @property
    def flop(self) -> int:
        """The training FLOP of the whole run."""
        return self.training_flops_per_token * self.tokens

    @property
    def implied_mfu(self) -> float:
        """The MFU of the whole run, time lost between steps included: its FLOP over what its hours could compute."""
        return self.flop / (self.hours * 3600 * self.peak_tflops * 1e12)


class Evidence(NamedTuple):
    """The value of an input as runs give it: a range in rising order with its source and date."""

    low: float
    base: float
    high: float
    source: str
    date: str


@cache
def published_runs() -> tuple[PublishedRun, ...]:
    """Return every published run with tokens and hours, in the order of the data."""
    return tuple(_run(row) for row in data_rows(FILE, "runs"))


@cache
def evidence(generation: str) -> Mapping[str, Evidence]:
    """Return, by field of an accelerator, the default MFU of a generation and the range that was published."""
    result: dict[str, Evidence] = {}
    for kind, prefix in PREFIXES.items():
        least, most = _range(kind, generation)
        result |= {prefix: _default(kind, generation), f"{prefix}_least": least, f"{prefix}_most": most}
    return result


def _default(kind: Kind, generation: str) -> Evidence:
    """Return the MFU of a step: median, 10th and 90th percentile of whole runs, over the default goodput."""
    runs, text = _choose_runs(kind, generation, ENOUGH_TO_DEFAULT)
    steps = sorted(run.implied_mfu / GOODPUT for run in runs)
    low, base, high = (round(_quantile(steps, share), 2) for share in (TENTH, MIDDLE, LAST_TENTH))
    source = (
        f"Median, 10th and 90th percentile of {text}: the MFU of each whole run over a goodput of {GOODPUT}."
        " docs/calibration.md lists them"
    )
    return Evidence(low, base, high, source, GATHERED)


def _range(kind: Kind, generation: str) -> tuple[Evidence, Evidence]:
    """Return the least MFU of a whole run, and the highest of a run or of a step in a benchmark."""
    runs, text = _choose_runs(kind, generation, ENOUGH_TO_RANGE)
    everywhere = text.endswith(EVERYWHERE)
    steps = [
        row["mfu"]
        for row in data_rows(FILE, "benchmarks")
        if row["kind"] == kind and (everywhere or _parts()[row["accelerator"]]["generation"] == generation)
    ]
    highest = [*(max(run.implied_mfu, run.reported_mfu) for run in runs), *steps]
    least, most = round(min(run.implied_mfu for run in runs), 3), round(max(highest), 3)
    others = f", and of {len(steps)} benchmarks in bf16" if steps else ""
    return (
        Evidence(least, least, least, f"Lowest MFU of {text}, as a whole", GATHERED),
        Evidence(most, most, most, f"Highest MFU of {text}{others}", GATHERED),
    )


EVERYWHERE = "on all accelerators"


def _choose_runs(kind: Kind, generation: str, enough: int) -> tuple[list[PublishedRun], str]:
    """Return the runs of a kind that nothing speaks against, on a generation where it has enough, and what they are."""
    runs = [run for run in published_runs() if run.kind == kind and not run.flag]
    own = [run for run in runs if run.generation == generation]
    result, where = (own, f"on {generation}") if len(own) >= enough else (runs, EVERYWHERE)
    return result, f"{len(result)} published runs of {KINDS[kind]} {where}"


def _run(row: Mapping[str, Any]) -> PublishedRun:
    part = _parts()[row["accelerator"]] if "accelerator" in row else row
    values = {"reported_mfu": 0, "flag": "", **row, **{name: part[name] for name in ("generation", "peak_tflops")}}
    return PublishedRun(row=row, **{name: values[name] for name in PublishedRun.__struct_fields__ if name != "row"})


@cache
def _parts() -> Mapping[str, Mapping[str, Any]]:
    return {row["name"]: row for row in data_rows("accelerators")}


def _quantile(numbers: Sequence[float], share: float) -> float:
    """Return a quantile of sorted numbers, between two of them in proportion."""
    place = (len(numbers) - 1) * share
    below = int(place)
    above = min(below + 1, len(numbers) - 1)
    return numbers[below] + (numbers[above] - numbers[below]) * (place - below)
