"""The tables Problems and Provenance: what is to be said about models, and what made this workbook."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import flopsheet
from flopsheet.export.text import cut
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.stated_rows import stated_rows
from flopsheet.planning.fingerprints import of_all, of_ledger, of_program
from flopsheet.planning.providers import architectures_of, plugins_of
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.planning.plan import Plan
    from livesheets import TableFill, Value

MAX_MESSAGE = 8_000
"""Characters of a message in a cell, which holds 32,767: a config may have a field whose name is longer."""


def problems_table(plan: Plan) -> TableFill:
    """Return a row for each model in error, each caveat and each note, the gravest first; all its errors are one."""
    rows: list[list[Value]] = []
    for kind in ("error", "caveat", "note"):
        for model in plan.models:
            errors = ["; ".join(model.model.errors)] if model.model.errors else []
            texts = {"error": errors, "caveat": model.model.problems, "note": model.notes}[kind]
            rows += [[model.name, model.status, kind, cut(text, MAX_MESSAGE), model.model.source] for text in texts]
    return fill_list("problems", rows)


def provenance_table(plan: Plan, template: bytes, template_name: str, active_content: Mapping[str, str]) -> TableFill:
    """Return what made the workbook, with versions, and the files it was made of, with their SHA-256.

    `active_content` says where active content is that the template brought along, by its word.
    """
    rows: list[list[Value]] = [["Program", "flopsheet", flopsheet.__version__]]
    rows += [["Plugin", plugin.name, f"{plugin.package} {plugin.version}"] for plugin in plugins_of(plan)]
    rows += [["Added", line, by] for line, by in _list_added(plan)]
    rows += [["Replaced", line, by] for line, by in _list_replaced(plan)]
    rows.append(["Template", template_name, sha256(template).hexdigest()])
    rows += [["Kept", word, where] for word, where in active_content.items()]
    rows.append(["Plan", plan.name, number_of(len(plan.models), "model")])
    rows.append(["Accelerator", plan.accelerator.name, plan.accelerator.price_date])
    rows += [[*row] for row in stated_rows(plan)]
    rows += [["Formulas", name, digest] for name, digest in _formulas(plan)]
    rows += [["Option", name, value] for name, value in plan.options]
    rows += [["Portfolio", portfolio.path, portfolio.sha256] for portfolio in plan.portfolios]
    rows += [["Config", model.model.source, model.model.sha256] for model in plan.models if model.model.sha256]
    return fill_list("provenance", rows)


def _formulas(plan: Plan) -> list[tuple[str, str]]:
    """Return the fingerprint of all lines of each architecture and of each table of the plan."""
    ledgers = {name: of_ledger(plan.host.ledger(name)) for name in architectures_of(plan)}
    tables = {f"plan: {name}": lines for name, lines in of_program(plan.program).items()}
    return [(name, of_all(lines)) for name, lines in (ledgers | tables).items()]


def _list_added(plan: Plan) -> list[tuple[str, str]]:
    """Return the lines that a plugin adds to an architecture of another one."""
    return [
        (f"{line} of {name}", str(plugin))
        for name in architectures_of(plan)
        for plugin, lines in plan.host.extensions(name)
        for line in lines
        if line not in plan.host.find_replaced(name)
    ]


def _list_replaced(plan: Plan) -> list[tuple[str, str]]:
    """Return the lines that a plugin replaces in an architecture of another one."""
    return [
        (f"{line} of {name}", str(plugin))
        for name in architectures_of(plan)
        for line, plugin in plan.host.find_replaced(name).items()
    ]
