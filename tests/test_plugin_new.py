"""`flopsheet plugins new`: each kind passes its tests and the check as generated, as a distribution and as TOML."""

import sys
from importlib import import_module

import pytest
from click.testing import CliRunner

from flopsheet.cli import main
from flopsheet.cli.plugins import KINDS
from flopsheet.host.projects import declared_in
from flopsheet.kit.starting import PYTHON, TOML
from flopsheet.testing import PluginSuite


def run(*arguments):
    """Return a command's exit status and what it prints."""
    done = CliRunner().invoke(main, ["plugins", *map(str, arguments)])
    return done.exit_code, done.output


@pytest.fixture(params=[(kind, form) for kind in KINDS for form in (PYTHON, TOML)], ids=" ".join)
def made(request, tmp_path, monkeypatch):
    """Return the name and folder of a new plugin, whose tests can be imported."""
    kind, form = request.param
    name = f"bird_{kind}_{form[0]}"
    folder = tmp_path / name
    assert run("new", name, "--like", kind, "-o", folder, *(["--toml"] if form == TOML else []))[0] == 0
    monkeypatch.syspath_prepend(folder)
    yield name, folder
    for module in [one for one in sys.modules if one.startswith(("flopsheet_bird_", "test_flopsheet_bird_"))]:
        del sys.modules[module]


def test_a_new_plugin_passes_the_check(made):
    """As generated, without being installed; nothing of the template is left unfilled."""
    name, folder = made
    written = folder / f"{name}.toml"
    status, said = run("check", written if written.exists() else folder, "--quick")
    assert status == 0, said
    assert "note: " not in said
    texts = {path.name: path.read_text("utf-8") for path in folder.rglob("*") if path.suffix in (".py", ".toml")}
    assert [file for file, text in texts.items() if "$" in file + text] == []
    if not written.exists():
        project = declared_in(folder / "pyproject.toml")
        assert project.name == f"flopsheet-{name.replace('_', '-')}"
        assert dict(project.points) == {name: f"flopsheet_{name}"}


def test_a_new_plugin_passes_its_tests(made, tmp_path):
    """Its suite, its published count, and its tests of its own."""
    name, _ = made
    module = import_module(f"test_flopsheet_{name}")
    suites = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, PluginSuite)]
    (suite,) = [one for one in suites if one is not PluginSuite]
    for count in suite.published:
        suite().test_plugin(("published", count))
    for own in [one for key, one in vars(module).items() if key.startswith("test_")]:
        own(*[tmp_path] * own.__code__.co_argcount)


@pytest.mark.parametrize("name", ["Bird", "tp8", "bird-house", "1bird", "a_name_of_23_characters"])
def test_a_name_that_no_module_can_have_is_refused(name, tmp_path):
    """With the reason."""
    status, said = run("new", name, "-o", tmp_path / "x")
    assert status == 2
    assert f"{name!r} cannot be a plugin's name: " in said


def test_a_folder_with_files_is_left_alone(tmp_path):
    """Nothing is written over."""
    (tmp_path / "notes.txt").touch()
    assert "already exists; -o names another folder" in run("new", "bird", "-o", tmp_path)[1]
