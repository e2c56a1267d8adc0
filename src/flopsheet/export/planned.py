"""The answers of a plan, as `flopsheet plan` prints them: figures first, then checks, models and tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import plain
from flopsheet.export.csv_text import csv_row, harmless
from flopsheet.export.table import markdown_table, markdown_text
from flopsheet.export.text import clean, cut, one_line
from flopsheet.export.toml import answers_table, checks_table, storable
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.planning.verdicts import checks_said
from flopsheet.units.numbers import digits, human
from flopsheet.units.readable import readable, size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.variations import Variation
    from flopsheet.planning.verdicts import CheckResult

NAME_WIDTH = 28
"""Characters of a model's name on the terminal."""
THOUSAND = 1_000
NONE_AT_0 = ("USD", "USD/Mtok", "FLOP", "tokens", "parameters", "accelerators", "bytes", "s")
"""Units of figures in which 0 says that there is none."""
ROWS = 200
"""Rows of a table that the terminal shows."""


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return figures, models with every planning line per case, tables of the shown case, and checks."""
    document: dict[str, Any] = storable(
        {
            "name": plan.name,
            "case": plan.scenario,
            "answers": answers_table(plan),
            "models": [_model(plan, model) for model in plan.models],
            "tables": {name: plan.table(name) for name in plan.program.tables if name != MODELS_TABLE},
            "checks": checks_table(plan),
            **{one.name: _variation(one) for one in plan.variations},
        }
    )
    return document


def _variation(one: Variation) -> dict[str, Any]:
    rows = [dict(zip(one.headers, row, strict=True)) for row in one.rows]
    return {"title": one.title, "unit": one.unit, "base": one.base, "rows": rows}


def _model(plan: Plan, model: Costed) -> dict[str, Any]:
    cases = {case: _plain(plan.training(model, case)) for case in plan.cases} if model.ledger else {}
    return {"name": model.name, "status": model.status, "problems": model.problems, **cases}


def _plain(numbers: Mapping[str, Any]) -> dict[str, int | float]:
    return {name: plain(number) for name, number in numbers.items()}


def as_json(plan: Plan) -> str:
    """Return the document as JSON."""
    return json.dumps(plan_document(plan), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_toml(plan: Plan) -> str:
    """Return the document as TOML."""
    import tomli_w  # noqa: PLC0415 - only this format needs it

    return tomli_w.dumps(plan_document(plan))


def as_csv(plan: Plan) -> str:
    """Return one row per model and case with every planning line."""
    names = [line.name for line in plan.model_lines]
    rows = [csv_row(["name", "status", "case", *names])]
    for model in plan.models:
        for case in plan.cases:
            numbers = _plain(plan.training(model, case)) if model.ledger else {}
            said = [harmless(model.name), model.status, harmless(case)]
            rows.append(csv_row([*said, *(numbers.get(name, "") for name in names)]))
    return "".join(rows)


def as_markdown(plan: Plan) -> str:
    """Return figures, checks and tables as a page of Markdown."""
    parts = [f"# {markdown_text(plan.name)}"]
    for title, headers, rows, words in _tables(plan):
        table = markdown_table(headers, [[markdown_text(cell) for cell in row] for row in rows], words)
        parts.append("\n".join([f"## {markdown_text(title)}", "", *table]))
    for title, results in _unmet(plan):
        said = [f"- {markdown_text(one.message)}" for one in results]
        parts += ["\n".join([f"## {title}", "", *said])] if said else []
    return "\n\n".join(parts) + "\n"


def as_table(plan: Plan) -> str:
    """Return what the terminal shows: figures in three cases, failing checks, and each table."""
    parts = [clean(plan.name)]
    for title, headers, rows, words in _tables(plan):
        parts.append("\n".join([title, *_aligned(headers, rows[:ROWS], words), *_more(rows)]))
    (_, failed), (_, warned) = _unmet(plan)
    said = [f"FAIL  {clean(one.message)}" for one in failed]
    said += [f"Warning  {clean(one.message)}" for one in warned]
    said.append(checks_said(plan.check_results()))
    said += [f"Not counted: {harmless(model.name)}: {one_line(model.problems[0])}" for model in _in_error(plan)]
    parts.append("\n".join(said))
    return "\n\n".join(parts) + "\n"


def _in_error(plan: Plan) -> list[Costed]:
    """Return the models that have no numbers, of which no check says anything."""
    return [model for model in plan.models if model.status == "error"]


def _unmet(plan: Plan) -> tuple[tuple[str, list[CheckResult]], tuple[str, list[CheckResult]]]:
    """Return the checks that fail in some case, and those that warn."""
    unmet = [one for one in plan.check_results() if not one.holds]
    failed = [one for one in unmet if one.fails]
    return ("Failing checks", failed), ("Warnings", [one for one in unmet if not one.fails])


WRITERS: Mapping[str, Callable[[Plan], str]] = {
    "table": as_table,
    "json": as_json,
    "toml": as_toml,
    "csv": as_csv,
    "md": as_markdown,
}
"""The formats of `flopsheet plan`."""

Section = tuple[str, list[str], list[list[str]], int]
"""A title, headers, rows, and how many columns hold words."""


def _tables(plan: Plan) -> list[Section]:
    """Return everything that is shown as rows: figures, models, and all other tables without their rows of zeros."""
    found: list[Section] = []
    for question in plan.questions:
        answers = [answer for answer in plan.answers() if answer.question == question]
        rows = [
            [answer.figure.title, *(headline(answer.numbers[case], answer.unit) for case in plan.cases)]
            for answer in answers
        ]
        found += [(question.title, ["", *plan.titles.values()], rows, 1)] if rows else []
    if MODELS_TABLE in plan.program.tables and plan.models:
        found.append(_models(plan))
    others = [table for name, table in plan.program.tables.items() if name not in (MODELS_TABLE, CASES_TABLE)]
    for table in others:
        lines = plan.program.shown(table.name)
        headers = [*(rows.title or rows.key for rows in table.rows), *(line.label for line in lines)]
        body = [
            [*(str(row[key]) for key in table.keys), *(shown(row[line.name], line.unit) for line in lines)]
            for row in _ranked(plan, table.name)
            if any(row[line.name] for line in lines)
        ]
        found += [(table.title, headers, body, 1)] if body else []
    return found + [_varied(plan, one) for one in plan.variations]


def _varied(plan: Plan, one: Variation) -> Section:
    rows = [[*row[: one.words], *(shown(number, one.unit) for number in row[one.words :])] for row in one.rows]
    title = f"{one.title}; {plan.titles[plan.scenario]}: {shown(one.base, one.unit)}"
    return title, list(one.headers), rows, one.words


def _ranked(plan: Plan, table: str) -> list[dict[str, int | float | str]]:
    """Return the rows of a table; of a ranked one those with a rank, the best first within each first key."""
    rows, rank = plan.table(table), plan.program.rank(table)
    if not rank:
        return rows
    key = plan.program.tables[table].keys[0]
    first = list(dict.fromkeys(row[key] for row in rows))
    ranked = [row for row in rows if row[rank]]
    return sorted(ranked, key=lambda row: (first.index(row[key]), row[rank]))


def _models(plan: Plan) -> Section:
    lines = plan.program.shown(MODELS_TABLE)
    rows = []
    for model in plan.models:
        numbers = plan.training(model, plan.scenario) if model.ledger else {}
        cells = [shown(numbers[line.name], line.unit) if numbers else "" for line in lines]
        rows.append([cut(clean(model.name), NAME_WIDTH), model.status, *cells])
    return f"Models, {plan.titles[plan.scenario]} case", ["Model", "Status", *(line.label for line in lines)], rows, 2


def headline(value: Number, unit: str) -> str:
    """Return a figure as people read it: `none` where 0 says so, as for the cost of options when none holds."""
    return "none" if not value and unit in NONE_AT_0 else shown(value, unit)


def shown(value: Any, unit: str) -> str:
    """Return a number as people read it, with its unit: `8.03 B`, `38%`, `yes`."""
    if isinstance(value, str):
        return value
    number = plain(value)
    if unit == "flag":
        return "yes" if number else "no"
    if unit == "share":
        return f"{100 * number:.3g}%"
    if unit.startswith(("FLOP", "bytes")) and "/" not in unit.removeprefix("FLOP/s"):
        return human(number, unit)
    if unit.startswith("nats"):
        return f"{number:.3f} {unit}" if number else "none"
    # A prefix of its own takes no second one: tonnes, not K kg; and short times are in ms.
    if (unit.startswith("k") and number >= THOUSAND) or unit == "s":
        other = readable(unit, number)
        number, unit = number / (size(other) / size(unit)), other
    unit = "" if unit == "ratio" else unit
    return f"{_brief(number)} {unit}".rstrip()


def _brief(number: float) -> str:
    """Return a number with the digits that say enough: three, and all of those before the point below 100,000."""
    if abs(number) >= 100_000:  # noqa: PLR2004 - from here on, three digits say enough
        return human(number)
    if float(number).is_integer():
        return digits(number)
    if abs(number) >= 99.95:  # noqa: PLR2004 - from here on, three digits are before the point
        return digits(float(round(number)))
    return f"{number:#.3g}" if abs(number) >= 1 else f"{number:.3g}"


def _aligned(headers: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> list[str]:
    widths = [max(len(row[at]) for row in (headers, *rows)) for at in range(len(headers))]
    return [
        "  ".join(
            cell.ljust(width) if at < words else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (headers, *rows)
    ]


def _more(rows: Sequence[object]) -> list[str]:
    return [f"… and {len(rows) - ROWS} more rows"] if len(rows) > ROWS else []
