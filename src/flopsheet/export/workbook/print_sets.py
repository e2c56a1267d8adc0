"""The sheets that a board, a finance team and an auditor print."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.export.workbook.plan_filler import PlanFiller

COVER = "About"
BOARD, FINANCE, AUDIT = "board", "finance", "audit"
KINDS: Mapping[str, Sequence[str]] = {BOARD: ("answer", "summary"), FINANCE: ("answer", "summary", "question")}
"""The kinds of sheets of questions that each has; an audit has all but workings."""
SHARED: Mapping[str, Sequence[str]] = {BOARD: (), FINANCE: ("Assumptions", "Sensitivity")}
"""The sheets of every plan that each has."""
WORKINGS = "Workings"


def find_print_set(sheets: Sequence[str] | None) -> str:
    """Return the print set that is asked for in place of names, "" for none."""
    return sheets[0].casefold() if sheets and len(sheets) == 1 and sheets[0].casefold() in (*KINDS, AUDIT) else ""


def is_brief(print_set: str) -> bool:
    """Whether each question is printed on one page, without its further tables."""
    return print_set in KINDS


def sheets_of_set(print_set: str, filler: PlanFiller, every: Sequence[str]) -> list[str]:
    """Return the sheets of a print set among those of the workbook; without a page with the answer the cover is it."""
    kinds = {sheet.sheet.name: sheet.kind for sheet in filler.questions}
    if print_set == AUDIT:
        return [name for name in every if not name.startswith(WORKINGS)]
    result = [name for name in every if kinds.get(name) in KINDS[print_set] or name in SHARED[print_set]]
    return result if "answer" in kinds.values() else [COVER, *result]
