"""The grid on Sensitivity: the chosen result with two inputs between Low cost and High cost, live."""

from __future__ import annotations

import judges
import openpyxl
import pytest
from test_workbook_bridge import filled, plan_of

from flopsheet.export.workbook import write_workbook
from flopsheet.export.workbook.axes import grid_axes
from flopsheet.export.workbook.bridge import choose_model
from flopsheet.planning.sensitivity import points
from flopsheet.units.readable import readable, size

SHOWN = ("Low cost", "A quarter", "Half way", "Three quarters", "High cost")
"""The headers of the points across."""


def costs(plan, down, across):
    """Return the cost of a plan's only model at all points of two inputs, in the unit that Sensitivity shows."""
    model, live = plan.costed[0], plan.case(plan.scenario)
    times = size(readable("USD", plan.training(model, "base")["training_cost"]))
    each = [[{down.name: one, across.name: other} for other in points(across)] for one in points(down)]
    return [
        [float(plan.alone(model, live | given, ["training_cost"])["training_cost"]) / times for given in row]
        for row in each
    ]


def driver(plan, name):
    """Return an input of a plan."""
    return next(one for one in plan.drivers if one.name == name)


def test_the_grid_moves_the_two_inputs_that_move_the_result_most():
    """As delivered they are the first two of the tornado."""
    plan = plan_of("gpt2-xl")
    assert [one.title for one in grid_axes(plan)] == [row["Input"] for row in filled(plan, "tornado")[:2]]


def test_without_a_costed_model_the_grid_is_of_the_price_of_compute():
    """A batch of errors has a cluster all the same."""
    rows = filled(plan_of("broken"), "grid")
    assert choose_model(plan_of("broken")) is None
    assert len({row[header] for row in rows for header in SHOWN}) == len(rows) * len(SHOWN)


def test_a_cell_of_the_grid_is_the_plan_with_both_inputs():
    """All others stay as they are."""
    plan = plan_of("gpt2-xl")
    for row, expected in zip(filled(plan, "grid"), costs(plan, *grid_axes(plan)), strict=True):
        assert [row[header] for header in SHOWN] == pytest.approx(expected)


CHOSEN = {
    "two others": ("goodput", "mfu"),
    "one twice": ("goodput", "goodput"),
}


@judges.needs_soffice
@pytest.mark.parametrize("picked", CHOSEN)
def test_other_inputs_are_chosen_in_the_workbook(picked, tmp_path):
    """LibreOffice shows the result at their points; one that is chosen twice moves down alone."""
    plan = plan_of("gpt2-xl")
    names = CHOSEN[picked]
    down, across = (driver(plan, name) for name in names)
    write_workbook(plan, tmp_path / "plan.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx")
    sheet = book["Sensitivity"]
    for side, one in (("down", down), ("across", across)):
        sheet[book.defined_names[f"in_grid_{side}"].attr_text.partition("!")[2].replace("$", "")] = one.title
    area = sheet.tables["grid"].ref
    book.save(tmp_path / "changed.xlsx")
    fresh = openpyxl.load_workbook(
        judges.recalculate(tmp_path / "changed.xlsx", tmp_path / "out"), data_only=True, read_only=True
    )
    rows = [[cell.value for cell in row[1:6]] for row in fresh["Sensitivity"][area][1:]]
    expected = costs(plan, down, across)
    if down is across:
        expected = [[row[place]] * len(row) for place, row in enumerate(expected)]
    assert rows == [pytest.approx(row) for row in expected]
