"""The published JSON Schemas: current, and in agreement with what flopsheet reads."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from planner import run
from test_written import WRONG

import flopsheet
from flopsheet.configs.portfolio import ENTRY, TABLES
from flopsheet.export.schemas import FILES, RECORDS, text_of, write
from flopsheet.host.toml_plugin import LISTS

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PORTFOLIOS = sorted([*EXAMPLES.glob("portfolios/*.toml"), *EXAMPLES.glob("designs/*.toml")])
WRITTEN = sorted(path for path in EXAMPLES.glob("plugins/*/*.toml") if path.name != "pyproject.toml")


def errors(name, document):
    """Return what a schema finds wrong with a document."""
    schema = json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text("utf-8"))
    return [
        f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(document)
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_current(name):
    """`make docs` writes them."""
    text = (ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text("utf-8")
    assert text == text_of(name)
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_the_command_makes_its_folder(tmp_path, monkeypatch):
    """As docs/written-plugins.md has it typed."""
    monkeypatch.setattr(sys, "argv", ["schemas", str(tmp_path / "schemas")])
    monkeypatch.delitem(sys.modules, "flopsheet.export.schemas")
    runpy.run_module("flopsheet.export.schemas", run_name="__main__")
    assert sorted(path.name for path in (tmp_path / "schemas").iterdir()) == sorted(
        f"{one}.schema.json" for one in FILES
    )


def test_taplo_finds_a_portfolio_by_its_name(tmp_path):
    """The catalog names the schema of portfolios; a misspelled share is found with it, and an example passes."""
    write(tmp_path / "schemas", (tmp_path / "schemas").as_uri())
    catalog = json.loads((tmp_path / "schemas" / "catalog.json").read_text("utf-8"))
    assert [one["url"].rsplit("/", 1)[1] for one in catalog["schemas"]] == [f"{name}.schema.json" for name in FILES]
    taplo = shutil.which("taplo", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if taplo is None:
        pytest.skip("taplo is not installed")
    for text, status in ((PORTFOLIOS[0].read_text("utf-8"), 0), ('[inputs]\nmfu = "much"\n', 1)):
        (tmp_path / "portfolio.toml").write_text(text, "utf-8")
        command = [taplo, "check", "--schema-catalog", (tmp_path / "schemas" / "catalog.json").as_uri()]
        done = subprocess.run([*command, "portfolio.toml"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr


@pytest.mark.parametrize(
    ("name", "path"),
    [*(("portfolio", path) for path in PORTFOLIOS), *(("plugin", path) for path in WRITTEN)],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_example_is_valid(name, path):
    """What flopsheet reads, the schema takes."""
    assert errors(name, tomllib.loads(path.read_text("utf-8"))) == []


def test_a_new_portfolio_is_valid(tmp_path):
    """With every input that `flopsheet new` writes switched on."""
    assert run("new", tmp_path / "new.toml")[0] == 0
    assert errors("portfolio", tomllib.loads((tmp_path / "new.toml").read_text("utf-8"))) == []


@pytest.mark.parametrize("text", [text for text, _ in WRONG.values() if not text.endswith("= [")], ids=str)
def test_what_is_refused_is_invalid(text):
    """A plugin file that flopsheet refuses for its form; missing owners are found by it alone."""
    result = errors("plugin", tomllib.loads(text))
    assert result or "classes" in text


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("aft/aft", '"attention"', '"atention"'),
        ("aft/aft", '"MLP"', '"MPL"'),
        ("company/company", "reserved", "reservd"),
    ],
)
def test_a_misspelled_word_is_invalid(file, right, wrong):
    """A group, a block and a kind of price, of which there is a list."""
    text = (EXAMPLES / "plugins" / f"{file}.toml").read_text("utf-8")
    assert right in text
    assert errors("plugin", tomllib.loads(text.replace(right, wrong, 1)))


@pytest.mark.parametrize(
    "text",
    ["[inputs]\nmfu = 4", "[inputs]\nmfu = { bas = 1 }", "modles = []", "[workload]\nmask = 'x'", "plugins = 'a.toml'"],
)
def test_a_wrong_portfolio_is_invalid(tmp_path, text):
    """And flopsheet refuses it."""
    assert errors("portfolio", tomllib.loads(text))
    (tmp_path / "portfolio.toml").write_text(text, "utf-8")
    assert run("plan", tmp_path / "portfolio.toml")[0] == 2


def test_every_key_has_a_schema():
    """Top-level tables of a portfolio, keys of a model, and lists of a plugin."""
    properties = json.loads(text_of("portfolio"))["properties"]
    assert properties.keys() == TABLES.keys()
    assert properties["models"]["items"]["properties"].keys() >= ENTRY
    assert tuple(RECORDS) == LISTS
    assert all(kind.__name__ in flopsheet.__all__ for kind in RECORDS.values())
