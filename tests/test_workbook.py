from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import judges
import openpyxl
import pytest
from judges import cells
from msgspec.structs import replace

from flopsheet.configs.inputs import read_inputs
from flopsheet.export.workbook import write_workbook
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.making import make_plan

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

ROOT = Path(__file__).parent.parent
FRONTIER = ROOT / "examples" / "portfolios" / "frontier.toml"
WALKTHROUGH = ROOT / "examples" / "portfolios" / "walkthrough.toml"


def plan_of(*inputs: Path) -> Plan:
    """Return the plan of some inputs."""
    host = load()
    models, portfolios = read_inputs(host, [str(path) for path in inputs])
    return make_plan(host, cost_all(host, models), portfolios)


@pytest.fixture(scope="module")
def frontier() -> Plan:
    """Give the plan of the demo."""
    return plan_of(FRONTIER)


@pytest.fixture(scope="module")
def workbook(frontier, tmp_path_factory) -> Path:
    """Give the workbook of the demo."""
    path = tmp_path_factory.mktemp("workbook") / "plan.xlsx"
    write_workbook(frontier, path)
    return path


def formulas(path: Path) -> dict[tuple[str, str], str]:
    """Return every formula, by sheet and address."""
    result = cells(path, values=False)
    return {place: text for place, text in result.items() if isinstance(text, str) and text.startswith("=")}


def with_scenario(path: Path, target: Path, scenario: str) -> Path:
    """Copy a workbook with the scenario on About changed, as a person would choose it."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename == "xl/worksheets/sheet1.xml":
                data, changes = re.subn(rb'(<c r="B8".*?<t>)Base(</t>)', rb"\g<1>%s\g<2>" % scenario.encode(), data)
                assert changes == 1
            copy.writestr(entry, data)
    return target


@judges.needs_soffice
def test_recalculation_of_every_scenario_equals_python(frontier, workbook, tmp_path):
    """Choosing a scenario in the workbook gives what Python gives for it, in every formula cell.

    As delivered, LibreOffice's hard recalculation finds the value that stands beside each formula, without exception.
    """
    others = [case for case in CASES if case != frontier.scenario]
    chosen = [with_scenario(workbook, tmp_path / f"{case}.xlsx", TITLES[case]) for case in others]
    delivered, *recalculated = judges.calculated([workbook, *chosen], tmp_path / "out")
    assert judges.differing(workbook, delivered) == []
    live = formulas(workbook)
    for case, found in zip(others, recalculated, strict=True):
        write_workbook(replace(frontier, scenario=case), tmp_path / "expected.xlsx")
        ours = cells(tmp_path / "expected.xlsx")
        moved = {(s, a) for s, a in ours if (s == "Provenance" and a[0] in "IJK") or (s, a) == ("Checks", "B5")}
        pairs = {at: (ours.get(at), found.get(at, "")) for at in live.keys() - moved}
        assert {at: pair for at, pair in pairs.items() if not judges.shows(*pair)} == {}
    assert len(live) > 5000


@judges.needs_validator
@pytest.mark.parametrize("office", judges.OFFICES)
def test_the_sdk_validator_finds_no_error(office, workbook):
    """The workbook is valid Open XML for each version of Office."""
    assert judges.validate(workbook, office) == []


def test_every_formula_has_a_cached_value(workbook):
    """No formula cell is left without the value that previewers show."""
    values = {}
    with zipfile.ZipFile(workbook) as package:
        for name in package.namelist():
            if name.startswith("xl/worksheets/sheet"):
                text = package.read(name).decode()
                values[name] = re.findall(r"<c [^>]*>(?:(?!</c>).)*<f>(?:(?!</c>).)*?</c>", text)
    bare = [cell for found in values.values() for cell in found if "<v>" not in cell and "</v>" not in cell]
    assert bare == []
    assert sum(map(len, values.values())) > 5000


@pytest.fixture(scope="module")
def protected(frontier, tmp_path_factory) -> Path:
    """Give the workbook of the demo with its sheets protected."""
    path = tmp_path_factory.mktemp("protected") / "plan.xlsx"
    write_workbook(frontier, path, protect=True)
    return path


def test_protected_sheets_are_open_where_cells_are_blue(protected):
    """What a planner may change can be changed, formulas and values as delivered cannot."""
    book = openpyxl.load_workbook(protected)
    assert all(sheet.protection.sheet for sheet in book)
    bound = [book["About"]["B8"], book["Assumptions"]["D9"], book["Workings dense"]["E6"], book["Provenance"]["B7"]]
    assert [cell.protection.locked for cell in bound] == [False] * 4
    fixed = [book["About"]["B11"], book["Models"]["E6"], book["Provenance"]["G15"], book["Workings dense"]["A6"]]
    assert [cell.protection.locked for cell in fixed] == [True] * 4
    opened = [cell for place in formulas(protected) if not (cell := book[place[0]][place[1]]).protection.locked]
    assert {(cell.parent.title.split()[0], cell.font.color.rgb, cell.fill.fgColor.rgb) for cell in opened} == {
        ("Assumptions", "FF000000", "00FFF8DC"),
        ("Workings", "FF000000", "00F2F2F2"),
    }


def test_sheets_are_not_protected_unless_asked(workbook):
    """Protection stops tables from growing, so nobody gets it unasked."""
    assert not any(sheet.protection.sheet for sheet in openpyxl.load_workbook(workbook))


@judges.needs_validator
def test_a_protected_workbook_is_valid(protected):
    """Protection stands where the schema has it, which is the same for each version of Office."""
    assert judges.validate(protected) == []


def test_every_formula_can_be_read_in_one_look(workbook):
    """As Excel shows them, formulas are at most 255 characters long and nest functions three deep at most."""
    bad = {place: text for place, text in formulas(workbook).items() if len(shown(text)) > 255 or depth(text) > 3}
    assert bad == {}


def shown(text: str) -> str:
    """Return a formula as Excel shows it: a column of the same row is `[@column]` there."""
    return re.sub(
        r"\w+\[\[#This Row\],\[([^]]+)\]\]", lambda m: f"[@{m[1]}]" if m[1].isidentifier() else f"[@[{m[1]}]]", text
    )


def depth(text: str) -> int:
    """Return how deep a formula nests functions."""
    deepest, stack = 0, []
    for found in re.finditer(r"[A-Z]*\(|\)", re.sub(r'"[^"]*"', "", text)):
        if found[0] == ")":
            stack.pop()
        else:
            stack.append(found[0] != "(")
            deepest = max(deepest, sum(stack))
    return deepest


def test_no_cell_holds_an_error_value(workbook):
    """No cached value is an error."""
    errors = [
        place for place, value in cells(workbook).items() if isinstance(value, str) and re.match(r"#[A-Z]", value)
    ]
    assert errors == []


def test_same_inputs_give_the_same_bytes(frontier, workbook, tmp_path):
    """A second run writes the same bytes."""
    write_workbook(frontier, tmp_path / "again.xlsx")
    assert (tmp_path / "again.xlsx").read_bytes() == workbook.read_bytes()


def test_the_answer_is_the_plan_of_the_issue(workbook):
    """4,096 H100 for 90 days: 9.93e24 FLOP, 8.85 million hours, 23.8 million dollars for reserved capacity."""
    result = cells(workbook)
    assert result["About", "A5"] == (
        "9,930 ZFLOP for dense models or 8,790 ZFLOP for mixtures of experts · 8.85 M GPU-h · USD 23.8m"
    )
    assert result["About", "B22"] == "19 of 20 costed"


def test_sheets_stand_in_order_answer_first_workings_last(workbook):
    """The cover comes first, the workings come last."""
    names = openpyxl.load_workbook(workbook, read_only=True).sheetnames
    assert names[:4] == ["About", "Assumptions", "Budget", "Models"]
    assert all(name.startswith("Workings") for name in names[-6:])
    assert "Card" not in names
    assert "Workings" not in names


@judges.needs_soffice
def test_a_row_typed_by_hand_calculates_and_one_below_its_table_fails_a_check(workbook, tmp_path):
    """A model typed into its architecture's table and into Models is counted without flopsheet.

    LibreOffice grows no table: a row typed under one would count nowhere, and nobody would see it.
    """
    add_model(workbook, tmp_path / "typed.xlsx", number=99, like=2)
    book = openpyxl.load_workbook(workbook)
    sheet = book["Workings dense"]
    sheet.cell(sheet.max_row + 1, 1).value = 99
    book.save(tmp_path / "below.xlsx")
    typed, below = judges.calculated([tmp_path / "typed.xlsx", tmp_path / "below.xlsx"], tmp_path / "out")
    models = {row[0]: row for row in rows(typed, "Models", 6)}
    for column in (4, 19):
        assert judges.number(models["99"][column]) == pytest.approx(judges.number(models["2"][column]), rel=1e-12)
    assert typed["Checks", "B4"] == "All checks pass in Base"
    assert [row[0] for row in rows(below, "Checks", 8) if row[2] == "0"] == ["Table dense: no row is below it"]
    assert below["About", "G2"].startswith("FAIL: 1 of ")


def test_a_small_cluster_is_read_in_small_units(batches):
    """Eight accelerators for five days cost thousands, not zero millions; the cover shows three digits of it."""
    result = cells(batches["a small cluster"])
    assert result["About", "A5"] == "1.08 ZFLOP · 960 GPU-h · USD 3.81k"
    assert [result["About", f"C{row}"] for row in range(11, 17)] == [
        "ZFLOP",
        "EFLOP",
        "GPU-h",
        "USD k",
        "MWh",
        "kg CO2e",
    ]


def test_the_sheet_of_problems_says_in_words_what_it_holds(workbook):
    """A sheet without rows would leave open whether there was nothing or nobody looked."""
    assert cells(workbook)["Problems", "A3"] == "Not costed: 1 · caveats: 1 · notes: 7"


def test_the_cover_says_what_all_models_take_together(frontier, workbook):
    """The first question of whoever pays is what the whole list costs."""
    lines = [frontier.training(model, "base") for model in frontier.costed]
    cost, days = (sum(float(found[line]) for found in lines) for line in ("training_cost", "training_days"))
    text = f"USD {cost / 1e6:.0f}m and {days:.0f} days on the whole cluster"
    assert cells(workbook)["About", "C22"] == f"{text}: longer than the 90-day window"


def test_the_budget_begins_with_results_and_shows_drivers_in_the_unit_of_assumptions(workbook):
    """Who opens Budget reads what the cluster delivers; the same number in two units would look like two."""
    result = cells(workbook)
    units = {row[1]: row[2] for row in rows(result, "Assumptions", 9)}
    budget = [row for row in rows(result, "Budget", 5) if row[0]]
    parts = [row[0] for row in budget]
    assert parts == sorted(parts, reverse=True)
    assert {row[1]: row[2] for row in budget if row[0] == "Driver"}.items() <= units.items()


def rows(found: dict, sheet: str, first: int) -> list[list]:
    """Return the rows of a sheet from one on, thirty columns wide."""
    width = 30
    letters = [openpyxl.utils.get_column_letter(column) for column in range(1, width)]
    last = max(int(re.sub(r"\D", "", a)) for s, a in found if s == sheet)
    return [[found.get((sheet, f"{letter}{row}")) for letter in letters] for row in range(first, last + 1)]


def add_model(source: Path, target: Path, number: int, like: int) -> None:
    """Type a row under the table dense and under Models: inputs as in another model, formulas as Excel fills them."""
    book = openpyxl.load_workbook(source)
    for sheet_name, table_name in (("Workings dense", "dense"), ("Models", "models")):
        sheet = book[sheet_name]
        table = sheet.tables[table_name]
        corner, end = table.ref.split(":")
        last = int(re.sub(r"\D", "", end))
        first = int(re.sub(r"\D", "", corner)) + 1
        model = next(row for row in range(first, last + 1) if sheet.cell(row, 1).value == like)
        for column in range(1, len(table.tableColumns) + 1):
            sheet.cell(last + 1, column).value = sheet.cell(model, column).value
        sheet.cell(last + 1, 1).value = number
        table.ref = f"{corner}:{re.sub(r'[0-9]', '', end)}{last + 1}"
        table.autoFilter.ref = table.ref
    book.save(target)


def test_names_that_begin_like_formulas_stay_text(tmp_path):
    """A model's name is text whatever it begins with."""
    config = (ROOT / "examples" / "configs" / "gpt2-xl" / "config.json").read_text("utf-8")
    names = ["=1+1", "+1", "-1", "@x", "naïve 模型", "a" * 300]
    for name in names:
        (tmp_path / name[:80]).mkdir()
        (tmp_path / name[:80] / "config.json").write_text(config, "utf-8")
    write_workbook(plan_of(tmp_path), tmp_path / "plan.xlsx")
    results = {row[1] for row in rows(cells(tmp_path / "plan.xlsx"), "Models", 6)}
    assert {name[:80] for name in names} <= results


def test_a_batch_without_a_costed_model_still_gives_a_workbook(batches):
    """A batch of nothing but errors gives a workbook that says so, without error values."""
    result = cells(batches["nothing costed"])
    assert result["About", "B22"] == "0 of 1 costed"
    assert [v for v in result.values() if isinstance(v, str) and re.match(r"#[A-Z]", v)] == []


@pytest.fixture(scope="module")
def batches(tmp_path_factory) -> dict[str, Path]:
    """Give workbooks of small batches by name, written into a folder of their own."""
    folder = tmp_path_factory.mktemp("batches")
    configs = sorted((ROOT / "examples" / "configs").glob("*/config.json"))
    inputs = {f"{count} models": configs[:count] for count in (1, 2)}
    gpt2 = {"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 2, "vocab_size": 64, "n_positions": 16}
    for name, config in (("tiny", gpt2), ("nothing costed", {"model_type": "no-such-type"})):
        inputs[name] = [folder / name / "config.json"]
        inputs[name][0].parent.mkdir()
        inputs[name][0].write_text(json.dumps(config), "utf-8")
    (folder / "small.toml").write_text(
        '[cluster]\naccelerator = "h100-sxm"\naccelerators = 8\ndays = 5\n[[models]]\n'
        f'config = "{(ROOT / "examples" / "configs" / "gpt2-xl" / "config.json").as_posix()}"\n',
        "utf-8",
    )
    inputs["a small cluster"] = [folder / "small.toml"]
    for name, paths in inputs.items():
        write_workbook(plan_of(*paths), folder / f"{name}.xlsx")
    return {name: folder / f"{name}.xlsx" for name in inputs}


@judges.needs_soffice
def test_small_batches_recalculate(batches, tmp_path):
    """In each, charts and cards included, LibreOffice finds the value that stands beside every formula."""
    pairs = zip(batches.items(), judges.calculated([*batches.values()], tmp_path), strict=True)
    misses = {name: judges.differing(path, found) for (name, path), found in pairs}
    assert {name: found for name, found in misses.items() if found} == {}


@judges.needs_validator
@pytest.mark.parametrize("name", ["1 models", "2 models", "nothing costed", "tiny"])
def test_small_batches_are_valid(name, batches):
    """One, two, tiny and no costed models fill the template without errors; the demo has twenty."""
    assert judges.validate(batches[name]) == []


def test_a_plan_of_tiny_models_has_units_that_can_be_read(batches):
    """Formulas divide by them."""
    assert cells(batches["tiny"])["Models", "E5"] == "Parameters (k)"


def test_the_walkthrough_budget_is_exact(tmp_path):
    """400 TFLOP/s × 64 × 60 days is 1.3271e23 FLOP, to the last digit."""
    plan = plan_of(WALKTHROUGH)
    assert plan.cluster["base"]["budget_flop"] == 132_710_400_000 * 10**12
    write_workbook(plan, tmp_path / "plan.xlsx")
    assert cells(tmp_path / "plan.xlsx")["About", "A5"].startswith("133 ZFLOP")
