"""Items about the file: what it brings along, its names, its limits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.audit.formula_text import is_foreign
from flopsheet.audit.view import Cell
from livesheets.addresses import is_name
from livesheets.engine.active import find_active, formula_words
from livesheets.engine.cells import MAX_TEXT
from livesheets.engine.clone import MAX_SHEET_NAME
from livesheets.engine.markup import CHART, attribute, local, parse, tag
from livesheets.engine.styles import STYLES
from livesheets.engine.texts import STRINGS
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.audit.view import WorkbookView

FORMULAS = {"f", "formula", "formula1", "formula2", "calculatedColumnFormula", "totalsRowFormula", "definedName"}
ATTRIBUTES = {
    "hyperlink": ("location",),
    "worksheetSource": ("name",),
    "formControlPr": ("fmlaLink", "fmlaRange", "fmlaMacro"),
    "slicerCacheDefinition": ("name",),
    "timelineCacheDefinition": ("name",),
}
"""Where parts name a name outside of formulas."""
WITHOUT = (STRINGS, STYLES, "xl/calcChain.xml")
"""Parts without formulas, which may be large."""
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
BAD_SHEET_NAME = re.compile(r"history|'.*|.*'", re.IGNORECASE)


def external(view: WorkbookView) -> Iterator[str]:
    """Find what reaches out of the workbook, or runs."""
    for active in find_active(view.template.book.package):
        yield f"{active.place}: {active.word}"

    def reach(text: str) -> str:
        words = formula_words(text, view.template.book.sheets)
        return words[0] if words else "refers to another workbook" if is_foreign(text) else ""

    result = ((where, text, reach(text)) for where, text in (*view.rules, *_chart_references(view)))
    for where, text, reason in (*view.judge_formulas(reach), *result):
        if reason:
            yield f"{where}: {reason}: ={text}"


def _chart_references(view: WorkbookView) -> Iterator[tuple[str, str]]:
    """Give the references of charts, each with where it is."""
    for chart in view.charts:
        where = f"{chart.sheet}: {chart.part}"
        yield from ((where, reference.text or "") for reference in chart.root.iter(tag("f", CHART)))


def names(view: WorkbookView) -> Iterator[str]:
    """Find names that Excel refuses, that point to nothing, or that nothing uses."""
    used_words, standing = _words(view), set(view.template.valid_names)
    spellings: dict[str, str] = {}
    for name, text in view.template.names.items():
        if name.startswith("_xlnm."):
            continue
        if spellings.setdefault(name.casefold(), name) != name:
            yield f"{name}: appears twice, also as {spellings[name.casefold()]}"
        if not is_name(name):
            yield f"{name}: not a name that Excel accepts"
        elif name not in standing:
            yield f"{name}: points to {text}, which is not there"
        elif name.casefold() not in view.name_units and name.casefold() not in used_words:
            yield f"{name}: nothing uses it; take it out in the name manager"
    yield from _own(view, used_words, spellings)


def _own(view: WorkbookView, used_words: set[str], spellings: Mapping[str, str]) -> Iterator[str]:
    """Find names of a single sheet that point to nothing, that nothing uses, or that hide one of the workbook."""
    for sheet in view.sheets:
        for name, text in view.local_names(sheet).items():
            if "#REF!" in text:
                yield f"{sheet}!{name}: points to {text}, which is not there"
            elif name.casefold() in spellings:
                yield f"{sheet}!{name}: hides the name {spellings[name.casefold()]} of the workbook on this sheet"
            elif not name.startswith("_xlnm.") and sheet not in view.prototypes and name.casefold() not in used_words:
                yield f"{sheet}!{name}: nothing uses it; take it out in the name manager"


def _words(view: WorkbookView) -> set[str]:
    """Return every word in a formula of the workbook, in lower case; a name's own text does not use itself."""
    package, own = view.template.book.package, {view.xml(sheet).part: view.xml(sheet) for sheet in view.sheets}
    results = {word for text in {original.text for original in view.originals.values()} for word in _names_in(text)}
    for part in package.entries:
        if part.startswith("xl/") and part.endswith(".xml") and part not in WITHOUT:
            root = own[part].root if part in own else parse(package.read(part), part)
            texts = {element.text or "" for element in root.iter(*(f"{{*}}{name}" for name in FORMULAS))}
            for element in root.iter(*(f"{{*}}{name}" for name in ATTRIBUTES)):
                texts |= {attribute(element, name) for name in ATTRIBUTES[local(element)]}
            results.update(word for text in texts for word in _names_in(text))
    return results


def _names_in(formula: str) -> Iterator[str]:
    """Give each name that a formula has, in lower case, also inside a text, which INDIRECT may read."""
    for token in tokens(formula):
        if token.kind in {"name", "function"}:
            yield token.text.casefold()
        elif token.kind == "text":
            yield from _names_in(token.text[1:-1])


def dates(view: WorkbookView) -> Iterator[str]:
    """Find entries with the moment of saving."""
    for info in view.template.book.package.entries.values():
        if info.date_time != ZIP_EPOCH:
            yield f"{info.filename}: dated {info.date_time[0]}-{info.date_time[1]:02d}-{info.date_time[2]:02d}"
            return


def limits(view: WorkbookView) -> Iterator[str]:
    """Find names of sheets and texts that Excel refuses."""
    sheet_names: set[str] = set()
    for sheet in view.template.book.sheets.values():
        if len(sheet.name) > MAX_SHEET_NAME:
            yield f"{sheet.name}: {len(sheet.name)} characters; Excel takes {MAX_SHEET_NAME}"
        is_taken = sheet.name.casefold() in sheet_names
        if is_taken or set(sheet.name) & set("[]:*?/\\") or BAD_SHEET_NAME.fullmatch(sheet.name):
            yield f"{sheet.name}: a name that Excel refuses for a sheet"
        sheet_names.add(sheet.name.casefold())
    for place, length in view.survey.long:
        yield f"{Cell(*place)}: {length:,} characters; a cell holds at most {MAX_TEXT:,}"
