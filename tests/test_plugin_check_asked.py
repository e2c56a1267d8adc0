"""`flopsheet plugins check` where architectures and questions meet: every question, every end of an input, formats."""

from pathlib import Path

import pytest
from toy_plugins import Point, plugin, toy

from flopsheet import Architecture, Check, Dimension, Figure, Input, Line, Question, Rows, Table, blocks
from flopsheet.host.loading import load, load_from
from flopsheet.kit.declaration_checks import find_unsourced
from flopsheet.kit.findings import AbsentError, Finding, Remark
from flopsheet.kit.question_checks import formats_written, inputs_tried, questions_asked, workbooks_written
from flopsheet.kit.subject import Subject

DIT = Path(__file__).parent.parent / "examples" / "plugins" / "dit"
SHARE = Input("q_share", "Share", kind="share", default=0.5, minimum=0, about="Of the budget.")
RATIO = Line("q_ratio", "budget_cost / q_share", "USD", title="Ratio", source="Toy")


def question(*lines, inputs=(SHARE,), rows=(), **more):
    """Return a question with one table, and one figure of its first line."""
    table = Table("q_table", "Table", lines, rows) if rows else Table("cases", "Cluster", lines)
    figure = Figure("first", "First", table.name, lines[0].name, "The first line")
    return Question("toyish", "What?", "A toy.", inputs=inputs, tables=(table,), figures=(figure,), **more)


def subject(*questions, **answers):
    """Return a plugin with questions or other answers, loaded alone."""
    made = plugin(questions=list(questions), **answers) if questions else toy(**answers)
    host = load_from([Point("bad", made)])
    return Subject(host, host.plugins[0])


def test_an_image_model_meets_every_question():
    """The example is asked everything that there is, and is in every format."""
    host = load((), (DIT,))
    one = Subject(host, next(one for one in host.plugins if one.name == "dit"), [DIT / "dit-xl-2" / "config.json"])
    assert [*questions_asked(one), *formats_written(one)] == []


def test_an_input_of_0_that_is_divided_by_is_found():
    """With question, input, value, and the line that gives no number."""
    (result,) = inputs_tried(subject(question(RATIO)))
    assert result.where == "question toyish: input q_share = 0"
    assert "q_ratio" in result.what
    assert "minimum" in result.remedy


@pytest.mark.parametrize(
    ("one", "line", "value"),
    [
        (SHARE._replace(kind="ratio", maximum=5), "1 / (5 - q_share)", "5"),
        (SHARE._replace(low=0.25, high=0.75, minimum=0), "log(q_share - 0.25)", "0.25"),
        (Input("q_share", "Kind", kind="choice", default=1, labels=("a", "b"), about="One."), "1 / q_share_is_a", "2"),
    ],
)
def test_each_end_of_an_input_is_tried(one, line, value):
    """A maximum, the ends of a range, and every label of a choice."""
    findings = [*inputs_tried(subject(question(RATIO._replace(formula=line), inputs=(one,))))]
    assert f"question toyish: input q_share = {value}" in [found.where for found in findings]


def test_a_bound_keeps_a_value_from_being_tried():
    """An input that must exceed 0 is tried just above it."""
    assert [*inputs_tried(subject(question(RATIO, inputs=(SHARE._replace(above=0),))))] == []


def test_a_check_that_gives_no_number_is_found():
    """Checks are evaluated at the ends of inputs, as lines are."""
    line = RATIO._replace(formula="budget_cost")
    check = Check("q_check", "Holds", "cases", "1 if budget_cost / q_share > 0 else 0", "It does not", "Do")
    (result,) = inputs_tried(subject(question(line, checks=(check,))))
    assert result.where == "question toyish: input q_share = 0"


def test_an_input_that_asks_for_a_million_rows_is_found():
    """It is said, and not waited for."""
    count = Input("q_count", "Rows", kind="count", default=2, maximum=10**6, about="How many.")
    rows = (Rows("q_row", "Row", until="q_count"),)
    (result,) = inputs_tried(subject(question(RATIO._replace(formula="q_row"), inputs=(count,), rows=rows)))
    assert "1,000,000 rows of q_row" in result.what


def test_a_format_that_cannot_be_written_is_found(monkeypatch):
    """What stops one format is said of it, and the others are tried."""

    def full(_plan, path):
        raise OSError(f"no room for {path.name}")

    monkeypatch.setattr("flopsheet.export.workbook.write_workbook", full)
    (result,) = formats_written(subject(question(RATIO._replace(formula="q_share + 1"))))
    assert result.where == ".xlsx"
    assert "no room for plan.xlsx" in result.what


def test_an_architecture_that_a_question_cannot_count_is_found():
    """Named with the model and the question; where it has no activation lines, that is only reported."""
    lines = blocks.linear("matrix", "width * width", group="mlp", title="Matrix", source="Toy")
    wide = Architecture("toy", "Toy", "One matrix", (Dimension("width", "Width", keys=("hidden_size",)),))
    answers = {"architectures": [wide], "parameters": [*lines.parameters], "flops": [*lines.flops]}
    layers = [Dimension("n_layers", "Layers", keys=("num_hidden_layers",))]
    silent = [*questions_asked(subject(dimensions=layers, **answers))]
    assert {type(one) for one in silent} == {Remark}
    assert any("question serving" in one.where for one in silent)
    kept = blocks.activation_line("state", "tokens * width", "mlp", "Inputs", "replicated")
    bad = [*questions_asked(subject(dimensions=layers, activations=[kept._replace(formula="nope")], **answers))]
    assert {type(one) for one in bad} == {Finding}
    assert any("nope" in one.what for one in bad)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x", 1),
        ("Somebody", 1),
        ("Liu et al. 2105.08050, section 2", 0),
        ("https://example.org/paper", 0),
        ("transformers models/bert/modeling_bert.py", 0),
        ("Kaplan et al. 2020", 0),
    ],
)
def test_strict_sources_can_be_looked_up(source, found):
    """An address, an arXiv number, a year or a file of code; a bare word is found."""
    assert len([*find_unsourced(subject(question(RATIO._replace(source=source))))]) == found


def test_a_plugin_without_models_or_questions_has_nothing_to_meet():
    """It is said, and is no fault."""
    with pytest.raises(AbsentError):
        [*workbooks_written(subject(question(RATIO)))]
    with pytest.raises(AbsentError):
        [*inputs_tried(subject())]
