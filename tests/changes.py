"""Changes of a copy of the shipped template, each a function of the copy."""

import re

from broken import MAIN
from lxml import etree

from flopsheet.host.loading import load
from flopsheet.planning.questions.budget import QUESTION
from flopsheet.planning.registry import questions

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"

INPUTS = len(QUESTION.inputs)
"""The rows of Assumptions in the shipped template."""
TRIED = sum(one.low is not None for one in questions(load())[QUESTION.name].inputs)
"""The rows of Sensitivity: the inputs among them that have a range."""


def put(where, value):
    """Return a change that types into a cell."""
    return lambda copy: copy.put(where, value)


def puts(**values):
    """Return a change that types into cells of the sheet Problems."""

    def change(copy):
        for address, value in values.items():
            copy.put(f"Problems!{address}", value)

    return change


def formula(where, old, new, rows=1):
    """Return a change of a part of the formulas in some rows of a column; cached values stay."""

    def change(copy):
        start, first = re.fullmatch("(.*?)([0-9]+)", where).groups()
        for row in range(int(first), int(first) + rows):
            cell = f"{start}{row}"
            assert old in copy.formula(cell)
            copy.formula(cell, lambda text: text.replace(old, new))

    return change


def shows(where, value):
    """Return a change of what a formula's cell shows."""
    return lambda copy: setattr(copy.cell(where).find(f"{MAIN}v"), "text", str(value))


def forgotten(*kept):
    """Return a change after which no formula has a value but those kept, as if a library had saved the copy."""

    def change(copy):
        spared = [copy.cell(where) for where in kept]
        for sheet in [one.get("name") for one in copy.workbook.iter(f"{MAIN}sheet")]:
            cells = [cell for cell in copy.sheet(sheet).iter(f"{MAIN}c") if cell.find(f"{MAIN}f") is not None]
            for value in [cell.find(f"{MAIN}v") for cell in cells if cell not in spared]:
                if value is not None:
                    value.getparent().remove(value)

    return change


def live(text):
    """Return a change of every Live cell; cached values stay."""

    def change(copy):
        for row in range(9, 9 + INPUTS):
            copy.formula(f"Assumptions!G{row}", lambda _: text)

    return change


def style(where, **look):
    """Return a change of a cell's look."""
    return lambda copy: copy.restyle(where, **look)


def name(*arguments, sheet=None, used=False, **attributes):
    """Return a change of a defined name, which a cell uses if asked."""

    def change(copy):
        copy.name(*arguments, sheet=sheet, **attributes)
        if used:
            copy.put("Problems!H1", f"={arguments[0]}*2")

    return change


def attributes(sheet, element, **values):
    """Return a change of attributes of a sheet's first such element; None takes one out."""

    def change(copy):
        result = next(copy.sheet(sheet).iter(f"{MAIN}{element}"))
        for key, value in values.items():
            result.attrib.pop(key, None)
            if value is not None:
                result.set(key, value)

    return change


def row(sheet, number, **values):
    """Return a change of a row's attributes."""

    def change(copy):
        result = next(one for one in copy.sheet(sheet).iter(f"{MAIN}row") if one.get("r") == str(number))
        result.attrib.update(values)

    return change


def column(sheet, number, **values):
    """Return a change of the width that covers a column."""

    def change(copy):
        widths = copy.sheet(sheet).iter(f"{MAIN}col")
        result = next(one for one in widths if int(one.get("min")) <= number <= int(one.get("max")))
        result.attrib.update(values)

    return change


def without(sheet, element, said=None):
    """Return a change that takes such elements of a sheet out, those that say so much."""

    def change(copy):
        every = copy.sheet(sheet).iter(f"{MAIN}{element}")
        results = [one for one in every if (said or {}).items() <= dict(one.attrib).items()]
        assert results
        copy.drop(*results)

    return change


def footer(sheet, old, new):
    """Return a change of a sheet's footer."""

    def change(copy):
        result = next(copy.sheet(sheet).iter(f"{MAIN}oddFooter"))
        assert old in result.text
        result.text = result.text.replace(old, new)

    return change


def titles(sheet, text=None):
    """Return a change of what is printed on every page."""
    return lambda copy: copy.name("_xlnm.Print_Titles", text, sheet=sheet)


def header(table, sheet, old, new):
    """Return a change of a column's header, in the cell and in the table."""

    def change(copy):
        root = copy.table(table)
        result = next(one for one in root.iter(f"{MAIN}tableColumn") if one.get("name") == old)
        result.set("name", new)
        cells = [one for one in copy.sheet(sheet).iter(f"{MAIN}c") if "".join(one.itertext()) == old]
        next(cells[0].iter(f"{MAIN}t")).text = new

    return change


def both(*changes):
    """Return all changes as one."""

    def change(copy):
        for one in changes:
            one(copy)

    return change


def offer(sheet, formula):
    """Return a change of what a sheet's validations ask."""

    def change(copy):
        for found in copy.sheet(sheet).iter(f"{MAIN}formula1"):
            found.text = formula

    return change


def merge(sheet, area):
    """Return a change that merges cells."""

    def change(copy):
        cells = etree.fromstring(f'<mergeCells xmlns="{MAIN[1:-1]}"><mergeCell ref="{area}"/></mergeCells>')
        copy.sheet(sheet).find(f"{MAIN}sheetData").addnext(cells)

    return change


def moved(sheet, place):
    """Return a change of a sheet's place; names of sheets keep pointing to theirs."""

    def change(copy):
        holder = copy.workbook.find(f"{MAIN}sheets")
        before = [one.get("name") for one in holder]
        result = next(one for one in holder if one.get("name") == sheet)
        holder.remove(result)
        holder.insert(place, result)
        after = [one.get("name") for one in holder]
        for one in copy.workbook.iter(f"{MAIN}definedName"):
            if one.get("localSheetId"):
                one.set("localSheetId", str(after.index(before[int(one.get("localSheetId"))])))

    return change


def chart(sheet, change, place=0):
    """Return a change of a chart's XML."""
    return lambda copy: change(copy.charts(sheet)[place])


def reference(text):
    """Return a change of a chart's first values: what cells they show."""

    def change(root):
        next(next(root.iter(f"{CHART}val")).iter(f"{CHART}f")).text = text

    return change


def references(text):
    """Return a change of all cells that a chart shows."""

    def change(root):
        for found in root.iter(f"{CHART}f"):
            found.text = text

    return change


def literal(root):
    """Let a chart's first values be typed numbers."""
    values = next(root.iter(f"{CHART}val"))
    values[:] = [etree.fromstring(f'<numLit xmlns="{CHART[1:-1]}"><ptCount val="1"/></numLit>')]


def untitled(kind):
    """Return a change that takes a title off a chart or its axes."""

    def change(root):
        for found in list(root.iter(f"{CHART}{kind}")):
            for title in found.findall(f"{CHART}title"):
                found.remove(title)

    return change


def grouped(as_what):
    """Return a change of how a chart's columns stand."""

    def change(root):
        for found in root.iter(f"{CHART}grouping"):
            found.set("val", as_what)

    return change


def painted(root):
    """Fill the column that carries the steps of a waterfall."""
    for found in list(root.iter("{*}noFill")):
        found.getparent().remove(found)


def stopped(kind, **values):
    """Return a change of the validations of Assumptions."""

    def change(copy):
        for found in copy.sheet("Assumptions").iter(f"{MAIN}dataValidation"):
            found.attrib.update(values)
            if kind:
                found.set("sqref", kind)

    return change


def result_among_inputs(copy):
    """Let a result stand on Assumptions."""
    copy.put("Assumptions!N1", 1)
    copy.name("out_cost", "'Assumptions'!$N$1")


def input_among_results(copy):
    """Let an input stand on Charts, as inputs look and with everything that one needs."""
    for place, value in {"P3": "MFU", "Q3": 0.4, "R3": "share, judged"}.items():
        copy.put(f"Charts!{place}", value)
    copy.restyle("Charts!Q3", color="0000FF", fill="FFF2CC")
    copy.validate("Charts!Q3", "0", "decimal")
    copy.name("in_extra", "'Charts'!$Q$3")
    copy.put("Charts!Q4", "=in_extra*2")


def extra_total(copy):
    """Let a totals row show something else than its sum."""
    for place, value in enumerate(("Amount", 2, 3), start=4):
        copy.put(f"Problems!H{place}", value)
    number = max(int(part[len("xl/tables/table") : -4]) for part in copy.parts if part.startswith("xl/tables/")) + 1
    part = f"xl/tables/table{number}.xml"
    copy.parts[part] = (
        f'<table xmlns="{MAIN[1:-1]}" id="999" name="extra" displayName="extra" ref="H4:H6" totalsRowCount="1">'
        '<tableColumns count="1"><tableColumn id="1" name="Amount" totalsRowFunction="sum"/></tableColumns></table>'
    ).encode()
    rels = copy.root(f"xl/worksheets/_rels/{copy.part('Problems').rpartition('/')[2]}.rels")
    kind = next(one.get("Type") for one in rels if one.get("Type").endswith("/table"))
    etree.SubElement(rels, rels[0].tag, {"Id": "rIdX", "Type": kind, "Target": f"/{part}"})


def macros(copy):
    """Add a VBA project."""
    copy.parts["xl/vbaProject.bin"] = b"code"
    types = copy.root("[Content_Types].xml")
    kind = {"PartName": "/xl/vbaProject.bin", "ContentType": "application/vnd.ms-office.vbaProject"}
    etree.SubElement(types, types[0].tag.replace("Default", "Override"), kind)
