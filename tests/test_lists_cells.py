"""A cell of a model list that holds no number that its column can take is refused by its address."""

import datetime as dt

import pytest
from model_lists import DENSE, FIELDS, FOUR, LLAMA, changed, csv_file, dense, read

REFUSED = {
    "thousands comma": ('"4,096"', "4,096' has a comma"),
    "thousands space": ("4 096", "found the text '4 096'"),
    "thousands point": ("4.000", "may have thousands separators"),
    "text": ("many", "found the text 'many'; a number is expected"),
    "fraction": ("40.5", "40.5 is out of range; a whole number of at least 1 is expected"),
    "negative": ("-4", "out of range"),
    "not a number": ("nan", "found nan; a number is expected"),
    "hundreds of digits": ("9" * 400, "is out of range"),
    "beyond numbers": ("1e999", "found inf; a number is expected"),
}


@pytest.mark.parametrize(("cell", "message"), REFUSED.values(), ids=REFUSED)
def test_a_bad_number_is_refused_by_its_cell(tmp_path, cell, message):
    """The message says file, cell and header; the other rows go on."""
    row = "Bad,dense,32,{},32,8,14336,3,128256"
    bad, good = read(csv_file(tmp_path, ",".join(DENSE), row.format(cell), row.format(4096)))
    assert (bad.status, good.status) == ("error", "ok")
    assert message in bad.problems[0]
    assert "models.csv: D2 (d_model): " in bad.problems[0]


CELLS = {
    "text": ("4096", "Sheet1!D2 (d_model): found the text '4096'"),
    "date": (dt.date(2026, 4, 9), "Sheet1!D2 (d_model): found 2026-04-09"),
    "formula without a value": ("=64*64", "Sheet1!D2 (d_model): found a formula without a value"),
    "truth value": (True, "True is not a number"),
}


@pytest.mark.parametrize(("cell", "message"), CELLS.values(), ids=CELLS)
def test_a_cell_that_holds_no_number_is_refused(tmp_path, cell, message):
    """What a workbook says to be no number is never taken for one."""
    (model,) = read(dense(tmp_path, d_model=cell))
    assert model.status == "error"
    assert message in model.problems[0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [("<v>4096</v>", ""), ("<f>64*64</f><v>4096</v>", ""), ("<v>#N/A</v>", "the error #N/A")],
    ids=["number", "formula", "error"],
)
def test_formulas_count_with_their_values(tmp_path, cell, message):
    """A calculated value is a value; an error is none."""
    kind = 't="e"' if message else ""
    (model,) = read(changed(dense(tmp_path), FOUR, f'<c r="D2" {kind}>{cell}'))
    assert message in "".join(model.problems)
    assert (model.status == "error") == bool(message)


def test_a_field_out_of_range_is_told_by_its_cell(tmp_path):
    """A config field that gives a dimension an impossible value is found where it stands."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS}", f"Ours,{LLAMA.replace('14336', '14.336')}"))
    assert "models.csv: G2 (intermediate_size): 14.336 has a wrong type: a whole number" in model.problems[0]


def test_json_that_breaks_off_is_refused_by_its_cell(tmp_path):
    """What begins like a list or a table is one, or an error."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS},rope_scaling", f'Ours,{LLAMA},"{{""a"": 1"'))
    assert "I2 (rope_scaling): invalid JSON" in model.problems[0]


def test_a_value_that_a_separator_parts_is_refused(tmp_path):
    """`1,5` without quotes is two cells, of which the second is under no header."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS},tokens (T)", f"Ours,{LLAMA},1,5"))
    assert model.status == "error"
    assert "J2 is under no header: '5'; a value that contains a separator must be in quotes" in model.problems[0]
