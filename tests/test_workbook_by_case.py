"""Figures of a workbook in every case: each follows an edit of any case, whichever case is shown."""

import judges
import pytest
from msgspec.structs import replace
from planner import Planner
from samples import CONFIGS

from flopsheet.configs.inputs import read_inputs
from flopsheet.export.layout.spec import figure_name
from flopsheet.export.workbook import write_workbook
from flopsheet.export.workbook.by_case import MOST_MODELS, follows
from flopsheet.export.workbook.figures import figure_key, unit_of
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import BUNDLED
from flopsheet.planning.registry import program as program_of
from flopsheet.units.readable import size

EDITS = {
    ("price_per_hour", "high"): 9,
    ("price_per_hour", "low"): 0.5,
    ("mfu", "base"): 0.3,
    ("accelerators", "high"): 2048,
    ("peak_to_mean", "low"): 1.5,
    ("matmul_efficiency", "high"): 0.5,
    ("output_tokens", "base"): 700,
    ("wacc", "high"): 0.2,
    ("research_multiplier", "low"): 0.5,
    ("memory_usable", "high"): 0.8,
    ("program_months", "base"): 4,
    ("serving_months", "low"): 5,
    ("serving_months", "base"): 6,
}
"""What a planner types into one case of an input: Base is shown."""


def plan_of(*names):
    """Return the plan of some of the example configs that asks every question."""
    host = load()
    result, portfolios = read_inputs(host, [str(CONFIGS / name) for name in names])
    given = {"accelerators": 1024, "days": 90}
    return make_plan(host, cost_all(host, result), portfolios, inputs=given, questions=BUNDLED)


def edited(plan, edits):
    """Return a plan with other values in some cases of its inputs; its layouts stay.

    Without a range the other cases follow Base.
    """
    drivers = {one.name: one for one in plan.drivers}
    for (name, case), value in edits.items():
        one = drivers[name]
        ends = ("low", "base", "high") if case == "base" and one.low == one.high else (one.end(case),)
        drivers[name] = replace(one, **dict.fromkeys(ends, value))
    return replace(plan, drivers=tuple(drivers.values()))


def figures(plan):
    """Give the cell of each figure in each case, by name, with its number in the unit of the plan as delivered."""
    for answer in plan.answers():
        key = figure_key(answer.question, answer.figure)
        for case in CASES:
            yield figure_name(case, key), answer, answer.numbers[case]


@judges.needs_soffice
def test_figures_follow_edits_of_any_case(tmp_path):
    """LibreOffice finds in every cell of a case what a plan with those inputs has, and no error where months go."""
    plan = plan_of("Llama-3.1-8B", "Mixtral-8x7B")
    write_workbook(plan, tmp_path / "plan.xlsx")
    planner = Planner(tmp_path)
    for (name, case), value in EDITS.items():
        planner.cell("drivers", name, TITLES[case]).value = value
    planner.save()
    names = {name: next(iter(one.destinations)) for name, one in planner.book.defined_names.items()}
    (result,) = judges.calculated([tmp_path / "plan.xlsx"], tmp_path / "out")
    units = {name: size(unit_of(answer), answer.unit) for name, answer, _ in figures(plan)}
    wanted = {name: float(number) / units[name] for name, _, number in figures(edited(plan, EDITS))}
    cells = {
        name: judges.number(result[sheet, at.replace("$", "")]) for name, (sheet, at) in names.items() if name in wanted
    }
    assert [at for at, text in result.items() if text.startswith(("#", "Err:"))] == []
    assert cells == {name: pytest.approx(number, rel=1e-9) for name, number in wanted.items()}
    assert wanted != {name: float(number) / units[name] for name, _, number in figures(plan)}


def test_every_figure_of_the_bundled_questions_follows():
    """In a batch of many models only those do that the decision reads in each case; the others are as delivered."""
    program = program_of(load())
    assert [figure.name for _, figure in program.figures if not follows(program, figure, MOST_MODELS)] == []
    beyond = [figure.table for _, figure in program.figures if follows(program, figure, MOST_MODELS + 1)]
    assert {*beyond} == {"cases", "models", "programme"}
