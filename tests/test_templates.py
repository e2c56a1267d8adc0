"""`flopsheet templates`: what it lists, copies, and says of a template."""

import json
import re
import sys
import tomllib

import openpyxl
import pytest
from budget_template import DATA, budget
from click.testing import CliRunner
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table
from samples import CONFIGS, EXAMPLES, planned
from test_table_files import PLUGIN
from xlsx_templates import patched, template

from flopsheet.accounting.data import read_text
from flopsheet.audit.items import ITEMS
from flopsheet.cli import main
from flopsheet.export.binding.fields import fields_of
from flopsheet.export.binding.headers import Bound, Catalog
from flopsheet.export.shipped_templates import shipped_templates
from flopsheet.export.workbook import write_workbook
from flopsheet.export.workbook.figures import base_answers, figure_meanings
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.export.workbook.write import load_template
from flopsheet.host.loading import load
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import questions
from livesheets.addresses import letters
from livesheets.template import read_template

sys.path.insert(0, str(EXAMPLES.parent / "templates"))

SHIPPED = EXAMPLES.parent / "templates" / "flopsheet_templates" / "plan.xlsx"


def run(*arguments):
    """Run `flopsheet templates`, and return the result; a traceback fails the test."""
    result = CliRunner().invoke(main, ["templates", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_card_and_workings_without_a_column_are_reported(tmp_path):
    """They would show the sample's numbers next to this plan's: the remark names sheet and column."""
    book = openpyxl.load_workbook(SHIPPED)
    lacking = {"Card dense": "Source", "Workings dense": "status"}
    for sheet, header in lacking.items():
        (table,) = book[sheet].tables.values()
        for cell in book[sheet][table.ref][0]:
            cell.value = "Mine" if cell.value == header else cell.value
        next(one for one in table.tableColumns if one.name == header).name = "Mine"
    book.save(tmp_path / "mine.xlsx")
    filled = write_workbook(planned(CONFIGS / "gpt2-xl"), tmp_path / "plan.xlsx", str(tmp_path / "mine.xlsx"))
    text = "the sheet {} keeps the numbers that it came with, which are not of this plan: it lacks the column {!r}"
    assert {one.split(" of the shipped one")[0] for one in filled.refused} >= {
        text.format(*one) for one in lacking.items()
    }


def test_check_prints_what_everything_means(tmp_path):
    """Headers with their cell and unit, names, markers, and a verdict an item; exit status 1 if anything is off."""
    (tmp_path / "budget.xlsx").write_bytes(budget(DATA | {"Paramters": 1}, {"in_groth": "$B$4"}))
    result = run("check", tmp_path / "budget.xlsx")
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "Data!C3 Parameters (B) → parameters ÷ 1e9" in lines
    assert "Data!J3 Paramters → nothing; did you mean 'Parameters'?" in lines
    assert "Sums!A2 in_mfu → MFU, dense models (share)" in lines
    assert "{{ n_models }} → n_models" in lines
    assert lines[-1].startswith("budget.xlsx: 3 unrecognized names, ")


def test_check_as_json_has_every_failure(tmp_path):
    """One document: whether it passed, what everything means, and each item with all its failures."""
    (tmp_path / "budget.xlsx").write_bytes(budget())
    document = json.loads(run("check", tmp_path / "budget.xlsx", "--review", "--json").stdout)
    assert document["passed"] is False
    assert {"kind": "header", "where": "Data!I3", "text": "Owner", "means": "nothing", "ok": False} in document[
        "resolutions"
    ]
    assert [one["name"] for one in document["checklist"]] == [item.name for item in ITEMS]


def test_check_of_no_workbook_is_one_line(tmp_path):
    """Exit status 2, and what is wrong with the file."""
    (tmp_path / "no.xlsx").write_text("no workbook")
    result = run("check", tmp_path / "no.xlsx")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_list_names_the_shipped_templates():
    """One line each."""
    assert [line.split()[0] for line in run("list").stdout.splitlines()] == [*shipped_templates()]


def test_copy_writes_the_shipped_template_and_replaces_nothing(tmp_path):
    """A file that is there stays without --force."""
    file = tmp_path / "mine.xlsx"
    assert run("copy", "plan", file).stdout == f"plan → {file}\n"
    original = file.read_bytes()
    file.write_bytes(b"mine")
    assert run("copy", "plan", file).exit_code == 2
    assert file.read_bytes() == b"mine"
    assert run("copy", "plan", file, "--force").exit_code == 0
    assert file.read_bytes() == original


def test_fields_as_json_has_every_name():
    """Columns, cells and markers, with title, unit, about and where."""
    result = json.loads(run("fields", "--json").stdout)
    assert {"column", "month", "cell", "marker"} == {one["kind"] for one in result}
    cost = next(one for one in result if one["name"] == "training_cost")
    assert cost == {
        "kind": "column",
        "name": "training_cost",
        "title": "Training cost",
        "unit": "USD",
        "about": "With what interruptions take, where the price is one of spot",
        "where": "every model",
    }


def test_every_field_is_described():
    """Nothing stands without a title and what it is about; only cells for the sheets' checks share them."""
    result = json.loads(run("fields", "--json").stdout)
    assert [one["name"] for one in result if not (one["title"] and one["about"])] == []
    same = {one["name"] for one in result if one["kind"] == "cell" and one["title"] == "The state of all checks"}
    assert {name[:4] for name in same} == {"chk_"}


ODD = {
    "font": (
        "xl/styles.xml",
        'fontId="0"',
        'fontId="x"',
        r"<xf> in xl/styles\.xml of the template has fontId='x'; a whole",
    ),
    "fill": ("xl/styles.xml", 'fillId="0"', 'fillId="99"', "a whole number from 0 to 1 is expected"),
    "format": ("xl/styles.xml", 'numFmtId="3"', 'numFmtId=""', "numFmtId=''"),
    "width": ("xl/worksheets/sheet1.xml", 'width="17"', 'width="wide"', "width='wide'; a number is expected"),
}


@pytest.mark.parametrize(("name", "before", "after", "message"), ODD.values(), ids=ODD)
def test_a_malformed_template_is_refused_by_its_part(name, before, after, message, tmp_path):
    """`check` names the file, the element and what was expected."""
    (tmp_path / "odd.xlsx").write_bytes(patched(template(), name, (before, after)))
    result = run("check", tmp_path / "odd.xlsx")
    assert result.exit_code == 2
    assert re.search(rf"odd\.xlsx: .*{message}", result.stderr)


def test_a_constant_beyond_numbers_is_no_power(tmp_path):
    """The checklist calls it a constant as any other."""
    (tmp_path / "odd.xlsx").write_bytes(
        patched(template(), "xl/worksheets/sheet4.xml", ("<f>1+1</f>", "<f>1+1E999</f>"))
    )
    assert "the constant 1E999 in =1+1E999" in run("check", tmp_path / "odd.xlsx", "--review").stdout


UNSAID = {"problems", "notes", "published", "published_source", "published_date", "off_published", "tokens_override"}
UNSAID |= {"run_begins", "run_ends", "verdict"}
"""Columns of every model that hold nothing where nothing was said."""


def test_every_field_fills_a_template(tmp_path):
    """Each name is a header that binds, a cell that gets a value, and a marker that is replaced."""
    result = json.loads(run("fields", "--json").stdout)
    book = openpyxl.Workbook()
    names = {kind: [one["name"] for one in result if one["kind"] == kind] for kind in ("column", "cell", "marker")}
    sheet = book.active
    sheet.append(names["column"])
    sheet.append([None] * len(names["column"]))
    sheet.add_table(Table(displayName="everything", ref=f"A1:{letters(len(names['column']))}2"))
    book.create_sheet("Cells")
    for row, name in enumerate(names["cell"], start=1):
        book.defined_names[name] = DefinedName(name, attr_text=f"Cells!$A${row}")
    texts = book.create_sheet("Texts")
    for name in names["marker"]:
        texts.append([f"<{{{{ {name} }}}}>"])
    book.save(tmp_path / "template.xlsx")
    plan = planned(CONFIGS / "Llama-3.1-8B", questions=[*questions(load())])
    write_workbook(plan, tmp_path / "filled.xlsx", str(tmp_path / "template.xlsx"))
    filled = openpyxl.load_workbook(tmp_path / "filled.xlsx", data_only=True, read_only=True)
    header, row = list(filled.active.values)[:2]
    blank = {one["name"] for one in result if one["kind"] == "column" and one["where"] == "every model"}
    assert {name for name, value in zip(header, row, strict=True) if value is None} & blank == UNSAID
    cells = zip(names["cell"], filled["Cells"].values, strict=True)
    undated = ("out_start", "out_end")
    assert [name for name, (value,) in cells if value is None and not name.startswith(undated)] == []
    assert [text for (text,) in filled["Texts"].values if "{{" in text] == []


def test_fields_prints_a_table_a_kind():
    """Headers, single cells, markers."""
    text = run("fields").stdout
    assert "  training_cost " in text
    assert "  in_mfu " in text
    assert "  portfolio_sha256 " in text


PAGE = (EXAMPLES.parent / "docs" / "templates.md").read_text("utf-8")


def test_the_page_lists_every_item():
    """docs/templates.md has the checklist as it is."""
    rows = [f"| `{item.name}` | {item.asks} |" for item in ITEMS]
    assert "\n".join(rows) in PAGE


ROWS = [line.split("|")[1] for line in PAGE.split("## Look before")[0].splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("header", [header for row in ROWS for header in re.findall("`([^`]+)`", row)])
def test_the_headers_on_the_page_mean_something(header):
    """A header that docs/templates.md shows is one that works."""
    assert isinstance(Catalog(fields_of(load())).meaning(header), Bound)


def test_each_cell_of_the_shipped_template_is_described_once():
    """A named input or result is a figure of a question, or stands in cells.toml, which has no others."""
    data, name = load_template("plan")
    plan = make_plan(load(), [])
    named = PlanFiller(plan, read_template(data), data, name).named
    figures = {cell for answer in base_answers(plan) for cell in figure_meanings(answer)}
    described = tomllib.loads(read_text("flopsheet.export.workbook", "cells.toml")).keys()
    assert described.isdisjoint(figures)
    assert {cell for cell in named.values if cell.startswith(("in_", "out_"))} == described | figures


def test_names_of_further_questions_are_told(tmp_path):
    """Their figures and inputs are among the fields, with the question that fills them, and no template's own."""
    result = {one["name"]: one for one in json.loads(run("fields", "--json").stdout)}
    assert result["out_money_cheapest"]["where"] == result["in_program_storage_tb"]["where"] == "where money is asked"
    assert result["in_mfu"]["where"] == ""
    book = openpyxl.Workbook()
    for row, name in enumerate(("out_money_cheapest", "in_program_storage_tb", "out_mine"), start=1):
        book.defined_names[name] = DefinedName(name, attr_text=f"Sheet!$A${row}")
    book.save(tmp_path / "mine.xlsx")
    checked = json.loads(run("check", tmp_path / "mine.xlsx", "--json").stdout)
    said = {one["text"]: one["means"] for one in checked["resolutions"]}
    assert said["out_money_cheapest"].startswith("Cheapest program, where money is asked")
    assert said["in_program_storage_tb"].startswith("Storage, where money is asked")
    assert said["out_mine"].startswith("the template's own")


def test_names_of_a_plugin_are_told(tmp_path):
    """`--plugin` is for templates, too."""
    (tmp_path / "kept.py").write_text(PLUGIN, "utf-8")
    results = {one["name"] for one in json.loads(run("fields", "--json", "--plugin", tmp_path / "kept.py").stdout)}
    assert "in_kept_months" in results
