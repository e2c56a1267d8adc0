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


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_numpy_computes_what_exact_arithmetic_does(path):
    """In every line, row and case, as delivered."""
    plan = planned(path)
    swept = Swept(plan, {case: plan.case(case) for case in plan.cases})
    assert len(swept.columns) == len(plan.program.order)
    assert [swept.differing(plan.run(case), at) for at, case in enumerate(plan.cases)] == [[]] * len(plan.cases)


@pytest.mark.parametrize("state", ["passes", "fails"])
def test_numpy_computes_every_question(tmp_path, state):
    """Of models with inputs of their own, with pairs of models, rows that searches found, and links to other cases."""
    plan = planned(portfolio(tmp_path, state))
    swept = Swept(plan, {case: plan.case(case) for case in plan.cases})
    assert [swept.differing(plan.run(case), at) for at, case in enumerate(plan.cases)] == [[]] * len(plan.cases)


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_numpy_follows_inputs_to_their_ends(path):
    """Each line changes alike where an input is at its lowest or highest in every case."""
    plan, drawn = planned(path), random.Random(path.stem)  # noqa: S311 - which inputs a test tries is no secret
    for one in drawn.sample([driver for driver in plan.drivers if driver.low != driver.high], ENDS):
        runs = at_end(plan, one, drawn.choice(["low", "high"]))
        swept = Swept(plan, {case: run.inputs for case, run in runs.items()})
        assert (one.name, [swept.differing(run, at) for at, run in enumerate(runs.values())]) == (
            one.name,
            [[]] * len(runs),
        )


@needs_node
@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_the_pages_script_computes_what_exact_arithmetic_does(path, tmp_path):
    """Every figure, check and line, as delivered and with an input at one of its ends in every case."""
    plan, drawn = planned(path), random.Random(path.stem)  # noqa: S311 - see above
    movers = drawn.sample([driver for driver in plan.drivers if driver.low != driver.high], ENDS)
    edits = [{case: plan.run(case) for case in plan.cases}]
    edits += [at_end(plan, one, drawn.choice(["low", "high"])) for one in movers]
    documents = in_javascript(plan, [{case: run.inputs for case, run in edit.items()} for edit in edits], tmp_path)
    for edit, document in zip(edits, documents, strict=True):
        assert [differing_script(run, one) for run, one in zip(edit.values(), document, strict=True)] == [[]] * len(
            edit
        )


@needs_node
@pytest.mark.parametrize("state", ["passes", "fails"])
def test_the_pages_script_computes_every_question(tmp_path, state):
    """Of models with inputs of their own, pairs of models, rows that searches found, and links to other cases."""
    plan = planned(portfolio(tmp_path, state))
    runs = {case: plan.run(case) for case in plan.cases}
    (document,) = in_javascript(plan, [{case: run.inputs for case, run in runs.items()}], tmp_path)
    assert [differing_script(run, one) for run, one in zip(runs.values(), document, strict=True)] == [[]] * len(runs)


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
