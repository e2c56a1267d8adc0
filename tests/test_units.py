"""Units with prefixes: the larger ones of each unit, of those made of two, and of a plugin's own."""

from fractions import Fraction

import judges
import openpyxl
import pytest
from planner import run
from samples import write_portfolio
from test_table_files import MODEL

from flopsheet.export.plan_tables import show_number
from flopsheet.units.readable import divisor, readable, size, units_of
from flopsheet.units.table import times


@pytest.mark.parametrize(
    ("plain", "unit", "expected"),
    [
        ("bytes", "TB", 10**12),
        ("bytes", "GiB", 2**30),
        ("bytes", "kB", 1000),
        ("bytes", "TiB", 2**40),
        ("USD", "USD b", 10**9),
        ("USD", "USD k", 1000),
        ("FLOP", "YFLOP", 10**24),
        ("kWh", "TWh", 10**9),
        ("kg CO2e", "t CO2e", 1000),
        ("GB", "PB", 10**6),
        ("GB-month", "TB-month", 1000),
        ("USD/Mtok", "USD k/Mtok", 1000),
        ("tokens/s", "M tokens/s", 10**6),
        ("widgets", "k widgets", 1000),
        ("t steel", "M t steel", 10**6),
    ],
)
def test_a_larger_unit_is_known_by_its_plain_one(plain, unit, expected):
    """A column may be shown in it, by its size, and a template's header may name it."""
    assert unit in units_of(plain)
    assert size(unit, plain) == expected
    assert times(plain, unit) == expected


@pytest.mark.parametrize(
    "plain", ["bytes", "USD", "FLOP", "GB-month", "kg CO2e/kWh", "tokens", "widgets", "", "kW", "days"]
)
def test_formulas_divide_by_what_a_unit_is(plain):
    """Whatever unit is offered, the divisor in a formula is its size in full, none is rounded."""
    for unit in units_of(plain):
        text = divisor(unit, plain).replace("in_gib", str(2**30)).replace("in_mib", str(2**20))
        assert Fraction(text) == Fraction(size(unit, plain)) or float(text) == size(unit, plain)
        assert len(text) <= 15


@pytest.mark.parametrize(
    ("plain", "unit"),
    [
        ("USD", "GiB"),
        ("bytes", "USD k"),
        ("share", "k share"),
        ("GB-month", "TB"),
        ("GB-month", "TB-year"),
        ("s", "TB"),
    ],
)
def test_a_unit_of_another_kind_does_not_fit(plain, unit):
    """Neither a column nor a header takes it."""
    assert unit not in units_of(plain)
    assert times(plain, unit) is None


def test_a_scale_alone_is_no_unit_of_two():
    """B/s is bytes per second to one reader and a billion tokens per second to another: it is asked for in full."""
    assert times("tokens/s", "B/s") is None
    assert times("tokens/s", "B tokens/s") == 10**9


def test_people_read_stored_months_in_the_unit_that_fits():
    """A plugin's unit of a kind that is known has its larger ones on the terminal and in figures."""
    assert readable("GB-month", 7) == "GB-month"
    assert readable("GB-month", 7e6) == "PB-month"
    assert show_number(7_490, "GB-month") == "7.49 TB-month"
    assert show_number(2_000, "TB") == "2,000 TB"


PLUGIN = """
from flopsheet import Input, Line, Question, Rows, Table, hookimpl

LIMIT = Input("disk_limit", "Limit", "bytes", kind="ratio", default=5e12, minimum=0)
MONTHS = Input("disk_months", "Months", "months", kind="count", default=3, minimum=1)
DISK = Table(
    "disk",
    "Disk by month",
    (
        Line("stored", "2e12 * month", "bytes", title="Stored"),
        Line("paid", "3e9 * month", "USD", title="Paid"),
        Line("held", "1500 * month", "GB-month", title="Held"),
        Line("boxes", "4000 * month", "boxes", title="Boxes"),
    ),
    (Rows("month", "Month", until="disk_months"),),
)
COLUMNS = [{"line": "stored", "unit": "TB"}, {"line": "paid", "unit": UNIT}, {"line": "held", "unit": "TB-month"}]
CHART = {"title": "Stored", "table": "disk", "series": ["stored"], "references": [{"of": "disk_limit"}]}
SHEET = {"tables": {"disk": {"columns": [*COLUMNS, {"line": "boxes", "unit": "k boxes"}]}}, "charts": [CHART]}
flopsheet_questions = hookimpl(lambda: [Question("disk", "Disk?", "Disk.", (LIMIT, MONTHS), (DISK,), sheet=SHEET)])
"""


def reported(folder, unit):
    """Write the workbook of a question whose sheet has columns in larger units."""
    (folder / "disk.py").write_text(f"UNIT = {unit!r}\n{PLUGIN}", "utf-8")
    portfolio = write_portfolio(folder, f'questions = ["disk"]\n{MODEL.format(name="Ours")}')
    return run("report", portfolio, "--plugin", folder / "disk.py", "-o", folder / "plan.xlsx")


def test_columns_and_charts_are_in_the_unit_that_is_asked(tmp_path):
    """TB, billions of dollars, TB-months and thousands of a unit of one's own; LibreOffice divides alike."""
    status, _, said = reported(tmp_path, "USD b")
    assert status == 0, said
    assert judges.differing(tmp_path / "plan.xlsx", *judges.calculated([tmp_path / "plan.xlsx"], tmp_path)) == []
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True)
    sheet = next(sheet for sheet in book if "disk" in sheet.tables)
    top, first, *_ = sheet[sheet.tables["disk"].ref]
    row = {cell.value: value.value for cell, value in zip(top, first, strict=True)}
    assert row["stored (TB)"] == pytest.approx(2)
    assert row["paid (USD b)"] == pytest.approx(3)
    assert row["held (TB-month)"] == pytest.approx(1.5)
    assert row["boxes (k boxes)"] == pytest.approx(4)
    assert row["line_disk_limit_tb"] == pytest.approx(5)


def test_a_refused_unit_is_said_with_those_that_fit(tmp_path):
    """Of dollars in GiB, the message names the units of dollars."""
    status, _, said = reported(tmp_path, "GiB")
    assert (status, "USD k" in said, "USD b" in said) == (1, True, True)
