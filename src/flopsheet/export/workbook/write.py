"""Fill the template with a plan: tables, named cells, and a card and workings for each architecture."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import flopsheet
from flopsheet.accounting.line import GROUPS
from flopsheet.errors import TemplateError
from flopsheet.export.workbook.about import about_names
from flopsheet.export.workbook.assumptions import budget_table, cases_table, driver_names, drivers_table
from flopsheet.export.workbook.bridge import (
    PARAMETERS,
    TRAINING,
    bridge_names,
    chosen,
    parameters_table,
    training_table,
)
from flopsheet.export.workbook.card import card
from flopsheet.export.workbook.charts import top_table
from flopsheet.export.workbook.checks import HERE, MASTER, checks_table, delivered_table
from flopsheet.export.workbook.models import brought, models_table
from flopsheet.export.workbook.notes import problems_table, provenance_table
from flopsheet.export.workbook.rules import rules_table
from flopsheet.export.workbook.sensitivity import sensitivity_names, sensitivity_table, tornado_table
from flopsheet.export.workbook.shape import Shape, shapes
from flopsheet.export.workbook.workings import workings
from flopsheet.export.xlsx import Fill, Formula, TableFill, Value, cell_of, fill
from flopsheet.export.xlsx.refs import read_area

if TYPE_CHECKING:
    from collections.abc import Collection

    from flopsheet.export.xlsx import FillReport
    from flopsheet.planning.plan import Plan

SHEETS = (
    "about",
    "assumptions",
    "budget",
    "models",
    "charts",
    "bridge",
    "sensitivity",
    "rules",
    "problems",
    "checks",
    "provenance",
    "cases",
)
DEFAULT = "plan"


def write_workbook(
    plan: Plan, output: Path, template: str = DEFAULT, allow: Collection[str] = (), *, protect: bool = False
) -> FillReport:
    """Write the planning workbook of a plan; return what a person should know of the template's own features.

    `template` is the name of a shipped template or the path of one; `allow` has the words of the active content that it
    may bring along; `protect` locks every sheet but its open cells. The output is written aside and renamed, so that
    an error, a TemplateError, leaves what stood there.
    """
    data, name = _template(template)
    sheet, where = cell_of(data, "drivers")
    tables = shapes(plan.models, plan.host)
    return fill(
        data,
        Fill(
            tables=_tables(plan, tables, data, name),
            names=_names(plan),
            clones=[*(card(shape, HERE) for shape in tables), *(workings(shape, HERE) for shape in tables)],
            new_names=driver_names(plan, sheet, read_area(where).top + 1),
            texts={"title": plan.name, "version": flopsheet.__version__},
            properties={"title": plan.name},
            prototypes=("Card", "Workings"),
            allow=allow,
            protect=protect,
        ),
        output,
    )


def _template(name: str) -> tuple[bytes, str]:
    shipped = files("flopsheet_templates") / f"{name}.xlsx"
    if shipped.is_file():
        return shipped.read_bytes(), f"{name}.xlsx"
    path = Path(name)
    if not path.is_file():
        raise TemplateError(f"no template {name!r}: neither a shipped one (plan) nor a file")
    try:
        return path.read_bytes(), path.name
    except OSError as error:
        raise TemplateError(f"{path}: the template cannot be read: {error.strerror or error}") from None


def _tables(plan: Plan, tables: list[Shape], template: bytes, name: str) -> dict[str, TableFill]:
    groups, shown = groups_shown(tables), chosen(plan)
    headers = [link.header for link in brought(tables, groups)]
    return {
        "provenance": provenance_table(plan, template, name),
        "drivers": drivers_table(plan),
        "budget": budget_table(plan),
        "cases": cases_table(plan),
        "models": models_table(plan, tables, groups),
        "top": top_table(plan, groups),
        PARAMETERS: parameters_table(shown, groups, headers[headers.index("parameters") :]),
        TRAINING: training_table(shown),
        "sensitivity": sensitivity_table(plan),
        "tornado": tornado_table(plan),
        "rules": rules_table(tables),
        "problems": problems_table(plan),
        "checks": checks_table(plan, tables),
        "delivered": delivered_table(plan),
    }


def groups_shown(tables: list[Shape]) -> list[str]:
    """Return the parameter groups that some table shows."""
    entries = [entry for shape in tables for entry in shape.entries]
    shown = {e.line.group for e in entries if e.section == "parameters" and e.role == "subtotal"}
    return [group for group in GROUPS if group in shown] + sorted(shown - GROUPS.keys())


def _names(plan: Plan) -> dict[str, Value | Formula]:
    names: dict[str, Value | Formula] = {**about_names(plan), **bridge_names(chosen(plan)), **sensitivity_names(plan)}
    names["chk_master"] = MASTER
    names["out_edited"] = Formula("SUM(delivered[Edited])", 0)
    return names | {f"chk_{sheet}": HERE for sheet in SHEETS}
