"""What keeps cells to what they may hold: lists to choose from, and the protection of a sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from livesheets.addresses import letters
from livesheets.engine.markup import attribute, child_before, drop, new, place, tag
from livesheets.references import Area, areas_text, read_areas, shift

if TYPE_CHECKING:
    from livesheets.engine.markup import Element
    from livesheets.engine.plan import TablePlan

MAX_LIST = 255
"""Characters that Excel takes for a list that is in the validation itself."""

_BEHIND_VALIDATIONS = (
    "hyperlinks",
    "printOptions",
    "pageMargins",
    "pageSetup",
    "headerFooter",
    "rowBreaks",
    "colBreaks",
    "customProperties",
    "cellWatches",
    "ignoredErrors",
    "smartTags",
    "drawing",
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "webPublishItems",
    "tableParts",
    "extLst",
)
_BEHIND_PROTECTION = (
    "protectedRanges",
    "scenarios",
    "autoFilter",
    "sortState",
    "dataConsolidate",
    "customSheetViews",
    "mergeCells",
    "phoneticPr",
    "conditionalFormatting",
    "dataValidations",
    *_BEHIND_VALIDATIONS,
)
"""What the schema has after a sheet's protection, and after its validations."""


def offer(root: Element, table: TablePlan) -> None:
    """Give each column and each row with choices a list of them, in place of what its cells were kept to.

    A column's list that is too long for Excel is not offered.
    """
    for index, column in enumerate(table.columns):
        labels = ",".join(column.choices)
        if labels and len(labels) <= MAX_LIST:
            resize, at = table.resize, table.resize.area.left + index
            cells = Area(resize.first, at, resize.bottom, at)
            _free(root, cells)
            _add_list(root, cells, f'"{labels}"')
    for choices in table.fill.row_choices:
        cells, words = _in_row(table, choices.row, choices.columns), _in_row(table, choices.row, choices.words)
        _free(root, cells)
        _add_list(root, cells, f"${letters(words.left)}${words.top}:${letters(words.right)}${words.bottom}")


def _in_row(table: TablePlan, row: int, ends: tuple[str, str]) -> Area:
    """Return the cells of a row from one column to another."""
    headers = [column.header for column in table.columns]
    left, right = (table.resize.area.left + headers.index(end) for end in ends)
    return Area(table.resize.first + row, left, table.resize.first + row, right)


def _free(root: Element, cells: Area) -> None:
    """Take some cells out of the validations that hold them."""
    for rule in list(root.iter(tag("dataValidation"))):
        areas = read_areas(attribute(rule, "sqref"), f"a validation in {rule.base} of the template")
        left = [piece for area in areas for piece in _outside(area, cells)]
        if areas and not left:
            drop(rule)
        elif left != areas:
            rule.set("sqref", areas_text(left))
            for formula in rule:  # which is said of the first cell
                if formula.text:
                    formula.text = shift(formula.text, left[0].top - areas[0].top, left[0].left - areas[0].left)


def _outside(area: Area, cells: Area) -> list[Area]:
    """Return the parts of a range that are left of other cells, right of them, above and below."""
    if not area.meets(cells):
        return [area]
    parts = [
        replace(area, right=cells.left - 1),
        replace(area, left=cells.right + 1),
        Area(area.top, max(area.left, cells.left), cells.top - 1, min(area.right, cells.right)),
        Area(cells.bottom + 1, max(area.left, cells.left), area.bottom, min(area.right, cells.right)),
    ]
    return [part for part in parts if part.top <= part.bottom and part.left <= part.right]


def _add_list(root: Element, cells: Area, source: str) -> None:
    rule = new(child_before(root, "dataValidations", _BEHIND_VALIDATIONS), "dataValidation")
    for key, value in {"type": "list", "allowBlank": "0", "showErrorMessage": "1", "sqref": str(cells)}.items():
        rule.set(key, value)
    new(rule, "formula1").text = source


def protect(root: Element) -> None:
    """Lock a sheet without a password: what is not unlocked cannot be changed, but sized, sorted and filtered."""
    for old in root.findall(tag("sheetProtection")):
        drop(old)
    rights = dict.fromkeys(("formatColumns", "formatRows", "sort", "autoFilter"), "0")
    element = root.makeelement(tag("sheetProtection"), {"sheet": "1", "objects": "1", "scenarios": "1", **rights})
    place(root, element, _BEHIND_PROTECTION)
