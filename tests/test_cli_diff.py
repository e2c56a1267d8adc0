import re
import zipfile
from io import BytesIO

import openpyxl
import pytest
from click.testing import CliRunner
from judges import needs_soffice, recalculate
from samples import CONFIGS, planned
from xlsx_templates import patched

from flopsheet.cli import main
from flopsheet.export.table import as_json
from flopsheet.export.toml import report_document
from flopsheet.export.workbook import write_workbook

MODELS = (CONFIGS / "gpt2-xl", CONFIGS / "mamba-2.8b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write reports of two models, under two batches and without one of the models."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "old.toml").write_text("".join(report_document(planned(*MODELS))), "utf-8")
    (folder / "new.toml").write_text("".join(report_document(planned(*MODELS, batch=2))), "utf-8")
    (folder / "new.json").write_text(as_json(planned(*MODELS, batch=2)), "utf-8")
    for name, settings in (("old", {}), ("new", {"batch": 2})):
        write_workbook(planned(*MODELS, **settings), folder / f"{name}.xlsx")
    (folder / "one.toml").write_text("".join(report_document(planned(MODELS[0]))), "utf-8")
    return folder


def run(*arguments):
    """Run `flopsheet diff`, and return its status and output; a traceback fails the test."""
    result = CliRunner().invoke(main, ["diff", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_equal_reports_are_exit_0(folder):
    """Nothing moved: one line says so."""
    assert run(folder / "old.toml", folder / "old.toml") == (0, "no number moved\n", "")


def test_moved_numbers_are_exit_1_and_told_line_by_line(folder):
    """Under its model, each number stands with its path, old and new value, and how far it moved."""
    status, out, _ = run(folder / "old.toml", folder / "new.toml")
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert status == 1
    assert rows[0] == "gpt2-xl"
    assert "totals.flops_forward 3,506,703,564,800 → 7,013,407,129,600 +100% input" in rows
    assert not any(row.startswith("totals.parameters ") for row in rows)
    assert rows[-1].endswith("numbers moved in 2 models")


def test_json_and_toml_are_the_same_report(folder):
    """A TOML report can be compared with a JSON one."""
    assert run(folder / "new.toml", folder / "new.json")[0] == 0


@pytest.mark.parametrize("other", ["old.toml", "old.xlsx"])
def test_a_workbook_says_what_its_report_says(folder, other):
    """The same plan has the same numbers in every form."""
    assert run(folder / "old.xlsx", folder / other) == (0, "no number moved\n", "")
    assert run(folder / other, folder / "old.xlsx") == (0, "no number moved\n", "")


@pytest.mark.parametrize("old", ["old.toml", "old.xlsx"])
def test_numbers_of_workbooks_move_as_those_of_reports(folder, old):
    """By model and name, as between two reports."""
    reports, workbooks = (
        run(folder / one, folder / other) for one, other in (("old.toml", "new.toml"), (old, "new.xlsx"))
    )
    told = reports[1].replace("  input\n", "\n")  # a workbook has no fingerprint of each line, so it tells no cause
    assert (reports[0], told, reports[2]) == workbooks


def test_a_workbook_of_more_questions_says_what_its_report_says(tmp_path):
    """Totals that a question asks of models are numbers of both; so are days and verdicts, by their names."""
    plan = planned(CONFIGS / "gpt2-xl", questions=("money", "serving"))
    (tmp_path / "plan.toml").write_text("".join(report_document(plan)), "utf-8")
    write_workbook(plan, tmp_path / "plan.xlsx")
    assert run(tmp_path / "plan.toml", tmp_path / "plan.xlsx") == (0, "no number moved\n", "")


def test_a_number_typed_over_a_formula_is_told(folder, tmp_path):
    """A cell that only shows a number is not compared, so that its place is told."""
    sheet = "xl/worksheets/sheet4.xml"
    data = (folder / "old.xlsx").read_bytes()
    with zipfile.ZipFile(BytesIO(data)) as book:
        shown = re.search(r'(<c r="AC6"[^>]*>)<f>.*?</f><v>.*?</v>', book.read(sheet).decode())
    (tmp_path / "typed.xlsx").write_bytes(patched(data, sheet, (shown[0], f"{shown[1]}<v>12</v>")))
    told = "Models!AC6: typed over a formula; what reads it is compared as it was saved\nno number moved\n"
    assert run(folder / "old.toml", tmp_path / "typed.xlsx") == (0, told, "")


def test_a_workbook_without_values_is_exit_2(folder, tmp_path):
    """A library that saves a workbook drops its values; nothing is taken for 0."""
    openpyxl.load_workbook(folder / "old.xlsx").save(tmp_path / "saved.xlsx")
    status, _, errors = run(tmp_path / "saved.xlsx", folder / "old.xlsx")
    assert status == 2
    assert "a formula without a value; open the file in Excel or LibreOffice and save it" in errors


def test_a_workbook_of_something_else_is_exit_2(folder, tmp_path):
    """Only what says its making is a report."""
    openpyxl.Workbook().save(tmp_path / "other.xlsx")
    status, _, errors = run(tmp_path / "other.xlsx", folder / "old.xlsx")
    assert status == 2
    assert "has no table 'provenance': only workbooks of shipped templates and of their copies are read back" in errors


@needs_soffice
def test_a_workbook_saved_by_libreoffice_is_the_same(folder, tmp_path):
    """It stores 15 digits of 17."""
    saved = recalculate(folder / "old.xlsx", tmp_path)
    assert run(folder / "old.xlsx", saved) == (0, "no number moved\n", "")


def test_models_that_went_are_told(folder):
    """A model that is gone counts as moved."""
    status, out, _ = run(folder / "old.toml", folder / "one.toml")
    assert (status, out) == (1, "model removed: mamba-2.8b\n1 model removed\n")


def test_a_choice_in_a_workbook_is_told_by_its_label(tmp_path):
    """A workbook holds the place of a choice in its list; a report, and so the comparison, its label."""
    plan = planned(MODELS[0], questions=["budget", "scaling"])
    write_workbook(plan, tmp_path / "old.xlsx")
    text = "".join(report_document(plan))
    (tmp_path / "other.toml").write_text(text.replace('"epoch_refit"', '"other"'), "utf-8")
    rows = [" ".join(line.split()) for line in run(tmp_path / "old.xlsx", tmp_path / "other.toml")[1].splitlines()]
    assert "inputs.scaling_law.base epoch_refit → other changed" in rows


@pytest.mark.parametrize(("tolerance", "status"), [("0.4", 1), ("0.5", 0)])
def test_tolerance_takes_the_larger_as_whole(folder, tolerance, status):
    """A number that doubled moved by half of the new one."""
    assert run(folder / "old.toml", folder / "new.toml", "--tolerance", tolerance)[0] == status


def test_numbers_that_look_alike_are_told_apart(folder):
    """A move in the fifteenth digit is shown with all digits."""
    text = (folder / "old.toml").read_text("utf-8")
    (folder / "near.toml").write_text(text.replace("base = 989.5", "base = 989.5000000000001"), "utf-8")
    _, out, _ = run(folder / "old.toml", folder / "near.toml")
    assert "989.5 → 989.5000000000001" in out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("old.toml", "missing.toml", "cannot be read: No such file or directory"),
        (".", "old.toml", "is a directory; expected a file"),
        ("old.csv", "old.toml", "a report as .toml or .json, or a workbook, is expected"),
    ],
    ids=["missing", "folder", "table"],
)
def test_what_cannot_be_read_is_exit_2(folder, old, new, message):
    """A file that is no report is one message and status 2."""
    status, out, errors = run(folder / old, folder / new)
    assert (status, out) == (2, "")
    assert message in errors


def test_a_negative_tolerance_is_exit_2(folder):
    """A tolerance below 0 would find everything moved."""
    assert run(folder / "old.toml", folder / "old.toml", "--tolerance", "-1")[0] == 2


def test_a_tolerance_that_is_no_number_is_exit_2(folder):
    """No difference is below it, and none above."""
    status, _, errors = run(folder / "old.toml", folder / "old.toml", "--tolerance", "nan")
    assert (status, "--tolerance nan: a number" in errors) == (2, True)
