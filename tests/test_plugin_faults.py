"""Whatever a plugin declares or does wrong is told with its name and never shown as ok; other models count on."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from toy_plugins import WIDTH, Point, counted, other, plugin, toy

import flopsheet
from flopsheet import Architecture, Family, Line, Rule, hookimpl
from flopsheet.cli import main
from flopsheet.cli.common import tell_failures
from flopsheet.configs.reading import read_config
from flopsheet.errors import PluginError
from flopsheet.host.loading import ALLOWED, load, load_from
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
    assert model.problems == ["plugin less (package-less 1.0): line less gives -3 parameters, which is impossible"]


def test_a_rule_with_an_unknown_name_is_told():
    """It is left out, and stands among the failures with its plugin."""
    rules = [Rule("squared", "Squared", "widht * 2", "parameters", "parameters", "Anybody")]
    host = loaded(toy(rules=rules))
    assert sound_rules(host, "toy", host.ledger("toy").places) == []
    assert "a rule is left out: rule squared of bad (bad-package 0.7)" in host.failures[0].reason


def test_ctrl_c_still_ends_the_program():
    """A real one is nobody's fault."""
    with pytest.raises(KeyboardInterrupt):
        loaded(toy(families=KeyboardInterrupt()))


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
    assert failure.reason.startswith("flopsheet_architectures: ZeroDivisionError: division by zero (")
    assert failure.reason.endswith("faulty_toy.py, line 5)")


WANTED = {
    "flopsheet>=9": ">=9",
    "flopsheet (>=9)": ">=9",
    "flopsheet[mcp]>=9": ">=9",
    'flopsheet>=9; python_version >= "3"': ">=9",
    'flopsheet>=9; python_version < "3"': "",
    'flopsheet>=9; extra == "new"': "",
    "flopsheet>=0.1": "",
    "flopsheet>=nine": "",
    "flopsheet>=nine; nine": "",
    "flopsheet": "",
}
"""What a package says of flopsheet, and the versions that it lacks here."""


@pytest.mark.parametrize(("line", "lacking"), WANTED.items(), ids=WANTED)
def test_a_package_for_another_version_is_refused(line, lacking):
    """Requires-Dist says which versions of flopsheet it wants, and when; what nobody can read refuses nothing."""
    point = Point("newer", toy(), "newer-package")
    point.dist.text = point.dist.text.replace("\n\n", f"\nRequires-Dist: {line}\nRequires-Dist: numpy\n\n", 1)
    said = f"it needs flopsheet {lacking}; this is {flopsheet.__version__}"
    assert [said in one.reason for one in load_from([point]).failures] == [True] * bool(lacking)


def test_printing_plugins_and_shadows_in_a_real_process(tmp_path):
    """What plugins print goes to stderr, and an entry point named as a bundled one does not take its place."""
    shadow = tmp_path / "shadow.py"
    shadow.write_text("import os\nprint('hello from a plugin')\nos.system('echo of its program')\n", "utf-8")
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
    assert "of its program" in done.stderr
    assert ("dense", "flopsheet") in {(one["name"], one["package"]) for one in document["plugins"]}
    (failure,) = [one for one in document["failures"] if one["package"] == "aaa"]
    assert f"a plugin with this name is already loaded: dense (flopsheet {flopsheet.__version__})" in failure["reason"]


def test_a_plugin_that_is_slow_is_named(monkeypatch, capsys):
    """With what took long, its import or a hook, the seconds and the way to leave it out."""
    monkeypatch.setattr("flopsheet.host.host.SLOW_SECONDS", -1)
    host = load_from([Point("toys", toy(), "toy-package")])
    tell_failures(host)
    said = capsys.readouterr().err
    for what in ("to import", "in flopsheet_families"):
        assert f"plugin toys (toy-package 1.0) took 0.0 s {what}; --without toys leaves it out" in said
    monkeypatch.setattr("flopsheet.cli.plugins.load", lambda *_: host)
    assert "plugin toys (toy-package 1.0) took 0.0 s" in CliRunner().invoke(main, ["plugins"]).stderr


def test_a_sound_plugin_has_no_failures():
    """The checks refuse nothing that is right."""
    good = toy(families=[Family("toy", "toy", classes={"Toy": {"width": 3}}, values={"width": "3 * 1"})])
    good.flopsheet_rules = hookimpl(lambda architecture: [])  # noqa: ARG005 - a hook that looks at nothing
    model, host = model_of(good)
    assert (model.status, host.failures) == ("ok", [])
    with pytest.raises(PluginError):
        host.family("nobody")


@pytest.mark.parametrize(("allowed", "found"), [(None, True), ("bad", True), ("x, bad-package", True), ("", False)])
def test_an_allow_list_bars_what_it_does_not_name(monkeypatch, allowed, found):
    """By name or package; bundled plugins need no word, and what is barred is never imported."""
    points = [Point("bad", toy(), "bad-package"), Point("dense", other(), "flopsheet")]
    monkeypatch.setattr("flopsheet.host.loading._find_points", lambda _: points[::-1])
    monkeypatch.delenv(ALLOWED, raising=False)
    if allowed is not None:
        monkeypatch.setenv(ALLOWED, allowed)
    host = load()
    assert [plugin.name for plugin in host.plugins] == (["dense", "bad"] if found else ["dense"])
    assert [plugin.name for plugin in host.barred] == ([] if found else ["bad"])


@pytest.mark.parametrize("kind", ["checks", "notes"])
def test_a_check_may_name_fields(kind):
    """Those that dimensions come from, and those that the architecture states."""
    fine = {kind: {"hidden_size * context * groups": "Wrong"}}
    known = Architecture("toy", "Toy", "One matrix", (WIDTH,), fields=("groups",), **fine)
    assert model_of(toy(architectures=[known]))[0].status == "ok"
