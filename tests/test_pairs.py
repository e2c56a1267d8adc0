"""Break-even between each pair of models, models by place, and the sheets of a question that has several."""

import pytest
from planner import run
from samples import CONFIGS
from test_comparison import planned

from flopsheet.accounting.line import Line
from flopsheet.errors import PluginError
from flopsheet.planning.program import Program
from flopsheet.planning.question import MODELS, OTHERS, Link, Question, Table


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Give the example's plan."""
    return planned(tmp_path_factory.mktemp("plan"))


def test_every_pair_has_one_row(plan):
    """Each model with those behind it."""
    names = [model["name"] for model in plan["models"]]
    pairs = [(row["model"], row["other"]) for row in plan["tables"]["comparison_pairs"]]
    assert pairs == [(names[0], names[1]), (names[0], names[2]), (names[1], names[2])]


def test_at_its_break_even_a_pair_costs_the_same(tmp_path, plan):
    """With so many months of service, whichever pair it is."""
    row = plan["tables"]["comparison_pairs"][2]
    moved = planned(tmp_path, ("lifetime_months = 24", f"lifetime_months = {row['pair_months']}"))
    costs = [row["total_cost"] for row in moved["tables"]["comparison_candidates"]]
    assert costs[1] == pytest.approx(costs[2], rel=1e-9)


def test_the_break_even_with_the_cheapest_is_that_of_the_pair(plan):
    """The table of candidates has the same number against the model in the first place."""
    candidates, pairs = (plan["tables"][name] for name in ("comparison_candidates", "comparison_pairs"))
    assert [row["place"] for row in candidates] == [3, 2, 1]
    assert candidates[0]["break_even_tokens"] == pytest.approx(pairs[1]["pair_tokens"], rel=1e-12)


def test_lines_of_a_chart_are_those_of_the_model_in_each_place(plan):
    """The cheapest model's cost at each volume is the first line; a place without a model is 0."""
    volumes = plan["tables"]["comparison_volumes"]
    cheapest = [row["volume_cost"] for row in volumes if row["model"] == "70B on 3T tokens"]
    rows = plan["tables"]["comparison_crossings"]
    assert [row["volume_cost_1"] for row in rows] == cheapest
    assert {row["volume_cost_4"] for row in rows} == {0}


def test_one_model_alone_has_no_pair(tmp_path):
    """Its workbook is whole all the same."""
    portfolio = tmp_path / "one.toml"
    portfolio.write_text(f'[[models]]\nname = "Ours"\nconfig = "{CONFIGS}/Llama-3.1-8B/config.json"\n', "utf-8")
    status, _, errors = run("report", portfolio, "--template", "model-comparison", "-o", tmp_path / "one.xlsx")
    assert (status, "not filled" in errors) == (0, False)


@pytest.mark.parametrize(
    "link",
    [
        Link("x", "models", "line", "other"),
        Link("x", "models", "line", "min", where=("line", 1)),
        Link("x", "models", "line", "sum", where=("lin", 1)),
    ],
)
def test_links_that_mean_nothing_are_refused(link):
    """`other` outside of pairs, `where` of a minimum or of an unknown line."""
    tables = (
        Table("models", "Models", (Line("line", "1", ""),), (MODELS,)),
        Table("own", "Own", (), (MODELS,), (link,)),
    )
    with pytest.raises(PluginError, match=r"where is of a sum|does not have"):
        _ = Program((Question("q", "Q", "Q", tables=tables),)).order
    assert OTHERS not in tables[1].rows
