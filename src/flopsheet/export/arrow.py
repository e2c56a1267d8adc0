"""Models as an Arrow table: one row each, a column per dimension, total, line of the plan and line of the ledger."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import flopsheet
from flopsheet.accounting.line import Dimension
from flopsheet.accounting.nonumber import no_number
from flopsheet.export.files import shown_path
from flopsheet.export.sweeps.column_facts import facts_of
from flopsheet.export.table import said_of
from flopsheet.export.toml import storable_text
from flopsheet.units.named_values import is_called

if TYPE_CHECKING:
    import pyarrow as pa

    from flopsheet.accounting.line import Line
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan

TEXT_COLUMNS = ("name", "status", "problems", "notes", "reasons", "architecture")
"""What a row says of its model before numbers."""
ROLES = ("total", "plan", "dimension", "line")
"""What columns of numbers are, in the order in which they stand."""
ROLE = "role"


def models_table(plan: Plan) -> pa.Table:
    """Return one row per model under the case that is shown, with unit, formula and source of each column as metadata.

    Dimensions that count are int64, all other numbers float64; a column that a model's architecture lacks is null, and
    so is every number of a model in error.
    """
    import pyarrow as pa  # noqa: PLC0415 - only who asks for it has it

    columns = _columns(plan)
    texts = [
        [*said_of(model), storable_text(shown_path(model.model.source)), model.model.sha256] for model in plan.models
    ]
    names = (*TEXT_COLUMNS, "source_file", "source_sha256")
    arrays = [pa.array([row[place] for row in texts], pa.string()) for place in range(len(names))]
    fields = [pa.field(name, pa.string()) for name in names]
    rows = [_numbers(plan, model) for model in plan.models]
    for name, (role, line) in columns.items():
        kind = _kind(line)
        arrays.append(pa.array([_cell(row.get(name), kind) for row in rows], kind))
        fields.append(pa.field(name, kind, metadata={ROLE: role, **facts_of(line)}))
    about = {"flopsheet": flopsheet.__version__, "plan": plan.name, "case": plan.scenario}
    plugins = [str(plugin) for plugin in plan.host.plugins]
    schema = pa.schema(fields, metadata={"flopsheet": json.dumps({**about, "plugins": plugins})})
    return pa.Table.from_arrays(arrays, schema=schema)


def _cell(number: Any, kind: str) -> Any:
    if no_number(number) is not None:
        return None
    return float(number) if kind == "float64" and number is not None else number


def _kind(line: Line | Dimension) -> str:
    if isinstance(line, Dimension) and line.kind in ("count", "choice"):
        return "int64" if line.kind == "count" else "string"
    return "string" if is_called(line.unit) else "float64"


def _columns(plan: Plan) -> dict[str, tuple[str, Line | Dimension]]:
    """Return the columns of numbers by name: what each is, and the line or dimension behind it."""
    ledgers = {id(model.ledger): model.ledger for model in plan.models if model.ledger}.values()
    results: list[tuple[str, Line | Dimension]] = [("plan", line) for line in plan.model_lines]
    for ledger in ledgers:
        results += [("dimension", dimension) for dimension in ledger.dimensions]
        results += [("total" if entry.role == "total" else "line", entry.line) for entry in ledger.entries]
    columns: dict[str, tuple[str, Line | Dimension]] = {}
    for role, line in sorted(results, key=lambda result: ROLES.index(result[0])):
        columns.setdefault(line.name, (role, line))
    return columns


def _numbers(plan: Plan, model: Costed) -> dict[str, Any]:
    """Return every number of a model, choices by label; nothing of one in error."""
    if model.ledger is None:
        return {}
    return {**plan.describe_model(model, plan.scenario), **model.numbers.as_dict(), **model.dimensions}
