"""`flopsheet mcp`, through the official client over stdio: tools with schemas that read one folder and nothing else."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from planner import run
from samples import CONFIGS

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parent.parent
SECRET = 4_242_424
START = "from flopsheet.cli import main; main()"


@pytest.fixture
def folder(tmp_path):
    """Return a folder that a server may read, with a model and a portfolio; a model that it may not is next to it."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    shutil.copytree(CONFIGS / "gpt2-xl", inside / "gpt2-xl")
    shutil.copytree(CONFIGS / "gpt2-xl", outside)
    config = json.loads((outside / "config.json").read_text("utf-8"))
    (outside / "config.json").write_text(json.dumps(config | {"vocab_size": SECRET}), "utf-8")
    (inside / "plan.toml").write_text(PORTFOLIO, "utf-8")
    return inside


PORTFOLIO = """
[[models]]
name = "GPT-2 XL"
config = "gpt2-xl/config.json"
tokens = 1e12

[inputs]
report_date = 2026-11-01
accelerators = 64
days = 30
"""


def calls(folder, *asked):
    """Return the tools of a server for a folder, and the answers to some calls of them."""

    async def talk():
        environment = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "HOME")}
        server = StdioServerParameters(command=sys.executable, args=["-c", START, "mcp", str(folder)], env=environment)
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, arguments) for name, arguments in asked]

    return asyncio.run(talk())


def document(answer):
    """Return what a call gives, which must be no error, and has the version of all documents."""
    assert not answer.is_error, answer.content
    result = answer.structured_content
    assert (result["version"], json.loads(answer.content[0].text)) == (1, result)
    return result


def said(answer):
    """Return the message of a call that is an error."""
    assert answer.is_error
    return answer.content[0].text


def test_every_tool_has_a_schema_and_only_reads(folder):
    """Names, descriptions, types of arguments, and hints for the assistant's host."""
    tools, _ = calls(folder)
    assert [tool.name for tool in tools] == ["show", "plan", "sweep", "inputs", "explain"]
    for tool in tools:
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema
        assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
    assert tools[0].input_schema["required"] == ["paths"]


def test_the_tools_say_what_the_commands_say(folder, monkeypatch):
    """Numbers of show, plan, inputs and explain equal those of the command line; whole numbers stay whole."""
    plan = {"portfolio": "plan.toml", "inputs": {"mfu": 0.4, "batch": 8}, "tables": ["cases"]}
    _, answers = calls(
        folder,
        ("show", {"paths": ["gpt2-xl"], "settings": {"batch": 2}, "lines": True}),
        ("plan", plan),
        ("inputs", {"text": "price"}),
        ("explain", {"path": "plan.toml", "name": "training_cost"}),
        ("explain", {"path": "plan.toml", "name": "mfu"}),
        ("explain", {"path": "plan.toml", "name": "budget.cost"}),
    )
    shown, planned, inputs, cost, mfu, figure = map(document, answers)
    monkeypatch.chdir(folder)
    (model,) = json.loads(run("show", "gpt2-xl", "--set", "batch=2", "--format", "json")[1])
    del model["version"]
    assert shown["models"] == [model]
    options = ("--input", "mfu=0.4", "--input", "batch=8", "--format", "json")
    printed = json.loads(run("plan", "plan.toml", *options)[1])
    assert planned["table_names"] == list(printed["tables"])
    del planned["table_names"]
    assert planned == printed | {"tables": {"cases": printed["tables"]["cases"]}}
    assert inputs == json.loads(run("inputs", "price", "--format", "json")[1])
    ((row,),) = [one["rows"] for one in cost["meanings"]]
    assert row["value"] == pytest.approx(row["reads"]["training_hours"] * row["reads"]["price_per_hour"])
    assert (mfu["meanings"][0]["is"], mfu["meanings"][0]["value"]) == ("input", 0.35)
    assert figure["meanings"][0]["values"].keys() == {"low", "base", "high"}


def test_a_sweep_is_evaluated():
    """Its document is that of the command."""
    pytest.importorskip("pyarrow", reason="the extra sweep is not installed")
    _, (answer,) = calls(ROOT / "examples", ("sweep", {"design": "designs/dense-sizes.toml"}))
    status, out, _ = run("sweep", ROOT / "examples" / "designs" / "dense-sizes.toml", "--format", "json")
    assert (status, document(answer)) == (0, json.loads(out))


def test_a_wrong_request_is_an_error_that_can_be_read(folder):
    """An unknown name is an error with what may be meant, and the server goes on."""
    _, answers = calls(
        folder,
        ("plan", {"portfolio": "plan.toml", "inputs": {"mfuu": 0.4}}),
        ("explain", {"path": "plan.toml", "name": "training_csot"}),
        ("show", {"paths": []}),
        ("show", {"paths": ["gpt2-xl"]}),
        ("plan", {"portfolio": "plan.toml", "tables": ["csaes"]}),
    )
    assert "did you mean 'mfu'" in said(answers[0])
    assert "did you mean 'training_cost'" in said(answers[1])
    assert "paths" in said(answers[2])
    assert "no table 'csaes'; did you mean 'cases'" in said(answers[4])
    assert document(answers[3])["models"][0]["totals"]["parameters"] == 1_557_611_200


@pytest.mark.parametrize("path", ["../outside/config.json", "{outside}/config.json", "link/config.json", "file.json"])
def test_no_argument_leads_out(folder, path):
    """Neither up, nor as an absolute path, nor through a link to a folder or a file."""
    outside = folder.parent / "outside"
    (folder / "link").symlink_to(outside)
    (folder / "file.json").symlink_to(outside / "config.json")
    given = path.format(outside=outside)
    tools = (("show", {"paths": [given]}), ("plan", {"portfolio": given}), ("explain", {"path": given, "name": "mfu"}))
    _, answers = calls(folder, *tools, ("sweep", {"design": given}))
    assert all("outside the folder" in said(answer) for answer in answers)


def test_a_linked_folder_that_leads_out_is_a_model_in_error(folder):
    """It is not opened, and not left out unsaid."""
    (folder / "linked").mkdir()
    (folder / "linked" / "models").symlink_to(folder.parent / "outside")
    _, answers = calls(folder, ("show", {"paths": ["linked"]}))
    assert document(answers[0])["models"][0]["problems"] == ["linked/models: this folder cannot be opened"]


def test_nothing_that_is_read_leads_out(folder):
    """A portfolio's path, a link in a folder that is searched, a sidecar, a table in Parquet: none is opened."""
    outside = folder.parent / "outside"
    away = f'[[models]]\nname = "Away"\nconfig = "{outside}/config.json"\n'
    (folder / "away.toml").write_text(away + away.replace("Away", "Up").replace(str(outside), "../outside"), "utf-8")
    (folder / "plugins.toml").write_text(f'plugins = ["{outside}/plugin.toml"]\n{PORTFOLIO}', "utf-8")
    (outside / "plugin.toml").write_text("broken = [", "utf-8")
    (folder / "links").mkdir()
    (folder / "links" / "config.json").symlink_to(outside / "config.json")
    (folder / "tables").mkdir()
    run("report", outside, "-o", outside / "models.parquet")
    (folder / "tables" / "models.parquet").symlink_to(outside / "models.parquet")
    assert (outside / "models.parquet").exists()
    asked = [("show", {"paths": [path]}) for path in ("away.toml", "links", "tables", "plugins.toml")]
    asked += [("plan", {"portfolio": "plugins.toml"})]
    _, answers = calls(folder, *asked)
    assert str(SECRET) not in "".join(answer.content[0].text for answer in answers)
    *result, shown, planned = answers
    models = [model for answer in result for model in document(answer)["models"]]
    assert [model["status"] for model in models] == ["error"] * 4
    assert all("outside the folder" in str(model["problems"]) for model in models)
    assert all("outside the folder" in said(answer) for answer in (shown, planned))


def test_a_cached_model_is_no_file_of_the_folder(folder):
    """A name of the Hub is looked up neither in the cache nor on the network."""
    _, (answer,) = calls(folder, ("show", {"paths": ["openai-community/gpt2"]}))
    assert "no such file" in said(answer)


def test_nothing_is_written(folder, tmp_path):
    """Every tool leaves the folder, and the folder for temporary files, as they were."""
    before = sorted(tmp_path.rglob("*"))
    asked = [("show", {"paths": ["gpt2-xl"]}), ("plan", {"portfolio": "plan.toml"}), ("inputs", {})]
    _, answers = calls(folder, *asked)
    assert all(map(document, answers))
    assert sorted(tmp_path.rglob("*")) == before


CONFINED = """
import os, socket, subprocess, sys, tempfile
from pathlib import Path
from flopsheet.cli.assistant.confine import confine
folder = Path(sys.argv[1])
confine(folder)
attempts = {
    "read": lambda: open(folder.parent / "outside" / "config.json"),
    "list": lambda: os.listdir(folder.parent),
    "write": lambda: open(folder / "new", "w"),
    "append": lambda: os.open(folder / "plan.toml", os.O_APPEND | os.O_WRONLY),
    "create": lambda: os.open(folder / "new", os.O_CREAT),
    "remove": lambda: os.remove(folder / "plan.toml"),
    "rename": lambda: os.rename(folder / "plan.toml", folder / "other"),
    "make": lambda: os.mkdir(folder / "new"),
    "temporary": lambda: tempfile.mkstemp(dir=folder),
    "run": lambda: subprocess.run(["true"]),
    "shell": lambda: os.system("true"),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    "resolve": lambda: socket.getaddrinfo("localhost", 9),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except PermissionError:
        continue
    print("allowed:", name)
print((folder / "plan.toml").read_text("utf-8")[:1] or "empty", os.listdir(folder / "gpt2-xl"))
"""


def test_a_confined_process_only_reads_its_folder(folder):
    """Each way out is refused by the process itself, and the folder can be read."""
    import subprocess  # noqa: PLC0415 - this test alone starts one itself

    done = subprocess.run(
        [sys.executable, "-c", CONFINED, str(folder.resolve())], capture_output=True, text=True, check=True
    )
    assert "allowed" not in done.stdout
    assert "config.json" in done.stdout
