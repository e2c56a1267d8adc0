import json
import subprocess
import sys
import tomllib

import pytest
from click.testing import CliRunner
from samples import CONFIGS, FRONTIER, PROGRAM, write_config

from flopsheet.cli import main


def run(*arguments):
    """Run `flopsheet show`, and return the result; a traceback fails the test."""
    result = CliRunner().invoke(main, ["show", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_page_a_model_in_the_order_of_the_inputs():
    """By default each model has a page, and pages stand apart."""
    pages = run(CONFIGS / "t5-11b", CONFIGS / "gpt2-xl").stdout
    heads = [line.split()[0] for line in pages.splitlines() if line.endswith("✓ ok")]
    assert heads == ["t5-11b", "gpt2-xl"]


def test_json_is_the_contracts_array():
    """Tools find the contract's keys in every model, of whatever status."""
    models = json.loads(run(CONFIGS / "gpt2-xl", CONFIGS / "broken", "--format", "json").stdout)
    keys = ["name", "status", "problems", "notes", "architecture", "plugin", "dimensions", "totals", "groups", "lines"]
    keys.append("version")
    assert [list(model) for model in models] == [keys, keys]
    assert list(models[0]["groups"]) == ["parameters", "flops", "memory"]
    assert set(models[0]["lines"][0]) == {"name", "formula", "value", "unit", "group", "about", "source"}


def test_toml_is_a_document_of_models():
    """The TOML form holds the same numbers as the JSON form."""
    (as_json,) = json.loads(run(CONFIGS / "gpt2-xl", "--format", "json").stdout)
    (as_toml,) = tomllib.loads(run(CONFIGS / "gpt2-xl", "--format", "toml").stdout)["models"]
    assert (as_toml["totals"], as_toml["dimensions"]) == (as_json["totals"], as_json["dimensions"])
    assert as_toml["lines"] == as_json["lines"]


@pytest.mark.parametrize("form", ["table", "json", "toml"])
def test_every_form_shows_the_whole_portfolio(form):
    """Models of every architecture and status can be shown in every form; one in error is exit 1."""
    result = run(FRONTIER, "--format", form)
    assert result.exit_code == 1
    assert "Broken on purpose" in result.stdout


def test_settings_are_applied():
    """`--set` takes workload names and dimensions, and numbers with underscores."""
    result = run(CONFIGS / "gpt2-xl", "--set", "batch=2", "--set", "d_ff=6_401", "--format", "json")
    (model,) = json.loads(result.stdout)
    assert (model["dimensions"]["batch"], model["dimensions"]["d_ff"]) == (2, 6401)


def test_an_unknown_setting_is_exit_2():
    """A name that no model has is refused with the name that was meant."""
    result = run(CONFIGS / "gpt2-xl", "--set", "contex=2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "did you mean 'context'?" in result.stderr


@pytest.mark.parametrize("form", ["table", "json", "toml"])
def test_odd_names_are_shown_in_every_form(tmp_path, form):
    """Other scripts, a leading `=` and half a character in a field's name are printed or replaced, never a crash."""
    paths = [write_config(tmp_path / "=1+1"), write_config(tmp_path / "模型 🎉", **{"\ud800field": 3})]
    environment = {"PYTHONUTF8": "1"}
    command = [PROGRAM, "show", *paths, "--format", form]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, encoding="utf-8")
    assert "=1+1" in result.stdout
    assert "模型" in result.stdout
    assert result.stderr == ""


def test_show_imports_nothing_heavy():
    """One config is shown without numpy, openpyxl, lxml, rich, plans and the lines of other architectures."""
    program = (
        "import sys\nfrom flopsheet.cli import main\nfrom flopsheet.host.loading import load\n"
        "try:\n    main(['show', sys.argv[1]])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\nprint('ledgers', *load(()).ledgers, file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, CONFIGS / "gpt2-xl"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    modules = set(result.stderr.splitlines())
    assert "1,557,611,200" in result.stdout
    assert "flopsheet.export.text" in modules
    assert modules.isdisjoint({"numpy", "openpyxl", "lxml", "rich", "tomli_w"})
    assert modules.isdisjoint({"flopsheet.planning.plan", "flopsheet.planning.registry", "flopsheet.export.notebook"})
    assert "ledgers dense" in modules
    assert {name for name in modules if name.startswith("flopsheet_") and "." in name} == {
        *("flopsheet_dense.stack", "flopsheet_dense.differential", "flopsheet_dense.conditioning"),
        "flopsheet_dense.reading",
        *("flopsheet_dense.encoder", "flopsheet_dense.varied", "flopsheet_dense.draft"),  # they declare architectures
        "flopsheet_rwkv.seven",
        *("flopsheet_moe.compressed", "flopsheet_moe.indexed", "flopsheet_moe.inkling", "flopsheet_moe.varied"),
        *("flopsheet_moe.checks", "flopsheet_moe.glm5_next", "flopsheet_moe.qwen4"),
    }


def test_help_and_version_need_no_plugin():
    """`--help` names every command."""
    result = CliRunner().invoke(main, ["--help"])
    assert [name for name in ("show", "report", "diff", "plugins") if name not in result.stdout] == []
