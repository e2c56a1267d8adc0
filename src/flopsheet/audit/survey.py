"""One look at every cell of a workbook, for all items of the checklist that ask of each: sheets may have millions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.engine.cells import MAX_TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from livesheets.engine import Value
    from livesheets.references import Area
    from livesheets.template import Template

    Place = tuple[str, int, int]
    """A cell by sheet, row and column."""

ABOUT = re.compile(r"about|cover|read ?me|introduction|summary|overview|contents", re.IGNORECASE)
"""How the sheet is called that is first, and shows cells as samples of what they look like."""
LOG = re.compile(r"change ?log|version history|history of changes|revisions", re.IGNORECASE)
PROVENANCE = re.compile("provenance", re.IGNORECASE)
HASH = re.compile(r"sha-?256", re.IGNORECASE)
_KEYWORDS = re.compile("change|history|revisions|provenance|sha", re.IGNORECASE)
"""What each of the texts above has."""


class SurveyRequest(Struct, frozen=True):
    """What is looked for: numbers in some styles, unless they are in lists, and cells in styles that show nothing.

    `blank` are the style numbers that show nothing of any cell, the names in a list's header aside,
    `unseen` those that show no value. On the sheet `cover`
    the `named_cells` alone count as typed.
    """

    lists: Mapping[str, Collection[Area]]
    number_styles: Collection[int]
    blank: Collection[int]
    unseen: Collection[int]
    cover: str
    named_cells: Collection[Place]


class Survey(Struct, frozen=True):
    """What every cell was looked at for, sheet by sheet from the top down."""

    heads: list[Place] = field(default_factory=list)
    """Headings of change logs."""
    long: list[tuple[Place, int]] = field(default_factory=list)
    """Texts that Excel refuses, with their length."""
    provenance_sheets: set[str] = field(default_factory=set)
    """Sheets that speak of provenance."""
    hash_sheets: set[str] = field(default_factory=set)
    """Sheets that speak of SHA-256."""
    errors: list[tuple[Place, Value]] = field(default_factory=list)
    typed_numbers: list[tuple[Place, Value, int]] = field(default_factory=list)
    """Numbers outside of lists that are no formulas, with their style number, one of those asked for."""
    hidden_cells: list[tuple[Place, str]] = field(default_factory=list)
    """Cells that show nothing, and why."""
    near: dict[Place, tuple[Value, int]] = field(default_factory=dict)
    """What cells in rows with formulas show, and their style number: they are asked for again and again."""


def survey(template: Template, sheets: Collection[str], request: SurveyRequest) -> Survey:
    """Look at every cell of the sheets once."""
    result = Survey()
    for sheet in sheets:
        _text(result, (sheet, 0, 0), sheet)
        _look(result, template, sheet, request)
    return result


def _look(result: Survey, template: Template, sheet: str, request: SurveyRequest) -> None:
    xml, areas = template.sheet(sheet), request.lists.get(sheet, ())
    formulas, formula_rows = xml.formulas, xml.calculated
    for row, column, style, kind, value in template.list_cells(sheet):
        if row in formula_rows:
            result.near[sheet, row, column] = value, style
        if style in request.blank and not any(area.top == row and area.has(row, column) for area in areas):
            result.hidden_cells.append(((sheet, row, column), "its number format shows nothing"))
        elif value is not None and style in request.unseen:
            result.hidden_cells.append(((sheet, row, column), "its font has the color of its fill"))
        if kind == "e":
            result.errors.append(((sheet, row, column), value))
        if isinstance(value, str):
            if len(value) > MAX_TEXT or _KEYWORDS.search(value):
                _text(result, (sheet, row, column), value)
        elif style in request.number_styles and type(value) in (int, float) and (row, column) not in formulas:
            place = (sheet, row, column)
            is_listed = any(area.has(row, column) for area in areas)
            if not is_listed and (sheet != request.cover or place in request.named_cells):
                result.typed_numbers.append((place, value, style))


def _text(result: Survey, place: Place, text: str) -> None:
    if place[1] and LOG.search(text):
        result.heads.append(place)
    if PROVENANCE.search(text):
        result.provenance_sheets.add(place[0])
    if HASH.search(text):
        result.hash_sheets.add(place[0])
    if place[1] and len(text) > MAX_TEXT:
        result.long.append((place, len(text)))
