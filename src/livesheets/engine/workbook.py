"""The workbook part: which sheets are in the output, what the defined names point to, and recalculation."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from livesheets.engine.book import home_index, sheet_elements
from livesheets.engine.cells import literal
from livesheets.engine.draft import point
from livesheets.engine.markup import OFFICE, attribute, child_before, drop, local, new, serialize, tag, whole
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import Mode, adapt

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from livesheets.engine.book import Book
    from livesheets.engine.draft import Draft
    from livesheets.engine.markup import Element
    from livesheets.engine.model import Fill
    from livesheets.engine.plan import SheetPlan
    from livesheets.engine.resize import Scope

_AFTER_NAMES = (
    "calcPr",
    "oleSize",
    "customWorkbookViews",
    "pivotCaches",
    "smartTagPr",
    "smartTagTypes",
    "webPublishing",
    "fileRecoveryPr",
    "webPublishObjects",
    "extLst",
)
_WORKBOOK = ""
"""The home of names that belong to no sheet."""


def workbook_part(
    book: Book, draft: Draft, clones: Sequence[SheetPlan], scopes: Mapping[str, Scope], fill: Fill
) -> bytes:
    """Return the workbook's XML. `scopes` are by sheet of the output, "" for the workbook's own."""
    root = deepcopy(book.root)
    order = _order(book, draft, clones)
    _list_sheets(root, draft, order, clones)
    _list_names(root, order, scopes, fill.new_names)
    _keep_views(root, order)
    if fill.hidden is not None:
        _hide(root, fill.hidden)
    child_before(root, "calcPr", _AFTER_NAMES[1:]).set("fullCalcOnLoad", "1")
    return serialize(root)


def _order(book: Book, draft: Draft, clones: Sequence[SheetPlan]) -> list[list[str]]:
    """Return for each sheet of the template the sheets that stand for it in the output."""
    return [
        [clone.name for clone in clones if clone.source == sheet.name]
        if sheet.part in draft.removed_parts
        else [sheet.name]
        for sheet in book.sheets.values()
    ]


def _list_sheets(root: Element, draft: Draft, order: list[list[str]], clones: Sequence[SheetPlan]) -> None:
    parts = {clone.name: clone.part for clone in clones}
    elements = sheet_elements(root)
    highest = max(whole(element, "sheetId", 0) for element in elements)
    for element, names in zip(elements, order, strict=True):
        if names == [attribute(element, "name")] and names[0] not in parts:
            continue
        for name in names:
            highest += 1
            copy = deepcopy(element)
            copy.set("name", name)
            copy.set("sheetId", str(highest))
            copy.set(tag("id", OFFICE), point(draft, parts[name], "worksheet"))
            element.addprevious(copy)
        drop(element)


def _hide(root: Element, names: Collection[str]) -> None:
    """Hide sheets and show all others; the workbook opens on the first one that is seen."""
    keys = {name.casefold() for name in names}
    elements = sheet_elements(root)
    for element in elements:
        if attribute(element, "name").casefold() not in keys:
            element.attrib.pop("state", "")
        elif attribute(element, "state", "visible") == "visible":
            element.set("state", "hidden")
    first = next(place for place, sheet in enumerate(elements) if attribute(sheet, "state", "visible") == "visible")
    for view in root.iter(tag("workbookView")):
        view.set("activeTab", str(first))


def _list_names(
    root: Element, order: list[list[str]], scopes: Mapping[str, Scope], new_names: Mapping[str, str]
) -> None:
    """Bring each defined name up to date, those of a prototype once for each clone, and set the new ones."""
    holder = child_before(root, "definedNames", _AFTER_NAMES)
    sheets = [name for names in order for name in names]
    keys = {name.casefold() for name in new_names}
    for element in list(holder):
        if local(element) == "definedName":
            own = home_index(element, len(order))
            is_new = attribute(element, "name").casefold() in keys
            homes = order[own] if own is not None else [] if is_new else [_WORKBOOK]
            for home in homes:
                copy = deepcopy(element)
                if home:
                    copy.set("localSheetId", str(sheets.index(home)))
                _update(copy, scopes[home])
                element.addprevious(copy)
            drop(element)
    for name, reference in new_names.items():
        new_name = new(holder, "definedName")
        new_name.set("name", name)
        new_name.text = literal(reference)
    if not len(holder):
        drop(holder)


def _update(element: Element, scope: Scope) -> None:
    name = attribute(element, "name")
    with locate_errors(f"the defined name {name}"):
        element.text = adapt(element.text or "", scope, name_mode(name))


def name_mode(name: str) -> Mode:
    """Return how a defined name follows a table."""
    return Mode.COVER if name == "_xlnm.Print_Area" or name.endswith(".wvu.PrintArea") else Mode.EXACT


def _keep_views(root: Element, order: list[list[str]]) -> None:
    """Point each window to the tab that it showed; where that is gone, to the first."""
    starts = [sum(len(names) for names in order[:index]) for index in range(len(order))]
    for view in root.iter(tag("workbookView")):
        for key in ("activeTab", "firstSheet"):
            index = whole(view, key, 0)
            if index < len(order) and index:
                view.set(key, str(starts[index] if order[index] else 0))
