"""Whatever a plugin declares or does wrong is told with its name and never shown as ok; other models count on."""

import json
import os
import subprocess
import sys

import pytest
from toy_plugins import MATRIX, PRODUCT, RULE, WIDTH, Point, counted, other, plugin, toy

from flopsheet import Architecture, Dimension, Family, Line, Rule, hookimpl
from flopsheet.cli.common import tell_failures
from flopsheet.configs.reading import read_config
from flopsheet.errors import PluginError
from flopsheet.export.text import as_text
from flopsheet.host.host import ALLOWED, load, load_from
from flopsheet.planning.costing import cost
from flopsheet.planning.rules import sound_rules

CONFIG = {"model_type": "toy", "hidden_size": 3}


def loaded(bad):
    """Return a host with a plugin, beside a good one."""
    return load_from([Point("bad", bad, "bad-package", "0.7"), Point("others", other())])


def model_of(bad, config=CONFIG):
    """Return what a model costs that a plugin counts, and the host."""
    host = loaded(bad)
    return cost(host, read_config(host, config)), host


WORDS = {
    "group": (
        MATRIX._replace(group="retention"),
        "line matrix: group is 'retention'; did you mean 'attention'?; one of 'embedding'",
    ),
    "work": (PRODUCT._replace(work="matmul"), "line product: work is 'matmul'; one of '', 'linear'"),
    "shard": (MATRIX._replace(shard="columns"), "line matrix: shard is 'columns'; one of 'tensor'"),
    "formula": (MATRIX._replace(formula=5), "line matrix: formula is 5; a text is expected"),
}


@pytest.mark.parametrize(("line", "said"), WORDS.values(), ids=WORDS)
def test_a_word_that_nothing_reads_is_refused(line, said):
    """A line whose group, work or shard is misspelled would be missing from a total."""
    hook = "flops" if line.unit == "FLOP" else "parameters"
    model, host = model_of(toy(**{hook: [line]}))
    assert model.status == "error"
    assert said in model.problems[0]
    assert "bad (bad-package 0.7)" in model.problems[0]
    assert counted(host, "other") == 9


def test_a_kind_that_there_is_not_is_refused():
    """Of a dimension, whose values it would not check."""
    bad = Architecture("toy", "Toy", "One matrix", (WIDTH, Dimension("depth", "Depth", kind="int", default=1)))
    model, _ = model_of(toy(architectures=[bad]))
    assert "dimension depth: kind is 'int'; one of 'count'" in model.problems[0]


FAMILIES = {
    "unknown dimension": (
        {"values": {"widht": 3}},
        "family toy: values.widht: no such dimension; did you mean 'width'?",
    ),
    "out of range": ({"values": {"width": -3}}, "family toy: values.width: -3 is out of range"),
    "fraction": ({"classes": {"Toy": {"width": 7.5}}}, "family toy: classes.Toy.width: 7.5 is out of range"),
    "no formula": ({"values": {"width": "3 +"}}, "family toy: values.width:"),
    "classes": ({"classes": 5}, "family toy: classes is 5; a table is expected"),
    "a class": ({"classes": {"Toy": 5}}, "family toy: classes.Toy is 5; a table of dimension values is expected"),
    "check": ({"checks": {"width >": "Too narrow"}}, "family toy: check:"),
}


@pytest.mark.parametrize(("fields", "said"), FAMILIES.values(), ids=FAMILIES)
def test_a_family_that_says_nonsense_is_refused(fields, said):
    """What a type fixes is checked like what a planner gives: a misspelled dimension is no dimension."""
    model, host = model_of(toy(families=[Family("toy", "toy", **fields)]))
    assert model.status == "error"
    assert said in model.problems[0]
    assert [failure.plugin.name for failure in host.failures] == ["bad"]
    assert counted(host, "other") == 9


@pytest.mark.parametrize("formula", ["width * width - 20", "width / 2", "-width"])
def test_impossible_weights_are_an_error(formula):
    """Negative and fractional weights are nobody's: the message names line, number and plugin."""
    model, _ = model_of(toy(parameters=[Line("matrix", formula, "parameters", "mlp")]))
    assert model.status == "error"
    assert "plugin bad (bad-package 0.7): line matrix gives -" in model.problems[0] or "1.5" in model.problems[0]
    assert model.problems[0].endswith("which cannot be")


def test_a_model_without_flop_is_approximate():
    """Weights that nothing is computed with are a forgotten hook."""
    model, _ = model_of(toy(flops=[]))
    assert (model.status, model.problems) == ("approximate", ["its plugin counts no FLOP"])


def test_lines_of_an_extension_are_told_with_every_model():
    """Who reads the number sees whose lines are in it."""
    more = Line("bias", "width", "parameters", "mlp")
    host = load_from([Point("toys", toy()), Point("more", plugin(extends="toy", parameters=[more]), "more-package")])
    model = cost(host, read_config(host, CONFIG))
    assert model.totals["parameters"] == 12
    assert "counted with lines of plugin more (more-package 1.0): bias" in model.notes


def test_a_negative_line_of_an_extension_is_told_with_its_plugin():
    """Not with the plugin that declared the architecture."""
    less = Line("less", "-width", "parameters", "mlp")
    host = load_from([Point("toys", toy()), Point("less", plugin(extends="toy", parameters=[less]))])
    model = cost(host, read_config(host, CONFIG))
    assert model.problems == ["plugin less (package-less 1.0): line less gives -3 parameters, which cannot be"]


def test_a_hook_without_its_mark_is_refused():
    """Nobody would ask it, and its lines would be missing."""
    bad = toy()
    bad.flopsheet_memory = list
    host = loaded(bad)
    assert "flopsheet_memory is not marked with @flopsheet.hookimpl" in host.failures[0].reason


def test_a_hook_that_returns_nothing_is_refused():
    """A forgotten return is no empty list."""
    model, _ = model_of(toy(parameters=None))
    assert "flopsheet_parameters gave None: an iterable of Line is expected" in model.problems[0]


def test_a_rule_with_an_unknown_name_is_told():
    """It is left out, and stands among the failures with its plugin."""
    rules = [Rule("squared", "Squared", "widht * 2", "parameters", "parameters", "Anybody")]
    host = loaded(toy(rules=rules))
    assert sound_rules(host, "toy", host.ledger("toy").places) == []
    assert "a rule is left out: rule squared of bad (bad-package 0.7)" in host.failures[0].reason


CHOICE = Architecture("toy", "Toy", "One matrix", (WIDTH, Dimension("mode", "Mode", kind="choice", default=1)))
SQUARE = PRODUCT._replace(name="core", formula="2 * batch * seq_len * seq_len * width", work="attention_core")
CACHE = Line("cache", "-batch * width", "bytes", "kv_cache")
HUGE = MATRIX._replace(formula="power(10, 111) * width")
REFUSED = {
    "a negative cache": ({"memory": [CACHE]}, "line cache gives -3 bytes, which cannot be"),
    "an absurd total": ({"parameters": [HUGE]}, "line matrix gives 3e+111 parameters, which cannot be"),
    "a choice of nothing": ({"architectures": [CHOICE]}, "dimension mode: a choice needs labels"),
    "a square that no mask follows": (
        {"flops": [PRODUCT, SQUARE]},
        "nothing says what seq_len is in a decode step",
    ),
    "a family of nobody": (
        {"families": [Family("toy", "tyo")]},
        "family toy: architecture 'tyo': no plugin has it; did you mean 'toy'?",
    ),
    "a hook that raises": ({"parameters": RuntimeError("boom")}, "RuntimeError: boom"),
    "a line of several lines": ({"parameters": [MATRIX._replace(formula="widht")]}, "unknown name 'widht'"),
}


@pytest.mark.parametrize(("answers", "said"), REFUSED.values(), ids=REFUSED)
def test_what_no_model_has_is_an_error_of_its_plugin(answers, said):
    """Plugin, package and version stand in the message, which is one line on the terminal; others count on."""
    model, host = model_of(toy(**answers))
    (problem,) = model.problems
    assert (model.status, model.totals) == ("error", {})
    assert said in problem
    assert "bad (bad-package 0.7)" in problem
    assert "\ufffd" not in as_text(model)
    assert counted(host, "other") == 9


def test_a_rule_that_is_given_twice_is_told():
    """Its plugin's rules are left out, with the reason."""
    host = loaded(toy(rules=[RULE, RULE]))
    assert host.rules("toy") == []
    assert host.failures[0].reason == "its rules are left out: rule squared is given twice"


def test_an_entry_point_of_any_name_is_told_by_it():
    """Names are text of somebody else's."""
    host = load_from([Point("[red]=cmd()", toy(flops=[PRODUCT._replace(work="x")])), Point("others", other())])
    with pytest.raises(PluginError):
        host.ledger("toy")
    assert host.failures[0].plugin.name == "[red]=cmd()"


class Interrupted(KeyboardInterrupt):
    """What only calls itself a Ctrl-C."""


@pytest.mark.parametrize(
    "error", [BaseException("no"), GeneratorExit("no"), Interrupted("no"), SystemExit(4)], ids=repr
)
def test_whatever_is_raised_is_its_plugins(error):
    """At import, in a hook and in a reader; the others count."""

    def read(*_):
        raise error

    assert loaded(error).failures[0].reason.startswith(type(error).__name__)
    model, host = model_of(toy(flops=error))
    assert type(error).__name__ in model.problems[0]
    assert counted(host, "other") == 9
    reader = Architecture("toy", "Toy", "One matrix", (WIDTH,), read=read)
    model, _ = model_of(toy(architectures=[reader]))
    assert model.problems[0].startswith("the config does not make sense to plugin bad")


def test_ctrl_c_still_ends_the_program():
    """A real one is nobody's fault."""
    with pytest.raises(KeyboardInterrupt):
        loaded(toy(families=KeyboardInterrupt()))


def test_a_reader_that_gives_no_reading_is_told():
    """What it gave, and what is expected."""
    reader = Architecture("toy", "Toy", "One matrix", (WIDTH,), read=lambda *_: 5)
    model, _ = model_of(toy(architectures=[reader]))
    assert model.problems == ["plugin bad: read gave 5: a Reading is expected"]


def test_an_extension_of_what_may_be_absent():
    """It adds its lines where the architecture is installed, and fails nowhere else."""
    bias = plugin(parameters=[Line("bias", "width", "parameters", "mlp")])
    bias.extends_if_present = ("toy", "retnet")
    host = load_from([Point("bias", bias), Point("toys", toy())])
    assert host.failures == []
    assert counted(host) == 12
    assert load_from([Point("bias", bias)]).failures == []


def test_a_reason_says_where(tmp_path, monkeypatch):
    """File and line of the plugin's own code."""
    (tmp_path / "faulty_toy.py").write_text(
        "from flopsheet import hookimpl\n\n@hookimpl\ndef flopsheet_architectures():\n    return 1 / 0\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import faulty_toy  # noqa: PLC0415 - made just now

    (failure,) = load_from([Point("faulty", faulty_toy)]).failures
    assert failure.reason.startswith("ZeroDivisionError: division by zero (")
    assert failure.reason.endswith("faulty_toy.py, line 5)")


def test_a_package_for_another_version_is_refused():
    """Requires-Dist says which versions of flopsheet it wants."""
    point = Point("newer", toy(), "newer-package")
    point.dist.text = point.dist.text.replace("\n\n", "\nRequires-Dist: flopsheet>=9\nRequires-Dist: numpy\n\n", 1)
    assert "it needs flopsheet >=9; this is 0.1.0" in load_from([point]).failures[0].reason


def test_printing_plugins_and_shadows_in_a_real_process(tmp_path):
    """What plugins print goes to stderr, and an entry point named as a bundled one does not take its place."""
    shadow = tmp_path / "shadow.py"
    shadow.write_text("print('hello from a plugin')\n", "utf-8")
    info = tmp_path / "aaa-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aaa\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[flopsheet]\ndense = shadow\nloud = shadow\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from flopsheet.cli import main; main()", "plugins", "--json"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(done.stdout)
    assert "hello from a plugin" in done.stderr
    assert ("dense", "flopsheet") in {(one["name"], one["package"]) for one in document["plugins"]}
    (failure,) = [one for one in document["failures"] if one["package"] == "aaa"]
    assert "a plugin with this name is already loaded: dense (flopsheet 0.1.0)" in failure["reason"]


def test_a_plugin_that_is_slow_to_import_is_named(monkeypatch, capsys):
    """With its seconds and the way to leave it out."""
    monkeypatch.setattr("flopsheet.host.host.SLOW_SECONDS", -1)
    host = load_from([Point("toys", toy(), "toy-package")])
    tell_failures(host)
    assert "plugin toys (toy-package 1.0) took 0.0 s to import; --without toys leaves it out" in capsys.readouterr().err


def test_a_sound_plugin_has_no_failures():
    """The checks refuse nothing that is right."""
    good = toy(families=[Family("toy", "toy", classes={"Toy": {"width": 3}}, values={"width": "3 * 1"})])
    good.flopsheet_rules = hookimpl(lambda architecture: [])  # noqa: ARG005 - a hook that looks at nothing
    model, host = model_of(good)
    assert (model.status, host.failures) == ("ok", [])
    with pytest.raises(PluginError):
        host.family("nobody")


@pytest.mark.parametrize("kind", ["checks", "notes"])
def test_a_check_of_an_unknown_name_is_refused(kind):
    """It would never be evaluated; names of fields that dimensions come from, and stated fields, are known."""
    said = {kind: {"widht - 3": "Wrong"}}
    model, _ = model_of(toy(architectures=[Architecture("toy", "Toy", "One matrix", (WIDTH,), **said)]))
    assert f"{kind[:-1]} of toy: 'widht - 3' names 'widht', which is unknown; did you mean" in model.problems[0]
    fine = {kind: {"hidden_size * context * groups": "Wrong"}}
    known = Architecture("toy", "Toy", "One matrix", (WIDTH,), fields=("groups",), **fine)
    assert model_of(toy(architectures=[known]))[0].status == "ok"


@pytest.mark.parametrize(("allowed", "found"), [(None, True), ("bad", True), ("x, bad-package", True), ("", False)])
def test_an_allow_list_bars_what_it_does_not_name(monkeypatch, allowed, found):
    """By name or package; bundled plugins need no word, and what is barred is never imported."""
    points = [Point("bad", toy(), "bad-package"), Point("dense", other(), "flopsheet")]
    monkeypatch.setattr("flopsheet.host.host._found", lambda _: points[::-1])
    monkeypatch.delenv(ALLOWED, raising=False)
    if allowed is not None:
        monkeypatch.setenv(ALLOWED, allowed)
    host = load()
    assert [plugin.name for plugin in host.plugins] == (["dense", "bad"] if found else ["dense"])
    assert [plugin.name for plugin in host.barred] == ([] if found else ["bad"])
