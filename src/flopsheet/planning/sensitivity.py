"""What one input at a time changes: the lines of a case with each input at its two ends, all others live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.planning.inputs import TITLES
from flopsheet.planning.question import CASES_TABLE

if TYPE_CHECKING:
    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.run import Run

SIDES = {1: TITLES["low"], 3: TITLES["high"]}
"""The places of an input's cases that are tried."""


@dataclass(frozen=True)
class Case:
    """All inputs and what they buy: a scenario, or the live one with the input `changed` at the case `side`."""

    label: str
    scenario: int
    changed: str
    side: int
    drivers: dict[str, Number]
    results: dict[str, Number]
    links: dict[str, Number]


def cases(plan: Plan) -> list[Case]:
    """Return the scenarios, the live one, and the live one with one input after the other at its two ends."""
    runs = [(plan.titles[case], at, plan.run(case)) for at, case in enumerate(plan.cases, 1)]
    live = plan.cases.index(plan.scenario) + 1
    runs.append(("Live", live, plan.run(plan.scenario)))
    found = [_case(label, at, "", 0, run) for label, at, run in runs]
    for one in plan.drivers:
        for side, title in SIDES.items():
            run = plan.changed(plan.scenario, {one.name: one.cases[side - 1]})
            found.append(_case(f"{one.title}: {title}", live, one.name, side, run))
    return found


def _case(label: str, scenario: int, changed: str, side: int, run: Run) -> Case:
    links = {link.name: run.linked(CASES_TABLE, link)[0] for link in run.program.tables[CASES_TABLE].links}
    return Case(label, scenario, changed, side, dict(run.inputs), run.single(CASES_TABLE), links)
