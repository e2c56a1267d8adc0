"""One look at every cell of a workbook, for all items of the checklist that ask of each: sheets may have millions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
_ASKED = re.compile("change|history|revisions|provenance|sha", re.IGNORECASE)
"""What each of the texts above has."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for: numbers in some styles, unless they are in lists, and cells in styles that show nothing.

    `blank` are the style numbers that show nothing of any cell, the names in a list's header aside,
    `unseen` those that show no value. On the sheet `cover`
    the `named` cells alone count as typed.
    """

    lists: Mapping[str, Collection[Area]]
    marked: Collection[int]
    blank: Collection[int]
    unseen: Collection[int]
    cover: str
    named: Collection[Place]


@dataclass(frozen=True, slots=True)
class Survey:
    """What every cell was looked at for, sheet by sheet from the top down."""

    heads: list[Place] = field(default_factory=list)
    """Headings of change logs."""
    long: list[tuple[Place, int]] = field(default_factory=list)
    """Texts that Excel refuses, with their length."""
    vouched: set[str] = field(default_factory=set)
    """Sheets that speak of provenance."""
    hashed: set[str] = field(default_factory=set)
    """Sheets that speak of SHA-256."""
    errors: list[tuple[Place, Value]] = field(default_factory=list)
    typed: list[tuple[Place, Value, int]] = field(default_factory=list)
    """Numbers outside of lists that are no formulas, with their style number, one of those asked for."""
    hidden: list[tuple[Place, str]] = field(default_factory=list)
    """Cells that show nothing, and why."""
    near: dict[Place, tuple[Value, int]] = field(default_factory=dict)
    """What cells in rows with formulas show, and their style number: they are asked for again and again."""


def survey(template: Template, sheets: Collection[str], asked: Asked) -> Survey:
    """Look at every cell of the sheets once."""
    result = Survey()
    for sheet in sheets:
        _text(result, (sheet, 0, 0), sheet)
        _look(result, template, sheet, asked)
    return result


def _look(found: Survey, template: Template, sheet: str, asked: Asked) -> None:
    xml, areas = template.sheet(sheet), asked.lists.get(sheet, ())
    formulas, calculated = xml.formulas, xml.calculated
    for row, column, style, kind, value in template.list_cells(sheet):
        if row in calculated:
            found.near[sheet, row, column] = value, style
        if style in asked.blank and not any(area.top == row and area.has(row, column) for area in areas):
            found.hidden.append(((sheet, row, column), "its number format shows nothing"))
        elif value is not None and style in asked.unseen:
            found.hidden.append(((sheet, row, column), "its font has the color of its fill"))
        if kind == "e":
            found.errors.append(((sheet, row, column), value))
        if isinstance(value, str):
            if len(value) > MAX_TEXT or _ASKED.search(value):
                _text(found, (sheet, row, column), value)
        elif style in asked.marked and type(value) in (int, float) and (row, column) not in formulas:
            place = (sheet, row, column)
            listed = any(area.has(row, column) for area in areas)
            if not listed and (sheet != asked.cover or place in asked.named):
                found.typed.append((place, value, style))


def _text(found: Survey, place: Place, text: str) -> None:
    if place[1] and LOG.search(text):
        found.heads.append(place)
    if PROVENANCE.search(text):
        found.vouched.add(place[0])
    if HASH.search(text):
        found.hashed.add(place[0])
    if place[1] and len(text) > MAX_TEXT:
        found.long.append((place, len(text)))
