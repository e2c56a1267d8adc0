"""Optimizer recipes: what each takes a parameter, who may name one, and what wins over it."""

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from pages.memory import page
from samples import CONFIGS

import flopsheet
from flopsheet.accounting.optimizers import recipes
from flopsheet.cli import main
from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.errors import PortfolioError, UsageError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

GPT2 = CONFIGS / "gpt2-xl" / "config.json"
PARAMETERS = 1_557_611_200
BYTES = {
    "adamw_mixed": 16,
    "adamw_mixed_fp32_gradients": 18,
    "adamw_fp32": 16,
    "adamw_bf16": 8,
    "adamw_bf16_moments": 12,
    "adamw_8bit": 10,
    "adamw_8bit_no_master": 6,
    "lion": 12,
    "sgd_momentum": 12,
    "muon": 12,
    "adafactor": 8,
}


def training(**settings):
    """Return GPT-2 XL's bytes of training state a parameter."""
    return flopsheet.evaluate(GPT2, **settings).totals["training_state_bytes"] / PARAMETERS


def models(tmp_path, text):
    """Return the models of a portfolio's text with their numbers."""
    path = tmp_path / "plan.toml"
    path.write_text(text, "utf-8")
    return [cost(load(), model) for model in read_portfolio(load(), path).models]


def run(*arguments):
    """Run a command of flopsheet."""
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.parametrize(("name", "sum_"), BYTES.items(), ids=BYTES)
def test_bytes_of_training_state(name, sum_):
    """Weight, gradient and optimizer state of each recipe add up to what is known of it."""
    assert training(optimizer=name) == sum_


def test_every_recipe_has_its_sum_here():
    """A new recipe is checked like the others."""
    assert recipes().keys() == BYTES.keys()


def test_the_default_is_mixed_precision_without_a_note():
    """Who names no recipe gets AdamW in mixed precision, as the contract says."""
    model = flopsheet.evaluate(GPT2)
    assert (model.totals["training_state_bytes"], model.notes) == (16 * PARAMETERS, [])


def test_fp32_training_leaves_serving_alone():
    """Weights that are trained in fp32 are served at the bytes of their stored type."""
    totals = flopsheet.evaluate(GPT2, optimizer="adamw_fp32").totals
    assert totals["weights_bytes"] == 2 * PARAMETERS
    assert totals["gradients_bytes"] == 4 * PARAMETERS


def test_explicit_bytes_win_and_the_note_says_so():
    """A planner may take a recipe and change one number of it."""
    model = flopsheet.evaluate(GPT2, optimizer="lion", optimizer_bytes=4)
    assert model.totals["training_state_bytes"] == 8 * PARAMETERS
    (note,) = model.notes
    assert note.startswith("optimizer lion (Lion, mixed precision): 2 + 2 + 4 = 8 bytes per parameter")
    assert note.endswith("not all the recipe's")


@pytest.mark.parametrize(
    ("name", "hint"), [("adamw_8bits", "did you mean 'adamw_8bit'?"), (7, "expected one of adamw_mixed")]
)
def test_an_unknown_recipe_is_refused(name, hint):
    """A slip gets a suggestion, everything else the list."""
    with pytest.raises(UsageError) as error:
        flopsheet.evaluate(GPT2, optimizer=name)
    assert hint in str(error.value)


def test_an_unknown_recipe_is_exit_2():
    """The command line treats it as a mistake of usage."""
    assert run("show", GPT2, "--set", "optimizer=adam").exit_code == 2


def test_the_nearest_setting_counts(tmp_path):
    """An entry's recipe wins over the workload's, and an entry's bytes over both."""
    result = models(
        tmp_path,
        f"""
        [workload]
        optimizer = "adamw_8bit"
        [[models]]
        config = "{GPT2}"
        [[models]]
        config = "{GPT2}"
        optimizer = "adamw_fp32"
        [[models]]
        config = "{GPT2}"
        optimizer_bytes = 1
        """,
    )
    assert [model.totals["training_state_bytes"] / PARAMETERS for model in result] == [10, 16, 5]


def test_unknown_recipes_of_a_portfolio_are_problems_with_their_place(tmp_path):
    """All of them are told at once."""
    text = f'[workload]\noptimizer = "adm"\n[[models]]\nconfig = "{GPT2}"\noptimizer = "muons"\n'
    with pytest.raises(PortfolioError) as error:
        models(tmp_path, text)
    assert "2 problems" in str(error.value)
    assert "workload.optimizer: unknown optimizer recipe 'adm'" in str(error.value)
    assert "models[0].optimizer: unknown optimizer recipe 'muons'; did you mean 'muon'?" in str(error.value)


def test_a_report_reads_again_as_it_was(tmp_path):
    """The recipe, its bytes and its note survive the round trip."""
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    assert (
        run("report", GPT2, "-o", first, "--set", "optimizer=adamw_8bit", "--set", "optimizer_bytes=7").exit_code == 0
    )
    assert run("report", first, "-o", second).exit_code == 0
    (before,), (after,) = (tomllib.loads(path.read_text("utf-8"))["models"] for path in (first, second))
    assert before["optimizer"] == "adamw_8bit"
    assert [before[key] for key in after] == list(after.values())


def test_another_recipe_over_a_report_leaves_no_old_note(tmp_path):
    """What the report said of its recipe would be wrong now."""
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    assert run("report", GPT2, "-o", first, "--set", "optimizer=adamw_8bit").exit_code == 0
    assert run("report", first, "-o", second, "--set", "optimizer=lion").exit_code == 0
    (model,) = tomllib.loads(second.read_text("utf-8"))["models"]
    assert [note.split()[1] for note in model["notes"]] == ["lion"]
    assert model["totals"]["training_state_bytes"] == 12 * PARAMETERS


@pytest.mark.parametrize("command", ["show", "report"])
def test_help_lists_the_recipes(command):
    """Who asks for help finds every name that may be set."""
    text = run(command, "--help").output
    assert [name for name in recipes() if f"  {name} " not in text] == []


def test_the_committed_page_is_the_generated_one():
    """docs/memory.md says what the code does."""
    root = Path(__file__).parent.parent
    assert (root / "docs" / "memory.md").read_text("utf-8") == page(), "run `make docs`"
