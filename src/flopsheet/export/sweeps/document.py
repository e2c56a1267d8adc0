"""The rows of a sweep as a JSON document: counts, what each column is, and the first of the designs that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.export.sweeps.arrow import batch, schema
from flopsheet.export.sweeps.column_facts import describe_column
from flopsheet.export.sweeps.page import kept_count
from flopsheet.planning.designs.sweep import MODEL

if TYPE_CHECKING:
    from flopsheet.planning.designs.selection import Table
    from flopsheet.planning.designs.sweep import Counts, DesignSweep

MAX_ROWS = 1_000
"""Designs that a document holds; files hold all."""


def sweep_document(sweep: DesignSweep, counts: Counts, table: Table) -> dict[str, Any]:
    """Return the document; a number that a design does not have is null."""
    columns = [
        {"name": MODEL, "title": "Model"},
        *({"name": name, **describe_column(sweep, name)} for name in sweep.names),
    ]
    return {
        "name": sweep.plan.name,
        "case": sweep.case,
        "counts": counts._asdict(),
        "kept": kept_count(sweep, counts, table),
        "columns": columns,
        "rows": batch(sweep, table, schema(sweep)).slice(0, MAX_ROWS).to_pylist() if table else [],
    }
