"""What a template may bring along if it is allowed by its word: content that runs, or reaches out of the workbook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livesheets.errors import UsageError
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WORDS: Mapping[str, str] = {
    "macros": "VBA, Excel 4 macro and dialog sheets, ribbons, shapes and controls that start them, add-ins, programs",
    "external-links": "other workbooks, and functions and pictures that fetch from the web",
    "connections": "queries, data models and connections to databases",
    "ole": "embedded and linked objects, ActiveX controls",
    "dde": "live data from other programs: DDE and RTD",
}


def read_allowed(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of comma-separated lists; an unknown one is a UsageError."""
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    unknown = next((word for word in words if word.casefold() not in WORDS), None)
    if unknown is not None:
        hint = names_like(unknown, WORDS) or f"; expected one of {', '.join(WORDS)}"
        raise UsageError(f"--allow does not know {unknown!r}{hint}")
    return frozenset(word.casefold() for word in words)
