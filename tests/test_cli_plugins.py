import json
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from click.testing import CliRunner

import flopsheet
from flopsheet import Architecture, Dimension, Line, hookimpl
from flopsheet.cli import main
from flopsheet.host.loading import load_from

CONFIG = Path(__file__).parent.parent / "examples/configs/gpt2-xl/config.json"
TOY = Architecture("toy", "Toy", "", (Dimension("n_layers", "Layers"),))


def run(*arguments):
    """Run `flopsheet plugins`, which ends well whatever is installed."""
    result = CliRunner().invoke(main, ["plugins", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


class Distribution:
    """An installed package, as far as plugins need one."""

    def read_text(self, _):
        """Return the metadata file."""
        return "Name: somebody-elses\nVersion: 3.1\n"


@pytest.fixture
def install(monkeypatch):
    """Return a function that makes plugins, given by name, all that is installed."""

    def install(**modules):
        points = [
            SimpleNamespace(name=name, load=lambda module=module: module, dist=Distribution())
            for name, module in modules.items()
        ]
        host = load_from(points)
        for command in ("plugins", "show"):
            name = "load_for" if command == "show" else "load"
            monkeypatch.setattr(f"flopsheet.cli.{command}.{name}", lambda *_: host)

    return install


def plugin(*parameters, architectures=(), extends=()):
    """Return a plugin module with these parameter lines."""
    module = ModuleType("fake")
    module.extends = extends
    module.flopsheet_architectures = hookimpl(lambda: architectures)
    module.flopsheet_parameters = hookimpl(lambda: parameters)
    return module


def test_each_plugin_stands_with_package_version_and_what_it_serves():
    """The table says what is installed and which model types it reads."""
    lines = run().splitlines()
    place, row = next((place, line.split()) for place, line in enumerate(lines) if line.startswith("hybrid "))
    assert row[1:4] == ["flopsheet", flopsheet.__version__, "hybrid"]
    assert lines[place + 1].startswith("    hybrid: ")
    assert lines[place + 2].startswith("    reads ")
    longer = len(flopsheet.__version__) - len("0.1.0")  # between releases a version names a commit
    assert max(map(len, lines)) <= 80 + longer
    assert "jamba" in "".join(lines[place + 1 :])


def test_json_says_the_same():
    """Tools find plugins with their lines counted by section."""
    document = json.loads(run("--json"))
    plugins = {plugin["name"]: plugin for plugin in document["plugins"]}
    assert document["failures"] == []
    assert {"deepseek_v3", "mixtral"} <= set(plugins["moe"]["model_types"])
    assert min(plugins["moe"]["lines"]["moe"].values()) > 0


def test_a_plugin_can_be_left_out():
    """`--without` takes a plugin and its model types from the list."""
    names = [plugin["name"] for plugin in json.loads(run("--json", "--without", "moe"))["plugins"]]
    assert "moe" not in names
    assert "dense" in names


GOOD = Line("attention", "n_layers * 2", "parameters", "attention")
BAD = Line("attention", "n_layer * 2", "parameters", "attention")
ADDED = Line("adapter", "n_layers * 3", "parameters", "other")


def test_an_extension_stands_with_its_own_lines(install):
    """Lines are counted to the plugin that gives them, not to the one that it extends."""
    install(base=plugin(GOOD, architectures=[TOY]), lora=plugin(ADDED, extends="toy"))
    base, lora = json.loads(run("--json"))["plugins"]
    assert (base["architectures"], base["extends"], base["lines"]["toy"]["parameters"]) == (["toy"], [], 1)
    assert (lora["architectures"], lora["extends"], lora["lines"]["toy"]["parameters"]) == ([], ["toy"], 1)


def test_a_plugin_that_failed_to_load_stands_with_its_reason(install):
    """A failure is shown with package and version, so that one knows whom to ask."""
    install(broken=plugin(architectures=["no architecture"]))
    out = run()
    assert "failed: broken (somebody-elses 3.1)" in out
    assert "Architecture is expected" in out


def test_a_bad_line_is_its_plugins_failure(install):
    """Formulas are read here, so an author sees a slip before any model needs the line."""
    install(slip=plugin(BAD, architectures=[TOY]))
    (failure,) = json.loads(run("--json"))["failures"]
    assert (failure["name"], failure["package"], failure["version"]) == ("slip", "somebody-elses", "3.1")
    assert "line attention of toy" in failure["reason"]
    assert "did you mean" in failure["reason"]


def test_a_bad_extension_leaves_the_rest_alone(install):
    """A name that is used twice is the extension's failure; what it extends still stands."""
    install(base=plugin(GOOD, architectures=[TOY]), lora=plugin(GOOD, extends=("toy",)))
    out = run()
    assert "failed: lora (somebody-elses 3.1)" in out
    assert "a line has it already" in out
    assert any(line.split()[:4] == ["base", "somebody-elses", "3.1", "toy"] for line in out.splitlines())


def test_no_plugins_is_no_error(install):
    """An installation without plugins says so."""
    install()
    assert run() == "no plugins are loaded\n"


def test_an_unknown_plugin_cannot_be_left_out():
    """A slip in `--without` is told."""
    result = CliRunner().invoke(main, ["plugins", "--without", "mo"])
    assert result.exit_code == 2
    assert "no plugin has this name; did you mean 'moe'?" in result.stderr


def test_showing_a_model_tells_of_plugins_that_failed(install):
    """Standard output holds the model alone."""
    install(broken=plugin(architectures=["no architecture"]))
    result = CliRunner().invoke(main, ["show", str(CONFIG)], catch_exceptions=False)
    assert result.stderr.startswith("plugin broken (somebody-elses 3.1) was refused: ")
    assert "broken" not in result.stdout


def shown(*arguments):
    """Return the exit status and output of `plugins show`."""
    done = CliRunner().invoke(main, ["plugins", "show", *arguments])
    return done.exit_code, done.output


def test_an_architecture_is_shown_to_those_who_extend_it():
    """Its dimensions with keys and defaults, its lines with formulas, and what may change."""
    status, page = shown("dense")
    assert status == 0
    assert "Within version 1.0 of the plugin API, names stay and keep their meaning and unit" in page
    rows = {line.split()[0]: " ".join(line.split()) for line in page.splitlines() if line.strip()}
    assert rows["n_kv_heads"] == "n_kv_heads count default n_heads Key/value heads (num_key_value_heads)"
    assert rows["d_model"] == "d_model count required Model width (hidden_size)"
    assert rows["mlp_out"] == "mlp_out parameters mlp n_layers * d_ff * d_model"
    assert rows["parameters_active"].startswith("parameters_active parameters other parameters")
    assert "llama" in rows["model_types:"]


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("models", {"name": "training_days", "unit": "days", "title": "Training days", "question": "budget"}),
        ("cases", {"name": "budget_cost", "unit": "USD", "title": "Cost of the cluster", "question": "budget"}),
        ("units", {"name": "USD", "shown as": "USD m, USD k, USD", "family": "money"}),
        ("looks", {"name": "yes", "what it shows": "yes, or no for 0", "where": "any table"}),
    ],
)
def test_names_that_a_question_may_use_are_shown(kind, row):
    """As rows for programs, and for people with what is promised of them."""
    document = json.loads(shown(kind, "--json")[1])
    assert row in document["rows"]
    status, page = shown(kind)
    assert (status, page.splitlines()[1]) == (0, document["promise"])
    assert all(cell in page for cell in row.values())


def test_inputs_of_questions_are_shown():
    """With unit, default and question."""
    rows = {row["name"]: row for row in json.loads(shown("inputs", "--json")[1])["rows"]}
    assert rows["itl_target_ms"]["unit"] == "ms"
    assert (rows["itl_target_ms"]["default"], rows["itl_target_ms"]["question"]) == ("50", "serving")


def test_steps_of_a_computation_are_not_promised():
    """Lines that only other lines of their question read may change, and what is shown may not."""
    names = {row["name"] for row in json.loads(shown("models", "--json")[1])["rows"]}
    assert {"training_days", "training_flops", "flops_prefill", "parameters_active"} <= names
    assert not names & {"batch_all_experts_itl", "miss_log"}


def test_what_is_shown_of_an_architecture_is_there_for_programs():
    """Rows of matrices, and which plugin gives a line."""
    document = json.loads(shown("dense", "--json")[1])
    line = next(one for one in document["lines"] if one["name"] == "attention_q")
    assert (line["rows"], line["by"]) == ("n_layers * n_heads * d_head", "dense")
    assert shown("dens")[0] == 2
