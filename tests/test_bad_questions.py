"""A question that is wrong when it is loaded is left out with plugin, file and line, and nobody's plan stops."""

import shutil
import tomllib
from pathlib import Path

import pytest
from bad_questions import GOOD, MADE, WRITTEN, made, written
from planner import run
from toy_plugins import WIDTH, Point, plugin, toy

import flopsheet
from flopsheet import Architecture, Family
from flopsheet.export.layout.shipped_lists import shipped_lists
from flopsheet.export.workbook import scenarios
from flopsheet.export.workbook.timeline import steps_key, timeline_key
from flopsheet.host.loading import load, load_from
from flopsheet.host.reserved_names import TABLES
from flopsheet.planning.catalog import Price, catalog
from flopsheet.planning.registry import questions

PORTFOLIO = """\
name = "Ours"
[inputs]
accelerators = 1024
days = 90
[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = { n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 14336, mlp_matrices = 3, vocab_size = 128256 }
"""


def reasons(file):
    """Return why the plugin of a file is not used, or only in part."""
    host = load((), (str(file),))
    result = questions(host)
    return result, "\n".join(failure.reason for failure in host.failures)


def test_the_good_question_is_taken(tmp_path):
    """What the bad ones are made of is good."""
    (tmp_path / "spares.toml").write_text(GOOD, "utf-8")
    result, said = reasons(tmp_path / "spares.toml")
    assert (said, "spares" in result) == ("", True)
    status, out, _ = run("plugins", "check", "--quick", tmp_path / "spares.toml")
    assert "a plan cannot answer it" not in out, (status, out)


@pytest.mark.parametrize("what", WRITTEN)
def test_a_question_of_a_file_is_refused_with_its_line(what, tmp_path):
    """One line that says what is wrong and where; every other question is there."""
    text, line = written(what)
    (tmp_path / "spares.toml").write_text(text, "utf-8")
    result, said = reasons(tmp_path / "spares.toml")
    assert WRITTEN[what].said in said
    assert f"(spares.toml, line {line})" in said, said
    assert {*result} == {*questions(load())}


@pytest.mark.parametrize("what", MADE)
def test_a_question_of_python_is_refused_with_its_place(what):
    """By the same types; every other question is there."""
    bad, said = MADE[what]
    host = load_from([Point("bad", plugin(questions=[bad]), "bad-package", "0.7")])
    result = questions(host)
    (failure,) = host.failures
    assert "bad" not in result
    assert said in failure.reason
    assert str(failure.plugin) == "bad (bad-package 0.7)"


def test_a_good_question_beside_a_bad_one_is_taken(tmp_path):
    """What is wrong in a file, or in what a hook gives, takes along nothing that is right."""
    bad = GOOD.replace("spares", "bolts").replace("width = 12", 'width = "wide"').partition("\n\n")[2]
    (tmp_path / "spares.toml").write_text(f"{GOOD}\n{bad}", "utf-8")
    result, said = reasons(tmp_path / "spares.toml")
    assert ("spares" in result, "bolts" in result) == (True, False)
    assert "questions.bolts.sheet.tables.bolts_monthly.columns[2].width" in said
    host = load_from([Point("both", plugin(questions=[made(), "nothing", made(name="other", sheet={"notes": 5})]))])
    assert "bad" in questions(host)
    assert len(host.failures) == 2


def test_nobodys_report_is_stopped(tmp_path, monkeypatch):
    """With all of them installed at once, every format of somebody else's plan is what it is without."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    alone = [tmp_path / f"alone.{suffix}" for suffix in ("xlsx", "toml")]
    assert report(tmp_path, alone)[0] == 0
    folder = tmp_path / "flopsheet" / "plugins"
    folder.mkdir(parents=True)
    for at, what in enumerate(WRITTEN):
        (folder / f"bad{at}.toml").write_text(written(what)[0], "utf-8")
    status, errors = report(tmp_path, [tmp_path / "report.xlsx", tmp_path / "report.toml"])
    assert status == 0
    assert [what for at, what in enumerate(WRITTEN) if f"plugin bad{at} (" not in errors] == []
    answers = [tomllib.loads((tmp_path / name).read_text("utf-8"))["answers"] for name in ("alone.toml", "report.toml")]
    assert answers[0] == answers[1]
    assert (tmp_path / "report.xlsx").stat().st_size > 0


def report(folder, outputs):
    """Return the status of a report, and what it says on stderr."""
    files = [word for output in outputs for word in ("-o", output)]
    status, _, errors = run("report", folder / "portfolio.toml", *files)
    return status, errors


DAYS = "a date such as 2027-01-31, 2027-01 or 2027 is expected"
DATED = """\
[[prices]]
accelerator = "h100-sxm"
low = 1
base = 2
high = 3
source = "Contract"
date = "soon"
[[prices]]
accelerator = "a100-sxm"
low = 1
base = "two"
high = 3
source = "Contract"
date = "2026-01"
"""


def test_a_price_without_a_date_is_refused_alone(tmp_path):
    """With its line; so is one that is a word, and the catalog's price stays."""
    (tmp_path / "prices.toml").write_text(DATED, "utf-8")
    host = load((), (str(tmp_path / "prices.toml"),))
    result = catalog(host)
    assert [failure.reason for failure in host.failures] == [
        "prices[1].base: 'two'; a number is expected (prices.toml, line 11)",
        f"price of h100-sxm: date is 'soon'; {DAYS} (prices.toml, line 2)",
    ]
    assert result["h100-sxm"].price_base == catalog(load())["h100-sxm"].price_base


def test_a_price_of_python_is_held_to_its_types():
    """As one of a file is."""
    price = Price(accelerator="h100-sxm", low="1", base=2, high=3, source="Contract", date="2026")
    host = load_from([Point("bad", plugin(prices=[price]))])
    catalog(host)
    assert [failure.reason for failure in host.failures] == ["Price.low: '1'; a number is expected"]


@pytest.mark.parametrize("name", ["models", "cases", "drivers", "layouts", "Serving_room"])
def test_an_architecture_that_is_called_like_a_table_is_refused(name):
    """Its workings would take the table's place."""
    bad = toy(architectures=[Architecture(name, "Toy", "One matrix", (WIDTH,))], families=[Family("toy", name)])
    host = load_from([Point("bad", bad)])
    assert name not in host.architectures
    assert "a table of every workbook is called so; give yours another name" in host.failures[0].reason


def test_names_of_tables_are_kept():
    """All that a workbook can have next to the workings of architectures."""
    every = questions(load()).values()
    own = {table.name for question in every for table in question.tables}
    timed = [question for question in every if question.described.timeline]
    drawn = {name(question) for question in timed for name in (timeline_key, steps_key)}
    assert {*shipped_lists(), *own, *drawn, scenarios.NAME} == TABLES


@pytest.mark.parametrize("part", ["inputs", "sheet"])
def test_a_file_of_a_package_is_named_with_its_line(part, tmp_path, monkeypatch):
    """A question that keeps inputs.toml and sheet.toml next to its code."""
    package = tmp_path / f"bad_{part}"
    shutil.copytree(Path(__file__).parent / "rentals" / "flopsheet_rentals", package)
    old, new, said = BROKEN[part]
    file = package / f"{part}.toml"
    file.write_text(file.read_text("utf-8").replace(old, new, 1), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    _, reason = reasons(package)
    line = file.read_text("utf-8").split("\n").index(new) + 1
    assert reason == f"question rentals: {said} ({part}.toml, line {line})"


KINDS = "one of 'count', 'flag', 'ratio', 'share', 'choice' is expected"
CHARTS = "one of 'line', 'bar', 'colored', 'stacked', 'steps', 'scatter' is expected"
BROKEN = {
    "inputs": ('kind = "count"', 'kind = "int"', f"inputs[1].kind: 'int'; {KINDS}"),
    "sheet": ('kind = "bar"', 'kind = "pie"', f"sheet.charts[0].kind: 'pie'; {CHARTS}"),
}
CHECKED = ("a width that is a word", "rows without end", "rows of nothing", "a name of a bundled question")


@pytest.mark.parametrize("what", CHECKED)
def test_the_check_finds_it(what, tmp_path):
    """In a line, with exit status 1 and no traceback."""
    text, line = written(what)
    (tmp_path / "spares.toml").write_text(text, "utf-8")
    status, out, _ = run("plugins", "check", "--quick", tmp_path / "spares.toml")
    sentence = " ".join(out.split())
    assert status == 1
    assert WRITTEN[what].said in sentence
    assert f"line {line})" in sentence


def test_a_formula_of_a_field_that_a_config_lacks_names_the_plugin(tmp_path):
    """Who gives a model's dimension by a formula is told where the formula has no value."""
    text = '[families.toyish]\narchitecture = "dense"\nvalues = { mlp_matrices = "nope" }\n'
    (tmp_path / "toyish.toml").write_text(text, "utf-8")
    config = {"model_type": "toyish", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = flopsheet.evaluate({**config, "vocab_size": 100}, plugins=[tmp_path / "toyish.toml"])
    (problem,) = [text for text in model.problems if "nope" in text]
    assert problem.startswith("mlp_matrices = needs nope, which the config does not give (toyish (")
    assert problem.endswith(") says so of the type toyish)")
