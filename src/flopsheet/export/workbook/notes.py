"""The tables Problems and Provenance: what is to be said about models, and what made this workbook."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import flopsheet
from flopsheet.export.workbook.heights import heights
from flopsheet.export.xlsx import TableFill, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.plan import Plan


def problems_table(plan: Plan) -> TableFill:
    """Return a row for each model in error, each reservation and each note, the gravest first."""
    rows: list[list[Value]] = []
    for kind in ("error", "problem", "note"):
        for model in plan.models:
            said = {"error": list(model.model.errors), "problem": list(model.model.problems), "note": model.notes}[kind]
            texts = ["; ".join(said)] if kind == "error" and said else said
            rows += [[model.name, model.status, kind, text, model.model.source] for text in texts]
    return TableFill(rows, height=heights({3: (92, 10), 4: (44, 8)}))


def provenance_table(plan: Plan, template: bytes, template_name: str, kept: Mapping[str, str]) -> TableFill:
    """Return what made the workbook, with versions, and the files it was made of, with their SHA-256.

    `kept` says where active content is that the template brought along, by its word.
    """
    rows: list[list[Value]] = [["Program", "flopsheet", flopsheet.__version__]]
    rows += [["Plugin", name, version] for name, version in _plugins(plan)]
    rows.append(["Template", template_name, sha256(template).hexdigest()])
    rows += [["Kept", word, where] for word, where in kept.items()]
    rows.append(["Plan", plan.name, f"{len(plan.models)} models"])
    rows.append(["Accelerator", plan.accelerator.name, plan.accelerator.price_date])
    rows += [["Option", name, value] for name, value in plan.options]
    rows += [["Portfolio", portfolio.path, portfolio.sha256] for portfolio in plan.portfolios]
    rows += [["Config", model.model.source, model.model.sha256] for model in plan.models if model.model.sha256]
    return TableFill(rows)


def _plugins(plan: Plan) -> Sequence[tuple[str, str]]:
    plugins = {model.plugin for model in plan.models if model.plugin}
    return sorted((plugin.name, f"{plugin.package} {plugin.version}") for plugin in plugins)
