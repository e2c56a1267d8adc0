"""Packages that a portfolio requires, plugins that it leaves out, and --strict."""

import tomllib

import pytest
from planner import run

import flopsheet
from flopsheet.configs.plugin_choice import load_for
from flopsheet.configs.require import unmet
from flopsheet.errors import UsageError
from flopsheet.host.local import Choice


def test_what_is_installed_is_met():
    """A name alone, and a version that fits."""
    assert unmet(["pluggy", "pluggy>=1.0", "flopsheet"]) == []


UNMET = {
    "no-such-package>=1": "no-such-package>=1 is not installed; pip install 'no-such-package>=1'",
    "pluggy<0.1": "pluggy<0.1 is required, ",
    "pluggy >> 3": "'pluggy >> 3' is not a requirement: ",
}


@pytest.mark.parametrize(("text", "problem"), UNMET.items(), ids=UNMET)
def test_what_is_missing_is_told(text, problem):
    """One sentence each, with what to do."""
    (said,) = unmet([text])
    assert said.startswith(problem)


PORTFOLIO = """
{}
[[models]]
name = "Small"
architecture = "dense"
dimensions = {{ n_layers = 2, d_model = 8, n_heads = 2, d_ff = 16, vocab_size = 32 }}
"""


@pytest.fixture
def said(tmp_path):
    """Write a portfolio that begins with a line, and return its path."""

    def write(line):
        (tmp_path / "portfolio.toml").write_text(PORTFOLIO.format(line), "utf-8")
        return tmp_path / "portfolio.toml"

    return write


def test_a_portfolio_leaves_plugins_out(said, tmp_path):
    """Its report says so and leaves them out again; one that is not installed is left out anyway."""
    portfolio = said('without = ["rwkv", "somebodys"]')
    assert run("report", portfolio, "-o", tmp_path / "report.toml")[0] == 0
    report = tomllib.loads((tmp_path / "report.toml").read_text("utf-8"))
    assert report["without"] == ["rwkv"]
    assert "rwkv" not in {plugin["name"] for plugin in report["plugins"]}
    assert load_for([str(tmp_path / "report.toml")], Choice()).without == ("rwkv",)


def test_a_misspelled_plugin_is_told(said):
    """It would stay in."""
    status, _, errors = run("plan", said('without = ["rwvk"]'))
    assert status == 2
    assert "without: 'rwvk': no plugin has this name; did you mean 'rwkv'?" in errors


def test_python_requires_and_leaves_out():
    """As a portfolio does."""
    config = {"model_type": "rwkv", "hidden_size": 8}
    assert "is not supported" in flopsheet.evaluate(config, without=["rwkv"]).problems[0]
    with pytest.raises(UsageError, match="no-such-package>=1 is not installed"):
        flopsheet.evaluate(config, require=["no-such-package>=1"])


FAULTY = "from flopsheet import hookimpl\n\n@hookimpl\ndef flopsheet_families():\n    return 5\n"


@pytest.mark.parametrize("command", [("show",), ("plan",), ("report", "-o", "plan.md"), ("plugins",)])
def test_strict_makes_a_faulty_plugin_an_error(said, tmp_path, monkeypatch, command):
    """Every command that counts says it and ends with 1; without --strict it says it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty_families.py").write_text(FAULTY, "utf-8")
    name, *options = command
    inputs = [] if name == "plugins" else [said("")]
    given = (name, *inputs, *options, "--plugin", "faulty_families.py")
    assert run(*given)[0] == 0
    assert run(*given, "--strict")[0] == 1
