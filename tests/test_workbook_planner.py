"""What About and Models tell a planner: the compute that fits the models, and each model's range of cost and days."""

import openpyxl
import pytest
from msgspec.structs import replace
from samples import CONFIGS

from flopsheet.configs.inputs import read_inputs
from flopsheet.export.workbook import write_workbook
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.making import make_plan
from flopsheet.planning.prices import day_collected
from flopsheet.planning.remarks import note_assumed

HOST = load()


def plan_of(*names, **inputs):
    """Return a plan of example configs."""
    models, portfolios = read_inputs(HOST, [str(CONFIGS / name / "config.json") for name in names])
    return make_plan(HOST, cost_all(HOST, models), portfolios, inputs=inputs)


def written(plan, path):
    """Return a plan's workbook with the values in its cells."""
    write_workbook(plan, path)
    return openpyxl.load_workbook(path, data_only=True, read_only=True)


def named(book, name):
    """Return the value of a named cell."""
    ((sheet, place),) = book.defined_names[name].destinations
    return book[sheet][place].value


ANSWERS = {
    "dense": (("gpt2-xl",), "{dense} ZFLOP · "),
    "mixture": (("Mixtral-8x7B",), "{sparse} ZFLOP (mixtures of experts) · "),
    "both": (
        ("gpt2-xl", "Mixtral-8x7B"),
        "{dense} ZFLOP for dense models or {sparse} ZFLOP for mixtures of experts · ",
    ),
}


@pytest.mark.parametrize(("names", "start"), ANSWERS.values(), ids=ANSWERS)
def test_the_answer_is_the_compute_that_fits_the_models(tmp_path, names, start):
    """Mixtures of experts reach a lower MFU, so that the cluster computes less for them."""
    plan = plan_of(*names)
    flop = {"dense": plan.cluster["base"]["budget_flop"], "sparse": plan.cluster["base"]["budget_flop_sparse"]}
    shown = {kind: f"{float(f'{number / 10**21:.3g}'):,.0f}" for kind, number in flop.items()}
    book = written(plan, tmp_path / "plan.xlsx")
    assert named(book, "out_answer").startswith(start.format(**shown))


def test_models_show_cost_and_days_in_every_case_and_the_window(tmp_path):
    """Low cost, Base and High cost stand side by side; the total of all models is compared with the plan's days."""
    plan = plan_of("Mixtral-8x7B", accelerators=512, days=30)
    book = written(plan, tmp_path / "plan.xlsx")
    header, row = (list(cells) for cells in book["Models"].iter_rows(min_row=5, max_row=6, values_only=True))
    for case in CASES:
        result = plan.training(plan.costed[0], case)
        assert row[header.index(f"Cost: {TITLES[case]} (USD m)")] == pytest.approx(result["training_cost"] / 1e6)
        assert row[header.index(f"Days: {TITLES[case]}")] == pytest.approx(result["training_days"])
    assert named(book, "out_together").endswith("longer than the 30-day window")


GIVEN = {
    "nothing": (
        {},
        f"assumed H100 SXM5 80GB, 1,024 accelerators, 90 days, prices as of {day_collected()}; ",
    ),
    "a count": ({"accelerators": 8}, f"assumed H100 SXM5 80GB, 90 days, prices as of {day_collected()}; set "),
    "days": ({"days": 8}, f"assumed H100 SXM5 80GB, 1,024 accelerators, prices as of {day_collected()}; set "),
    "a day": ({"report_date": "2027-01-31", "days": 8}, "assumed H100 SXM5 80GB, 1,024 accelerators; set accel"),
    "a quote": ({"price_per_hour": 2, "days": 8}, "assumed H100 SXM5 80GB, 1,024 accelerators; set accelerator, "),
    "dates": (
        {"start": "2027-01-01", "end": "2027-02-01"},
        "assumed H100 SXM5 80GB, 1,024 accelerators, prices as of",
    ),
}


@pytest.mark.parametrize(("inputs", "start"), GIVEN.values(), ids=GIVEN)
def test_every_part_of_the_cluster_that_nobody_gave_is_said(inputs, start):
    """One of accelerator, count and days does not vouch for the others."""
    models, _ = read_inputs(HOST, [str(CONFIGS / "gpt2-xl" / "config.json")])
    plan = make_plan(HOST, cost_all(HOST, models), inputs=inputs)
    given = tuple(("--input", f"{name}={value}") for name, value in inputs.items())
    assert note_assumed(replace(plan, options=given)).startswith(start)
