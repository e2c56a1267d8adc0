"""What inputs change: the lines of a case with each input at its two ends, and with two inputs moved together."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.question import CASES_TABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.run import Run

SIDES = {1: TITLES["low"], 3: TITLES["high"]}
"""The places of an input's cases that are tried."""
POINTS = 5
"""The points of an input that a grid tries: even steps from Low cost to High cost."""


class Case(Struct, frozen=True):
    """All inputs and what they buy: a scenario, or the live one with inputs changed.

    `side` is the place at which `changed` is among the cases of an input and, behind them, its points. In a row of
    the grid, `across_side` is that of the second input.
    """

    label: str
    scenario: int
    changed: str
    side: int
    drivers: dict[str, Number]
    results: dict[str, Number]
    links: dict[str, Number]
    across_side: int = 0


def cases(plan: Plan, movers: Sequence[Assumption], axes: tuple[Assumption, Assumption]) -> list[Case]:
    """Return the scenarios, the live one, it with each mover at its two ends, and with two inputs at all points."""
    runs = [(plan.titles[case], at, plan.run(case)) for at, case in enumerate(plan.cases, 1)]
    live = plan.cases.index(plan.scenario) + 1
    runs.append(("Live", live, plan.run(plan.scenario)))
    results = [_case(label, at, "", 0, run) for label, at, run in runs]
    for mover in movers:
        for side, title in SIDES.items():
            run = plan.run_changed(plan.scenario, {mover.name: mover.cases[side - 1]})
            results.append(_case(f"{mover.title}: {title}", live, mover.name, side, run))
    return results + _grid(plan, axes, live)


def points(item: Assumption) -> list[Number]:
    """Return the values of an input at even steps from Low cost to High cost; of a choice whole places."""
    low, high = Fraction(item.cases[0]), Fraction(item.cases[len(CASES) - 1])
    steps = [low + (high - low) * Fraction(place, POINTS - 1) for place in range(POINTS)]
    return [(step + Fraction(1, 2)).__floor__() for step in steps] if item.input.labels else list(steps)


def _grid(plan: Plan, axes: tuple[Assumption, Assumption], live: int) -> list[Case]:
    down, across = axes
    first = len(plan.cases) + 1
    results = []
    for (row, one), (column, other) in product(enumerate(points(down)), enumerate(points(across))):
        run = plan.run_changed(plan.scenario, {down.name: one, across.name: other})
        label = f"Grid, {row + 1} down, {column + 1} across"
        results.append(replace(_case(label, live, "", first + row, run), across_side=first + column))
    return results


def _case(label: str, scenario: int, mover: str, side: int, run: Run) -> Case:
    links = {link.name: run.evaluate_link(CASES_TABLE, link)[0] for link in run.program.tables[CASES_TABLE].links}
    return Case(label, scenario, mover, side, dict(run.inputs), run.single(CASES_TABLE), links)
