"""The checklist: a copy of the shipped template that is broken in an item fails that item, and no other.

A case asks the item that it breaks alone; copies with the first way to break some items ask all of them.
"""

import pytest
from broken import Copy
from changes import (
    INPUTS,
    TRIED,
    attributes,
    both,
    chart,
    column,
    extra_total,
    footer,
    forgotten,
    formula,
    grouped,
    header,
    input_among_results,
    literal,
    live,
    macros,
    merge,
    moved,
    name,
    offer,
    painted,
    put,
    puts,
    reference,
    references,
    result_among_inputs,
    row,
    shows,
    stopped,
    style,
    titles,
    untitled,
    without,
)
from checking import SHIPPED, broken, failures, said_of

from flopsheet.audit.audit import audit, coefficients
from flopsheet.audit.items import ITEMS
from flopsheet.host.loading import load

FORMULAS = {
    "constants": (
        "=7*COUNT(A1:A3)",
        "=COUNT(A1:A3)*1.07",
        "=COUNT(A1:A3)-5",
        "=COUNT(A1:A3)*15%",
        "=IF(COUNT(A1:A3)>7,1,0)",
        "=ROUND(COUNT(A1:A3)*7,0)",
        "=INDEX(A1:A3,1)*365",
        "=SUM({7,8})",
    ),
    "length": (f"=SUM({','.join(['A1'] * 90)})", f'="{"x" * 250}"&A1', f"={'+'.join(['COUNT(A1:A3)'] * 30)}"),
    "nesting": (
        "=ABS(ABS(ABS(ABS(A1))))",
        "=IF(SUM(MAX(INT(1)))>0,1,0)",
        "=MAX(1,(MIN(2,(INT(((SIGN(1))))))))",
    ),
    "nested_if": (
        "=IF(A1=1,IF(A2=1,1,0),0)",
        "=IFERROR(IF(A1=1,2*IF(A2=1,1,0),0),0)",
        "=IF(IF(A1=1,1,0)=1,1,0)",
        "=if(A1=1,1,if(A2=1,1,0))",
    ),
    "volatile": (
        "=NOW()",
        "=today()",
        "=RAND ()",
        "=RANDBETWEEN(1,2)",
        '=INDIRECT("A1")',
        "=SUM(OFFSET(A1,1,0))",
        '=CELL("row",A1)',
        "=_xlfn.RANDARRAY(2)",
        "=SUM(_xlfn._xlws.RANDARRAY(1))",
    ),
    "safe": (
        "=_xlfn.XLOOKUP(1,A1:A2,B1:B2)",
        "=_xlfn.LET(_xlpm.x,1,_xlpm.x)",
        "=_xlfn._xlws.FILTER(A1:A2,B1:B2)",
        "=_xlfn.IFS(A1=1,1)",
        "=SUM(A1#)",
        "=@A1:A3",
    ),
    "errors": (
        "#N/A",
        "#DIV/0!",
        "=#REF!+1",
        "=SUM(#REF!A1)",
        '=IF(A1="",#N/A,1)',
        "=SUM(gone[parameters])",
        "=SUM(models[nothing])",
        "=in_nothing*2",
        "='No sheet'!A1*2",
    ),
    "external": (
        "=[1]Other!A1",
        r"='C:\plans\[Other.xlsx]Sheet1'!A1",
        '=_xlfn.WEBSERVICE("http://example.org")',
        "=cmd|'/c calc'!A1",
    ),
}
"""What stands in cells, each of which fails the item."""


@pytest.mark.parametrize(("item", "formulas"), FORMULAS.items(), ids=FORMULAS)
def test_each_formula_fails_its_item(item, formulas, tmp_path):
    """All of them at once, in cells of their own beside a list; each cell is named, and nothing else fails."""
    places = {f"Problems!H{row}": formula for row, formula in enumerate(formulas, start=1)}
    result = broken(tmp_path, *(put(place, formula) for place, formula in places.items()))
    assert result.keys() == {item}
    assert [place for place in places if not any(f"{place}:" in said for said in result[item])] == []


CHOOSE = (
    "CHOOSE(in_scenario,drivers[[#This Row],[Low cost]],drivers[[#This Row],[Base]],drivers[[#This Row],[High cost]])"
)

BREAKS = {
    "about: another sheet first": moved("Assumptions", 0),
    "about: no title": put("About!A1", None),
    "about: no purpose": both(put("About!A2", "flopsheet {{ version }}, {{ date }}"), put("About!D8", "Choose")),
    "about: no date": put("About!A2", "A planning workbook by flopsheet {{ version }}: exact counts, line by line."),
    "about: no use": put("About!A47", "Steps"),
    "change_log: no heading": put("Provenance!A4", "Notes"),
    "change_log: no entry": both(*(put(f"Provenance!{column}6", None) for column in "ABC")),
    "provenance: no hash": put("Provenance!C14", "Version"),
    "apart: a result among inputs": result_among_inputs,
    "apart: an input among results": input_among_results,
    "apart: a calculation among inputs": put("Assumptions!AJ12", "=SUM(D9:D12)*E9"),
    "colors: a black input": style("Assumptions!E9", color="000000"),
    "colors: an input without a fill": style("Assumptions!E11", fill=""),
    "colors: an input on a dark fill": style("Assumptions!E10", fill="1F3864"),
    "colors: a black choice": style("About!B8", color="000000"),
    "colors: a black blank": style("Models!G7", color="000000"),
    "colors: a blue formula": style("Models!P6", color="0000FF"),
    "colors: a black link": style("Models!AF7", color="000000"),
    "colors: a black link outside of lists": style("About!D11", color="000000"),
    "one_formula: another one": formula("Models!AC7", "/1000000", "*1/1000000"),
    "one_formula: a number": put("Models!AC8", 35.1),
    "one_formula: a blank": put("Budget!G8", None),
    "one_formula: a number among cases": put("Workings budget!AH12", 1e24),
    "constants: in a name": name("in_k", "7*Models!$A$6", used=True),
    "volatile: in a name": name("in_k", "OFFSET(Models!$A$6,0,0)", used=True),
    "volatile: in a validation": lambda copy: copy.validate("Problems!H1", 'INDIRECT("Models!A6:A8")'),
    "twice: the same": puts(H1="=SUM(A1:A2)", H2="=SUM(A1:A2)"),
    "twice: spelled otherwise": puts(H1="=SUM(A1:A2)", H2="=sum( $a$1:$A$2 )"),
    "twice: a product": puts(H1="=A1*B1+C1", H2="=A1*B1+C1"),
    "twice: on two sheets": both(puts(H1="=SUM(Models!A6:A8)"), put("Rules!T1", "=SUM(Models!A6:A8)")),
    "twice: two columns": both(formula("Sensitivity!AB45", "[High cost]", "[Low cost]", TRIED), forgotten()),
    "chains: on a sheet": puts(H1="=H2", H2="=H3", H3=1),
    "chains: with signs and brackets": puts(H1="=+(H2)", H2="=+H3", H3=1),
    "chains: across sheets": both(puts(H1="=Rules!T1"), put("Rules!T1", "=Checks!N1"), put("Checks!N1", 1)),
    "chains: through a name": both(name("in_far", "'Rules'!$T$1"), put("Rules!T1", "=H9"), puts(H1="=in_far")),
    "circles: itself": puts(H1="=H1+1"),
    "circles: two cells": puts(H1="=H2+1", H2="=H1+1"),
    "circles: in a range": puts(H5="=SUM(H1:H9)"),
    "circles: up a column and back": puts(H1="=H4+1", H2="=H1+1", H3="=H2+1", H4="=H3+1"),
    "circles: through a name": both(name("in_loop", "'Problems'!$H$1"), puts(H1="=in_loop+1")),
    "circles: across sheets": both(puts(H1="=Rules!T1+1"), put("Rules!T1", "=Problems!H1*2")),
    "circles: through a column": formula("Models!E6", "models[", "models[[#This Row],[Parameters (B)]]*0+models[", 3),
    "errors: in a validation": lambda copy: copy.validate("Problems!H1", "#REF!$A$1:$A$3"),
    "checks: no master": name("chk_master"),
    "checks: a master that looks away": formula("Checks!B4", "checks[Pass]", "models[No]"),
    "checks: no list": both(
        header("checks", "Checks", "Pass", "Fine"), formula("Checks!B4", "checks[Pass]", "checks[Fine]")
    ),
    "checks: typed": put("Checks!C9", 1),
    "checks: a text": put("Checks!C9", "yes"),
    "checks: failed": shows("Checks!C9", 0),
    "checks: another verdict": formula("Checks!C10", "IF(", "IF(1=1,1,0)+0*IF("),
    **{f"master: {place}": put(place, None) for place in ("Models!G1", "Charts!K1", "Card dense!H1", "About!G2")},
    "master: a text": put("Rules!J1", "All checks pass"),
    "totals: a totals row": extra_total,
    "totals: a sum without a line": formula("Workings dense!AU6", "[attention_q]", "[attention_k]", 3),
    "totals: another constant": put("Provenance!G16", 8030261999),
    "totals: room for more": formula("Checks!C8", "0.000000001", "0.01", 18),
    "units: none": put("Assumptions!C9", None),
    "units: a dash": put("Assumptions!C12", "-"),
    "units: none in a list of results": put("Budget!C7", None),
    "units: none beside a figure": put("About!C13", None),
    "units: none above workings": put("Workings dense!AP4", None),
    "sources: none": put("Assumptions!H9", None),
    "sources: a dash": put("Assumptions!H13", "-"),
    "sources: none beside a single input": put("Assumptions!H5", None),
    "hidden: a column": column("Rules", 2, hidden="1"),
    "hidden: a row": row("Models", 7, hidden="1"),
    "hidden: no height": row("Models", 7, ht="0", customHeight="1"),
    "hidden: no width": column("Rules", 2, width="0"),
    "hidden: a number format": style("Rules!B5", form=";;;"),
    "hidden: white on white": style("Rules!B5", color="FFFFFF"),
    "hidden: a name": name("in_days", "Assumptions!$U$10", hidden="1"),
    "merged: a row": merge("Problems", "A5:B5"),
    "merged: rows": merge("Models", "B6:B7"),
    "merged: headers": merge("Assumptions", "I8:J8"),
    **{f"frozen: {sheet}": without(sheet, "pane") for sheet in ("Models", "Assumptions", "Workings dense")},
    "frozen: too high": attributes("Models", "pane", ySplit="1"),
    "frozen: split": attributes("Models", "pane", state="split"),
    "print: no sheet": footer("Rules", "&A", ""),
    "print: no page": footer("Rules", "&P", ""),
    "print: no version": footer("Rules", "{{ version }}", ""),
    "print: not fitted": attributes("Models", "pageSetUpPr", fitToPage="0"),
    "print: two wide": attributes("Models", "pageSetup", fitToWidth="2"),
    "print: no titles": titles("Models"),
    "print: other titles": titles("Models", "'Models'!$1:$1"),
    "print: another first page": attributes("Rules", "headerFooter", differentFirst="1"),
    **{
        f"validation: {sheet}": without(sheet, "dataValidations")
        for sheet in ("Assumptions", "Models", "Bridge", "Rules")
    },
    "validation: choices of workings": without("Workings dense", "dataValidation", {"type": "list"}),
    "validation: some rows": stopped("D9:F20"),
    "validation: a warning": stopped("", errorStyle="warning"),
    "validation: anything": stopped("", type="none"),
    "validation: outside of its list": both(put("Workings dense!Z7", "sideways"), forgotten()),
    "scenario: no selector": name("in_scenario"),
    "scenario: another list": offer("About", '"Small,Base,Large"'),
    "scenario: a list without Base": offer("About", '"Low cost,High cost"'),
    "scenario: typed": both(*(put(f"Assumptions!G{row}", 1) for row in range(9, 9 + INPUTS)), forgotten()),
    "scenario: chosen otherwise": live(CHOOSE),
    "scenario: always Base": live("INDEX(drivers[[#This Row],[Low cost]:[High cost]],2)"),
    "scenario: of two": live("INDEX(drivers[[#This Row],[Low cost]:[Base]],in_scenario)"),
    "scenario: a blank case": both(put("Assumptions!E12", None), forgotten()),
    "sensitivity: no chart": chart("Sensitivity", references("'Charts'!$M$61:$M$63")),
    "sensitivity: another base": both(shows("Sensitivity!N7", 1), forgotten("Sensitivity!N7", "Sensitivity!E4")),
    "bridge: side by side": chart("Bridge", grouped("clustered")),
    "bridge: nothing unseen": chart("Bridge", painted, 1),
    "bridge: another sum": both(
        shows("Bridge!G67", 1), forgotten(*(f"Bridge!{column}{row}" for column in "GM" for row in range(65, 72)))
    ),
    "live_charts: typed": chart("Charts", literal),
    "live_charts: gone": chart("Charts", reference("#REF!")),
    "live_charts: no such sheet": chart("Charts", reference("'Nope'!$A$1:$A$3")),
    "live_charts: blank": chart("Charts", reference("'Charts'!$Z$300:$Z$310")),
    "live_charts: some rows": chart("Charts", reference("'Charts'!$D$61:$D$62")),
    "chart_titles: none": chart("Charts", untitled("chart")),
    "chart_titles: no axis": chart("Charts", untitled("valAx"), 1),
    "chart_titles: no axis of the bridge": chart("Bridge", untitled("valAx")),
    "external: in a chart": chart("Charts", reference("[1]Other!$A$1:$A$3")),
    "external: in a validation": lambda copy: copy.validate("Problems!H1", "[1]Other!$A$1:$A$3"),
    "external: in a name": name("in_k", "[1]Other!$A$1", used=True),
    "external: macros": macros,
    "names: lost": name("lost", "#REF!"),
    "names: unused": name("rate", "'Models'!$A$6"),
    "names: invalid": name("2020 rate", "'Models'!$A$6"),
    "names: no such sheet": name("rate", "'Gone'!$A$6"),
    "names: unused on a sheet": name("rate", "'Models'!$A$6", sheet="Rules"),
    "names: lost on a sheet": name("rate", "#REF!", sheet="Rules"),
    "limits: a long text": put("Problems!J1", "x" * 40_000),
    "room: a note": put("Problems!A20", "a note"),
    "room: under Models": put("Models!B30", "a note"),
    "room: merged": merge("Problems", "B30:C30"),
}
"""Item and way: what is changed."""


FIRST = {way.partition(":")[0]: change for way, change in reversed(BREAKS.items())}
"""One way to break each item."""
GROUPS = len(FIRST) // 3
"""Copies that are broken in about three items each: an audit of all items is what takes the time."""
REST = {way: change for way, change in BREAKS.items() if change not in FIRST.values()}


@pytest.mark.parametrize("first", range(GROUPS))
def test_a_copy_broken_in_some_items_fails_no_other(first, tmp_path):
    """Of all items, those alone; each group takes items from all over the list, which have little to do with others."""
    items = [*FIRST][first::GROUPS]
    assert broken(tmp_path, *(FIRST[item] for item in items)).keys() == {*items}


@pytest.mark.parametrize(("way", "change"), REST.items(), ids=REST)
def test_a_copy_broken_in_one_item_fails_that_item(way, change, tmp_path):
    """In each way that it can be broken."""
    assert said_of(way, tmp_path, change)


def test_the_shipped_template_passes():
    """Every machine-checkable item of the checklist, and every name and marker means something."""
    result = audit(load(), "plan")
    assert [one for one in result.resolutions if not one.ok] == []
    assert {one.name: one.failures for one in result.verdicts if one.failures} == {}


def test_lines_that_only_training_has_keep_their_own_numbers():
    """Mamba's mixers keep four vectors of the inner width: the 4 in that formula is no input."""
    assert 4 in coefficients(load())["ssm_kept"]


def test_entries_with_the_moment_of_saving_fail(tmp_path):
    """The same inputs would give other bytes tomorrow."""
    (tmp_path / "plan.xlsx").write_bytes(Copy(SHIPPED).saved((2026, 11, 21, 12, 0, 0)))
    assert failures(tmp_path / "plan.xlsx").keys() == {"dates"}


def test_every_item_has_a_broken_copy():
    """No item is untested."""
    assert {item.name for item in ITEMS} == {way.partition(":")[0] for way in BREAKS} | FORMULAS.keys() | {"dates"}
