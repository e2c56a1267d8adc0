"""An untouched workbook, imported into a new portfolio, gives the plan that it was made from, whatever was asked."""

import json
import shutil
import tomllib

import pytest
from asking import portfolio
from planner import run
from renting import installed
from samples import CONFIGS

from flopsheet.planning.registry import BUNDLED

OWN = """
[[models]]
name = "Dimensions"
architecture = "dense"
tokens = 2e12
dimensions = { n_layers = 40, d_model = 5120, n_heads = 40, d_ff = 13824, mlp_matrices = 2, vocab_size = 128256 }
"""
FILE = """
[[models]]
config = "llama/config.json"
"""
CASES = {
    "nothing": OWN,
    "config": 'name = "N"\nscenario = "high"\n[inputs]\naccelerators = 1000\n' + FILE,
    "workload": f'[workload]\nbatch = 4\noptimizer = "adamw_8bit_no_master"\n{FILE}n_layers = 30\n{OWN}',
    "published": f'{FILE}published = {{ parameters = 8_030_261_248, source = "card", date = "2024-07-23" }}\n',
    "size with own dimensions": '[[models]]\nsize = "7B"\nname = "Ours"\nn_layers = 24\ntokens = 1e12\n',
    "read as": f'{FILE}read_as = "mistral"\nrename = {{ hidden_size = "hidden_size" }}\n',
    "ranges, sources and dates": f"""
[inputs]
accelerator = "h200-sxm"
accelerators = {{ low = 500, base = 600, high = 900 }}
days = {{ low = 30, base = 45, high = 60, source = "Plan", date = "2026-02-03" }}
mfu = 0.35
price_per_hour = {{ low = 2, base = 2.5, high = 4, source = "Quote", date = 2026-06-01 }}
{FILE}""",
    "window and date": f"""
[inputs]
start = 2027-01-01
end = 2027-03-01
report_date = 2027-01-15
price_kind = "reserved_3y"
{FILE}""",
    "searched layout": 'questions = ["training"]\n[inputs]\naccelerators = 256\n' + FILE + OWN,
    "searched layout of one": 'questions = ["training"]\n[inputs]\naccelerators = 256\n'
    + FILE
    + "inputs = { tensor_parallel = 2, pipeline_parallel = 2 }\n"
    + OWN,
    "owned accelerators in euros": f"""
questions = ["money"]
[inputs]
accelerators = 256
days = 60
acquisition = "owned"
purchase_price = {{ low = 25000, base = 30000, high = 38000 }}
report_currency = "EUR"
currency_rate = 0.92
{FILE}""",
    "scenarios": f"""
questions = ["training"]
[inputs]
accelerators = 512
days = 60
[scenarios."B300 later"]
about = "What if we wait?"
accelerator = "b300-sxm"
accelerators = 512
[scenarios.Longer]
days = 90
[scenarios."Same price"]
price_per_hour = 2.5
{FILE}""",
    "two questions": f"""
questions = ["decision", "serving"]
[inputs]
accelerators = 256
days = 60
budget_usd = 5e6
{FILE}""",
}


def made_again(folder, path):
    """Report a portfolio, import its workbook into a new one, compare both plans, and return the new portfolio."""
    shutil.copytree(CONFIGS / "Llama-3.1-8B", folder / "llama")
    old, new = folder / "old-report.toml", folder / "new-report.toml"
    status, _, errors = run("report", path, "-o", folder / "plan.xlsx", "-o", old)
    assert status == 0, errors
    status, out, errors = run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    assert status == 0, out + errors
    assert run("report", folder / "new.toml", "-o", new)[0] == 0
    plans = [json.loads(run("plan", one, "--format", "json")[1]) for one in (path, folder / "new.toml")]
    assert plans[0] == plans[1]
    inputs = [compared(tomllib.loads(one.read_text("utf-8"))) for one in (old, new)]
    assert inputs[0] == inputs[1]
    return tomllib.loads((folder / "new.toml").read_text("utf-8"))


def compared(report):
    """Return what a report says of the plan and of what went into it."""
    head = {key: report[key] for key in ("name", "scenario", "questions", "inputs", "workload")}
    return head | {model["name"]: {key: model.get(key) for key in KEPT} for model in report["models"]}


KEPT = ("status", "problems", "notes", "dimensions", "tokens", "inputs", "published", "stored", "sha256", "optimizer")


@pytest.mark.parametrize("asked", [BUNDLED, ("training",), ("money",)], ids=["all", "training", "money"])
def test_every_question(asked, tmp_path):
    """All answers, inputs, sources, dates, dimensions and notes are those of the portfolio."""
    made = made_again(tmp_path, portfolio(tmp_path, "passes", *asked))
    assert {*asked} <= {*made["questions"]}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_way_to_state_a_plan(case, tmp_path):
    """What the portfolio states comes back, wherever the workbook has it."""
    path = tmp_path / "portfolio.toml"
    path.write_text(case, "utf-8")
    made_again(tmp_path, path)


def test_a_question_of_a_plugin(tmp_path):
    """Its inputs are on Assumptions like any others."""
    path = tmp_path / "portfolio.toml"
    path.write_text(f"[inputs]\ncap = 5000\nstorage_price = {{ low = 20, base = 30, high = 45 }}\n{OWN}", "utf-8")
    with installed(tmp_path / "site"):
        made = made_again(tmp_path, path)
    assert made["inputs"]["storage_price"] == {"low": 20, "base": 30, "high": 45}
