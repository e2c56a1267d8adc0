"""A plugin is used without being installed: a file, a package, a project or a module, in commands and in Python."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from toy_plugins import toy

import flopsheet
from flopsheet.cli import main
from flopsheet.errors import UsageError
from flopsheet.host.loading import load

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"
GMLP = EXAMPLE / "flopsheet_gmlp.py"
CONFIG = EXAMPLE / "gmlp-small" / "config.json"
PARAMETERS = 47_940_608


def run(*arguments):
    """Return what a command prints; it ends well."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def packaged(folder):
    """Return the folder of the example as a package."""
    package = folder / "flopsheet_gmlp"
    package.mkdir()
    shutil.copy(GMLP, package / "__init__.py")
    return package


@pytest.mark.parametrize("kind", ["file", "project", "package"])
def test_a_plugin_counts_without_being_installed(kind, tmp_path):
    """A file and a package are named by their place and digest, a project by its own name and version."""
    given = {"file": lambda: GMLP, "project": lambda: EXAMPLE, "package": lambda: packaged(tmp_path)}[kind]()
    model = flopsheet.evaluate(CONFIG, plugins=[given])
    assert (model.status, model.totals["parameters"]) == ("ok", PARAMETERS)
    package, sign = ("flopsheet-gmlp", "0.1.0+") if kind == "project" else (str(given), "sha256:")
    assert model.plugin.package == package
    assert model.plugin.version.startswith(sign)
    assert flopsheet.evaluate(CONFIG).status == "error"


def test_a_module_counts():
    """One that a notebook made."""
    module = ModuleType("toys")
    vars(module).update(vars(toy()) | {"__name__": "toys"})
    model = flopsheet.evaluate({"model_type": "toy", "hidden_size": 3}, plugins=[module])
    assert (model.status, model.totals["parameters"], model.plugin.package) == ("ok", 9, "module toys")


@pytest.mark.parametrize("command", ["show", "report"])
def test_who_fails_is_told_with_the_command_that_says_more(command, tmp_path):
    """With the option that names it: it is not installed."""
    path = tmp_path / "my toys.py"
    path.write_text("no_such_name\n", "utf-8")
    more = ["-o", tmp_path / "plan.csv"] if command == "report" else []
    done = CliRunner().invoke(main, [str(word) for word in (command, CONFIG, "--plugin", path, *more)])
    assert f"run 'flopsheet plugins --plugin '{path}'' for details" in done.stderr


def test_every_command_that_reads_plugins_takes_one(tmp_path):
    """Show, plugins, report and its import and diff, plan, sweep and inputs."""
    portfolio, plan = tmp_path / "portfolio.toml", tmp_path / "plan.xlsx"
    portfolio.write_text(
        f'[[models]]\nconfig = "{CONFIG.as_posix()}"\n[inputs]\nprice_per_hour = 2\naccelerators = 8\ndays = 1\n'
        'accelerator = "h100-sxm"\n[sweep.axes]\nmfu = [0.3, 0.4]\n',
        "utf-8",
    )
    (shown,) = json.loads(run("show", CONFIG, "--plugin", GMLP, "--format", "json"))
    assert shown["totals"]["parameters"] == PARAMETERS
    listed = json.loads(run("plugins", "--json", "--plugin", GMLP))["plugins"]
    assert ["gmlp"] in [one["architectures"] for one in listed]
    assert "1 model: 1 ok" in run("report", portfolio, "--plugin", GMLP, "-o", plan, "-o", tmp_path / "plan.csv")
    assert "gmlp-small" in run("plan", portfolio, "--plugin", GMLP)
    assert "no number moved" in run("diff", plan, plan)
    assert "no input was changed" in run("import", plan, "-o", portfolio, "--dry-run")
    assert "2 designs" in run("sweep", portfolio, "--plugin", GMLP)


def test_a_changed_file_is_read_again(tmp_path):
    """As an author changes it, in one session of Python."""
    file = tmp_path / "changing_gmlp.py"
    text = GMLP.read_text("utf-8")
    file.write_text(text, "utf-8")
    before = flopsheet.evaluate(CONFIG, plugins=[file])
    file.write_text(text.replace('bias="d_ff"', 'bias="0"'), "utf-8")
    after = flopsheet.evaluate(CONFIG, plugins=[file])
    assert before.totals["parameters"] - after.totals["parameters"] == 12 * 3072


def test_a_bundled_plugin_can_be_replaced_by_its_copy(tmp_path):
    """Its entry point's name stays; in a process of its own, since its modules are then the copy's."""
    copy = shutil.copytree(Path(sys.modules["flopsheet_rwkv"].__file__).parent, tmp_path / "flopsheet_rwkv")
    code = f"from flopsheet.host.loading import load\nprint(*load((), ({str(copy)!r},)).plugins, sep='\\n')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert any(line.startswith(f"rwkv ({copy} sha256:") for line in said.splitlines())


@pytest.mark.parametrize("given", ["nowhere.py", "notes.txt", "empty"])
def test_what_is_no_plugin_is_refused(given, tmp_path, monkeypatch):
    """With what is expected."""
    (tmp_path / "notes.txt").touch()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"^{given}: not a plugin: a .toml or .py file, or a folder with"):
        load((), (given,))


BAD_PROJECTS = {
    "no table": ("name = 'x'", "not a project of Python: KeyError: 'project'"),
    "no entry point": ("[project]\nname = 'x'", "has no entry point in the group 'flopsheet'"),
    "no module": ("[project]\nname = 'x'\nentry-points.flopsheet.x = 'gone'", "the module gone of the entry point x"),
}


@pytest.mark.parametrize(("text", "said"), BAD_PROJECTS.values(), ids=BAD_PROJECTS)
def test_a_project_without_a_plugin_is_refused(text, said, tmp_path):
    """It says what is missing."""
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=said):
        load((), (str(tmp_path),))


def test_a_file_that_is_named_as_another_module_is_refused(tmp_path):
    """Python knows one module of a name; whoever imports the other would get this one."""
    (tmp_path / "json.py").touch()
    (failure,) = load((), (str(tmp_path / "json.py"),)).failures
    assert failure.reason.startswith("another module named json is in use (")


def test_a_file_that_fails_to_import_leaves_nothing(tmp_path):
    """The reason says where, and the next import begins anew."""
    file = tmp_path / "failing_toy.py"
    file.write_text("1 / 0\n", "utf-8")
    (failure,) = load((), (str(file),)).failures
    assert failure.reason.endswith("failing_toy.py, line 1)")
    assert "failing_toy" not in sys.modules


def test_several_jobs_take_paths_alone():
    """A module cannot be sent to another process."""
    with pytest.raises(UsageError, match="with several jobs, paths are expected in place of modules"):
        flopsheet.sweep("design.toml", jobs=2, plugins=[ModuleType("toys")])
