"""Efficiencies of training, fitted to steps that were timed: published ones, or your own."""

from __future__ import annotations

import math
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.needed_lines import needed_lines
from flopsheet.accounting.nonumber import no_number
from flopsheet.errors import FlopsheetError
from flopsheet.planning.calibration_steps import plan_step
from flopsheet.planning.question import MODELS_TABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan


class Timed(Struct, frozen=True):
    """What was timed: a line of a question's table, and another one that is 0 of what cannot have run."""

    question: str
    table: str
    line: str
    possible: str = ""


STEP = Timed("training", MODELS_TABLE, "step_seconds", "layout_divides")
ROLLOUTS = Timed("reinforcement", "reinforcement", "rl_step_seconds")
PRIOR = 0.4
"""Weight of staying at the start, per natural logarithm: what the steps do not determine stays there."""
TURNS = 0.1
"""Error from which a step pulls in proportion, and no longer by its square."""


class TimedStep:
    """A step that was timed, in seconds, with every number that the line of its time reads."""

    def __init__(self, row: Mapping[str, Any], what: Timed = STEP) -> None:
        """Evaluate what does not depend on the efficiencies, once; FlopsheetError says why a model has no count."""
        plan = plan_step(row, what.question)
        if not plan.costed:
            raise FlopsheetError("; ".join(str(problem) for problem in plan.models[0].problems))
        run = plan.run("base")
        numbers = run.first(what.table, [name for name in (what.line, what.possible) if name])
        lacking = no_number(numbers[what.line])
        if lacking is not None:
            raise FlopsheetError(f"{what.line} has no number: {lacking.why}")
        if not numbers.get(what.possible, 1):
            raise FlopsheetError(f"{what.possible} is 0: heads, layers, experts, accelerators or batch are not divided")
        lines = tuple((line.name, line.formula) for line in needed_lines(plan.program.lines(what.table), [what.line]))
        self.seconds, self.line, self.lines = float(row["seconds"]), what.line, _read(lines)
        facts = {name: 0 for text in self.lines.formulas.values() for name in text.names}
        result = {**facts, **dict(plan.costed[0].numbers.items()), **run.scope, **_read_links(plan, what.table)}
        self.known = {name: float(value) if no_number(value) is None else 0.0 for name, value in result.items()}

    def predict_time(self, efficiencies: Mapping[str, float]) -> float:
        """Return the time in seconds under some efficiencies; the others are the plan's."""
        return float(self.lines.evaluate({**self.known, **efficiencies})[self.line])

    def error(self, efficiencies: Mapping[str, float]) -> float:
        """Return how far the prediction is off: the logarithm of its ratio to the time."""
        return math.log(self.predict_time(efficiencies) / self.seconds)


def _read_links(plan: Plan, table: str) -> dict[str, Number]:
    """Return what the first row of a table reads of others; it does not depend on the efficiencies of the table."""
    run, links = plan.run("base"), plan.program.tables[table].links
    return {link.name: run.evaluate_link(table, link)[0] for link in links if table != MODELS_TABLE}


@cache
def _read(lines: tuple[tuple[str, str], ...]) -> formula.Steps:
    return formula.Steps({name: formula.read(text) for name, text in lines})


def fit_efficiencies(
    steps: Sequence[TimedStep],
    start: Mapping[str, float],
    constants: Mapping[str, float] = MappingProxyType({}),
    shares: Collection[str] = (),
) -> dict[str, float]:
    """Return the efficiencies that come closest to the steps, but the fixed ones; steps that are far off pull less.

    Those that are `shares` stay at 1 or below.

    It needs SciPy, an ImportError where that is missing.
    """
    import numpy as np  # noqa: PLC0415 - only fits need it
    from scipy.optimize import least_squares  # noqa: PLC0415 - same reason

    free = {name: value for name, value in start.items() if name not in constants}
    origin = np.log([*free.values()])

    def errors(point: NDArray[np.float64]) -> NDArray[np.float64]:
        result = {**dict(zip(free, np.exp(point), strict=True)), **constants}
        return np.array([*(step.error(result) for step in steps), *(PRIOR * (point - origin))])

    most = [0.0 if name in shares else math.inf for name in free]
    best = least_squares(errors, origin, bounds=(-math.inf, most), loss="soft_l1", f_scale=TURNS, diff_step=1e-4)
    return {name: float(f"{value:.4g}") for name, value in zip(free, np.exp(best.x), strict=True)}


def find_determined(steps: Sequence[TimedStep], efficiencies: Mapping[str, float]) -> Iterator[str]:
    """Give the efficiencies on which the time of a step depends: a tenth more changes it by a thousandth at least."""
    for name, value in efficiencies.items():
        trials = ({**efficiencies, name: value * 1.1} for _ in steps)
        changes = (abs(step.error(more) - step.error(efficiencies)) for step, more in zip(steps, trials, strict=True))
        if max(changes) > 1e-3:  # noqa: PLR2004 - what the docstring says
            yield name
