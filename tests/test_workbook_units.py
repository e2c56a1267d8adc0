"""The units in which people read numbers of a batch: chosen by its largest model, said in the column's header."""

from __future__ import annotations

import re
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import openpyxl
import pytest
from msgspec.structs import replace

from flopsheet.configs.inputs import read_inputs
from flopsheet.export.workbook import write_workbook
from flopsheet.export.workbook.assumptions import budget_table
from flopsheet.export.workbook.model_columns import Scale, scales, shown_columns
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.units.readable import divisor, readable, size
from flopsheet.units.table import times, units

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

CONFIGS = Path(__file__).parent.parent / "examples" / "configs"
HOST = load()


def plan_of(*names: str, tokens: float | None = None) -> Plan:
    """Return the plan of some example configs, each trained on so many tokens."""
    models, portfolios = read_inputs(HOST, [str(CONFIGS / name / "config.json") for name in names])
    own = {} if tokens is None else {"tokens": tokens}
    return make_plan(
        HOST, cost_all(HOST, [replace(model, drivers={**model.drivers, **own}) for model in models]), portfolios
    )


@pytest.mark.parametrize(
    ("plain", "value", "unit"),
    [
        ("USD", 35_124_000, "USD m"),
        ("USD", 1_000_000, "USD m"),
        ("USD", 999_999, "USD k"),
        ("USD", 24, "USD"),
        ("USD", 0.2, "USD"),
        ("USD", 0, "USD m"),
        ("USD", -35_124_000, "USD m"),
        ("GPU-h", Fraction(3001, 2), "k GPU-h"),
        ("days", 90, "days"),
    ],
)
def test_a_number_is_read_in_the_largest_unit_of_which_there_is_one(plain, value, unit):
    """Nobody reads 0.000 USD m; of nothing at all every unit has 0."""
    assert readable(plain, value) == unit


@pytest.mark.parametrize(("unit", "text"), [("USD", "1"), ("B", "1000000000"), ("ZFLOP", "1E+21"), ("GiB", "in_gib")])
def test_formulas_say_a_unit_as_spreadsheets_write_it(unit, text):
    """Fifteen digits are written out, powers of two stand on Assumptions."""
    assert divisor(unit) == text


def test_a_batch_of_small_models_is_shown_in_small_units():
    """The largest model chooses: every column of it has a number of at least 1, or the smallest unit there is."""
    result = scales(plan_of("bert-base-uncased", "rwkv-4-169m", tokens=1e8))
    wanted = {"parameters": "M", "training_flops": "PFLOP", "training_cost": "USD", "training_energy": "kWh"}
    assert {line: result[line].unit for line in wanted} == wanted


def test_budget_shows_each_driver_as_it_is_typed_unless_its_unit_says_otherwise():
    """A peak typed in TFLOP/s is not divided by a tera again."""
    table = budget_table(plan_of("Llama-3.1-8B"))
    headers = [column.header for column in table.columns]
    rows = [dict(zip(headers, row, strict=True)) for row in table.rows]
    same = {row["Id"]: row["Times"] for row in rows if row["Unit"] == row["Plain unit"]}
    assert same["peak_tflops"] == 1
    assert set(same.values()) == {1}


def test_one_large_model_keeps_the_large_units():
    """A column has one unit, whatever models stand below each other."""
    result = scales(plan_of("rwkv-4-169m", "Llama-3.1-405B"))
    assert (result["parameters"].unit, result["training_cost"].unit, result["training_flops"].unit) == (
        "B",
        "USD m",
        "ZFLOP",
    )


def test_a_batch_of_errors_is_shown_in_the_usual_units():
    """Without a model there is nothing to choose by."""
    plan = plan_of("broken")
    assert {line: scale.unit for line, scale in scales(plan).items()} == {
        one.name: one.units[0] if one.units else "" for one in shown_columns(plan.program) if not one.is_fact
    }


def test_the_sheets_say_the_units_of_a_small_plan(tmp_path):
    """Models, the charts and the bridge have them in their titles; what planners type keeps its own."""
    write_workbook(plan_of("bert-base-uncased", tokens=1e8), tmp_path / "small.xlsx")
    book = openpyxl.load_workbook(tmp_path / "small.xlsx")
    models = {cell.value for cell in book["Models"][5]}
    assert {"Parameters (M)", "Cost (USD)", "GPU-hours (h)", "Published (B)", "Token override (T)"} <= models
    assert [book["Bridge"][cell].value for cell in ("L6", "L7")] == ["Parameters (M)", "Training compute (PFLOP)"]
    assert "Training cost (USD)" in {cell.value for row in book["Charts"].iter_rows() for cell in row}


def test_a_column_is_as_wide_as_its_largest_number():
    """Sixteen digits in a column for fourteen would be shown as ####."""
    assert (Scale("", 1_350_000_000.5).width, Scale("B", 671.03).width) == (18, None)


def test_days_of_a_small_plan_are_not_shown_as_none(tmp_path):
    """Minutes of a cluster are few days, and neither the cover nor the charts say 0 days."""
    write_workbook(plan_of("bert-base-uncased", tokens=1e8), tmp_path / "small.xlsx")
    book = openpyxl.load_workbook(tmp_path / "small.xlsx", data_only=True)
    assert " and less than 0.01 days on the whole cluster: within" in book["About"]["C22"].value
    rules = [rule for found in book["Charts"].conditional_formatting for rule in found.rules]
    assert "0.0E+00" in {rule.dxf.numFmt.formatCode for rule in rules if rule.dxf and rule.dxf.numFmt}


def test_labels_on_bars_have_a_format_of_their_own(tmp_path):
    """LibreOffice takes the format of the cells unless the label says that it does not."""
    write_workbook(plan_of("bert-base-uncased"), tmp_path / "small.xlsx")
    with zipfile.ZipFile(tmp_path / "small.xlsx") as book:
        charts = [book.read(name).decode() for name in book.namelist() if name.startswith("xl/charts/chart")]
    formats = [form for chart in charts for form in re.findall("<numFmt[^>]*>", chart)]
    assert formats
    assert all('sourceLinked="0"' in form for form in formats)


def test_a_cover_without_a_costed_model_says_so(tmp_path):
    """USD 0.00 and 0 days would be an answer."""
    write_workbook(plan_of("broken"), tmp_path / "none.xlsx")
    book = openpyxl.load_workbook(tmp_path / "none.xlsx", data_only=True, read_only=True)
    assert book["About"]["C22"].value == "No model could be costed; see the sheet Problems"


def test_a_long_name_is_cut_beside_its_bar_alone(tmp_path):
    """A label in two lines drives out its neighbors; the table behind the chart has the whole name."""
    models, portfolios = read_inputs(HOST, [str(CONFIGS / "gpt2-xl" / "config.json")])
    name = "a model with a name that nobody can say in one breath"
    plan = make_plan(HOST, cost_all(HOST, [replace(models[0], name=name)]), portfolios)
    write_workbook(plan, tmp_path / "long.xlsx")
    row = openpyxl.load_workbook(tmp_path / "long.xlsx", data_only=True, read_only=True)["Charts"][61]
    assert [row[place].value for place in (2, 11)] == [name, name]
    label = name[:24] + "…"
    assert row[20].value == label
    assert [row[place].value.startswith(f"{label}: ") for place in (21, 22)] == [True, True]


LADDERS = [
    *((one["of"], one["units"]) for one in units()["columns"].values()),
    *units()["readable"].items(),
]


@pytest.mark.parametrize(("plain", "ladder"), LADDERS, ids=str)
def test_units_that_people_read_are_known_to_headers(plain, ladder):
    """One table has the size of every unit; a column goes down from the largest."""
    sizes = [times(plain, unit) for unit in ladder]
    assert None not in sizes
    assert sizes == sorted(sizes, reverse=True)
    assert [size(unit) for unit in ladder] == [float(one) for one in sizes]


@pytest.mark.parametrize("unit", ["", "furlong", "USD b"])
def test_an_unknown_unit_has_no_size(unit):
    """A unit that the table does not have is an error, never 1; a plain unit is 1 of itself."""
    with pytest.raises(ValueError, match=f"'{unit}' is not a readable unit; expected one of B, M, k"):
        size(unit)
    assert size(unit, unit) == 1
