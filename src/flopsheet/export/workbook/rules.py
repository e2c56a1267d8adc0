"""The sheet Rules: published rules of thumb beside the exact numbers of each model, live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.errors import PluginError
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.heights import heights
from flopsheet.export.xlsx import Column, Formula, TableFill, Value
from flopsheet.planning.rules import Ruled, ruled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.export.workbook.shape import Shape
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan

TABLE = "rules"
ROUNDING = 2.0**-48
"""LibreOffice takes numbers that are nearer to each other than this share as equal."""

HEADERS = (
    "No",
    "Model",
    "Rule",
    "Formula as published",
    "Unit",
    "Published",
    "Corrected",
    "Exact",
    "Published off",
    "Corrected off",
    "Erratum",
    "Source",
)


def rules_table(plan: Plan, shapes: Sequence[Shape]) -> TableFill:
    """Return a row for each rule that fits a model; its formula differs by row, since each rule is one of its own."""
    homes = {number: shape for shape in shapes for number in shape.models}
    rows = [
        _row(number, model, homes[number], found)
        for number, model in enumerate(plan.models, start=1)
        if model.ledger
        for found in _ruled(plan, model)
    ]
    columns = {"Published off": _off("Published"), "Corrected off": _off("Corrected")}
    wrapped = {2: (30, 10), 3: (38, 9), 10: (46, 8), 11: (34, 8)}
    listed = tuple(Column(header, columns.get(header)) for header in HEADERS)
    return TableFill(rows, listed, heights=heights(rows, wrapped))


def _ruled(plan: Plan, model: Costed) -> list[Ruled]:
    """Return a model's rules; a plugin's bad rule stands in `flopsheet plugins` and costs no workbook."""
    try:
        return ruled(plan.host, model)
    except PluginError:
        return []


def _row(number: int, model: Costed, shape: Shape, found: Ruled) -> list[Value | Formula]:
    rule = found.rule
    corrected: Value | Formula = ""
    if rule.corrected and found.corrected is not None:
        corrected = Formula(_live(rule.corrected, shape), plain(found.corrected))
    return [
        number,
        model.name,
        rule.title,
        formula.read(rule.formula).markdown(lambda name: name),
        rule.unit,
        Formula(_live(rule.formula, shape), plain(found.published)),
        corrected,
        Formula(_live(rule.compares, shape), plain(found.exact)),
        off(found.published, found.exact),
        off(found.corrected, found.exact) if isinstance(corrected, Formula) else "",
        rule.erratum,
        rule.source,
    ]


def off(value: Number | None, exact: Number) -> float | str:
    """Return what a spreadsheet gives for value / exact - 1: in floats, and 0 where nothing but rounding is left."""
    if value is None or not exact:
        return ""
    ratio = float(value) / float(exact)
    return 0.0 if abs(ratio - 1) < ROUNDING else ratio - 1


def _live(text: str, shape: Shape) -> str:
    """Return a rule as Excel formula, each name brought from the model's row of workings."""
    number = here(TABLE, "No")
    table = shape.table

    def refer(name: str) -> str:
        return f"SUMIFS({table}[{name}],{table}[no],{number})" if name in shape.names else "0"

    return formula.read(text).excel(refer)


def _off(column: str) -> str:
    value, exact = here(TABLE, column), here(TABLE, "Exact")
    return f'IF({value}="","",IF({exact}=0,"",{value}/{exact}-1))'
