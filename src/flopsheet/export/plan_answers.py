"""The answers of a plan, as `flopsheet plan` prints them: figures first, then checks, models and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.export.csv_text import csv_row, harmless
from flopsheet.export.documents import add_version, json_text
from flopsheet.export.markdown import markdown_checks, markdown_errors, markdown_section, markdown_text
from flopsheet.export.plan_tables import tables
from flopsheet.export.sentences import answers
from flopsheet.export.terminal import as_table
from flopsheet.export.toml import answers_table, checks_table, errors_table, reasons_table, storable, toml_text
from flopsheet.planning.faults import faults_of
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.reasons import reasons_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.planning.answers import Variation
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return figures, models with every planning line per case, tables of the shown case, and checks."""
    document: dict[str, Any] = storable(
        {
            "name": plan.name,
            "case": plan.scenario,
            **errors_table(plan, faults_of(plan)),
            **reasons_table(reasons_of(plan.models)),
            "answers": answers_table(plan),
            "models": [_model(plan, model) for model in plan.models],
            "tables": {name: plan.table(name) for name in plan.program.tables if name != MODELS_TABLE},
            "checks": checks_table(plan),
            **{variation.name: _variation(variation) for variation in plan.variations},
        }
    )
    return document


def _variation(variation: Variation) -> dict[str, Any]:
    rows = [dict(zip(variation.headers, row, strict=True)) for row in variation.rows]
    return {"title": variation.title, "unit": variation.unit, "base": variation.base, "rows": rows}


def _model(plan: Plan, model: Costed) -> dict[str, Any]:
    cases = {case: plan.describe_model(model, case) for case in plan.cases} if model.ledger else {}
    return {"name": model.name, "status": model.status, "problems": model.problems, **cases}


def as_json(plan: Plan) -> str:
    """Return the document as JSON."""
    return json_text(add_version(plan_document(plan))) + "\n"


def as_toml(plan: Plan) -> str:
    """Return the document as TOML."""
    return toml_text(plan_document(plan))


def as_csv(plan: Plan) -> str:
    """Return one row per model and case with every planning line."""
    names = [line.name for line in plan.model_lines]
    rows = [csv_row(["name", "status", "case", *names])]
    for model in plan.models:
        for case in plan.cases:
            numbers = plan.describe_model(model, case)
            labels = [harmless(model.name), model.status, harmless(case)]
            rows.append(csv_row([*labels, *(numbers.get(name, "") for name in names)]))
    return "".join(rows)


def as_markdown(plan: Plan) -> str:
    """Return figures, checks and tables as a page of Markdown."""
    sections = [*map(markdown_section, tables(plan)), markdown_checks(check_results(plan))]
    sentences = [[f"**{markdown_text(text)}**"] for text in answers(plan)]
    parts = [[f"# {markdown_text(plan.name)}"], *sentences, *markdown_errors(plan, faults_of(plan)), *sections]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


WRITERS: Mapping[str, Callable[[Plan], str]] = {
    "table": as_table,
    "json": as_json,
    "toml": as_toml,
    "csv": as_csv,
    "md": as_markdown,
}
"""The formats of `flopsheet plan`."""
