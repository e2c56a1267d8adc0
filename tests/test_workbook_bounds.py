"""Inputs of a workbook are held to their bounds: what a planner types that no portfolio could give fails a check."""

import re

import judges
import pytest
from planner import Planner, run

from flopsheet.accounting.values import check
from flopsheet.configs.sizes import model_of_size
from flopsheet.export.workbook.assumptions import drivers_table
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import base_program

PORTFOLIO = """\
name = "Bounds"
[[models]]
name = "Ours"
architecture = "dense"
dimensions = { n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 14336, mlp_matrices = 3, vocab_size = 128256 }
"""
TYPED = {"blank": None, "negative": -1, "broken": 1.5, "text": "abc", "enormous": 1e30}
SHEET, CHECK = "Assumptions", "Every input is a number within its bounds, or one of its words"


def refused(one, typed, times):
    """Tell whether a portfolio could not give an input a value in a unit of so many plain ones."""
    if one.labels and typed in range(1, len(one.labels) + 1):
        return False  # typed as its place
    try:
        check(one, typed * times if isinstance(typed, float) else typed)
    except ValueError:
        return True
    return False


def column(cells, header):
    """Return the cells below a header of Assumptions by their rows."""
    own = {re.fullmatch("([A-Z]+)([0-9]+)", at).groups(): text for (sheet, at), text in cells.items() if sheet == SHEET}
    letter = next(at for (at, row), text in own.items() if (row, text) == ("8", header))
    return {int(row): text for (at, row), text in own.items() if at == letter and int(row) > 8}


def judged(cells):
    """Return the columns Valid and Times of the inputs by name, and by how much the check is off."""
    valid, times = (column(cells, header) for header in ("Valid", "Times"))
    off = next(cells["Checks", f"B{at[1:]}"] for (sheet, at), text in cells.items() if text == CHECK)
    names = column(cells, "Name").items()
    return {name: (judges.number(valid[row]), judges.number(times[row])) for row, name in names}, judges.number(off)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Give what LibreOffice finds where one kind of value is typed into the Base cell of every input."""
    folder = tmp_path_factory.mktemp("bounds")
    (folder / "p.toml").write_text(PORTFOLIO, encoding="utf-8")
    code, _, errors = run("report", folder / "p.toml", "-o", folder / "plan.xlsx")
    assert code == 0, errors
    for kind, typed in TYPED.items():
        planner = Planner(folder)
        for name in base_program().inputs:
            planner.cell("drivers", name, "Base").value = typed
        planner.path = folder / f"{kind}.xlsx"
        planner.save()
    return dict(zip(TYPED, judges.calculated([folder / f"{kind}.xlsx" for kind in TYPED], folder), strict=True))


@judges.needs_soffice
@pytest.mark.parametrize("kind", TYPED)
def test_what_no_portfolio_could_give_is_not_valid(found, kind):
    """And everything else is; the check counts the rows, and the workbook says that it fails."""
    inputs = base_program().inputs
    rows, off = judged(found[kind])
    wrong = {name for name, one in inputs.items() if refused(one, TYPED[kind], rows[name][1])}
    assert {name for name in inputs if rows[name][0] == 0} == wrong
    assert off == len(wrong) > 0
    assert found[kind]["Checks", "D1"].startswith("FAIL: ")


def read_of(inputs, name):
    """Return what a workbook says of an input in a plan of training: whether it is read, and the comment."""
    models = cost_all(load(), [model_of_size(load(), "7B")])
    table = drivers_table(make_plan(load(), models, inputs={"accelerators": 64, **inputs}, questions=["training"]))
    headers = [column.header for column in table.columns]
    row = next(row for row in table.rows if row[headers.index("Name")] == name)
    return row[headers.index("Read")], row[headers.index("Comment")]


def test_an_input_that_each_model_has_of_its_own_says_where():
    """A layout that was found is each model's own: the plan's would move nothing, and is not shown as an input."""
    read, said = read_of({}, "tensor_parallel")
    assert (read, "on Models, in the column own_tensor_parallel" in said) == (0, True)
    assert read_of({}, "price_per_hour")[0] == 1
    assert read_of({"tensor_parallel": 2}, "tensor_parallel")[0] == 1
