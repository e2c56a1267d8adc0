"""Copies of the shipped template that are broken where few look: each fails its item, and the place is named."""

import pytest
from changes import both, chart, forgotten, name, put, titles, without
from checking import said_of
from lxml import etree

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SHARES = 'AND(ISNUMBER(D9),D9>=0,OR($C9<>"share",D9<=1))'


def rule(text):
    """Return a change of the rule that inputs are validated by."""

    def change(copy):
        result = next(copy.sheet("Assumptions").iter(f"{copy.cell('About!A1').tag.rpartition('}')[0]}}}formula1"))
        assert result.text == SHARES
        result.text = text

    return change


def printed(sheet, area):
    """Return a change of what is printed of a sheet."""
    return name("_xlnm.Print_Area", f"{sheet}!{area}", sheet=sheet)


def changed(old, new):
    """Return a change of the text of a chart's XML."""

    def change(root):
        text = etree.tostring(root).decode()
        assert old in text
        fresh = etree.fromstring(text.replace(old, new))
        root[:] = fresh[:]

    return change


def labeled(first, last):
    """Return a change of the rows of a chart's names."""

    def change(root):
        for found in [found for names in root.iter(f"{CHART}cat") for found in names.iter(f"{CHART}f")]:
            found.text = found.text.replace("$61:", f"${first}:").replace("$63", f"${last}")

    return change


def cut(root):
    """Take a chart's last series out."""
    last = list(root.iter(f"{CHART}ser"))[-1]
    last.getparent().remove(last)


def overlapping(share):
    """Return a change of how far the bars of a chart lie over each other, in percent."""
    return changed('<overlap val="100"/>', f'<overlap val="{share}"/>')


def upright(root):
    """Make columns of a chart's bars."""
    next(root.iter(f"{CHART}barDir")).set("val", "col")


def filled(root):
    """Paint the series that is not to be seen; its line stays without a color."""
    shape = next(one for one in root.iter(f"{CHART}spPr") if any(part.tag.endswith("noFill") for part in one))
    unseen = next(part for part in shape if part.tag.endswith("noFill"))
    shape.replace(unseen, etree.fromstring(f'<a:solidFill xmlns:a="{DRAWING}"><a:srgbClr val="1F3864"/></a:solidFill>'))


BREAKS = {
    "circles: iteration": (
        lambda copy: next(one for one in copy.workbook if one.tag.endswith("calcPr")).set("iterate", "1"),
        "iterative",
    ),
    "units: to be done": (put("Assumptions!C12", "TBD"), "Assumptions!C12:"),
    "sources: to be done": (put("Assumptions!H12", "tbd."), "Assumptions!H12:"),
    "sources: not available": (put("Assumptions!H12", "n/a"), "Assumptions!H12:"),
    "names: twice": (both(name("IN_DAYS", "Assumptions!$G$10")), "IN_DAYS:"),
    "names: hidden by one of a sheet": (name("in_days", "Assumptions!$G$10", sheet="Models"), "Models!in_days:"),
    "print: columns repeated alone": (titles("Rules", "'Rules'!$A:$B"), "Rules: row 4"),
    "print: an area without the last rows": (printed("Budget", "$A$1:$H$20"), "Budget: the print area A1:H20"),
    "print: an area without the header": (printed("Budget", "$A$5:$H$30"), "Budget: the print area A5:H30"),
    "provenance: no version": (put("Provenance!C15", None), "Provenance!C15:"),
    "provenance: a hash that is cut": (put("Provenance!C15", "0123456789abcdef" * 3), "Provenance!C15:"),
    "validation: any share": (rule("ISNUMBER(D9)"), "lets 150% pass"),
    "validation: percentages as whole numbers": (rule(SHARES.replace("<=1)", "<=100)")), "lets 150% pass"),
    "validation: shares below nothing": (rule(SHARES.replace("D9>=0,", "")), "lets a negative number pass"),
    "validation: anything": (rule("TRUE"), "lets a text pass"),
    "validation: of another row": (rule(SHARES.replace("9", "10")), "lets a text pass"),
    "validation: a number as text": (both(put("Workings dense!F7", "4096"), forgotten()), "Workings dense!F7:"),
    "validation: a share above all": (both(put("Assumptions!F18", 1.05), forgotten()), "Assumptions!F18:"),
    "scenario: a typed number": (put("About!C8", 2), "About!C8:"),
    "scenario: a number that stays": (put("About!C8", '=IF(in_scenario_label="",2,2)'), "About!C8:"),
    "scenario: a name of a case": (name("in_mfu", "Assumptions!$E$15"), "Assumptions!E15:"),
    "scenario: a name of another input": (
        both(name("in_days", "Assumptions!$G$9"), forgotten()),
        "Assumptions!G9:",
    ),
    "sensitivity: a typed base": (put("Sensitivity!N7", 23.84045024354452), "Sensitivity!N7:"),
    "sensitivity: a typed live output": (put("Sensitivity!E4", 23.84045024354452), "Sensitivity!E4:"),
    "sensitivity: one side": (chart("Sensitivity", cut), "no chart shows"),
    "sensitivity: sides below each other": (chart("Sensitivity", overlapping("0")), "no chart shows"),
    "sensitivity: columns": (chart("Sensitivity", upright), "no chart shows"),
    "sensitivity: a base that is the live output": (put("Sensitivity!N7", "=out_sensitivity"), "refers to"),
    "bridge: columns beside each other": (chart("Bridge", overlapping("0")), "is not a waterfall"),
    "bridge: a painted base": (chart("Bridge", filled), "is not a waterfall"),
    "master: a formula that does not show it": (
        put("Rules!J1", '=IF(chk_master="","All checks pass","")'),
        "Rules: no cell shows chk_master",
    ),
    "sensitivity: a chart taken off the sheet": (without("Sensitivity", "drawing"), "no chart shows"),
    "live_charts: fewer names": (chart("Charts", labeled(61, 62)), "other rows"),
    "live_charts: names of other rows": (chart("Charts", labeled(60, 62)), "other rows"),
    "chart_titles: as proposed": (chart("Charts", changed(">Model<", ">Axis Title<")), "axis without a title"),
    "chart_titles: of a blank cell": (
        chart("Charts", changed("'Charts'!$M$60</", "'Charts'!$Z$60</"), 1),
        "axis without a title",
    ),
}
"""Item and way: what is changed, and what is said of it."""


@pytest.mark.parametrize(("way", "change", "said"), [(way, *rest) for way, rest in BREAKS.items()], ids=BREAKS)
def test_a_copy_broken_where_few_look_fails_its_item(way, change, said, tmp_path):
    """And says where."""
    assert any(said in one for one in said_of(way, tmp_path, change))
