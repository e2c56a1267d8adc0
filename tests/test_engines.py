"""One compiled plan, several engines: each line has the same number in exact arithmetic, NumPy and LibreOffice."""

import random
from pathlib import Path

import judges
import pytest
from asking import portfolio
from engines import Swept, at_end, differing_script, in_javascript, needs_node
from recalculated import differing
from samples import planned

PORTFOLIOS = Path(__file__).parent / "data" / "portfolios"
EXAMPLES = Path(__file__).parent.parent / "examples" / "portfolios"
EVERY = sorted([*PORTFOLIOS.glob("*.toml"), *EXAMPLES.glob("*.toml")])
ENDS = 3
"""Inputs that a test moves to one of their ends, drawn anew for each portfolio."""


@pytest.fixture(scope="module", params=[*EVERY, "passes", "fails"], ids=lambda one: getattr(one, "stem", one))
def moved(request, tmp_path_factory):
    """Return a plan and its exact runs in every case: as delivered, and with inputs at one of their ends.

    The last two ask every question, of models with inputs of their own, pairs of models, rows that searches found, and
    links to other cases; all their checks pass, or some fail.
    """
    path = request.param if request.param in EVERY else portfolio(tmp_path_factory.mktemp("every"), request.param)
    plan, drawn = planned(path), random.Random(path.stem)  # noqa: S311 - which inputs are moved is no secret
    ranged = [driver for driver in plan.drivers if driver.low != driver.high]
    movers = drawn.sample(ranged, ENDS if path in EVERY else 0)
    ends = {one.name: at_end(plan, one, drawn.choice(["low", "high"])) for one in movers}
    return plan, {"as delivered": {case: plan.run(case) for case in plan.cases}, **ends}


def test_numpy_computes_what_exact_arithmetic_does(moved):
    """In every line, row and case."""
    plan, edits = moved
    for edit, runs in edits.items():
        swept = Swept(plan, {case: run.inputs for case, run in runs.items()})
        assert len(swept.columns) == len(plan.program.order)
        results = {case: swept.differing(run, at) for at, (case, run) in enumerate(runs.items())}
        assert (edit, results) == (edit, {case: [] for case in runs})


@needs_node
def test_the_pages_script_computes_what_exact_arithmetic_does(moved, tmp_path):
    """Every figure, check and line."""
    plan, edits = moved
    inputs = [{case: run.inputs for case, run in runs.items()} for runs in edits.values()]
    for (edit, runs), document in zip(edits.items(), in_javascript(plan, inputs, tmp_path), strict=True):
        results = [differing_script(run, one) for run, one in zip(runs.values(), document, strict=True)]
        assert (edit, results) == (edit, [[]] * len(runs))


@pytest.mark.slow
@judges.needs_soffice
@pytest.mark.parametrize("case", ["base", "high"])
def test_libreoffice_follows_inputs_to_their_ends(tmp_path, case):
    """Every line has the number of a plan with a third of the inputs at one of their ends."""
    plan, drawn = planned(PORTFOLIOS / "q1.toml").show_case(case), random.Random(case)  # noqa: S311 - see above
    ranged = [driver.name for driver in plan.drivers if driver.low != driver.high]
    ends = {name: drawn.choice(["low", "high"]) for name in drawn.sample(ranged, len(ranged) // 3)}
    result, cells = differing(plan, ends, tmp_path)
    assert cells > 1_000
    assert result == []
