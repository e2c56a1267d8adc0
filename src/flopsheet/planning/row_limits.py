"""How many rows a table may have: a formula of inputs can ask for more than any plan holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.errors import FormulaError
from flopsheet.planning.question import MODELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.planning.question import Rows, Table

MOST_ROWS, MOST_OF_TABLE = 10_000, 100_000
"""Rows of one key, and of a table with several keys: for each model, where the table is over models."""


def listed_rows(rows: Rows, scope: Mapping[str, Number]) -> int:
    """Return how many rows a key has for the inputs in a scope; FormulaError where they are more than a table has."""
    if not rows.until:
        return len(rows.values) or 1
    return checked_count(rows, formula.read(rows.until).evaluate(scope))


def read_listed(rows: Rows, place: int, value: Any) -> tuple[Number, Mapping[str, Number]]:
    """Return the key of a listed row, and the numbers that it brings next to it."""
    if not hasattr(value, "items"):
        return value, {}
    return value.get(rows.key, place), {name: number for name, number in value.items() if name != rows.key}


def list_rows(rows: Rows) -> list[tuple[Number, Mapping[str, Number]]]:
    """Return the key of each listed row, and the numbers that it brings next to it."""
    return [read_listed(rows, place, value) for place, value in enumerate(rows.values, 1)]


def checked_count(rows: Rows, count: Number) -> int:
    """Return a number of rows of a key; FormulaError where it is more than a table has."""
    if not count <= MOST_ROWS:
        until = f" by until = {rows.until!r}" if rows.until else ""
        raise FormulaError(
            f"{float(count):,.0f} rows of {rows.key}{until}; at most {MOST_ROWS:,} are expected", rows.key
        )
    return max(int(count), 0)


def checked_product(table: Table, count: int, models: int = 1) -> None:
    """Raise FormulaError where a table has more rows for each of some models, or at all, than it may have."""
    of_models = MODELS in table.rows
    each = count // max(models, 1) if of_models else count
    if each > MOST_OF_TABLE:
        what, keys = "for each model " if of_models else "", " × ".join(table.keys)
        text = f"{each:,} rows of {keys} {what}in the table {table.name}"
        raise FormulaError(f"{text}; at most {MOST_OF_TABLE:,} are expected", table.name)
