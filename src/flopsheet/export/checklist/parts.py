"""Items about the file: what it brings along, its names, its limits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.export.checklist.tokens import unquoted_text
from flopsheet.export.xlsx.active import find_active, formula_words
from flopsheet.export.xlsx.cells import MAX_TEXT
from flopsheet.export.xlsx.clone import MAX_SHEET_NAME, is_name
from flopsheet.export.xlsx.markup import CHART, attribute, local, parse, tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
OTHER_BOOK = re.compile(r"(?<![\w\]])'?\[[^\[\]]+\][^\[\]]*!")
REFUSED = re.compile(r"history|'.*|.*'", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d][\w.\\]*")


def external(look: Look) -> Iterator[str]:
    """Find what reaches out of the workbook, or runs."""
    for found in find_active(look.template.book.package):
        yield f"{found.place}: {found.word}"
    for where, text in (*look.formulas.items(), *look.rules, *_charted(look)):
        words = formula_words(text, look.template.book.sheets)
        if words:
            yield f"{where}: {words[0]}: ={text}"
        elif OTHER_BOOK.search(unquoted_text(text)):
            yield f"{where}: refers to another workbook: ={text}"


def _charted(look: Look) -> Iterator[tuple[str, str]]:
    """Give the references of charts, each with where it is."""
    for chart in look.charts:
        yield from ((f"{chart.sheet}: {chart.part}", one.text or "") for one in chart.root.iter(tag("f", CHART)))


def names(look: Look) -> Iterator[str]:
    """Find names that Excel refuses, that point to nothing, or that nothing uses."""
    used, standing = _words(look), set(look.template.standing_names)
    seen: dict[str, str] = {}
    for name, text in look.template.names.items():
        if name.startswith("_xlnm."):
            continue
        if seen.setdefault(name.casefold(), name) != name:
            yield f"{name}: stands twice, also as {seen[name.casefold()]}"
        if not is_name(name):
            yield f"{name}: not a name that Excel takes"
        elif name not in standing:
            yield f"{name}: points to {text}, which is not there"
        elif name.casefold() not in look.known and name.casefold() not in used:
            yield f"{name}: nothing uses it; take it out in the name manager"
    yield from _own(look, used, seen)


def _own(look: Look, used: set[str], seen: Mapping[str, str]) -> Iterator[str]:
    """Find names of a single sheet that point to nothing, that nothing uses, or that hide one of the workbook."""
    for sheet in look.sheets:
        for name, text in look.local_names(sheet).items():
            if "#REF!" in text:
                yield f"{sheet}!{name}: points to {text}, which is not there"
            elif name.casefold() in seen:
                yield f"{sheet}!{name}: hides the name {seen[name.casefold()]} of the workbook on this sheet"
            elif not name.startswith("_xlnm.") and sheet not in look.cloned and name.casefold() not in used:
                yield f"{sheet}!{name}: nothing uses it; take it out in the name manager"


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
        if set(sheet.name) & set("[]:*?/\\") or REFUSED.fullmatch(sheet.name) or sheet.name.casefold() in seen:
            yield f"{sheet.name}: a name that Excel refuses for a sheet"
        seen.add(sheet.name.casefold())
    for cell, text in look.texts:
        if len(text) > MAX_TEXT:
            yield f"{cell}: {len(text):,} characters; a cell holds at most {MAX_TEXT:,}"
