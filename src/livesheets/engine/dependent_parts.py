"""Parts that refer to cells and are no sheets or charts: pivot sources, form controls, text boxes, other tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.engine.book import relationships, targets
from livesheets.engine.impact import pivot_caches, pivot_sources, pivots, source_formula, sources
from livesheets.engine.markup import DRAWING, attribute, local, parse, serialize, tag
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import adapt
from livesheets.engine.texts import fill_strings
from livesheets.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from livesheets.engine.book import Book
    from livesheets.engine.dirty_cells import DirtyCells
    from livesheets.engine.draft import Draft
    from livesheets.engine.markup import Element
    from livesheets.engine.resize import Scope

_ATTRIBUTES = (
    "textlink",
    "fmlaLink",
    "fmlaRange",
    "fmlaGroup",
    "fmlaTxbx",
    "linkedCell",
    "listFillRange",
    "cellRange",
)
"""Attributes that hold a formula: of text boxes, form controls and pictures of cells."""
_ELEMENTS = (
    "calculatedColumnFormula",
    "totalsRowFormula",
    "FmlaLink",
    "FmlaRange",
    "FmlaGroup",
    "FmlaTxbx",
    "FmlaPict",
)
_KINDS = ("drawing", "vmlDrawing", "ctrlProp", "table")
_MARKS = tuple(name.encode() for name in (*_ATTRIBUTES, *_ELEMENTS))


def formulas_in(root: Element) -> Iterator[tuple[Element, str, str]]:
    """Give each formula that is in an attribute (its name) or in an element ("") of such a part, with its text."""
    for element in root.iter():
        yield from ((element, name, attribute(element, name)) for name in _ATTRIBUTES if element.get(name))
        if local(element) in _ELEMENTS and element.text:
            yield element, "", element.text


def follow(root: Element, scope: Scope) -> bool:
    """Bring the formulas of a part up to date; whether any changed."""
    has_changed = False
    for element, name, text in formulas_in(root):
        after = adapt(text, scope)
        has_changed |= after != text
        put(element, name, after)
    return has_changed


def put(element: Element, name: str, formula: str) -> None:
    """Write a formula to where it was found: an attribute, or the element itself ("")."""
    if name:
        element.set(name, formula)
    else:
        element.text = formula


class DependentParts(Struct, frozen=True):
    """Parts that changed with what they refer to, what could not be read, and text boxes whose text is out of date."""

    parts: dict[str, bytes] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)


def dependent_parts(
    book: Book, draft: Draft, scopes: Mapping[str, Scope], dirty: DirtyCells, texts: Mapping[str, str]
) -> DependentParts:
    """Return the parts that changed with the tables that they refer to."""
    result = DependentParts()
    for sheet in book.sheets.values():
        if sheet.part not in draft.removed_parts:
            for part in _parts_of(book, sheet.part):
                if part in book.package and part not in draft.parts and part not in result.parts:
                    _follow_part(book, part, scopes[sheet.name], dirty, texts, result)
    return result


def _parts_of(book: Book, sheet: str) -> Iterator[str]:
    """Give the parts of a sheet that may refer to cells; a drawing's charts may have shapes of their own."""
    for arrow in relationships(book.package, sheet):
        if arrow.kind in _KINDS:
            yield arrow.target
        for chart in relationships(book.package, arrow.target) if arrow.kind == "drawing" else ():
            yield from targets(book.package, chart.target, "chartUserShapes") if chart.target else ()


def _follow_part(
    book: Book, part: str, scope: Scope, dirty: DirtyCells, texts: Mapping[str, str], result: DependentParts
) -> None:
    data = book.package.read(part)
    has_markers = b"{{" in data and bool(texts)
    if not has_markers and not any(mark in data for mark in _MARKS):
        return
    try:
        root = parse(data, part)
    except TemplateError:
        result.remarks.append(f"{part}, which is not readable XML")
        return
    boxes = [_forget_text(box) for box in root.iter() if box.get("textlink") and _is_dirty(book, box, scope, dirty)]
    result.boxes.extend(boxes)
    with locate_errors(part):
        has_changed = follow(root, scope)
    if (has_markers and fill_strings(root, texts)) or has_changed or boxes:
        result.parts[part] = serialize(root)


def _is_dirty(book: Book, box: Element, scope: Scope, dirty: DirtyCells) -> bool:
    return dirty.may_change(sources(book).needs(attribute(box, "textlink"), scope.home))


def _forget_text(box: Element) -> str:
    """Blank the text of a box that shows a cell which changed, and say which box it is."""
    for text in box.iter(tag("t", DRAWING)):
        text.text = ""
    return f"the text box that shows {attribute(box, 'textlink')}"


def pivot_parts(book: Book, scope: Scope, dirty: DirtyCells) -> tuple[dict[str, bytes], list[str]]:
    """Return the pivot caches whose source changed, to be refreshed on opening, and the pivot tables that show them."""
    parts: dict[str, bytes] = {}
    for part, root in pivot_caches(book).items():
        with locate_errors(part):
            changes = [_follow_source(book, source, scope, dirty) for source in pivot_sources(root)]
            if any(changes):
                root.set("refreshOnLoad", "1")
                parts[part] = serialize(root)
    stale = [pivot for pivot in pivots(book) if pivot.cache in parts]
    return parts, [f"the pivot table {pivot.name} ({pivot.sheet}!{pivot.area})" for pivot in stale]


def _follow_source(book: Book, source: Element, scope: Scope, dirty: DirtyCells) -> bool:
    """Stretch one source of a pivot cache; whether its cells changed."""
    formula = source_formula(book, source)
    if source.get("ref"):
        source.set("ref", adapt(formula, scope).rpartition("!")[2])
    return dirty.may_change(sources(book).needs(formula, ""))
