"""Copies of the shipped template as people break them by hand: typed over, merged, squeezed, half filled in."""

import pytest
from broken import MAIN
from changes import attributes, both, column, forgotten, formula, header, merge, name, put, puts, row
from checking import broken, said_of
from lxml import etree


def typed_over(where, value):
    """Return a change that types a number over a result; what other cells show is forgotten."""
    return both(put(where, value), forgotten())


def blue(where, value):
    """Return a change that types a number into a cell that looks like an input."""

    def change(copy):
        copy.put(where, value)
        copy.restyle(where, color="0000FF", fill="FFF2CC")

    return change


def themed(where, number):
    """Return a change of a cell's font to a color of the theme."""

    def change(copy):
        copy.restyle(where, color="123456")
        font = copy.root("xl/styles.xml").find(f"{MAIN}fonts")[-1]
        font[:] = [etree.fromstring(f'<color xmlns="{MAIN[1:-1]}" theme="{number}"/>')]

    return change


def renamed(old, new):
    """Return a change of a sheet's name."""

    def change(copy):
        next(one for one in copy.workbook.iter(f"{MAIN}sheet") if one.get("name") == old).set("name", new)
        for one in copy.workbook.iter(f"{MAIN}definedName"):
            one.text = one.text.replace(f"'{old}'!", "'" + new.replace("'", "''") + "'!").replace(f"{old}!", f"{new}!")

    return change


def window(copy):
    """Hide the workbook's window."""
    next(copy.workbook.iter(f"{MAIN}workbookView")).set("visibility", "hidden")


BREAKS = {
    "about: a heading alone": (both(*(put(f"About!A{number}", None) for number in range(48, 55))), "About!A47:"),
    "change_log: nobody": (put("Provenance!C6", None), "Provenance!C6:"),
    "change_log: no version": (put("Provenance!A6", None), "Provenance!A6:"),
    "change_log: a second entry without what changed": (put("Provenance!A7", "2"), "Provenance!B7:"),
    "apart: an input on a sheet of results": (blue("Budget!M6", 3), "Budget!M6:"),
    "apart: an input beside charts": (both(put("Charts!Q4", "Overhead"), blue("Charts!S4", 0.3)), "Charts!S4:"),
    "colors: a headline": (typed_over("About!B13", 8.9), "About!B13:"),
    "colors: a link": (typed_over("About!B25", 1024), "About!B25:"),
    "colors: a fact of the bridge": (typed_over("Bridge!C6", 80), "Bridge!C6:"),
    "colors: a count": (typed_over("Checks!B5", 1), "Checks!B5:"),
    "colors: a formula in the theme's blue": (themed("Workings dense!BE7", 4), "Workings dense!BE7:"),
    "constants: a number as text": (both(formula("Bridge!C8", "*", '*"0.95"*'), forgotten()), "0.95 as a text"),
    "constants: the value of a text": (both(formula("Bridge!C8", "*", '*VALUE("0.95")*'), forgotten()), "0.95 as"),
    "constants: chosen": (puts(H1="=CHOOSE(2,6,7)"), "Problems!H1:"),
    "twice: turned round": (puts(H1="=A1*B1+C1", H2="=C1+B1*A1"), "Problems!H2:"),
    "units: a single input": (put("Assumptions!C5", None), "Assumptions!G5:"),
    "units: of the cases": (put("Workings budget!K5", None), "Workings budget!K5:"),
    "units: out of a header": (header("models", "Models", "Weights (GiB)", "Weights"), "'Weights'"),
    "hidden: next to no width": (column("Rules", 2, width="0.1"), "Rules: column B"),
    "hidden: next to no height": (row("Models", 7, ht="0.75", customHeight="1"), "Models: row 7"),
    "hidden: every other row": (attributes("Budget", "sheetFormatPr", zeroHeight="1"), "Budget: rows"),
    "hidden: the window": (window, "window"),
    "hidden: the theme's white": (themed("Rules!B5", 0), "Rules!B5:"),
    "merged: numbers": (merge("Bridge", "C6:C7"), "Bridge!C6:C7:"),
    "merged: an entry of the log": (merge("Provenance", "B6:C6"), "Provenance!B6:C6:"),
    "limits: a reserved name": (renamed("Problems", "History"), "History:"),
    "limits: a quote at the end": (renamed("Problems", "Problems'"), "Problems':"),
}
"""Item and way: what is changed, and what is said of it."""


@pytest.mark.parametrize(("way", "change", "said"), [(way, *rest) for way, rest in BREAKS.items()], ids=BREAKS)
def test_what_a_person_does_by_hand_fails_its_item(way, change, said, tmp_path):
    """And says where."""
    assert any(said in one for one in said_of(way, tmp_path, change))


SOUND = {
    "a sample of what flopsheet fills": both(
        put("Problems!G1", "Cost (USD m)"), put("Problems!H1", 24.5), name("out_total_cost", "Problems!$H$1")
    ),
    "a year": puts(H1=2026),
    "a title over several columns": both(put("Problems!H1", "Notes"), merge("Problems", "H1:K1")),
    "a title that says the unit": both(
        *(put(f"Assumptions!{at}", said) for at, said in {"L3": "Days", "M3": 90, "N3": "As the plan says"}.items()),
        name("in_days_low", "Assumptions!$M$3"),
        lambda copy: copy.restyle("Assumptions!M3", color="0000FF", fill="FFF2CC"),
        lambda copy: copy.validate("Assumptions!M3", "0", "decimal"),
    ),
    "a narrow column between two": column("Rules", 2, width="1"),
    "a product of other cells": puts(H1="=A1*B1+C1", H2="=A1*C1+B1"),
    "a text that is no number": puts(H1='=TEXT(A1,"0.0")&"0.95"'),
}
"""What people may well do: how, and the change."""


@pytest.mark.parametrize("change", SOUND.values(), ids=SOUND)
def test_what_is_sound_fails_nothing(change, tmp_path):
    """No false alarm."""
    assert broken(tmp_path, change) == {}
