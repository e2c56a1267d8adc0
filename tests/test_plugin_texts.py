"""No text of a plugin becomes a formula: one function writes cells, and a text is a text however it begins."""

import ast
import re
import zipfile
from pathlib import Path

import pytest
from bad_questions import GOOD
from lxml import etree
from planner import run
from test_bad_questions import PORTFOLIO

import flopsheet
from flopsheet.export.workbook.lead import lead_cells
from flopsheet.host.loading import load
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import questions

SOURCE = Path(flopsheet.__file__).parent
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CELLS = ("sheet", "cell", "book", "worksheet")
"""What names of sheets and cells are called in code that writes with openpyxl."""


SWEEP = """
[sweep]
axes = { mfu = [0.3, 0.4] }
columns = ["training_cost"]
keep = 10
minimize = "training_cost"
"""


def writes(tree):
    """Give the lines at which code writes into a cell by openpyxl's own ways: three of them, in any spelling."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) else ():
            if isinstance(target, ast.Attribute) and target.attr in ("value", "_value"):
                yield node.lineno
            if isinstance(target, ast.Subscript) and getattr(target.value, "id", "") in CELLS:
                yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            values = len(node.args) > 2 or any(word.arg == "value" for word in node.keywords)
            if (node.func.attr == "cell" and values) or (
                node.func.attr == "append" and getattr(node.func.value, "id", "") in CELLS
            ):
                yield node.lineno


def test_one_function_writes_cells_with_openpyxl():
    """It is `put`; whatever else imports openpyxl assigns no value."""
    results = []
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text("utf-8")
        if "openpyxl" in text:
            results += [(file.name, text.splitlines()[line - 1].strip()) for line in writes(ast.parse(text))]
    assert results == [("look.py", "cell.value = value")]


@pytest.mark.parametrize("text", ["cell.value = x", "sheet['A1'] = x", "sheet.cell(1, 2, x)", "sheet.append([x])"])
def test_each_way_of_writing_is_found(text):
    """The search would find them."""
    assert list(writes(ast.parse(text))) == [1]


def marked(sign):
    """Return a question of which every text for people begins with a sign."""
    begun = re.sub(r'((?:title|about|message|remedy|unit) = ")', rf"\1{sign}1+1 ", GOOD)
    begun = begun.replace('unit = "=1+1 USD k"', 'unit = "USD k"')
    for text in ('name = "Spares"', 'notes = ["Spares', '["a", "b", "c"]'):
        begun = begun.replace(text, text.replace('"S', f'"{sign}1+1 S').replace('["a"', f'["{sign}1+1 a"'))
    return re.sub(r'unit = "[^"]*(USD k|USD|months)"', r'unit = "\1"', begun)


def formulas(path):
    """Return the formulas of a workbook, by sheet and cell."""
    result = {}
    with zipfile.ZipFile(path) as package:
        for part in (name for name in package.namelist() if name.startswith("xl/worksheets/sheet")):
            for cell in etree.fromstring(package.read(part)).iter(f"{MAIN}c"):
                if (formula := cell.find(f"{MAIN}f")) is not None:
                    result[part, cell.get("r")] = formula.text or ""
    return result


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return what makes the formulas of a workbook with a plugin whose texts begin with a sign."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")

    def workbook(sign):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
            (folder / "spares.toml").write_text(marked(sign), "utf-8")
            words = ("--plugin", folder / "spares.toml", "-o", folder / "plan.xlsx")
            status, _, errors = run("report", folder / "portfolio.toml", *words)
        assert (status, "spares" in errors) == (0, False), errors
        return formulas(folder / "plan.xlsx")

    return workbook


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_texts_of_a_plugin_stay_texts(made, sign):
    """The same cells have the same formulas, in which a text is between quotes alone."""
    plain, result = made("_"), made(sign)
    assert marked(sign).count(f'"{sign}1+1') > 15
    assert {place: text.replace(f"{sign}1+1 ", "_1+1 ") for place, text in result.items()} == plain
    assert not [text for text in result.values() if text.startswith(("1+1", "+1+1", "-1+1", "@1+1"))]


def test_quotes_in_a_title_end_no_text(tmp_path):
    """A cover that is about a question says the titles of its figures within a formula."""
    injected = GOOD.replace('"Spares in all"', """'Spares"&HYPERLINK("http://evil.example")&"'""")
    (tmp_path / "spares.toml").write_text(injected, "utf-8")
    host = load((), (str(tmp_path / "spares.toml"),))
    cells = lead_cells(make_plan(host, (), inputs={"spares_price": 3}, questions=["spares"]), questions(host)["spares"])
    said = [cell.text for cell in cells.values() if "evil" in str(cell)]
    assert len(said) == 2
    assert all('Spares""&HYPERLINK(""http' in text for text in said)


def test_a_name_of_a_plan_is_no_formula_in_the_workbook_of_a_sweep(tmp_path):
    """Nor are the titles above its columns."""
    named = PORTFOLIO.replace('name = "Ours"', 'name = "=1+1"', 1)
    (tmp_path / "portfolio.toml").write_text(named + SWEEP, "utf-8")
    status, _, errors = run("sweep", tmp_path / "portfolio.toml", "-o", tmp_path / "designs.xlsx")
    assert status == 0, errors
    assert formulas(tmp_path / "designs.xlsx") == {}
