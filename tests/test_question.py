"""Questions: tables of lines and rows, linked, evaluated exactly and as columns from the same text."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from flopsheet import Line
from flopsheet.accounting.line import Input
from flopsheet.accounting.nonumber import no_number
from flopsheet.errors import PluginError
from flopsheet.export.workbook.models import brought_columns
from flopsheet.host.loading import load
from flopsheet.host.typed_records import record
from flopsheet.planning.inputs import as_defined, read_value
from flopsheet.planning.prices import day_collected
from flopsheet.planning.program import Program
from flopsheet.planning.question import MODELS, Check, Figure, Link, Question, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.registry import (
    BASE,
    base_of,
    base_program,
    default_questions,
    find_unasked,
    heads,
    program,
    questions,
)
from flopsheet.planning.run import PlannedModel, Run
from flopsheet.planning.sheet import tab
from flopsheet.planning.sound_question import check_question
from flopsheet.planning.sweep import Sweep

RENT = Input("rent", "Rent", "USD", kind="ratio", default=100, minimum=0)
HORIZON = Input("horizon", "Horizon", "months", default=6)
PLAN = Input("plan", "Plan", kind="choice", labels=("flat", "steep"), default=1)
MONTHS = Rows("month", "Month", until="horizon")
LAWS = Rows("law", "Law", values=({"law": 1, "slope": 2.0}, {"law": 2, "slope": 3.0}), labels=("First", "Second"))


def line(name, formula, unit="USD"):
    """Return a line of a planning table."""
    return Line(name, formula, unit)


CASH = Table(
    "cash",
    "Cash",
    (
        line("spent", "rent * (month if plan_is_steep else 1)"),
        line("total", "spent_so_far"),
        line("change", "spent - spent_before"),
        line("over", "1 if total > 250 else 0", "flag"),
    ),
    (MONTHS,),
    (Link("spent_so_far", "cash", "spent", "running"), Link("spent_before", "cash", "spent", "previous")),
)
SUMMARY = Table(
    "cases",
    "Summary",
    (
        line("all_spent", "cash_sum"),
        line("worst", "cash_max"),
        line("out_of_money", "first_over", "months"),
        line("cheapest_law", "law_min"),
    ),
    (),
    (
        Link("cash_sum", "cash", "spent", "sum"),
        Link("cash_max", "cash", "spent", "max"),
        Link("first_over", "cash", "over", "first"),
        Link("law_min", "by_law", "cost", "min"),
    ),
)
PER_MODEL = Table(
    "models",
    "Models",
    (line("share_of_all", "parameters / 10 + all"), line("law_sum", "laws")),
    (MODELS,),
    (Link("all", "cases", "all_spent"), Link("laws", "by_law", "cost", "sum")),
)
BY_LAW = Table("by_law", "Laws", (line("cost", "parameters * slope + law * 0"),), (MODELS, LAWS))
QUESTION = Question(
    "rents",
    "What is the rent?",
    "Rents by month",
    (RENT, HORIZON, PLAN),
    (SUMMARY, PER_MODEL, CASH, BY_LAW),
    figures=(Figure("total", "Rent in all", "cases", "all_spent", "Over the horizon"),),
    checks=(Check("affordable", "Never over 250", "cash", "1 if total <= 250 else 0", "Rent is over 250", "Move out"),),
)
PROGRAM = Program((QUESTION,))
MODELS_GIVEN = [PlannedModel(0, {}, {"parameters": 10}), PlannedModel(1, {}, {"parameters": 20})]


def run(**inputs):
    """Return the exact numbers of the question."""
    return Run(PROGRAM, {"rent": 100, "horizon": 6, "plan": 1, **inputs}, MODELS_GIVEN)


def test_rows_follow_an_input():
    """A table over months has as many rows as its horizon says."""
    result = run(horizon=3).table("cash").keys
    assert result == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("node", "expected"), [(("cash", "over"), {"rent", "plan", "horizon"}), (("by_law", "cost"), set())]
)
def test_inputs_are_found_behind_a_line(node, expected):
    """They are what formulas read through links, choices by their flags, and what counts the rows; no others."""
    assert PROGRAM.find_inputs([node]) == expected


def test_a_formula_of_no_check_is_refused():
    """Code that puts together a check that the question's file does not have says so when it is imported."""
    with pytest.raises(PluginError, match=r"checks of .*budget.*nope: unknown"):
        question_from("flopsheet.planning.questions.budget", (), {"nope": "1"})


def test_a_choice_may_have_a_label_for_its_default():
    """As the guide says and a portfolio writes it; formulas take the place of the label."""
    given = as_defined(PLAN._replace(default="steep"))
    assert (given.low, given.base, given.high) == (2, 2, 2)


def test_a_share_without_a_unit_is_typed_in_percent():
    """As those of the bundled questions are, which name the unit."""
    assert read_value(Input("reserve", "Reserve", kind="share", default=0.1), "30%") == pytest.approx(0.3)


def test_links_along_rows():
    """A running total and the row before are sums of another column."""
    cash = run(plan=2, horizon=4).table("cash").columns
    assert cash["total"] == [100, 300, 600, 1000]
    assert cash["change"] == [100, 100, 100, 100]


def test_links_gather_rows():
    """Sum, maximum, minimum and the first row that holds; whole numbers stay whole."""
    single = run(plan=2).single("cases")
    assert single == {"all_spent": 2100, "worst": 600, "out_of_money": 2, "cheapest_law": 20}
    assert type(single["all_spent"]) is int


def test_links_keep_shared_keys():
    """A model's sum over laws is that of its own rows; a number per case is the same for all."""
    models = run().table("models").columns
    assert models == {"share_of_all": [601, 602], "law_sum": [50, 100]}


def test_a_figure_and_a_check():
    """A figure is one number; a check names the rows in which it does not hold."""
    ran = run()
    assert ran.figure(QUESTION.figures[0]) == 600
    assert ran.failures(QUESTION.checks[0]) == [2, 3, 4, 5]
    assert run(rent=1).failures(QUESTION.checks[0]) == []


def test_a_line_that_fails_is_no_number_and_kept_as_a_cause():
    """What reads it is none either; the cause is kept once, and other lines have their numbers."""
    texts = {"ratio": "1 / (rent - rent)", "twice": "2 * ratio", "fine": "3 * rent"}
    lines = tuple(line(name, text) for name, text in texts.items())
    ran = Run(Program((Question("b", "B", "B", (RENT,), (Table("cases", "C", lines),)),)), {"rent": 1}, ())
    result = ran.single("cases")
    assert result["fine"] == 3
    assert no_number(result["ratio"]) is not None
    assert result["twice"] is result["ratio"]
    assert [(gap.name, gap.rows) for gap in ran.gaps.values()] == [("ratio", 1)]
    assert "divides by zero" in ran.gaps["cases", "ratio"].why


@pytest.mark.parametrize("plan", [1, 2])
def test_columns_equal_exact_numbers(plan):
    """The same text over arrays gives the exact numbers, table by table, designs of different horizons at once."""
    wanted = (("cases", "all_spent"), ("cases", "out_of_money"), ("models", "law_sum"), ("models", "share_of_all"))
    rents, horizons, sizes = np.array([100.0, 7.0, 90.0]), np.array([6.0, 2.0, 4.0]), np.array([10.0, 20.0, 30.0])
    given = {"rent": rents, "horizon": horizons, "plan": plan, "parameters": sizes}
    result = Sweep(PROGRAM, wanted).columns(given, chunk=2)
    for at in range(3):
        inputs = {"rent": int(rents[at]), "horizon": int(horizons[at]), "plan": plan}
        ran = Run(PROGRAM, inputs, [PlannedModel(0, {}, {"parameters": int(sizes[at])})])
        for table, name in wanted:
            assert result[table, name][at] == ran.table(table).columns[name][0], name


def test_columns_of_rows_have_an_axis():
    """A line over months has one element per design and month."""
    result = Sweep(PROGRAM, (("cash", "total"),)).columns({"rent": np.array([1.0, 2.0]), "horizon": 3, "plan": 1})
    assert result["cash", "total"].tolist() == [[1, 2, 3], [2, 4, 6]]


def test_lines_that_nobody_asked_for_are_not_computed():
    """What a wanted line does not need is left out: no total has to be given for it."""
    nodes = [name for segment in PROGRAM.segments([("cash", "spent")]) for name in segment.steps.formulas]
    assert nodes == ["spent"]
    assert Sweep(PROGRAM, (("cash", "spent"),)).columns({"rent": 5, "horizon": 2, "plan": 1})[
        "cash", "spent"
    ].tolist() == [[5, 5]]


BROKEN = {
    "unknown table": (Link("x", "casch", "spent", "sum"), "'casch', which does not exist; did you mean 'cash'?"),
    "unknown line": (Link("x", "cash", "spnt", "sum"), "'spnt', which table cash does not have; did you mean 'spent'?"),
    "rows of other keys": (
        Link("x", "by_law", "cost"),
        "by_law has rows of other keys; sum, min, max or first",
    ),
    "one row, its own": (
        Link("x", "cash", "spent", "sum"),
        "cash has one row for each month, as more has; same is expected, or a line of cases that gathers all rows",
    ),
    "no rows of its own": (Link("x", "cases", "worst", "running"), "running reads other rows of the table itself"),
}


@pytest.mark.parametrize(("link", "message"), BROKEN.values(), ids=BROKEN)
def test_a_wrong_link_is_refused(link, message):
    """A link that cannot be followed is named when the question loads."""
    rows = (MONTHS,) if link.how == "sum" and link.line == "spent" else ()
    table = Table("more", "More", (line("y", "x"),), rows, (link,))
    asked = Question("q", "Q", "Q", QUESTION.inputs, (*QUESTION.tables, table))
    with pytest.raises(PluginError, match=message.replace("?", r"\?")):
        _ = Program((asked,)).order


def test_a_circle_is_refused():
    """Lines that need each other are named."""
    table = Table("more", "More", (line("a", "b"), line("b", "a")))
    with pytest.raises(PluginError, match=r"need each other cannot be evaluated: a of more, b of more"):
        _ = Program((Question("q", "Q", "Q", (), (table,)),)).order


def test_tables_of_one_name_are_one():
    """A second question adds lines to the table of models, which may read those of the first."""
    more = Question(
        "more", "More", "More", (), (Table("models", "Models", (line("twice", "law_sum * 2"),), (MODELS,)),)
    )
    program = Program((QUESTION, more))
    ran = Run(program, {"rent": 1, "horizon": 1, "plan": 1}, MODELS_GIVEN)
    assert ran.table("models").columns["twice"] == [100, 200]


def test_a_line_of_two_questions_is_refused():
    """Two formulas of one name would be one number twice."""
    again = Question("again", "A", "A", (), (Table("cash", "Cash", (line("spent", "1"),), (MONTHS,)),))
    with pytest.raises(PluginError, match="table cash already has spent"):
        _ = Program((QUESTION, again)).tables


ASKED = {
    "nothing given": ((), ["budget"]),
    "an input of its own": (("flop_budget",), ["budget", "scaling"]),
    "an input of the budget": (("days", "mfu"), ["budget"]),
    "an input that asks another question": (("budget_usd",), ["budget", "decision", "feasible", "money"]),
}


@pytest.mark.parametrize(("given", "names"), ASKED.values(), ids=ASKED)
def test_an_optional_question_waits_for_its_inputs(given, names):
    """A plan that names no question asks those for which it gives an input."""
    assert default_questions(load(), given) == names


def test_the_base_alone_is_the_base_among_all():
    """A plan that loads no other question has the inputs and lines that it has beside them, at the same prices."""
    day = str(day_collected())
    alone, among = base_of(load(), day), program(load(), BASE, day=day)
    assert (alone.inputs, alone.tables) == (among.inputs, among.tables)


def test_a_plan_loads_the_questions_that_it_asks():
    """Which inputs there are, and which questions a portfolio means, is read without their code."""
    code = (
        "import sys\nfrom flopsheet.host.loading import load\nfrom flopsheet.planning.registry import *\n"
        "every = all_inputs(load())\nprogram(load(), default_questions(load(), ['budget_usd']))\n"
        "print('weight_precision' in every, *(name for name in sys.modules if '.questions.' in name))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert result[0] == "True"
    assert "flopsheet.planning.questions.money" in result
    assert not [name for name in result if ".serving" in name or ".training" in name]


def test_what_a_question_says_of_itself_is_the_same_with_its_tables():
    """Its inputs and headline numbers, and which plans ask it; the formulas of some checks are put together by code."""
    fields = ("title", "inputs", "figures", "optional", "asked_by", "needs", "heeds")
    told, whole = (
        [[getattr(one, name) for name in fields] for one in by(load()).values()] for by in (heads, questions)
    )
    assert len(told) == len(whole)
    differing = [one for one, other in zip(told, whole, strict=True) if one != other]
    assert [title for title, *_ in differing] == [
        "How does this plan compare with published runs?"
    ]  # figures that count


def test_names_of_a_question_that_is_not_asked_are_known():
    """A template that names its inputs or figures is told which question to ask; a question brings those it needs."""
    assert [one.name for one in program(load(), ["feasible"]).questions] == ["budget", "feasible", "scaling", "money"]
    plain = program(load(), ["budget"])
    asked_by = {"in_scaling_law": "scaling", "in_scaling_law_low": "scaling", "out_scaling_size": "scaling"}
    asked_by |= {"out_start": "money", "out_end_low": "money", "out_budget_cost": "", "in_mfu": "", "in_nothing": ""}
    assert {name: find_unasked(load(), plain, name) for name in asked_by} == asked_by


def test_a_total_without_a_column_is_refused():
    """A workbook must not take for 0 what a model has: no line of a ledger reads the choice `recompute_is_none`."""
    models = [SimpleNamespace(numbers={"recompute_is_none": 1})]
    plan = SimpleNamespace(program=base_program(), model_lines=(), facts=("recompute_is_none",), costed=models)
    with pytest.raises(PluginError, match="read recompute_is_none, which no table of workings has"):
        brought_columns(plan, [], [])


def test_a_line_stated_twice_in_one_table_is_refused():
    """The second would silently take the place of the first."""
    twice = (Line("spent", "1", "USD"), Line("spent", "2", "USD"))
    question = Question("twice", "Twice", "", tables=(Table("cash", "Cash", twice),))
    with pytest.raises(PluginError, match=r"tables\[0\]: 'spent' is there 2 times"):
        check_question(Program((question,)), question)


def test_a_link_of_two_questions_is_refused():
    """Two meanings of one name would change the numbers of the question that had it first."""
    other = Link("spent_before", "cash", "total", "previous")
    again = Question("again", "A", "A", (), (Table("cash", "Cash", (line("more", "1"),), (MONTHS,), (other,)),))
    with pytest.raises(PluginError, match="table cash already has spent_before"):
        _ = Program((QUESTION, again)).tables


def test_bundled_questions_are_held_to_the_same():
    """What a plugin's question is refused for is in none of flopsheet's own, but for sheets that each workbook has."""
    every = Program(tuple(questions(load()).values()))
    for one in every.questions:
        if one.name not in BASE:
            check_question(every, record(Question, one, ""), load().tables)


def reasons(made):
    """Return why lines of a run have no number."""
    return [gap.why for gap in made.gaps.values()]


def test_rows_have_an_upper_limit():
    """A table that would have more has no rows, and the run says why; a sweep has no number there."""
    made = run(horizon=10_001)
    assert made.table("cash").keys == []
    assert reasons(made) == ["10,001 rows of month by until = 'horizon'; at most 10,000 are expected"]
    swept = Sweep(PROGRAM, (("cases", "all_spent"),)).columns({"rent": np.array([1.0]), "horizon": 10_001, "plan": 1})
    assert np.isnan(swept["cases", "all_spent"]).all()
    assert len(run(horizon=10_000).table("cash").keys) == 10_000


def test_rows_of_several_keys_have_an_upper_limit():
    """Of each model, however many models there are."""
    weeks = Rows("week", "Week", until="horizon")
    table = Table("weekly", "Weekly", (line("paid", "rent"),), (MODELS, MONTHS, weeks))
    program = Program((Question("weekly", "W", "W", QUESTION.inputs, (table,)),))
    given = {"rent": 1, "plan": 1}
    assert len(Run(program, {**given, "horizon": 300}, MODELS_GIVEN).table("weekly").keys) == 2 * 300 * 300
    made = Run(program, {**given, "horizon": 400}, MODELS_GIVEN)
    assert made.table("weekly").keys == []
    assert "160,000 rows of model × month × week for each model in the table weekly" in reasons(made)[0]


TABS = {"long": ("x" * 40, "x" * 31), "cut at a space": ("w " * 16, "w " * 15 + "w"), "signs": ("a/b: [c]", "a b c")}


@pytest.mark.parametrize(("name", "shown"), TABS.values(), ids=TABS)
def test_a_tab_is_one_that_excel_has(name, shown):
    """At most 31 characters, without signs that names of sheets cannot have."""
    assert tab(name) == shown
