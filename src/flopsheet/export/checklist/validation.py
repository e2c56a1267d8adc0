"""What the validations of a sheet refuse, and what their lists offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.export.xlsx.markup import attribute, local
from flopsheet.export.xlsx.refs import Area, read_areas

if TYPE_CHECKING:
    from flopsheet.export.xlsx.markup import Element


class Validation(NamedTuple):
    """A validation that refuses wrong values in an area: its kind, such as list, and the texts that a list offers.

    A list that stands in cells offers no texts.
    """

    area: Area
    kind: str
    offers: tuple[str, ...]


def read_validations(root: Element) -> list[Validation]:
    """Return the validations of a sheet that refuse anything, one for each of their areas."""
    rules = [rule for rule in root.iter() if local(rule) == "dataValidation" and _refuses(rule)]
    return [
        Validation(area, attribute(rule, "type"), _offers(rule)) for rule in rules for area in read_areas(_sqref(rule))
    ]


def _refuses(rule: Element) -> bool:
    """Whether a validation refuses anything: it has a kind, and stops rather than warns."""
    stops = attribute(rule, "errorStyle", "stop") == "stop" and attribute(rule, "showErrorMessage") in ("1", "true")
    return attribute(rule, "type", "none") != "none" and stops


def _offers(rule: Element) -> tuple[str, ...]:
    text = next((part.text or "" for part in rule if local(part) == "formula1"), "")
    return tuple(text[1:-1].split(",")) if attribute(rule, "type") == "list" and text.startswith('"') else ()


def _sqref(rule: Element) -> str:
    """Return the cells of a validation, which newer ones state in an element of their own."""
    inner = (str(part.text) for part in rule if local(part) == "sqref")
    return attribute(rule, "sqref") or next(inner, "")
