"""Documents of --format json: each command's has a version, and is what docs/schemas/output.schema.json says."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from planner import run

from flopsheet.export.documents import VERSION

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "output.schema.json").read_text("utf-8"))
PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
CONFIG = "examples/configs/gpt2-xl/config.json"
FRONTIER = "examples/portfolios/frontier.toml"
REPORTS = ("tests/golden/frontier.toml", "tests/golden/walkthrough.toml")
COMMANDS = {
    "show": [CONFIG, "examples/configs/broken"],
    "plan": [FRONTIER, "--tornado", "--grid", "mfu,price_per_hour"],
    "sweep": ["examples/designs/dense-sizes.toml"],
    "check": [FRONTIER],
    "inputs": [],
    "diff": REPORTS,
    "plugins": [],
    "plugins check": ["rwkv", "--quick"],
    "plugins show ARCHITECTURE": ["dense"],
    "plugins show": ["models"],
    "templates list": [],
    "templates fields": [],
    "templates check": ["plan"],
    "verify": [CONFIG, "--weights", "examples/configs/gpt2-xl"],
    "fit": ["runs.csv"],
    "calibrate": ["log.csv"],
    "prices update": ["feed.csv"],
}
BARE = ("inputs", "plugins", "plugins check", "plugins show", "templates list", "templates fields", "templates check")


def printed(name, *options):
    """Return what a command prints of its example, read as JSON."""
    words = [word for word in name.split() if word.islower()]
    status, out, errors = run(*words, *COMMANDS[name], *options)
    assert status in (0, 1), errors
    return json.loads(out)


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch, tmp_path):
    """Run beside the examples; the runs of a law of one's own are made up."""
    rows = [(n, d, 1.7 + 400 / n**0.34 + 410 / d**0.28) for n in (1e8, 1e9, 1e10) for d in (1e10, 1e11, 1e12)]
    (tmp_path / "runs.csv").write_text("N,D,loss\n" + "\n".join(f"{n},{d},{loss}" for n, d, loss in rows), "utf-8")
    monkeypatch.setitem(COMMANDS, "fit", [str(tmp_path / "runs.csv")])
    (tmp_path / "log.csv").write_text(f"config,seconds\n{(ROOT / CONFIG).as_posix()},0.5\n", "utf-8")
    monkeypatch.setitem(COMMANDS, "calibrate", [str(tmp_path / "log.csv")])
    (tmp_path / "feed.csv").write_text("accelerator,usd,date\nh100-sxm,2.5,2026-11-20\n", "utf-8")
    feed = [str(tmp_path / "feed.csv"), "-o", str(tmp_path / "prices.toml")]
    monkeypatch.setitem(COMMANDS, "prices update", feed)
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_document_has_its_version_and_form(name):
    """The definition of the command in the schema, no other keys, and the page names it."""
    document = printed(name, "--format", "json")
    versions = [one["version"] for one in document] if isinstance(document, list) else [document["version"]]
    assert set(versions) == {VERSION}
    Draft202012Validator({**SCHEMA["$defs"][name], "$defs": SCHEMA["$defs"]}).validate(document)
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("name", BARE)
def test_json_alone_is_the_content(name):
    """--json gives what is in the document, without its version."""
    document = printed(name, "--format", "json")
    del document["version"]
    assert printed(name, "--json") in (document, *document.values())


def test_every_definition_belongs_to_a_command():
    """The schema is one, and knows the commands of this test."""
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]) == {*COMMANDS, "number", "status", "plugin", "line"}


def test_a_sweep_prints_or_writes(tmp_path):
    """Rows of a file are not printed too."""
    status, _, errors = run("sweep", *COMMANDS["sweep"], "--format", "json", "-o", tmp_path / "all.csv")
    assert (status, "leave it out where -o" in errors) == (2, True)
