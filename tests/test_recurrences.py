"""Recurrences: a line reads its own row before, in exact numbers, in sweeps and in the workbook."""

import json
from fractions import Fraction

import judges
import numpy as np
import openpyxl
import pytest
from planner import run as command
from samples import write_portfolio
from test_table_files import MODEL

from flopsheet import Line
from flopsheet.accounting.line import Input
from flopsheet.audit.audit import audit
from flopsheet.errors import PluginError
from flopsheet.host.loading import load
from flopsheet.planning.fingerprints import facts_of, of_program
from flopsheet.planning.program import Program
from flopsheet.planning.question import MODELS, Figure, Link, Question, Rows, Table
from flopsheet.planning.run import PlannedModel, Run
from flopsheet.planning.sweep import Sweep

RENT = Input("rent", "Rent", "USD", kind="ratio", default=100, minimum=0)
HORIZON = Input("horizon", "Horizon", "months", default=6)
MONTHS = Rows("month", "Month", until="horizon")
LAWS = Rows("law", "Law", values=({"law": 1, "slope": 2.0}, {"law": 2, "slope": 3.0}), labels=("First", "Second"))
GIVEN = [PlannedModel(0, {}, {"parameters": 10}), PlannedModel(1, {}, {"parameters": 20})]


def table(lines, links, rows=(MODELS, MONTHS), name="kept"):
    """Return a table of formulas by name, whose links read the line and in the way that each says."""
    made = tuple(Link(link, name, *said) for link, said in links.items())
    return Table(name, "Kept", tuple(Line(one, text, "USD") for one, text in lines.items()), rows, made)


def program(*tables, figures=()):
    """Return the program of one question with some tables."""
    return Program((Question("kept", "Kept", "Kept", (RENT, HORIZON), tables, figures=figures),))


def numbers(one, line, **inputs):
    """Return a line of the table in all rows."""
    return [*Run(one, {"rent": 100, "horizon": 6, **inputs}, GIVEN).table("kept").columns[line]]


STOCK = table({"stock": "before / 2 + parameters"}, {"before": ("stock", "previous")})
TWO = table(
    {
        "late": "early_before + late_before / 4 + added",
        "added": "rent * month",
        "early": "late / 2",
        "after": "late + 1",
    },
    {"late_before": ("late", "previous"), "early_before": ("early", "previous")},
)
START = table({"stock": "rent if month == 1 else before * 2"}, {"before": ("stock", "previous")}, (MONTHS,))


def test_a_line_reads_its_own_row_before():
    """Each model's months begin at 0, and every number is exact."""
    expected = [10, 15, Fraction(35, 2), Fraction(75, 4)]
    assert numbers(program(STOCK), "stock", horizon=4) == [*expected, *(2 * one for one in expected)]


def test_a_line_states_its_own_start():
    """The key says which row is the first one."""
    assert numbers(program(START), "stock", horizon=4) == [100, 200, 400, 800]


def test_two_lines_read_each_other():
    """One reads the other's row before, the other the one's own row; lines around them are not part of it."""
    late, early, expected = Fraction(0), Fraction(0), []
    for month in range(1, 7):
        late = early + late / 4 + 100 * month
        early = late / 2
        expected.append((late, early, late + 1))
    one = program(TWO)
    result = zip(*(numbers(one, name)[:6] for name in ("late", "early", "after")), strict=True)
    assert [*result] == expected


def test_what_is_linked_to_a_recurrence_follows():
    """Sums, figures and other tables see the last numbers; a line after it may read its row before, too."""
    later = table({"stock": "before + 1", "change": "stock - before"}, {"before": ("stock", "previous")}, (MONTHS,))
    total = Table("cases", "All", (Line("all", "sum_of", "USD"),), (), (Link("sum_of", "kept", "stock", "sum"),))
    one = program(later, total, figures=(Figure("most", "Most", "kept", "stock", "Most", "max"),))
    assert numbers(one, "change") == [1] * 6
    result = Run(one, {"rent": 100, "horizon": 6}, GIVEN)
    assert result.single("cases") == {"all": 21}
    assert result.figure(one.figures[0][1]) == 6


@pytest.mark.parametrize(
    "kept", [STOCK, TWO, START, table({"x": "b + law * slope"}, {"b": ("x", "previous")}, (LAWS,))]
)
def test_columns_equal_exact_numbers(kept):
    """Over designs with horizons of their own, a sum over all rows is that of the exact run of each."""
    name = kept.lines[0].name
    total = Table("cases", "All", (Line("all", "sum_of", "USD"),), (), (Link("sum_of", "kept", name, "sum"),))
    one = program(kept, total)
    designs = {"rent": np.array([100.0, 50.0, 20.0]), "horizon": np.array([6.0, 1.0, 3.0])}
    values = {**designs, "parameters": 10}
    result = Sweep(one, (("cases", "all"),)).columns(values)["cases", "all"]
    each = [
        Run(one, {"rent": rent, "horizon": int(horizon)}, GIVEN[:1]).single("cases")["all"]
        for rent, horizon in zip(*designs.values(), strict=True)
    ]
    assert result.ravel() == pytest.approx([float(number) for number in each])


@pytest.mark.parametrize(
    ("lines", "links", "rows"),
    [
        ({"a": "b", "b": "a"}, {}, (MONTHS,)),
        ({"a": "b + 1", "b": "a + before"}, {"before": ("a", "previous")}, (MONTHS,)),
        ({"a": "so_far"}, {"so_far": ("a", "running")}, (MONTHS,)),
    ],
)
def test_other_circles_are_refused(lines, links, rows):
    """What needs itself in its own row is no recurrence; the message says what is possible, and names nobody else."""
    kept = table({**lines, "reader": "a"}, links, rows)
    with pytest.raises(PluginError, match=r"cannot be evaluated: a of kept.*own earlier row.*previous") as result:
        _ = program(kept).order
    assert "reader" not in str(result.value)


def test_models_have_no_row_before():
    """A recurrence over models would depend on the order of a batch."""
    with pytest.raises(PluginError, match="models have no order"):
        _ = program(table({"x": "b + 1"}, {"b": ("x", "previous")}, (MONTHS, MODELS))).order


def test_a_fingerprint_follows_every_line_of_a_recurrence():
    """A change of one line, or of what it reads, is a change of all; the totals of ledgers are those of all."""
    first = of_program(program(TWO))["kept"]
    changed = TWO._replace(
        lines=tuple(one if one.name != "added" else Line("added", "rent", "USD") for one in TWO.lines)
    )
    second = of_program(program(changed))["kept"]
    assert {name for name in first if first[name] != second[name]} == {"late", "early", "added", "after"}
    assert facts_of(program(STOCK)) == {"kept": {"stock": ["parameters"]}}


PLUGIN = """
from flopsheet import Check, Figure, Input, Line, Link, Question, Rows, Table, hookimpl, sheet_from

SAID = {"minimum": 0, "source": "Judgment", "date": "2026-01-01", "section": "stock"}
MONTHS = Input("stock_months", "Months", "months", kind="count", low=3, default=4, high=6, better="low", **SAID)
KEPT = Input("stock_kept", "Kept", "share", kind="share", default=0.95, **SAID)
WIDTH = Input("stock_width", "Bytes of a parameter", "bytes", kind="ratio", default=16, **SAID)
INTEREST = Input("stock_interest", "Interest", "share", kind="share", default=0.01, **SAID)
PRICE = Input("stock_price", "Price", "USD/GB", kind="ratio", default=0.02, **SAID)
LINES = (
    Line("new", "parameters * stock_width", "bytes", title="New checkpoints"),
    Line("stock", "stock_before * stock_kept + new - moved", "bytes", title="Stock"),
    Line("moved", "stock_before / 10", "bytes", title="Moved away"),
    Line("grown", "stock - stock_before", "bytes", title="Growth"),
)
BY_MODEL = Table(
    "stock_monthly",
    "Stock by month",
    LINES,
    (Rows("model", "Model"), Rows("month", "Month", until="stock_months")),
    (Link("stock_before", "stock_monthly", "stock", "previous", title="Stock before"),),
)
SPENT = Table(
    "spent_monthly",
    "Owed by month",
    (Line("owed", "owed_before * (1 + stock_interest) + stocked / 1000000000 * stock_price", "USD", title="Owed"),),
    (Rows("month", "Month", until="stock_months"),),
    (
        Link("owed_before", "spent_monthly", "owed", "previous", title="Owed before"),
        Link("stocked", "stock_monthly", "stock", "sum", title="All stocks"),
    ),
)
FIGURES = (
    Figure("most", "Most stock", "stock_monthly", "stock", "The largest stock of a model", "max"),
    Figure("owed", "Owed in the end", "spent_monthly", "owed", "After the last month", "max"),
)
CHECK = Check("kept", "Nothing is lost", "stock_monthly", "1 if stock >= 0 else 0", "A stock is below 0")
ASKED = Question(
    "stock",
    "How much is kept?",
    "By month.",
    (MONTHS, KEPT, WIDTH, INTEREST, PRICE), (BY_MODEL, SPENT), figures=FIGURES, checks=(CHECK,)
)
flopsheet_questions = hookimpl(lambda: [ASKED])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the workbook of a plan that asks a question with recurrences."""
    home = tmp_path_factory.mktemp("stock")
    (home / "stock.py").write_text(PLUGIN, "utf-8")
    models = MODEL.format(name="Ours") + MODEL.format(name="Theirs")
    portfolio = write_portfolio(home, f'questions = ["stock"]\n{models}')
    status, _, said = command("report", portfolio, "--plugin", home / "stock.py", "-o", home / "plan.xlsx")
    assert status == 0, said
    return home


def column(sheet, name, header):
    """Return the cells of a column of a table by its header in the table."""
    table = sheet.tables[name]
    top, *rows = sheet[table.ref]
    place = [cell.value for cell in top].index(header)
    return [row[place] for row in rows]


def test_the_workbook_reads_the_cell_above(folder):
    """Each cell has the same formula, copied down: the row above by a plain reference, 0 where a model begins."""
    book = openpyxl.load_workbook(folder / "plan.xlsx")
    sheet = next(sheet for sheet in book if "stock_monthly" in sheet.tables)
    before, stock = column(sheet, "stock_monthly", "stock_before"), column(sheet, "stock_monthly", "stock")
    assert len(before) == 2 * 6
    assert all(f"{above.column_letter}{above.row - 1}" in cell.value for cell, above in zip(before, stock, strict=True))
    copied = [
        cell.value.replace(f"{one.column_letter}{one.row - 1}", "?") for cell, one in zip(before, stock, strict=True)
    ]
    assert len({*copied}) == 1


def test_the_checklist_finds_nothing(folder):
    """No formula is another than those around it, none is circular; names of figures are not what is asked here."""
    result = audit(load(), str(folder / "plan.xlsx")).verdicts
    assert {one.name: one.failures[:2] for one in result if one.failures and one.name != "names"} == {}


@pytest.mark.parametrize("case", ["Base", "Low cost", "High cost"])
def test_libreoffice_calculates_the_same(folder, tmp_path, case):
    """In each case, with rows that only another case has, every cell is what was cached."""
    path = tmp_path / f"{case.split()[0]}.xlsx"
    arguments = ("--plugin", folder / "stock.py", "--case", case, "-o", path)
    assert command("report", folder / "portfolio.toml", *arguments)[0] == 0
    assert judges.differing(path, *judges.calculated([path], tmp_path)) == []


def test_a_switched_case_is_calculated(folder, tmp_path):
    """The workbook of Base, switched to High cost by its selector, has the figures of that case."""
    book = openpyxl.load_workbook(folder / "plan.xlsx")
    (where,) = book.defined_names["in_scenario_label"].destinations
    book[where[0]][where[1].replace("$", "")].value = "High cost"
    book.save(tmp_path / "switched.xlsx")
    again = judges.recalculate(tmp_path / "switched.xlsx", tmp_path / "out")
    _, out, _ = command("plan", folder / "portfolio.toml", "--plugin", folder / "stock.py", "--format", "json")
    wanted = json.loads(out)["answers"]["stock"]
    result = openpyxl.load_workbook(again, data_only=True, read_only=True)
    for figure, name, unit in (("owed", "out_stock_owed", 1), ("most", "out_stock_most", 2**30)):
        (where,) = result.defined_names[name].destinations
        number = result[where[0]][where[1].replace("$", "")].value * unit
        assert number == pytest.approx(wanted[figure]["high"], rel=1e-12)
