"""Copies of a workbook with single things changed in their XML: everything else, cached values included, stays."""

import re
import zipfile
from copy import deepcopy
from io import BytesIO
from posixpath import dirname, join, normpath

from lxml import etree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


class Copy:
    """A workbook's parts; those that are asked for are read, and written anew when the copy is saved."""

    def __init__(self, data):
        """Take a workbook's bytes."""
        with zipfile.ZipFile(BytesIO(data)) as package:
            self.parts = {name: package.read(name) for name in package.namelist()}
        self.roots = {}

    def root(self, part):
        """Return the XML of a part."""
        if part not in self.roots:
            self.roots[part] = etree.fromstring(self.parts[part])
        return self.roots[part]

    @property
    def workbook(self):
        """The XML of the workbook."""
        return self.root("xl/workbook.xml")

    def related(self, part, kind):
        """Return the parts of a kind that a part leads to."""
        name = join(dirname(part), "_rels", f"{part.rpartition('/')[2]}.rels")
        arrows = self.root(name) if name in self.parts else ()
        results = [arrow for arrow in arrows if arrow.get("Type").endswith(f"/{kind}")]
        return [normpath(join(dirname(part), arrow.get("Target"))).removeprefix("../").lstrip("/") for arrow in results]

    def part(self, sheet):
        """Return the part of a sheet."""
        number = next(one for one in self.workbook.iter(f"{MAIN}sheet") if one.get("name") == sheet).get(f"{OFFICE}id")
        arrow = next(one for one in self.root("xl/_rels/workbook.xml.rels") if one.get("Id") == number)
        return normpath(join("xl", arrow.get("Target").removeprefix("/xl/")))

    def sheet(self, name):
        """Return the XML of a sheet."""
        return self.root(self.part(name))

    def table(self, name):
        """Return the XML of a table."""
        return next(
            root
            for part in self.parts
            if part.startswith("xl/tables/") and (root := self.root(part)).get("displayName") == name
        )

    def charts(self, sheet):
        """Return the XML of a sheet's charts."""
        drawings = self.related(self.part(sheet), "drawing")
        return [self.root(part) for drawing in drawings for part in self.related(drawing, "chart")]

    def cell(self, where):
        """Return a cell, which is made if it is not there, by an address such as Models!B6."""
        name, _, address = where.rpartition("!")
        data = self.sheet(name).find(f"{MAIN}sheetData")
        number = int(re.sub("[A-Z]", "", address))
        row = _placed(data, lambda one: int(one.get("r")), number, "row", str(number))
        return _placed(row, lambda one: _column(one.get("r")), _column(address), "c", address)

    def put(self, where, value):
        """Type a value into a cell: a text that begins with = is a formula without a cached value, None clears it."""
        cell = self.cell(where)
        for child in list(cell):
            cell.remove(child)
        cell.attrib.pop("t", None)
        if isinstance(value, str) and value.startswith("="):
            etree.SubElement(cell, f"{MAIN}f").text = value[1:]
        elif isinstance(value, str) and value.startswith("#"):
            cell.set("t", "e")
            etree.SubElement(cell, f"{MAIN}v").text = value
        elif isinstance(value, str):
            cell.set("t", "inlineStr")
            etree.SubElement(etree.SubElement(cell, f"{MAIN}is"), f"{MAIN}t").text = value
        elif value is not None:
            etree.SubElement(cell, f"{MAIN}v").text = repr(value)

    def formula(self, where, change=None):
        """Return a cell's formula, changed by a function of it; its cached value stays."""
        result = self.cell(where).find(f"{MAIN}f")
        if change:
            result.text = change(result.text)
        return result.text

    def restyle(self, where, *, color=None, fill=None, form=None):
        """Give a cell a font color, a fill color ("" for none) or a number format of its own."""
        root, cell = self.root("xl/styles.xml"), self.cell(where)
        styles = root.find(f"{MAIN}cellXfs")
        style = deepcopy(styles[int(cell.get("s", 0))])
        if color is not None:
            style.set("fontId", _added(root.find(f"{MAIN}fonts"), f'<font><color rgb="FF{color}"/></font>'))
        if fill is not None:
            inside = f'patternType="solid"><fgColor rgb="FF{fill}"/>' if fill else 'patternType="none">'
            style.set("fillId", _added(root.find(f"{MAIN}fills"), f"<fill><patternFill {inside}</patternFill></fill>"))
        if form is not None:
            _added(root.find(f"{MAIN}numFmts"), f'<numFmt numFmtId="999" formatCode="{form}"/>')
            style.set("numFmtId", "999")
        styles.append(style)
        cell.set("s", str(len(styles) - 1))

    def name(self, name, text=None, *, sheet=None, **attributes):
        """Point a defined name somewhere; without a text it goes."""
        holder = self.workbook.find(f"{MAIN}definedNames")
        for old in [
            one for one in holder if one.get("name") == name and (one.get("localSheetId") is None) != bool(sheet)
        ]:
            holder.remove(old)
        if text is not None:
            sheets = [one.get("name") for one in self.workbook.iter(f"{MAIN}sheet")]
            own = {"localSheetId": str(sheets.index(sheet))} if sheet else {}
            etree.SubElement(holder, f"{MAIN}definedName", {"name": name, **own, **attributes}).text = text

    def validate(self, where, formula, kind="list"):
        """Add a validation to a cell."""
        sheet, _, address = where.rpartition("!")
        rules = etree.fromstring(
            f'<dataValidations xmlns="{MAIN[1:-1]}"><dataValidation type="{kind}" sqref="{address}"'
            ' showErrorMessage="1"><formula1/></dataValidation></dataValidations>'
        )
        rules[0][0].text = formula
        self.sheet(sheet).find(f"{MAIN}pageMargins").addprevious(rules)

    def drop(self, *elements):
        """Take elements out."""
        for element in elements:
            element.getparent().remove(element)

    def saved(self, date=(1980, 1, 1, 0, 0, 0)):
        """Return the copy's bytes."""
        out = BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
            for name, data in self.parts.items():
                info = zipfile.ZipInfo(name, date)
                info.compress_type = zipfile.ZIP_DEFLATED
                package.writestr(info, etree.tostring(self.roots[name]) if name in self.roots else data)
        return out.getvalue()


def _placed(holder, key, wanted, kind, address):
    """Return the child with a key, which is made in its place if it is not there."""
    for child in holder:
        if key(child) == wanted:
            return child
        if key(child) > wanted:
            made = child.makeelement(f"{MAIN}{kind}", {"r": address})
            child.addprevious(made)
            return made
    return etree.SubElement(holder, f"{MAIN}{kind}", {"r": address})


def _column(address):
    """Return a column's number, so that Z comes before AA."""
    number = 0
    for letter in re.sub("[0-9]", "", address):
        number = number * 26 + ord(letter) - 64
    return number


def _added(holder, text):
    """Add an element, and return its place."""
    holder.append(etree.fromstring(f'<x xmlns="{MAIN[1:-1]}">{text}</x>')[0])
    return str(len(holder) - 1)
