"""Values and checks that say nothing: each of these copies fails its item, and the cell is named."""

import pytest
from changes import both, forgotten, formula, put, shows
from checking import failures, said_of
from click.testing import CliRunner
from samples import CONFIGS

from flopsheet.audit.colors import looks_up
from flopsheet.cli import main

BREAKS = {
    "totals: a stale product": (shows("Models!BE7", 2515909.93), "Models!BE7:"),
    "totals: a stale quotient": (shows("Models!AA7", 0.64), "Models!AA7:"),
    "totals: a stale case": (shows("Budget!E25", 8.79), "Budget!E25:"),
    "totals: a stale lookup": (shows("Sensitivity!H45", -1050.7), "Sensitivity!H45:"),
    "totals: a stale Live": (shows("Assumptions!G15", 0.45), "Assumptions!G15:"),
    "totals: a sum that ends early": (
        both(put("About!H22", "=SUM(Models!BE6:BE7)/1000000"), forgotten()),
        "About!H22:",
    ),
    "totals: a sum that begins late": (
        both(put("About!H22", "=SUM(Models!BE7:BE8)/1000000"), forgotten()),
        "About!H22:",
    ),
    "totals: a total without a group": (
        formula("Workings dense!BD6", "+dense[[#This Row],[sum_parameters_norm]]", "", 3),
        "Workings dense!BD6:",
    ),
    "constants: in a line that is defined without": (
        both(formula("Workings dense!BF6", "dense[[", "9*dense[[", 3), forgotten()),
        "Workings dense!BF6:",
    ),
    "checks: typed difference": (put("Checks!B10", 0), "Checks!B10:"),
    "checks: no difference": (put("Checks!B10", "=0"), "Checks!B10:"),
    "checks: of one with itself": (put("Checks!B10", "=out_sensitivity-out_sensitivity"), "Checks!B10:"),
    "checks: nothing times": (put("Checks!B10", "=(out_sensitivity_base-out_sensitivity)*0"), "Checks!B10:"),
    "checks: of two equal ends": (formula("Checks!B8", ",0,1)", ",0,0)"), "Checks!B8:"),
    "checks: errors pass": (put("Checks!B10", "=IFERROR(out_sensitivity_base-out_sensitivity,0)"), "Checks!B10:"),
    "checks: room for everything": (formula("Checks!C8", "<=0.000000001", "<=1000000", 12), "Checks!C8:"),
    "checks: always passed": (formula("Checks!C8", "<=0.000000001", ">=0", 12), "Checks!C8:"),
    "checks: passed either way": (formula("Checks!C8", ",1,-(", ",1,1+0*(", 12), "Checks!C8:"),
    "checks: a typed master": (put("Checks!B4", "All checks pass"), "Checks!B4:"),
    "checks: a master that says one thing": (formula("Checks!B4", ")=0,", ")<=1000,"), "Checks!B4:"),
    "checks: a master of the best": (
        put("Checks!B4", '=IF(MAX(checks[Pass])=1,"All checks pass","FAIL")'),
        "Checks!B4:",
    ),
    "checks: a master without the last": (
        put("Checks!B4", '=IF(ROWS(C8:C18)-SUM(C8:C18)=0,"All checks pass","FAIL")'),
        "Checks!C19",
    ),
}
"""Item and way: what is changed, and what is said of it."""


@pytest.mark.parametrize(("way", "change", "said"), [(way, *rest) for way, rest in BREAKS.items()], ids=BREAKS)
def test_a_value_or_check_that_says_nothing_fails_its_item(way, change, said, tmp_path):
    """And says where."""
    assert any(said in one for one in said_of(way, tmp_path, change))


def test_a_workbook_of_every_architecture_passes(tmp_path):
    """What an architecture's lines are defined with is no constant that somebody typed."""
    CliRunner().invoke(main, ["report", str(CONFIGS), "-o", str(tmp_path / "all.xlsx")])
    assert failures(tmp_path / "all.xlsx") == {}


@pytest.mark.parametrize(
    ("formula", "brings"),
    [
        ("INDEX(cases[days],2)", True),
        ("SUMIFS(a[b],a[no],1)+SUMIFS(c[b],c[no],1)", True),
        ("INDEX(cases[memory],1)/in_gib", True),
        ("INDEX(cases[a],1)/(INDEX(cases[b],1)*2)", False),
        ("INDEX(cases[a],1)*INDEX(cases[b],1)", False),
        ("2*INDEX(cases[a],1)", False),
    ],
)
def test_a_lookup_that_is_computed_with_is_no_link(formula, brings):
    """A number looked up, added up over tables or shown in another unit is a link; a product is a calculation."""
    assert looks_up(formula) == brings
