"""What serving would cost with prefill on accelerators of its own, where the plan does not have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import no_number
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.trials import trial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import FoundRow

APART, COST = "disaggregated", "usd_per_mtok_blended"
WORTH = 0.05
"""From which share of the cost on a note says what is saved."""


def prefill_apart(plan: Plan) -> Iterator[str]:
    """Say of which models tokens would cost less with prefill apart, and on which layout; the targets are met by it."""
    run = plan.run(plan.scenario)
    if "serving" not in {question.name for question in plan.program.questions} or plan.case(plan.scenario)[APART]:
        return
    costs = run.table(MODELS_TABLE).columns[COST]
    for place, cost in enumerate(costs):
        if no_number(cost) is not None or not cost or APART in plan.costed[place].model.drivers:
            continue
        best = _best(plan, place)
        if best and (saving := 1 - _cost(plan, place, best) / float(cost)) >= WORTH:
            yield (
                f"{plan.costed[place].name}: tokens cost {saving:.0%} less with prefill on accelerators of its own, on"
                f" {best.label}; set disaggregated = 1 under [serving]"
            )


def _best(plan: Plan, place: int) -> FoundRow | None:
    """Return the cheapest layout with prefill apart that meets every target, if one does."""
    from flopsheet.planning.questions.serving.search import REPLICAS_TABLE, replicas  # noqa: PLC0415 - as its question

    run = plan.run(plan.scenario)
    scope, model = {**run.scope, APART: 1}, run.models[place]
    tester = trial(plan.program, REPLICAS_TABLE, scope, model)
    result = replicas(plan.program, scope, model)[1:]
    return next((row for row in result if tester.lines(("targets_met",), row.numbers)["targets_met"]), None)


def _cost(plan: Plan, place: int, layout: FoundRow) -> float:
    inputs = {**plan.case(plan.scenario), **layout.numbers, APART: 1}
    return float(plan.alone(plan.costed[place], inputs, [COST])[COST])
