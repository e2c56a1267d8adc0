"""Items about the file: what it brings along, its names, its limits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.export.xlsx.active import find_active, formula_words
from flopsheet.export.xlsx.cells import MAX_TEXT
from flopsheet.export.xlsx.clone import MAX_SHEET_NAME, is_name
from flopsheet.export.xlsx.markup import attribute, local, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look

FORMULAS = {"f", "formula", "formula1", "formula2", "calculatedColumnFormula", "totalsRowFormula", "definedName"}
ATTRIBUTES = {
    "hyperlink": ("location",),
    "worksheetSource": ("name",),
    "formControlPr": ("fmlaLink", "fmlaRange", "fmlaMacro"),
    "slicerCacheDefinition": ("name",),
    "timelineCacheDefinition": ("name",),
}
"""Where parts name a name outside of formulas."""
FIXED = (1980, 1, 1, 0, 0, 0)
_WORD = re.compile(r"[^\W\d][\w.\\]*")


def external(look: Look) -> Iterator[str]:
    """Find what reaches out of the workbook, or runs."""
    for item in find_active(look.template.book.package):
        yield f"{item.place}: {item.word}"
    for cell, text in look.formulas.items():
        for word in formula_words(text, look.template.book.sheets):
            yield f"{cell}: {word}: ={text}"


def names(look: Look) -> Iterator[str]:
    """Find names that Excel refuses, that point to nothing, or that nothing uses."""
    used, standing = _words(look), set(look.template.standing_names)
    for name, text in look.template.names.items():
        if name.startswith("_xlnm."):
            continue
        if not is_name(name):
            yield f"{name}: not a name that Excel takes"
        elif name not in standing:
            yield f"{name}: points to {text}, which is not there"
        elif name.casefold() not in look.known and name.casefold() not in used:
            yield f"{name}: nothing uses it"


def _words(look: Look) -> set[str]:
    """Return every word in a formula of the workbook, in lower case; a name's own text does not use itself."""
    package = look.template.book.package
    found: set[str] = set()
    for part in package.entries:
        if part.startswith("xl/") and part.endswith(".xml"):
            for element in parse(package.read(part), part).iter():
                said = [element.text or ""] if local(element) in FORMULAS else []
                said += [attribute(element, name) for name in ATTRIBUTES.get(local(element), ())]
                found.update(word.casefold() for text in said for word in _WORD.findall(text))
    return found


def dates(look: Look) -> Iterator[str]:
    """Find entries with the moment of saving."""
    for info in look.template.book.package.entries.values():
        if info.date_time != FIXED:
            yield f"{info.filename}: dated {info.date_time[0]}-{info.date_time[1]:02d}-{info.date_time[2]:02d}"
            return


def limits(look: Look) -> Iterator[str]:
    """Find names of sheets and texts that Excel refuses."""
    seen: set[str] = set()
    for sheet in look.template.book.sheets.values():
        if len(sheet.name) > MAX_SHEET_NAME:
            yield f"{sheet.name}: {len(sheet.name)} characters; Excel takes {MAX_SHEET_NAME}"
        if set(sheet.name) & set("[]:*?/\\") or sheet.name.casefold() in seen:
            yield f"{sheet.name}: a name that Excel refuses for a sheet"
        seen.add(sheet.name.casefold())
    for cell, text in look.texts:
        if len(text) > MAX_TEXT:
            yield f"{cell}: {len(text):,} characters; a cell holds at most {MAX_TEXT:,}"
