import json

import pytest
from click.testing import CliRunner

import flopsheet
from flopsheet import Architecture, Dimension, Line
from flopsheet.cli import main
from flopsheet.host.host import Failure, Host, Plugin

BAD = Plugin("bad", "somebody-elses", "3.1")


def run(*arguments):
    """Run `flopsheet plugins`, which ends well whatever is installed."""
    result = CliRunner().invoke(main, ["plugins", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def host(monkeypatch):
    """Return a host that the command takes for what is installed: a plugin whose line names nothing that there is."""
    architecture = Architecture("odd", "Odd", "", (Dimension("n_layers", "Layers"),))
    host = Host(plugins=[BAD], architectures={"odd": (architecture, BAD)})
    host.answers["odd", "flopsheet_parameters"] = [Line("attention", "n_layer * 2", "parameters", "attention")]
    monkeypatch.setattr("flopsheet.cli.plugins.load", lambda _: host)
    return host


def test_each_plugin_stands_with_package_version_and_what_it_serves():
    """The table says what is installed and which model types it reads."""
    rows = {line.split()[0]: line.split() for line in run().splitlines()}
    assert rows["moe"][1:4] == ["flopsheet", flopsheet.__version__, "moe"]
    assert "    reads bart, mt5, t5" in run().splitlines()


def test_json_says_the_same():
    """Tools find plugins with their lines counted by section."""
    document = json.loads(run("--json"))
    plugins = {plugin["name"]: plugin for plugin in document["plugins"]}
    assert document["failures"] == []
    assert plugins["moe"]["model_types"] == ["deepseek_v3", "mixtral"]
    assert min(plugins["moe"]["lines"]["moe"].values()) > 0


def test_a_plugin_can_be_left_out():
    """`--without` takes a plugin and its model types from the list."""
    names = [plugin["name"] for plugin in json.loads(run("--json", "--without", "moe"))["plugins"]]
    assert "moe" not in names
    assert "dense" in names


def test_a_plugin_that_failed_to_load_stands_with_its_reason(host):
    """A failure is shown with package and version, so that one knows whom to ask."""
    host.failures.append(Failure(Plugin("worse", "package", "0.9"), "ImportError: no module named 'x'"))
    out = run()
    assert "failed: worse (package 0.9)" in out
    assert "ImportError: no module named 'x'" in out


def test_a_bad_line_is_its_plugins_failure(host):
    """Formulas are read here, so an author sees a slip before any model needs the line."""
    (failure,) = json.loads(run("--json"))["failures"]
    assert host.provider("odd") == BAD
    assert (failure["name"], failure["package"], failure["version"]) == ("bad", "somebody-elses", "3.1")
    assert "line attention of odd" in failure["reason"]
    assert "did you mean" in failure["reason"]


def test_a_ledger_that_cannot_be_built_is_its_plugins_failure(host):
    """A name that is used twice is told, and the other plugins are listed all the same."""
    host.answers["odd", "flopsheet_flops"] = [Line("attention", "1", "FLOP")]
    out = run()
    assert "failed: bad (somebody-elses 3.1)" in out
    assert "the name 'attention' cannot be used: it is used twice" in out


def test_no_plugins_is_no_error(host):
    """An installation without plugins says so."""
    host.plugins.clear()
    host.architectures.clear()
    assert run() == "no plugins are loaded\n"
