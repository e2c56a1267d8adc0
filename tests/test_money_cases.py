"""Programs worked out from first principles: months, cash, caps and verdicts of each way to have accelerators."""

import json
import tomllib
from pathlib import Path

import judges
import pytest
from planner import run

CASES = {
    one["id"]: one for one in tomllib.loads((Path(__file__).parent / "data" / "money.toml").read_text("utf-8"))["case"]
}
OTHER_NAMES = {
    "cumulative": "cumulative_cash",
    "recommended": "model",
    "loss": "option_loss",
}
"""Figures that a table has under another name, since a link has theirs."""


def written(folder, case):
    """Write the portfolio of a case."""
    before, _, after = case["portfolio"].partition("[proposed]\n")
    path = folder / "plan.toml"
    path.write_text(before + after, "utf-8")
    return path


def answered(folder, case):
    """Return what a plan of the portfolio says: the first option, its months, and all options by rank."""
    _, out, errors = run("plan", written(folder, case), "--format", "json")
    assert out, errors
    tables = json.loads(out)["tables"]
    options = sorted(tables["decision_options"], key=lambda one: (not one["rank_by_choice"], one["rank_by_choice"]))
    row = next(one for one in tables["programme"] if one["model"] == options[0]["model"])
    months = [one for one in tables["programme_monthly"] if one["model"] == row["model"]]
    return {**options[0], **row}, months, options


def figure(name, row, months, options):
    """Return a figure of the cases from the tables that hold it."""
    if name == "runner_up":
        return options[1]["model"]
    if name == "verdicts":
        return {f"{one['model']}: {one['option_reason'] or 'viable'}" for one in options}
    if name.startswith("turn_"):
        limits = {"turn_mfu": [row["mfu_needed"], 0], "turn_price_per_hour": [0, row["price_limit"]]}
        return limits[name]
    known = OTHER_NAMES.get(name, name)
    return row[known] if known in row else [month[known] for month in months]


def agrees(found, expected):
    """Tell whether a figure is what was worked out, numbers to 1e-5."""
    if isinstance(expected, list) and isinstance(expected[0], str):
        return found == {*expected}
    if isinstance(expected, str):
        return found == expected
    if isinstance(expected, bool):
        return bool(found) == expected
    return found == pytest.approx(expected, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("case", CASES.values(), ids=[f"{one['id']} {one['title']}" for one in CASES.values()])
def test_a_program_is_what_it_was_worked_out_to_be(tmp_path, case):
    """Every expected figure, to 1e-5."""
    row, months, options = answered(tmp_path, case)
    result = {name: figure(name, row, months, options) for name in case["expected"]}
    assert {name: result[name] for name, value in case["expected"].items() if not agrees(result[name], value)} == {}


@pytest.mark.parametrize("name", ["c07", "c13", "c15", "c23"])
def test_cash_less_expense_is_what_stands_in_the_books(tmp_path, name):
    """Whatever is rented, bought late or sold: total cash is total expense and closing book value."""
    row, _, _ = answered(tmp_path, CASES[name])
    assert row["cash_total"] == pytest.approx(row["expense_total"] + row["book_value"])


def test_workbooks_recalculate_programs(tmp_path):
    """LibreOffice finds in every cell what was computed: mixed fleets, calendar months, and a sale."""
    books = [tmp_path / f"{name}.xlsx" for name in ("c07", "c15", "c23")]
    for book in books:
        status, _, errors = run("report", written(tmp_path, CASES[book.stem]), "-o", book)
        assert book.exists(), (status, errors)
    for book, result in zip(books, judges.calculated(books, tmp_path / "calculated"), strict=True):
        assert (book.stem, judges.differing_or_wrong(book, result)) == (book.stem, [])


TAKE_OR_PAY = """
questions = ["money"]
[inputs]
accelerator = "h100-sxm"
accelerators = 4096
days = 90
mfu = 0.4
goodput = 0.9
price_kind = "reserved"
reserved_price = 2.69
{more}
[[models]]
name = "70B"
architecture = "dense"
tokens = 10e12
dimensions = {{ n_layers = 80, d_model = 8192, n_heads = 64, n_kv_heads = 8, d_head = 128, d_ff = 28672, \
mlp_matrices = 3, vocab_size = 128256 }}
"""


@pytest.mark.parametrize("more", ["", "price_per_hour = 3.97"], ids=["alone", "beside a price on demand"])
def test_a_reservation_is_paid_however_little_is_used(tmp_path, more):
    """4,096 accelerators for 12 months of 730 hours at 2.69 are USD 96.5m; on demand the hours used cost 3.97 each."""
    path = tmp_path / "plan.toml"
    path.write_text(TAKE_OR_PAY.format(more=more), "utf-8")
    _, out, _ = run("plan", path, "--format", "json")
    document = json.loads(out)
    row = document["tables"]["programme"][0]
    assert row["rent_reserved_total"] == pytest.approx(4096 * 8760 * 2.69)
    assert row["rent_on_demand_total"] == 0 < row["unused_total"]
    upkeep = row["storage_total"] + row["network_total"] + row["staff_total"]
    assert row["cash_if_on_demand"] == pytest.approx((row["need_total"] * 3.97 + upkeep) * 1.15)
    assert {one["name"]: one["state"] for one in document["checks"]}["worth_reserving"] == "warning"
