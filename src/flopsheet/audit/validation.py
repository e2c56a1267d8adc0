"""What the validations of a sheet refuse, and what their lists offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.engine.markup import attribute, local
from livesheets.references import Area, read_areas, shift

if TYPE_CHECKING:
    from livesheets.engine.markup import Element


class Validation(Struct, frozen=True):
    """A validation that refuses wrong values in an area: its kind, such as list, and the texts that a list offers.

    A list that is in cells offers no texts.
    """

    area: Area
    kind: str
    offers: tuple[str, ...]
    formula: str
    """What must hold, as it is said of the first cell of all its areas."""
    first: Area

    def of(self, row: int, column: int) -> str:
        """Return what must hold in one of its cells."""
        return shift(self.formula, row - self.first.top, column - self.first.left)


def read_validations(root: Element) -> list[Validation]:
    """Return the validations of a sheet that refuse anything, one for each of their areas."""
    results = []
    for rule in filter(_refuses, root.iter("{*}dataValidation")):
        areas = read_areas(_sqref(rule))
        formula = _formula(rule) if attribute(rule, "type") == "custom" else ""
        results += [Validation(area, attribute(rule, "type"), _offers(rule), formula, areas[0]) for area in areas]
    return results


def _refuses(rule: Element) -> bool:
    """Whether a validation refuses anything: it has a kind, and stops rather than warns."""
    stops = attribute(rule, "errorStyle", "stop") == "stop" and attribute(rule, "showErrorMessage") in ("1", "true")
    return attribute(rule, "type", "none") != "none" and stops


def _offers(rule: Element) -> tuple[str, ...]:
    text = _formula(rule)
    return tuple(text[1:-1].split(",")) if attribute(rule, "type") == "list" and text.startswith('"') else ()


def _formula(rule: Element) -> str:
    return next(("".join(map(str, part.itertext())) for part in rule if local(part) == "formula1"), "")


def _sqref(rule: Element) -> str:
    """Return the cells of a validation, which newer ones state in an element of their own."""
    inner = (str(part.text) for part in rule if local(part) == "sqref")
    return attribute(rule, "sqref") or next(inner, "")
