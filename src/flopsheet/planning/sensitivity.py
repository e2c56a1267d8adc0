"""What one input at a time changes: the cluster's lines with each driver at its Low and High, all others live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.planning.budget import CLUSTER_LINES
from flopsheet.planning.plan import CASES, evaluate

if TYPE_CHECKING:
    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan

OUTPUT = "compute_price"
"""The line of the cluster whose changes are shown as delivered: it answers to hardware, efficiency and price alike."""
SIDES = {1: "Low", 3: "High"}
"""The places of a driver's cases that are tried."""


@dataclass(frozen=True)
class Case:
    """All drivers and what they buy: a scenario, or the live one with the driver `changed` at the case `side`."""

    label: str
    scenario: int
    changed: str
    side: int
    drivers: dict[str, Number]
    results: dict[str, Number]


def cases(plan: Plan) -> list[Case]:
    """Return the scenarios, the live one, and the live one with one driver after the other at Low and High."""
    found = [_case(plan, case.capitalize(), case) for case in CASES]
    found.append(_case(plan, "Live", plan.scenario))
    for driver in plan.drivers:
        changes = [(f"{driver.title}: {label}", driver.name, side) for side, label in SIDES.items()]
        found += [_case(plan, label, plan.scenario, changed, side) for label, changed, side in changes]
    return found


def _case(plan: Plan, label: str, scenario: str, changed: str = "", side: int = 0) -> Case:
    drivers = plan.case(scenario)
    if changed:
        drivers[changed] = plan.case(CASES[side - 1])[changed]
    return Case(label, CASES.index(scenario) + 1, changed, side, drivers, evaluate(CLUSTER_LINES, drivers))
