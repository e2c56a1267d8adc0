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


def set_asked(sheets: Sequence[str] | None) -> str:
    """Return the print set that is asked for in place of names, "" for none."""
    return sheets[0].casefold() if sheets and len(sheets) == 1 and sheets[0].casefold() in (*KINDS, AUDIT) else ""


def is_brief(asked: str) -> bool:
    """Whether each question is printed on one page, without its further tables."""
    return asked in KINDS


def sheets_of_set(asked: str, filler: PlanFiller, every: Sequence[str]) -> list[str]:
    """Return the sheets of a print set among those of the workbook; without a page with the answer the cover is it."""
    kinds = {one.sheet.name: one.kind for one in filler.questions}
    if asked == AUDIT:
        return [name for name in every if not name.startswith(WORKINGS)]
    shown = [name for name in every if kinds.get(name) in KINDS[asked] or name in SHARED[asked]]
    return shown if "answer" in kinds.values() else [COVER, *shown]
