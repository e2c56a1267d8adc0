"""Reports as flat tables: CSV, one row per model; Markdown, a page to read; JSON, what the TOML report says."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

import flopsheet
from flopsheet.accounting.values import plain
from flopsheet.export.csv_text import csv_row, harmless
from flopsheet.export.text import clean
from flopsheet.export.toml import report_table, storable, storable_text
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.units.numbers import digits, human

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan

ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#~$"} | {"\n": " ", "\r": " "})
"""What Markdown takes for its own; what a terminal would obey is replaced before."""
TOTALS = (
    "parameters",
    "parameters_active",
    "parameters_embedding",
    "flops_forward",
    "flops_forward_linear",
    "flops_forward_matmul",
    "flops_training_step",
    "flops_training_hardware",
    "flops_prefill",
    "flops_decode_step",
    "weights_bytes",
    "kv_cache_bytes",
    "state_bytes",
)
"""Totals that are in every CSV, in this order, before those that only some ledgers have, by name."""
COLUMNS = {
    "parameters": "parameters",
    "parameters_active": "active",
    "flops_per_token": "forward FLOP per token",
    "weights_bytes": "weights",
    "kv_cache_bytes": "KV cache",
    "state_bytes": "state",
    "training_tokens": "training tokens",
    "training_flops": "training FLOP",
    "training_hours": "GPU-hours",
    "training_days": "days",
    "training_cost": "USD",
}
"""The Markdown report's columns of numbers: totals and planning results, with their headers."""
MODELS_HEADERS = ("model", "status", "architecture", *COLUMNS.values(), "fits time", "fits memory")
"""The headers of the Markdown report's table of models."""
MOST_TEXTS = 1024
"""Texts about models that are kept as a CSV has them."""
NEXT = "\n\n"
"""What parts the sections of a page."""
EXACT = {"training_hours": 0, "training_days": 1, "training_cost": 0}
"""Those that finance reads in full, with their decimals."""


def as_json(plan: Plan) -> str:
    """Return the TOML report's content as JSON."""
    return json.dumps(report_table(plan), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(plan: Plan) -> str:
    """Return one row per model: what it is, its totals, and its plan in the selected scenario."""
    totals = totals_of(plan)
    return csv_text([csv_header(plan, totals), *csv_rows(plan, totals)])


def totals_of(plan: Plan) -> list[str]:
    """Return the totals that the columns of a plan's CSV show, in their order."""
    ledgers = {model.ledger for model in plan.models if model.ledger}
    return ordered(name for ledger in ledgers for name in ledger.totals)


def ordered(totals: Iterable[str]) -> list[str]:
    """Return totals as columns, with those that are in every CSV: whatever model comes first, in one order."""
    return [*TOTALS, *sorted({*totals} - {*TOTALS})]


def csv_header(plan: Plan, totals: Iterable[str]) -> list[str]:
    """Return the header of a CSV: what a model is, its totals, and the lines of its plan."""
    results = (line.name for line in plan.model_lines)
    return [*("name", "status", "problems", "notes", "architecture", "scenario"), *totals, *results]


def csv_rows(plan: Plan, totals: Sequence[str]) -> Iterator[list[Any]]:
    """Give the row of each model under such a header."""
    shown = lru_cache(MOST_TEXTS)(harmless)  # models share most of what is said of them
    planned, nothing = planned_rows(plan), [""] * len(plan.model_lines)
    for model in plan.models:
        results = next(planned) if model.ledger else nothing
        yield [*map(shown, said_of(model)), plan.scenario, *map(model.totals.get, totals, repeat("")), *results]


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV with lines that end as on Unix."""
    return "".join(map(csv_row, rows))


def as_markdown(plan: Plan) -> str:
    """Return a page to read: budget in three cases, a table of models, their problems, and the plan's inputs."""
    rows, problems, notes = markdown_rows(plan), markdown_problems(plan), markdown_notes(plan)
    return "".join(markdown_page(plan, *(["\n".join(lines)] if lines else [] for lines in (rows, problems, notes))))


def markdown_page(plan: Plan, rows: Iterable[str], problems: Iterable[str], notes: Iterable[str]) -> Iterator[str]:
    """Give the page, the models' rows, problems and notes as texts of whole lines, one after another."""
    parts = [
        [f"# {markdown_text(plan.name)}", "", _made(plan)],
        ["## What the cluster delivers", "", *_budget(plan)],
        [f"## Models, {plan.scenario} case", "", *markdown_table(MODELS_HEADERS, (), words=3)],
    ]
    yield "\n\n".join("\n".join(part) for part in parts)
    yield from (f"\n{text}" for text in rows)
    for title, texts in (("Problems", problems), ("Notes", notes)):
        yield from (f"{'' if place else f'{NEXT}## {title}{NEXT[:1]}'}\n{text}" for place, text in enumerate(texts))
    yield "\n".join([f"{NEXT}## Inputs of the plan", "", *_drivers(plan)]) + "\n"


def planned_numbers(plan: Plan, model: Costed) -> dict[str, int | float]:
    """Return a model's planning lines in the case that is shown; none of one in error."""
    planned = plan.training(model, plan.scenario) if model.ledger else {}
    return {name: value if type(value) is int else plain(value) for name, value in planned.items()}


def planned_rows(plan: Plan) -> Iterator[Sequence[int | float]]:
    """Return the planning lines of each model that has numbers, in the case that is shown."""
    if not plan.model_lines:
        return repeat(())
    filled = plan.run(plan.scenario).table(MODELS_TABLE)
    columns = (filled.columns[line.name] for line in plan.model_lines)
    return zip(*[[plain(value) for value in column] for column in columns], strict=True)


def said_of(model: Costed) -> list[str]:
    """Return a model's name, status, problems, notes and architecture."""
    problems, notes = "; ".join(model.problems), "; ".join(model.notes)
    return [*map(storable_text, (model.name, model.status, problems, notes, model.model.architecture))]


def markdown_text(text: str) -> str:
    """Return a text that Markdown and terminals show as it is."""
    return clean(storable(text).translate(ESCAPED))


def _made(plan: Plan) -> str:
    plugins = ", ".join(
        f"{markdown_text(p.name)} ({markdown_text(p.package)} {markdown_text(p.version)})" for p in plan.host.plugins
    )
    return (
        f"{plan.accelerator.title}, {plan.scenario} case where one is shown."
        f" Made with flopsheet {flopsheet.__version__}; plugins: {plugins or 'none'}."
    )


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    """Return a Markdown table; all columns but the first `words` are numbers."""
    rule = ["---"] * words + ["---:"] * (len(headers) - words)
    return [f"| {' | '.join(row)} |" for row in (headers, rule, *rows)]


def _budget(plan: Plan) -> list[str]:
    rows = [
        [line.label, line.unit, *(_shown(plan.cluster[case][line.name], line.unit) for case in plan.cases)]
        for line in plan.case_lines
    ]
    return markdown_table(["", "unit", *plan.titles.values()], rows, words=2)


def markdown_rows(plan: Plan) -> list[str]:
    """Return the rows of the table of models."""
    return [f"| {' | '.join(_row(plan, model))} |" for model in plan.models]


def _row(plan: Plan, model: Costed) -> list[str]:
    numbers = {**model.totals, **planned_numbers(plan, model)}
    shown = [_headline(name, numbers[name]) if name in numbers else "" for name in COLUMNS]
    fits = [_yes(numbers.get(name)) for name in ("fits_time", "fits_memory")]
    return [markdown_text(model.name), model.status, model.model.architecture, *shown, *fits]


def _headline(name: str, value: float) -> str:
    if name in EXACT:
        return f"{value:,.{EXACT[name]}f}"
    return human(value, "bytes" if name.endswith("_bytes") else "FLOP" if "flops" in name else "")


def _yes(value: Any) -> str:
    return "" if value is None else "yes" if value else "no"


def _shown(value: Any, unit: str) -> str:
    number = plain(value)
    return human(number, unit) if unit.startswith("FLOP") else digits(round(number, 2))


def markdown_problems(plan: Plan) -> list[str]:
    """Return the problems of all models as lines of a list."""
    return [_remark(model, text) for model in plan.models for text in model.problems]


def markdown_notes(plan: Plan) -> list[str]:
    """Return the notes of all models as lines of a list."""
    return [_remark(model, text) for model in plan.models for text in model.notes]


def _remark(model: Costed, text: str) -> str:
    return f"- **{markdown_text(model.name)}** ({model.status}): {markdown_text(text)}"


def _drivers(plan: Plan) -> list[str]:
    rows = [
        [d.title, d.unit, markdown_text(d.source), d.date, *(digits(plain(case)) for case in d.cases)]
        for d in plan.drivers
    ]
    return markdown_table(["input", "unit", "source", "date", *plan.titles.values()], rows, words=4)
