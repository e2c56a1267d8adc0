"""The question decision: options side by side in every case, and the limits at which their verdicts change."""

import json

import pytest
from planner import run
from samples import write_portfolio

from flopsheet.errors import PluginError
from flopsheet.planning.program import Program
from flopsheet.planning.question import MODELS, Link, Question, Table
from flopsheet.planning.registry import base_program

PLAN = """
questions = ["decision"]
[inputs]
accelerators = 64
days = {days}
mfu = {{ low = 0.2, base = {mfu}, high = 0.9, source = "Ours" }}
goodput = 1
price_per_hour = {{ low = 1, base = {price}, high = 8, source = "Quote" }}
budget_usd = 250_000
budget_covers = "final_run"

[[models]]
name = "Ours"
architecture = "dense"
tokens = {tokens}
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 11008, mlp_matrices = 3, vocab_size = 32000 }}
"""
USUAL = {"days": 200, "mfu": 0.4, "price": 4, "tokens": 1e12}


def option(folder, **changes):
    """Return the only option of a plan, and the plan."""
    path = write_portfolio(folder, PLAN.format(**USUAL | changes))
    status, out, errors = run("plan", path, "--format", "json")
    assert status == 0, errors
    plan = json.loads(out)
    return plan["tables"]["decision_options"][0], plan


def test_each_case_stands_in_the_row(tmp_path):
    """The program's cost and the days are those that the model has in each case."""
    row, plan = option(tmp_path)
    for case in ("low", "base", "high"):
        assert row[f"program_{case}"] == pytest.approx(plan["models"][0][case]["programme_cost"])
        assert row[f"days_{case}"] == plan["models"][0][case]["training_days"]


LIMITS = {
    "price": ("price_limit", lambda limit, worse: limit * worse),
    "mfu": ("mfu_needed", lambda limit, worse: limit / worse),
    "tokens": ("tokens_limit", lambda limit, worse: int(limit * worse)),
}


@pytest.mark.parametrize("changed", LIMITS)
def test_at_a_limit_the_option_just_holds(changed, tmp_path):
    """With the input at its limit the run costs the cap, and a hundredth beyond it the option fails."""
    name, moved = LIMITS[changed]
    limit = option(tmp_path)[0][name]
    assert option(tmp_path, **{changed: moved(limit, 1 - 1e-9)})[0]["option_holds"] == 1
    row, plan = option(tmp_path, **{changed: moved(limit, 1.01)})
    assert row["option_holds"] == 0
    assert plan["models"][0]["base"]["training_cost"] == pytest.approx(250_000 * 1.01, rel=1e-6)


def test_an_input_turns_an_option_where_the_limit_is_in_its_range(tmp_path):
    """The price's range reaches past its limit and the tokens have no range."""
    row, _ = option(tmp_path)
    assert 1 < row["price_limit"] < 8
    assert (row["price_turns"], row["tokens_turn"], row["may_turn"]) == (1, 0, 1)


SECOND = """
[[models]]
name = "Smaller"
architecture = "dense"
tokens = {smaller}
inputs = {{ mfu = {slower} }}
dimensions = {{ n_layers = 24, d_model = 4096, n_heads = 32, d_ff = 11008, mlp_matrices = 3, vocab_size = 32000 }}
"""


def two(folder, text=PLAN, **changes):
    """Return both options of a plan with a second, smaller model."""
    fields = USUAL | {"smaller": 1e12, "slower": 0.4} | changes
    status, out, errors = run("plan", write_portfolio(folder, (text + SECOND).format(**fields)), "--format", "json")
    assert status == 0, errors
    return json.loads(out)["tables"]["decision_options"]


TURNS = {
    "rank_mfu": ("option_program", "mfu", "slower"),
    "rank_tokens": ("option_program", "tokens", "smaller"),
    "loss_tokens": ("option_loss", "tokens", "smaller"),
}


@pytest.mark.parametrize("turn", TURNS)
def test_at_what_turns_the_rank_both_options_are_equal(turn, tmp_path):
    """Either option at its own limit costs, or is predicted to reach, what the other does."""
    what, *fields = TURNS[turn]
    options = two(tmp_path)
    assert [(one["rank_by_cost"], one["rank_by_loss"]) for one in options] == [(2, 1), (1, 2)]
    for one, field in zip(options, fields, strict=True):
        limit = one[turn] if field in ("mfu", "slower") else int(one[turn])
        ours, smaller = two(tmp_path, **{field: limit})
        assert ours[what] == pytest.approx(smaller[what], rel=1e-9)


def test_tokens_that_change_a_rank_are_unknown_where_held_hours_are_of_two_kinds(tmp_path):
    """Electricity is paid for owned hours alone, so that it is not in proportion to the hours of work."""
    held = 'budget_usd = 1e9\nreserved_accelerators = 40\nowned_accelerators = 40\nprogram_months = 12\nrest = "none"'
    text = (PLAN + SECOND).format(**USUAL, smaller=1e12, slower=0.4).replace("budget_usd = 250_000", held)
    _, out, errors = run("plan", write_portfolio(tmp_path, text), "--format", "json")
    options = json.loads(out)["tables"]["decision_options"]
    assert [(one["rank_by_cost"] > 0, one["rank_tokens"]) for one in options] == [(True, 0)] * 2, errors


def test_an_option_that_costs_nothing_is_first(tmp_path):
    """What nothing stands against has a rank, at a cost of 0 too."""
    free = "program_staff = 0\nprogram_storage_price = 0\nprogram_egress_price = 0\n\n[[models]]"
    text = PLAN.replace('{{ low = 1, base = {price}, high = 8, source = "Quote" }}', "0").replace("[[models]]", free)
    _, out, errors = run("plan", write_portfolio(tmp_path, text.format(**USUAL)), "--format", "json")
    row = json.loads(out)["tables"]["decision_options"][0]
    assert (row["option_program"], row["option_holds"], row["rank_by_cost"]) == (0, 1, 1), errors


def test_an_option_that_does_not_hold_has_no_rank(tmp_path):
    """Only one is left to compare, and nothing turns its rank."""
    ours, smaller = two(tmp_path, tokens=3e12)
    assert (ours["option_holds"], ours["rank_by_cost"], ours["rank_by_loss"]) == (0, 0, 0)
    assert (smaller["rank_by_cost"], smaller["rank_mfu"], smaller["loss_tokens"]) == (1, 0, 0)


def test_without_a_cap_its_line_is_at_the_highest_option(tmp_path):
    """It is one line over all options of the chart, and ends above none of them."""
    rows = two(tmp_path, text=PLAN.replace("budget_usd = 250_000", ""))
    assert {row["cap_shown"] for row in rows} == {max(row["capped_high"] for row in rows)}


def test_time_is_the_limit_of_a_short_window(tmp_path):
    """Money does not bind, and the tokens that fit are those of the window."""
    row, plan = option(tmp_path, days=1)
    assert row["money_binds"] == 0
    assert row["tokens_limit"] == pytest.approx(plan["models"][0]["base"]["affordable_tokens"])


BOUND = {
    "a program shorter than its window": "program_months = 2\n",
    "research of an owned fleet before a dated run": """
acquisition = "owned"
program_months = 6
program_start = "2027-01-01"
start = "2027-03-01"
""",
}


@pytest.mark.parametrize("more", BOUND.values(), ids=BOUND)
def test_the_most_tokens_are_those_that_the_program_has_room_for(tmp_path, more):
    """At the limit the option holds; a hundredth beyond it the program is too short, or its hours are too few."""

    def on(tokens):
        text = PLAN.replace("budget_usd = 250_000", f"budget_usd = 1e9\n{more}").format(**USUAL | {"tokens": tokens})
        _, out, errors = run("plan", write_portfolio(tmp_path, text), "--format", "json")
        assert out, errors
        return json.loads(out)["tables"]["decision_options"][0]

    limit = on(1e12)["tokens_limit"]
    assert [on(int(limit * share))["option_holds"] for share in (1 - 1e-9, 1.01)] == [1, 0]


def test_limits_of_money_are_unknown_where_fewer_hours_leave_held_ones_idle(tmp_path):
    """Over the cap, hours on demand go first, so that cash does not fall in proportion to the hours."""
    held = 'reserved_accelerators = 2\nprogram_months = 12\nrest = "on_demand"\nbudget_usd = 100_000'
    _, out, errors = run(
        "plan",
        write_portfolio(tmp_path, PLAN.format(**USUAL).replace("budget_usd = 250_000", held)),
        "--format",
        "json",
    )
    assert out, errors
    row = json.loads(out)["tables"]["decision_options"][0]
    assert 0 < row["room"] < 1
    assert (row["mfu_needed"], row["tokens_limit"]) == (0, 0)


def test_a_link_to_a_case_that_does_not_exist_is_refused():
    """It would read nothing."""
    link = Link("elsewhere", "models", "training_cost", case="best")
    question = Question("more", "More", "", tables=(Table("rows", "Rows", (), (MODELS,), (link,)),))
    with pytest.raises(PluginError, match="'best' of models; a case of cases or models is expected"):
        _ = Program((*base_program().questions, question)).order


@pytest.mark.parametrize(("cap", "is_known"), [(400_000, False), (2_000_000, True)], ids=["money", "time"])
def test_limits_of_money_are_unknown_where_reserved_hours_are_idle(tmp_path, cap, is_known):
    """Idle hours would be used first, so that cash is not in proportion to hours; a limit of time is known."""
    held = (
        f'reserved_accelerators = 16\nreserved_price = 1\nprogram_months = 12\nrest = "on_demand"\nbudget_usd = {cap}'
    )
    path = write_portfolio(tmp_path, PLAN.format(**USUAL).replace("budget_usd = 250_000", held))
    status, out, errors = run("plan", path, "--format", "json")
    assert status == 0, errors
    row = json.loads(out)["tables"]["decision_options"][0]
    assert row["room"] > 1
    assert [row[name] > 0 for name in ("mfu_needed", "tokens_limit")] == [is_known, is_known]
