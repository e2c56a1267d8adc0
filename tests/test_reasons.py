"""What changes the numbers of models, counted by reason in every format of a report."""

import csv
import io
import json
import tomllib

import pytest
from click.testing import CliRunner
from samples import LLAMA, planned

from flopsheet.cli import main
from flopsheet.export.workbook.about import about_names

UNKNOWN = LLAMA | {"quantization_config": {"quant_method": "fresh"}}
KNOWN = LLAMA | {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
REASONS = [
    {"models": 2, "reason": "weights counted without quantization, format unknown"},
    {"models": 1, "reason": "weights counted as stored, quantized"},
]


@pytest.fixture
def batch(tmp_path):
    """Give a folder of four models, three of which are stored quantized."""
    for name, config in (("a", UNKNOWN), ("b", KNOWN), ("c", UNKNOWN), ("d", LLAMA)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config), "utf-8")
    return tmp_path


def run(*arguments):
    """Run a command, which succeeds."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("options", [(), ("--jobs", "2")], ids=["at once", "in parts"])
def test_a_report_counts_models_by_reason(batch, tmp_path, options):
    """TOML and JSON have the same rows, CSV the reasons of each model, the terminal a line for each reason."""
    made = {suffix: tmp_path / f"out.{suffix}" for suffix in ("toml", "json", "csv")}
    result = run("report", batch, *(part for path in made.values() for part in ("-o", path)), *options)
    assert [f"note: {row['models']} model" in result.stderr for row in REASONS] == [True, True]
    assert tomllib.loads(made["toml"].read_text("utf-8"))["reasons"] == REASONS
    assert json.loads(made["json"].read_text("utf-8"))["reasons"] == REASONS
    rows = csv.DictReader(io.StringIO(made["csv"].read_text("utf-8")))
    assert [row["reasons"] for row in rows] == [REASONS[i]["reason"] if i >= 0 else "" for i in (0, 1, 0, -1)]


def test_a_plan_counts_models_by_reason(batch):
    """What `plan` prints for programs has the rows too."""
    assert json.loads(run("plan", batch, "--format", "json").stdout)["reasons"] == REASONS
    assert tomllib.loads(run("plan", batch, "--format", "toml").stdout)["reasons"] == REASONS


def test_a_report_with_reasons_reads_again(batch, tmp_path):
    """A report fed back counts them again."""
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    run("report", batch, "-o", first)
    run("report", first, "-o", second)
    assert tomllib.loads(second.read_text("utf-8"))["reasons"] == REASONS


def test_the_cover_tells_reasons_of_exact_models_apart(batch):
    """The line that counts approximate models says what is approximate; what exact ones follow comes behind."""
    plan = planned(batch)
    said = about_names(plan)["out_reasons"]
    unknown, stored = (f"{row['models']} model{'s'[: row['models'] - 1]}: {row['reason']}" for row in REASONS)
    assert said == f"{unknown}; counted with a caveat; see the sheet Problems. Of exact models: {stored}"
