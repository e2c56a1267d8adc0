"""docs/plugin-authors.md: its code is the example's code, its hooks are the hooks, its family counts.

And docs/written-plugins.md: its file counts what the example in Python counts.
"""

import inspect
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click
import openpyxl
import pytest
from pages import blocks as blocks_page
from samples import CONFIGS

import flopsheet
from flopsheet import Family, blocks
from flopsheet.accounting.adapters import DIMENSIONS as ADAPTERS
from flopsheet.accounting.formula import check_name
from flopsheet.accounting.line import GROUPS, Kind, Line
from flopsheet.accounting.quantized_weights import DIMENSIONS as QUANTIZED
from flopsheet.accounting.workload import HELPERS, TOKENS, WORKLOAD
from flopsheet.cli import main
from flopsheet.configs.source import load_model
from flopsheet.export.workbook import write_workbook
from flopsheet.host import hookspecs
from flopsheet.host.loading import load, load_from
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.sheet_records import LOOKS, ChartKind, Described, Paper, SeenTable, SheetChart, SheetColumn

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "plugin"
TEXT = (ROOT / "docs" / "plugin-authors.md").read_text("utf-8")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCES = FENCE.findall(TEXT)
WRITTEN = dict(FENCE.findall((ROOT / "docs" / "written-plugins.md").read_text("utf-8")))
HOOKS = [hook for name, hook in vars(hookspecs).items() if name.startswith("flopsheet_")]


def code(info):
    """Return the lines of all fences of one kind, blank lines left out."""
    return [line for fence, text in FENCES if fence == info for line in text.splitlines() if line]


@pytest.mark.parametrize("file", ["flopsheet_gmlp.py", "test_flopsheet_gmlp.py"])
def test_the_walk_through_builds_the_example(file):
    """Put together, the pieces are the file."""
    assert code(f"python {file}") == [line for line in (EXAMPLE / file).read_text("utf-8").splitlines() if line]


def test_the_example_is_short():
    """A plugin takes at most 50 lines."""
    assert len((EXAMPLE / "flopsheet_gmlp.py").read_text("utf-8").splitlines()) <= 50


def test_the_examples_project_stands_in_the_docs():
    """Name, version, dependency and entry point."""
    shown = next(tomllib.loads(text) for info, text in FENCES if info == "toml" and "entry-points" in text)
    real = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    assert shown["project"].items() <= real.items()


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.__name__)
def test_every_hook_is_documented_with_its_signature(hook):
    """The signature is the hook's, and the table says what it gives."""
    signature = str(inspect.signature(hook)).replace("'", "")
    assert f"def {hook.__name__}{signature}: ..." in code("python")
    assert f"| `{hook.__name__}` | " in TEXT


def documented(names):
    """Return the names that the docs do not mention."""
    return [name for name in names if f"`{name}`" not in TEXT]


def test_every_field_is_documented():
    """What a family and a line can say."""
    fields = [field for field in Family._fields if field not in ("model_type", "architecture", "table", "package")]
    assert documented(fields) == []
    own = [field for field in Line._fields if field not in ("name", "unit")]
    assert [field for field in own if f"**{field}**" not in TEXT] == []


def test_every_block_is_documented():
    """Constants and functions of `blocks`."""
    names = [name for name in dir(blocks) if name != "Block"]
    assert [name for name in names if f"blocks.{name}" not in TEXT] == []


def test_every_group_and_workload_name_is_documented():
    """What authors may use, and the host's own groups of memory."""
    assert documented(GROUPS) == []
    training = {"training_dtype_bytes", "gradient_dtype_bytes", "optimizer_bytes", "mask", "recompute"}
    training |= {dimension.name for dimension in (*QUANTIZED, *ADAPTERS)}
    names = [item.name for item in (*WORKLOAD, *HELPERS, TOKENS) if item.name not in training]
    assert documented(names) == []


def test_the_names_that_are_refused_are_refused():
    """The examples of the naming rules."""
    assert all(check_name(name) for name in ("bf16", "tp8", "r", "c"))
    assert check_name("bf16_bytes") is None


class Point:
    """An entry point without a package."""

    dist = None

    def __init__(self, name, module):
        """Keep what is loaded."""
        self.name, self.module = name, module

    def load(self):
        """Import the plugin."""
        __import__(self.module)
        return sys.modules[self.module]


def host_with(tmp_path, monkeypatch, module, text, points=("flopsheet_dense",)):
    """Return the host of a plugin's text beside others."""
    tmp_path.joinpath(f"{module}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return load_from([Point(name, name) for name in (*points, module)])


SPARROW = {
    "model_type": "sparrow",
    "architectures": ["SparrowForCausalLM"],
    "vocab_size": 11,
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}


def test_a_family_of_three_lines_counts(tmp_path, monkeypatch):
    """The table of the docs is enough for a type like Llama with biases."""
    table = next(text for info, text in FENCES if info == "toml" and "[sparrow]" in text)
    assert len(table.splitlines()) == 3
    package = tmp_path / "sparrow_tables"
    package.mkdir()
    package.joinpath("__init__.py").touch()
    package.joinpath("families.toml").write_text(table, "utf-8")
    text = (
        "from flopsheet import families_from, hookimpl\n"
        "flopsheet_families = hookimpl(lambda: families_from('sparrow_tables', 'dense'))\n"
    )
    host = host_with(tmp_path, monkeypatch, "flopsheet_sparrow", text)
    model = cost(host, load_model(host, SPARROW))
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == 2 * (4 * 64 + 3 * 8 + 3 * 96 + 2 * 8) + 8 + 2 * 88


def test_the_learned_prompt_of_the_docs_extends_dense(tmp_path, monkeypatch):
    """Its lines count where it has tokens, and change nothing where it has none."""
    extension = next(text for info, text in FENCES if info == "python" and "extends" in text)
    text = f"from flopsheet import Dimension, Line, hookimpl\n{extension}"
    host = host_with(tmp_path, monkeypatch, "flopsheet_prompt", text)
    assert host.failures == []
    model = load_model(host, SPARROW | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]})
    plain, prompted = (cost(host, model, {"n_prompt_tokens": count}).totals["parameters"] for count in (0, 4))
    assert prompted - plain == 4 * 8


def test_the_suite_of_the_docs_passes(tmp_path, monkeypatch):
    """Beside the example, as a test file of its own."""
    shutil.copytree(EXAMPLE / "gmlp-small", tmp_path / "gmlp-small")
    shutil.copy(EXAMPLE / "flopsheet_gmlp.py", tmp_path)
    (tmp_path / "suite_of_gmlp.py").write_text("\n".join(code("python test_gmlp_suite.py")), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    suite = import_module("suite_of_gmlp").TestGmlp()
    suite.test_plugin(("published", "gmlp-small/config.json"))
    suite.test_plugin(("check", "examples"))
    assert suite.subject().plugin.package == str(tmp_path / "flopsheet_gmlp.py")


def test_the_file_without_code_counts_what_the_example_counts(tmp_path):
    """Every line and total alike, those of training and under both masks included."""
    (tmp_path / "gmlp.toml").write_text(WRITTEN["toml gmlp.toml"], "utf-8")
    results = []
    for plugin in (EXAMPLE / "flopsheet_gmlp.py", tmp_path / "gmlp.toml"):
        host = load((), (str(plugin),))
        model = load_model(host, EXAMPLE / "gmlp-small" / "config.json")
        kept = {one.line.name: one.line.formula for one in host.training_ledger("gmlp").entries}
        results.append((cost(host, model, {"mask": "causal", "batch": 3}).numbers, kept))
    assert results[1] == results[0]
    assert "channels_kept" in results[1][1]


def test_the_fields_of_a_line_come_before_questions_and_sheets():
    """Who writes an architecture reads from the top."""
    heads = re.findall(r"^##+ (.*)$", TEXT, re.MULTILINE)
    order = ["The hooks", "Architectures and dimensions", "Lines", "Adding a planning question"]
    assert sorted(order, key=heads.index) == order


def test_the_reader_of_the_docs_reads(tmp_path, monkeypatch):
    """Layers that mix have attention, the others do not; an unknown kind and another depth are the model's errors."""
    text = "\n".join(code("python flopsheet_striped.py"))
    host = host_with(tmp_path, monkeypatch, "flopsheet_striped", text, points=())
    sizes = {"vocab_size": 11, "hidden_size": 8, "intermediate_size": 12, "num_attention_heads": 2}
    config = {"model_type": "striped", "layer_kinds": ["mixer", "mlp", "mixer"], **sizes}
    model = cost(host, load_model(host, config))
    assert (host.failures, model.status, model.problems) == ([], "ok", [])
    assert model.totals["parameters"] == 2 * 4 * 64 + 3 * (2 * 96 + 8) + 8 + 2 * 88
    assert cost(host, load_model(host, config | {"layer_kinds": ["mlp"]})).notes == ["no layer mixes tokens"]
    (problem,) = cost(host, load_model(host, config | {"layer_kinds": ["hyena"]})).problems
    assert "layer_kinds has hyena" in problem
    (problem,) = cost(host, load_model(host, config | {"num_hidden_layers": 9})).problems
    assert "num_hidden_layers is not the 3 of layer_kinds" in problem


def test_the_portfolio_of_the_docs_reads_a_type_as_another(tmp_path):
    """With the published count that confirms it."""
    text = next(text for info, text in FENCES if info == "toml" and "read_as" in text)
    config = json.loads((CONFIGS / "Llama-3.1-8B" / "config.json").read_text("utf-8"))
    renamed = {"n_embd" if key == "hidden_size" else key: value for key, value in config.items()}
    (tmp_path / "my-model").mkdir()
    (tmp_path / "my-model" / "config.json").write_text(json.dumps(renamed | {"model_type": "mine"}), "utf-8")
    (tmp_path / "plan.toml").write_text(text, "utf-8")
    (model,) = flopsheet.plan(tmp_path / "plan.toml").plan.models
    assert (model.status, model.totals["parameters"]) == ("ok", 8_030_261_248)


PIECES = [text for info, text in FENCES if info == "python"]


@pytest.mark.parametrize("text", PIECES, ids=lambda text: text.split("(")[0].split()[-1])
def test_every_piece_of_python_runs(text):
    """With the public names of flopsheet, and formulas that can be read."""
    public = {name: getattr(flopsheet, name) for name in flopsheet.__all__}
    namespace = {**public, "Iterable": Iterable, "Mapping": Mapping, "Any": Any}
    exec(compile(text, "docs/plugin-authors.md", "exec"), namespace)  # noqa: S102 - the docs' own code
    for shown, said in re.findall(r'^(compose\..*?)  # (".*")$', text, re.MULTILINE):
        assert eval(shown, namespace) == eval(said)  # noqa: S307 - as above


TABLES = [text for info, text in FENCES if info.startswith("toml")]


@pytest.mark.parametrize("text", TABLES, ids=lambda text: text.split()[0])
def test_every_piece_of_toml_is_toml(text):
    """Families name only what families have."""
    document = tomllib.loads(text)
    named = {f"{key}.{field}" for key, table in document.items() if key.startswith("sparrow") for field in table}
    assert {name.split(".")[1] for name in named} <= set(Family._fields)


COMMANDS = [
    line.removeprefix("$ ").split()
    for info, text in FENCES
    if info == "console"
    for line in text.splitlines()
    if line.startswith("$ flopsheet ")
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_of_the_docs_exists(command):
    """With its options; commands within a command too."""
    context = main.make_context("flopsheet", command[1:2], resilient_parsing=True)
    made = main.get_command(context, command[1])._command()  # noqa: SLF001 - a command is imported when it is used
    rest = command[2:]
    if isinstance(made, click.Group) and rest and rest[0] in made.commands:
        made, rest = made.commands[rest[0]], rest[1:]
    known = {option for parameter in made.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("-")} <= known


def test_the_page_of_blocks_is_up_to_date():
    """`make docs` writes it; what a block needs and does not declare is found in its formulas."""
    assert (ROOT / "docs" / "blocks.md").read_text("utf-8") == blocks_page.page()
    assert blocks_page.needs(blocks.LAYER_NORMS) == ["d_model", "n_layers"]


def test_every_field_of_an_architecture_is_documented():
    """And every kind of a dimension, and what a reading holds."""
    own = [one.name for one in fields(flopsheet.Architecture)][4:]
    assert documented([*own, *get_args(Kind), *(one.name for one in fields(flopsheet.Reading))]) == []


def test_the_dora_of_the_docs_is_dora(tmp_path, monkeypatch):
    """On Llama 3.1 8B a magnitude for each row: 32 layers of 4,096 + 2 × 1,024 + 4,096 + 2 × 14,336 + 4,096."""
    host = host_with(tmp_path, monkeypatch, "flopsheet_dora", "\n".join(code("python flopsheet_dora.py")))
    model = load_model(host, CONFIGS / "Llama-3.1-8B" / "config.json")
    plain, dora = (cost(host, model, {"has_dora": flag}).totals["parameters"] for flag in (0, 1))
    assert dora - plain == 32 * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096) == 1_376_256


def test_the_failure_of_the_docs_is_how_failures_look(tmp_path, monkeypatch):
    """A misspelled dimension in the example gives the message that the docs show."""
    text = (EXAMPLE / "flopsheet_gmlp.py").read_text("utf-8").replace('"d_model * d_ff"', '"d_modle * d_ff"')
    host = host_with(tmp_path, monkeypatch, "misspelled_gmlp", text, points=())
    with pytest.raises(flopsheet.FlopsheetError):
        host.ledger("gmlp")
    shown = next(text for info, text in FENCES if info == "console" and text.startswith("failed:"))
    assert [line.strip() for line in shown.splitlines()[1:]] == [
        line.strip() for line in host.failures[0].reason.splitlines()
    ]


def test_the_question_of_the_docs_is_answered(tmp_path, monkeypatch):
    """Its figure, its line per model and its check follow its inputs."""
    host = host_with(tmp_path, monkeypatch, "flopsheet_reserve", "\n".join(code("python flopsheet_reserve.py")))
    model = cost(host, load_model(host, SPARROW | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))
    given = {"price_per_hour": 2, "accelerators": 10, "days": 1, "tokens": 1000, "spending_cap": 500}
    plan = make_plan(host, [model], inputs=given | {"safety_share": {"low": 0, "base": 0.5, "high": 1}})
    total = next(answer for answer in plan.answers() if answer.figure.name == "total")
    assert host.failures == []
    assert total.numbers == {"low": 480, "base": 720, "high": 960}
    per_model = plan.training(model, "base")
    assert per_model["cost_with_reserve"] == pytest.approx(1.5 * float(per_model["training_cost"]))
    verdict = next(one for one in check_results(plan) if one.check.name == "within_cap")
    assert "costs more than the spending cap (case base" in verdict.message


def test_the_sheet_of_the_docs_is_in_the_workbook(tmp_path, monkeypatch):
    """Its tab, columns in their units, note and chart are those that the docs describe."""
    package = tmp_path / "flopsheet_payments"
    package.mkdir()
    for kind, name in (("python", "__init__.py"), ("toml", "sheet.toml")):
        text = next(text for info, text in FENCES if info == f"{kind} flopsheet_payments/{name}")
        (package / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    host = load_from([Point(name, name) for name in ("flopsheet_dense", "flopsheet_payments")])
    model = cost(host, load_model(host, SPARROW | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))
    given = {"price_per_hour": 5, "accelerators": 1000, "days": 30, "payment_months": 3}
    plan = make_plan(host, [model], inputs=given)
    report = write_workbook(plan, tmp_path / "plan.xlsx")
    assert (host.failures, report.failing) == ([], ())
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True)["Payments"]
    texts = {cell.value for row in sheet for cell in row}
    table = next(one for one in sheet.tables.values() if "payment (USD k)" in one.column_names)
    rows = [[cell.value for cell in row[:3]] for row in sheet[table.ref]][1:]
    assert rows == [[1, 1200, 1200], [2, 1200, 2400], [3, 1200, 3600]]
    assert {"Payments are equal and start in the first month.", "Paid in total"} <= texts
    assert len(sheet._charts) == 1  # noqa: SLF001 - openpyxl has no public list of a sheet's charts


def test_every_key_of_a_sheet_is_documented():
    """What columns, charts and sheets may say."""
    words = (*LOOKS, *get_args(ChartKind), *get_args(Paper))
    names = {name for one in (SheetColumn, SheetChart, SeenTable, Described) for name in one.__struct_fields__}
    assert documented(sorted({*names, *words} - {"charts", "sheets"})) == []  # [[charts]] and [[sheets]] are
