"""A log of your own training steps, and the efficiencies that a stack of your own has by it."""

from __future__ import annotations

from math import inf
from statistics import median
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.errors import FlopsheetError, UsageError
from flopsheet.host.loading import load
from flopsheet.planning.calibration_fit import TimedStep, find_determined, fit_efficiencies
from flopsheet.planning.own_rows import csv_rows
from flopsheet.planning.registry import all_inputs
from flopsheet.units.numbers import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

CONFIG, SECONDS, STACK = "config", "seconds", "stack"
OWN = "own"
"""The stack that a calibration describes."""
EFFICIENCIES = (
    *("matmul_efficiency", "core_efficiency", "own_between", "own_inside", "link_efficiency", "exposed_share"),
)
"""What is fitted, where the steps depend on it."""


class Calibration(Struct, frozen=True):
    """What steps say of a stack: the efficiencies that they determine, those that they do not, and each step's times.

    `steps` are the seconds that were timed, and those predicted before and after.
    """

    values: Mapping[str, float]
    without_effect: Sequence[str]
    steps: Sequence[tuple[float, float, float]]

    @property
    def off(self) -> tuple[float, float]:
        """The median error of the times before and after."""
        before, after = ([abs(step[place] / step[0] - 1) for step in self.steps] for place in (1, 2))
        return median(before), median(after)


def read_log(path: Path) -> list[TimedStep]:
    """Return the steps of a csv file; UsageError names the column, or the line and what is wrong with it.

    Each row has a config, its path from the file's folder, the seconds of a step, and any inputs and dimensions of the
    workload by their names: accelerator, accelerators, tensor_parallel, micro_batch, seq_len and others.
    """
    rows = csv_rows(path)
    missing = [name for name in (CONFIG, SECONDS) if name not in (rows[0] if rows else ())]
    if missing:
        columns = (
            f"{CONFIG}, {SECONDS}, and inputs by their names, such as accelerator, accelerators, micro_batch, seq_len"
        )
        what = f"no column {' and '.join(missing)}" if rows else "no rows below a header"
        raise UsageError(f"{path}: {what}; expected a header row with {columns}")
    return [_step(path, place, row) for place, row in enumerate(rows, 2)]


def _step(path: Path, place: int, row: Mapping[str, str]) -> TimedStep:
    where = f"{path}, line {place}"
    values = {name: number(text) for name, text in row.items() if name and text}
    config, seconds = values.pop(CONFIG, ""), values.get(SECONDS)
    if isinstance(seconds, str | None) or not 0 < seconds < inf:
        raise UsageError(f"{where}: {SECONDS} = {row[SECONDS]!r}; a number above 0 is expected, such as 1.85")
    if STACK in values:
        raise UsageError(f"{where}: {STACK} = {values[STACK]!r}; leave the column out: the stack is what is calibrated")
    try:
        return TimedStep({**values, "model": path.parent / str(config), STACK: OWN})
    except FlopsheetError as error:
        raise UsageError(f"{where}: {error}") from None


def calibrate(steps: Sequence[TimedStep], efficiencies: Sequence[str] = EFFICIENCIES) -> Calibration:
    """Return the efficiencies that come closest to timed steps, from the plan's own on. It needs SciPy."""
    start = {name: steps[0].known[name] for name in efficiencies}
    names = [*find_determined(steps, start)]
    inputs = all_inputs(load())
    shares = [name for name in names if inputs[name].kind == "share"]
    result = fit_efficiencies(steps, {name: start[name] for name in names}, shares=shares)
    times = [(step.seconds, step.predict_time(start), step.predict_time({**start, **result})) for step in steps]
    return Calibration(result, [name for name in efficiencies if name not in names], times)


def as_inputs(name: str, result: Calibration, what: Mapping[str, str]) -> Iterator[str]:
    """Give the lines of a portfolio that say what a file found, with each time before and after; `what` comes first."""
    before, after = result.off
    yield "[inputs]"
    yield f"# {len(result.steps)} times of {name}: median error {before:.1%} before, {after:.1%} after"
    for seconds, was, now in result.steps:
        yield f"#   {seconds:.4g} s timed, {was:.4g} predicted before, {now:.4g} after"
    if result.without_effect:
        yield f"# these times do not depend on {', '.join(result.without_effect)}"
    yield from (f'{name} = "{word}"' for name, word in what.items())
    yield from (f"{name} = {value!r}" for name, value in result.values.items())
