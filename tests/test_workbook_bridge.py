from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flopsheet.configs.inputs import read_inputs
from flopsheet.export.workbook.axes import movers
from flopsheet.export.workbook.bridge import PARAMETERS, TRAINING, choose_model
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.export.workbook.write import load_template
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.units.readable import readable, size
from livesheets.template import read_template

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

CONFIGS = Path(__file__).parent.parent / "examples" / "configs"
HOST = load()


def plan_of(*names: str, questions: tuple[str, ...] = ()) -> Plan:
    """Return the plan of some example configs."""
    models, portfolios = read_inputs(HOST, [str(CONFIGS / name / "config.json") for name in names])
    return make_plan(HOST, cost_all(HOST, models), portfolios, questions=questions)


def filled(plan: Plan, table: str, chosen: dict[str, str] | None = None) -> list[dict]:
    """Return the rows of a shipped table by header, as they are delivered or with other values in named cells."""
    data, name = load_template("plan")
    filler = PlanFiller(plan, read_template(data), data, name)
    filler.named.values.update(chosen or {})
    fill = filler.book.tables[table].with_values()
    headers = [column.header for column in fill.columns]
    return [dict(zip(headers, row, strict=True)) for row in fill.rows]


def parameter_steps(plan: Plan) -> list[dict]:
    """Return the rows of the bridge to the parameters, by header."""
    return filled(plan, "bridge")


MODELS = [
    "gpt2-xl",
    "DeepSeek-V3",
    "mamba-2.8b",
    "mamba2-2.7b",
    "t5-11b",
    "bert-base-uncased",
    "Nemotron-H-56B",
    "rwkv-4-169m",
]


@pytest.mark.parametrize("name", MODELS)
def test_the_steps_add_up_to_the_parameters_of_each_architecture(name):
    """From the rule to the exact number no parameter is missing, to the last one."""
    plan = plan_of(name)
    *steps, exact = parameter_steps(plan)
    assert sum(step["Amount"] for step in steps) == exact["Amount"] == plan.costed[0].totals["parameters"]
    assert steps[-1]["Running"] == exact["Amount"]


def test_steps_that_are_zero_have_no_row():
    """Beside models with other parts, the chosen one has its own steps alone, one after the other."""
    plan = plan_of("DeepSeek-V3", "mamba-2.8b")
    rows = parameter_steps(plan)
    assert all(row["Amount"] for row in rows)
    assert rows[-1]["Kind"] == "exact"
    assert len(filled(plan, "bridge_steps")) > len(rows)


def test_the_rule_starts_with_its_twelve_squares():
    """GPT-2 XL begins at 12 · 48 · 1600², and its attention differs from the rule by its biases alone."""
    rule, attention, *_ = parameter_steps(plan_of("gpt2-xl"))
    assert rule["Amount"] == 12 * 48 * 1600**2
    assert attention["Amount"] == 48 * 4 * 1600
    assert attention["More"] == attention["Amount"] / 1e9


@pytest.mark.parametrize("name", MODELS)
def test_the_steps_add_up_to_the_training_compute(name):
    """The second bridge ends at three times the forward FLOP of all training tokens."""
    plan = plan_of(name)
    *steps, exact = filled(plan, "bridge_training")
    flops = float(plan.training(plan.costed[0], "base")["training_flops"])
    assert sum(step["Amount"] for step in steps) == pytest.approx(flops, rel=1e-12)
    assert exact["Whole"] == pytest.approx(flops / 1e21, rel=1e-12)


def test_each_bar_says_how_much_it_is():
    """What a step adds or takes stands in words under its bar: small ones cannot be read off an axis."""
    rule, attention, *_, exact = parameter_steps(plan_of("gpt2-xl"))
    assert rule["Label"] == "12 · layers · width²: 1.47"
    assert attention["Label"] == "Shape of the attention: +0.00"
    assert exact["Label"] == "Parameters: 1.56"
    *_, less = (row for row in filled(plan_of("DeepSeek-V3"), "bridge_training") if row["Less"])
    assert less["Label"].endswith(f": \N{MINUS SIGN}{less['Less']:,.2f}")


def test_no_bar_hangs_below_the_axis():
    """Stacked columns cannot show a negative base: every step of a waterfall stands on one of at least 0."""
    for name in MODELS:
        assert all(step["Base"] >= 0 for step in parameter_steps(plan_of(name)))
        assert all(step["Base"] >= 0 for step in filled(plan_of(name), "bridge_training"))


def test_without_a_costed_model_the_bridge_is_empty():
    """A batch of errors gives a bridge of zeros, not an error."""
    plan = plan_of("broken")
    assert choose_model(plan) is None
    assert {row["Amount"] for row in filled(plan, "bridge_training")} == {0.0}


def test_the_largest_model_is_shown():
    """As delivered the bridge is that of the model with most parameters, of those with most steps."""
    assert choose_model(plan_of("gpt2-xl", "DeepSeek-V3", "t5-11b")) == 2


@pytest.mark.parametrize("configs", [["DeepSeek-V3", "mamba2-2.7b"], ["Llama-3.1-405B", "Mixtral-8x7B"], ["gpt2-xl"]])
def test_charts_have_no_place_without_a_bar(configs):
    """As delivered, each row that a waterfall or the tornado is drawn from has something to draw."""
    plan = plan_of(*configs)
    assert [row["Step"] for table in (PARAMETERS, TRAINING) for row in filled(plan, table) if not row["Amount"]] == []
    assert [row["Rank"] for row in filled(plan, "tornado") if not row["Swing"]] == []


def test_the_tornado_ranks_inputs_by_what_they_change():
    """The price of an hour moves the price of compute most; inputs that change nothing come last."""
    plan = plan_of("gpt2-xl")
    rows = filled(plan, "tornado")
    assert [row["Input"] for row in rows][:2] == ["GPU-hour price", "MFU, dense models"]
    swings = [row["Swing"] for row in rows]
    assert swings == sorted(swings, reverse=True)
    assert sorted(row["Rank"] for row in filled(plan, "sensitivity")) == list(range(1, len(movers(plan)) + 1))


def test_inputs_without_a_range_are_not_tried():
    """Sensitivity has a row for each input whose cases differ, whatever a question links to."""
    plan = plan_of("gpt2-xl", questions=("serving",))
    known = {one.name for one in movers(plan)}
    assert {"mfu", "price_per_hour", "peak_to_mean"} < known
    assert "itl_target_ms" in {one.name for one in plan.drivers} - known


def test_inputs_that_change_nothing_have_no_name_in_the_tornado():
    """A name beside an empty bar would say that an input was looked at and does nothing; the list below says so."""
    rows = filled(plan_of("gpt2-xl"), "tornado", {"in_sensitivity": "Cost of the cluster"})
    assert [row["Input"] for row in rows if row["Swing"]] == ["GPU-hour price"]
    assert {row["Input"] for row in rows if not row["Swing"]} == {""}


def test_a_change_is_what_one_input_does_alone():
    """With the price of an hour at its high cost end, the model costs that much more, in proportion."""
    plan = plan_of("gpt2-xl")
    row = next(row for row in filled(plan, "sensitivity") if row["Name"] == "price_per_hour")
    cost = float(plan.training(plan.costed[0], "base")["training_cost"])
    live = cost / size(readable("USD", cost))
    assert row["High cost result"] == pytest.approx(live * row["High cost"] / row["Live"])
    assert row["High cost change"] == pytest.approx(row["High cost result"] - live)
