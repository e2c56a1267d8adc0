"""Cells of the row above in a column's formula: written as plain relative references, such as D10 in D11.

A formula that refers to its own column of a table is circular in Excel, whichever of its rows it reads. Here it says
`table[[#Above],[column]]`, which no program knows, until its place on the sheet is known. Such a formula stands in the
cells alone: what Excel keeps for new rows of a column does not say from which row on references are relative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livesheets.addresses import letters
from livesheets.excel import ABOVE
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from livesheets.engine.plan import TablePlan
    from livesheets.tokens import Token


def reads_above(formula: str) -> bool:
    """Tell whether a formula reads the row above its own."""
    return f"[{ABOVE}]" in formula


def in_first_row(formula: str, plan: TablePlan) -> str:
    """Return a formula as it is in the first data row of the filled table."""
    return "".join(_place_reference(token, plan) for token in tokens(formula))


def _place_reference(token: Token, plan: TablePlan) -> str:
    reference = read_structured(token.text) if token.kind == "table" else None
    if reference is None or reference.items != (ABOVE.casefold(),):
        return token.text
    headers = [column.header.casefold() for column in plan.columns]
    place = headers.index(reference.columns[0].casefold())
    return f"{letters(plan.resize.area.left + place)}{plan.resize.area.top}"
