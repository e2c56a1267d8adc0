"""`flopsheet templates`, and the checklist: a copy of the shipped template that is broken in one item fails it."""

import json
import re
import sys
import zipfile
from io import BytesIO

import pytest
from budget_template import DATA, budget
from click.testing import CliRunner
from openpyxl import load_workbook
from openpyxl.chart.data_source import NumData, NumVal
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table
from samples import EXAMPLES

from flopsheet.cli import main
from flopsheet.export.binding.fields import fields_of
from flopsheet.export.binding.headers import Bound, Catalogue
from flopsheet.export.checklist.checked import checked
from flopsheet.export.checklist.items import ITEMS
from flopsheet.host.host import load

sys.path.insert(0, str(EXAMPLES.parent / "templates"))
import build

SHIPPED = EXAMPLES.parent / "templates" / "flopsheet_templates" / "plan.xlsx"


def run(*arguments):
    """Run `flopsheet templates`, and return the result; a traceback fails the test."""
    result = CliRunner().invoke(main, ["templates", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def failing(path):
    """Return the items that a template fails."""
    return {one.name for one in checked(load(), str(path)).verdicts if one.failures}


def test_the_shipped_template_passes():
    """Every machine-checkable item of the checklist, and every name and marker means something."""
    found = checked(load(), "plan")
    assert [one for one in found.resolutions if not one.ok] == []
    assert failing("plan") == set()


def cell(sheet, address, value):
    """Return a change that types into a cell."""

    def change(book):
        book[sheet][address] = value

    return change


def cells(**values):
    """Return a change that types into cells of the sheet Problems, beside its list."""

    def change(book):
        for address, value in values.items():
            book["Problems"][address] = value

    return change


def without_name(name):
    """Return a change that takes a defined name away."""
    return lambda book: book.defined_names.pop(name)


def assigned(path, value):
    """Return a change that sets an attribute: sheet, then attributes with dots between them."""
    sheet, *steps, last = path.split(".")

    def change(book):
        found = book[sheet]
        for step in steps:
            found = getattr(found, step)
        setattr(found, last, value)

    return change


def texts(part, replacement):
    """Return a change of every text with a part in it."""

    def change(book):
        for sheet in book:
            for row in sheet.iter_rows():
                for one in row:
                    if isinstance(one.value, str) and part in one.value.casefold():
                        one.value = replacement

    return change


def moved_first(book):
    """Put Assumptions before About."""
    book.move_sheet("Assumptions", -1)


def result_among_inputs(book):
    """Let a result stand on Assumptions."""
    book.defined_names["out_cost"].attr_text = "'Assumptions'!$M$1"


def driver(book, header):
    """Return a cell of the sample driver by its header."""
    sheet = book["Assumptions"]
    head, sample, *_ = sheet[sheet.tables["drivers"].ref]
    return next(cell for title, cell in zip(head, sample, strict=True) if title.value == header)


def blank_driver(*headers):
    """Return a change that takes something off the sample driver."""

    def change(book):
        for header in headers:
            driver(book, header).value = None

    return change


def black_input(book):
    """Take the blue off an input."""
    driver(book, "Low").font = Font(color="FF000000")


def extra_total(book):
    """Add a list with a totals row that shows something else than its sum."""
    sheet = book["Problems"]
    for row, value in enumerate(("Amount", 2, 3), start=4):
        sheet.cell(row, 8, value)
    table = Table(displayName="extra", ref="H4:H6", totalsRowCount=1)
    table._initialise_columns()  # noqa: SLF001 openpyxl names columns only when it saves
    table.tableColumns[0].name = "Amount"
    table.tableColumns[0].totalsRowFunction = "sum"
    sheet.add_table(table)


def typed_series(book):
    """Let a chart show typed numbers."""
    series = book["Charts"]._charts[0].series[0]  # noqa: SLF001 openpyxl shows them nowhere else
    series.val.numRef = None
    series.val.numLit = NumData(formatCode="General", ptCount=1, pt=[NumVal(idx=0, v=1)])


def untitled(book):
    """Take a chart's title away."""
    book["Charts"]._charts[0].title = None  # noqa: SLF001 same reason


def no_tornado(book):
    """Take the charts of the sensitivities away."""
    book["Sensitivity"]._charts = []  # noqa: SLF001 same reason


def no_waterfall(book):
    """Stand the columns of every chart side by side."""
    for sheet in book:
        for chart in sheet._charts:  # noqa: SLF001 same reason
            chart.grouping = "clustered"


def no_validation(book):
    """Let the cases of inputs take any value."""
    book["Assumptions"].data_validations.dataValidation = []


def lost_name(book):
    """Add a name that points to nothing."""
    book.defined_names["lost"] = DefinedName("lost", attr_text="#REF!")


def long_text(book):
    """Put more text into a cell than Excel takes."""
    cell = book["Problems"]["H1"]
    cell.value = "text"
    cell._value = "x" * 40_000  # noqa: SLF001 openpyxl would cut it


def merged(book):
    """Merge two cells of a list."""
    book["Problems"].merge_cells("A5:B5")


BROKEN = {
    "about": moved_first,
    "change_log": texts("change log", "Log"),
    "provenance": texts("sha-256", "Version"),
    "apart": result_among_inputs,
    "colours": black_input,
    "one_formula": cell("Charts", "N70", "=2*M70"),
    "constants": cells(H1="=7*COUNT(A1:A3)"),
    "length": cells(H1=f"=SUM({','.join(['A1'] * 90)})"),
    "nesting": cells(H1="=ABS(ABS(ABS(ABS(1))))"),
    "nested_if": cells(H1="=IF(A1=1,IF(A2=1,1,0),0)"),
    "volatile": cells(H1="=NOW()"),
    "safe": cells(H1="=_xlfn.XLOOKUP(1,A1:A2,B1:B2)"),
    "twice": cells(H1="=SUM(A1:A2)", H2="=SUM(A1:A2)"),
    "chains": cells(H1="=H2", H2="=H3", H3=1),
    "circles": cells(H1="=H2+1", H2="=H1+1"),
    "errors": cells(H1="#N/A"),
    "checks": without_name("chk_master"),
    "master": cell("Models", "G1", None),
    "totals": extra_total,
    "units": blank_driver("Unit"),
    "sources": blank_driver("Source"),
    "hidden": assigned("Rules.sheet_state", "hidden"),
    "merged": merged,
    "frozen": assigned("Models.freeze_panes", None),
    "print": assigned("Rules.oddFooter.center.text", None),
    "validation": no_validation,
    "scenario": without_name("in_scenario"),
    "sensitivity": no_tornado,
    "bridge": no_waterfall,
    "live_charts": typed_series,
    "chart_titles": untitled,
    "external": cells(H1="='[rates.xlsx]Other'!A1"),
    "names": lost_name,
    "limits": long_text,
    "room": cell("Problems", "A20", "a note"),
}


def no_choice(book):
    """Let the scenario be typed."""
    book["About"].data_validations.dataValidation = []


def any_pick(book):
    """Let the models of a card be typed."""
    book["Card dense"].data_validations.dataValidation = []


def volatile_name(book):
    """Let a name be computed anew all the time."""
    book.defined_names["in_moving"] = DefinedName("in_moving", attr_text="OFFSET(Models!$A$6,0,0)")
    book["Problems"]["H1"] = "=in_moving"


def hidden_column(book):
    """Hide a column."""
    book["Rules"].column_dimensions["B"].hidden = True


def number_unseen(book):
    """Give a cell a format that shows nothing."""
    book["Rules"]["H1"] = 1
    book["Rules"]["H1"].number_format = ";;;"


def no_provenance(book):
    """Take away the sheet that says what made the workbook."""
    del book["Provenance"]
    for name in [name for name, one in book.defined_names.items() if "Provenance" in one.attr_text]:
        del book.defined_names[name]
    texts("change log", "Log")(book)
    book["About"]["H50"] = "Change log"


OTHERS = {
    "choice": ("validation", no_choice),
    "pick": ("validation", any_pick),
    "name": ("volatile", volatile_name),
    "column": ("hidden", hidden_column),
    "format": ("hidden", number_unseen),
    "sheet": ("provenance", no_provenance),
}
"""Other ways in which a copy can fail an item."""


@pytest.mark.parametrize(("item", "change"), OTHERS.values(), ids=OTHERS)
def test_other_ways_to_break_an_item(item, change, tmp_path):
    """Each is found, and fails nothing else."""
    book = load_workbook(SHIPPED)
    change(book)
    (tmp_path / "broken.xlsx").write_bytes(build.saved(book))
    assert failing(tmp_path / "broken.xlsx") == {item}


@pytest.mark.parametrize(("item", "change"), BROKEN.items(), ids=BROKEN)
def test_a_copy_broken_in_one_item_fails_that_item(item, change, tmp_path):
    """And no other."""
    book = load_workbook(SHIPPED)
    change(book)
    (tmp_path / "broken.xlsx").write_bytes(build.saved(book))
    assert failing(tmp_path / "broken.xlsx") == {item}


def dated(data):
    """Return a workbook whose entries have the moment of saving."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(zipfile.ZipInfo(info.filename, (2026, 11, 21, 12, 0, 0)), old.read(info))
    return out.getvalue()


def test_entries_with_the_moment_of_saving_fail(tmp_path):
    """The same inputs would give other bytes tomorrow."""
    (tmp_path / "plan.xlsx").write_bytes(dated(SHIPPED.read_bytes()))
    assert failing(tmp_path / "plan.xlsx") == {"dates"}


def test_every_item_has_a_broken_copy():
    """No item is untested."""
    assert {item.name for item in ITEMS} - BROKEN.keys() == {"dates"}


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
    assert lines[-1].startswith("budget.xlsx: 3 without a meaning, ")


def test_check_as_json_has_every_failure(tmp_path):
    """One document: whether it passed, what everything means, and each item with all its failures."""
    (tmp_path / "budget.xlsx").write_bytes(budget())
    document = json.loads(run("check", tmp_path / "budget.xlsx", "--json").stdout)
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
    assert run("list").stdout.startswith("plan  ")


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
    found = json.loads(run("fields", "--json").stdout)
    assert {"column", "cell", "marker"} == {one["kind"] for one in found}
    cost = next(one for one in found if one["name"] == "training_cost")
    assert cost == {"kind": "column", "name": "training_cost", "title": "Training cost", "unit": "USD", "about": "",
                    "where": "every model"}  # fmt: skip


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
    assert isinstance(Catalogue(fields_of(load())).meaning(header), Bound)
