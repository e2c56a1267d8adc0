"""Which sheets of a workbook are hidden, by name or by print set: for a board, a finance team or an auditor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import TemplateError
from livesheets import attribute, sheet_elements
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.export.workbook.plan_filler import PlanFiller

ALL = "all"
"""What is asked for in place of names to show every sheet."""
COVER = "About"
BOARD, FINANCE, AUDIT = "board", "finance", "audit"
KINDS: Mapping[str, Sequence[str]] = {BOARD: ("answer", "summary"), FINANCE: ("answer", "summary", "question")}
"""The kinds of sheets of questions that each has; an audit has all but workings."""
SHARED: Mapping[str, Sequence[str]] = {BOARD: (), FINANCE: ("Assumptions", "Sensitivity")}
"""The sheets of every plan that each has."""
WORKINGS = "Workings"


def hidden_sheets(filler: PlanFiller, names: Sequence[str] | None) -> list[str]:
    """Return the sheets that are hidden, in their order: all but the first that is shown and those in `names`.

    Without `names` those are hidden that the template hides; the name of a print set stands for its sheets alone, if no
    sheet is called so. An unknown name is a TemplateError, as is a set of which the workbook has no sheet.
    """
    states = _states(filler)
    if names is None:
        return [name for name, is_hidden in states.items() if is_hidden]
    if ALL in names:
        return []
    by_key = {name.casefold(): name for name in states}
    print_set = find_print_set(names)
    if print_set and print_set not in by_key:
        printed_sheets = sheets_of_set(print_set, filler, [*states])
        if states.keys().isdisjoint(printed_sheets):
            own = f"it has {', '.join(states)}: name those to show"
            raise TemplateError(f"--sheets: the workbook has none of the sheets of the set {print_set!r}; {own}")
        return [name for name in states if name not in printed_sheets]
    for name in names:
        if name.casefold() not in by_key:
            hint = names_like(name, states) or f"; it has {', '.join(states)}"
            raise TemplateError(f"--sheets: the workbook has no sheet {name!r}{hint}")
    first = next((name for name, is_hidden in states.items() if not is_hidden), names[0])
    kept_keys = {name.casefold() for name in (first, *names)}
    return [name for key, name in by_key.items() if key not in kept_keys]


def _states(filler: PlanFiller) -> dict[str, bool]:
    """Return the sheets of the output, each with whether the template hides it, or the pattern that it is made of."""
    result: dict[str, bool] = {}
    for element in sheet_elements(filler.template.book.root):
        name, is_hidden = attribute(element, "name"), attribute(element, "state", "visible") != "visible"
        clones = [clone.sheet for clone in filler.clones if clone.prototype == name]
        names = clones if name in filler.prototypes else [name]
        result |= dict.fromkeys(names, is_hidden)
    return result


def describe_hidden(sheets: Sequence[str]) -> str:
    """Return what the cover says of hidden sheets."""
    if not sheets:
        return "No sheet is hidden."
    how = "To show one, right-click a tab and choose Unhide; 'flopsheet report --sheets all' shows every sheet."
    return f"Hidden sheets: {', '.join(sheets)}. {how}"


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
