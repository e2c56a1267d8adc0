"""A report as a page of Markdown: answers and checks, the cluster, a table of models, and the plan's inputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import flopsheet
from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import plain
from flopsheet.export.plan_tables import cell, figures, of_questions
from flopsheet.export.text import clean
from flopsheet.export.toml import gather, storable
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.reasons import reason_lines
from flopsheet.planning.verdicts import SAID, checks_said
from flopsheet.units.numbers import digits, human, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.export.plan_tables import Section
    from flopsheet.export.toml import ReportHead
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.faults import Fault
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.verdicts import CheckResult

ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#~$"} | {"\n": " ", "\r": " "})
"""What Markdown takes for its own; what a terminal would obey is replaced before."""
ENTITY = re.compile(r"&(?=\\?#?\w+;)")
"""What begins a sign's name, such as &lt;."""
COLUMNS = {
    "parameters": "Parameters",
    "parameters_active": "Active parameters",
    "flops_per_token": "Forward FLOP per token",
    "weights_bytes": "Weights",
    "kv_cache_bytes": "KV cache",
    "state_bytes": "State",
}
"""Totals in the table of models, with their headers; behind them are the lines that questions show."""
ROWS = 50
"""Rows of a question's table on a page."""
NEXT = "\n\n"
"""What parts the sections of a page."""
EXACT = ("GPU-h", "USD")
"""Units that finance reads in full."""


def as_markdown(plan: Plan) -> str:
    """Return a page to read: answers, checks, cluster, models, their problems, tables, and the plan's inputs."""
    lists = (markdown_rows(plan), markdown_problems(plan), markdown_notes(plan))
    texts = (["\n".join(lines)] if lines else [] for lines in lists)
    return "".join(markdown_page(plan, gather(plan), *texts))


def markdown_page(
    plan: Plan, head: ReportHead, rows: Iterable[str], problems: Iterable[str], notes: Iterable[str]
) -> Iterator[str]:
    """Give the page, the models' rows, problems and notes as texts of whole lines, one after another."""
    parts = [
        [f"# {markdown_text(plan.name)}", "", _describe_making(plan)],
        *markdown_errors(plan, head.faults),
        *map(markdown_section, figures(plan)),
        markdown_checks(head.checks),
        ["## Cluster", "", *_cluster(plan)],
        [f"## Models, {_case(plan)}", "", *markdown_table(_headers(plan), (), words=3)],
    ]
    yield NEXT.join("\n".join(part) for part in parts)
    yield from (f"\n{text}" for text in rows)
    if lines := reason_lines(head.reasons):
        yield f"{NEXT}## What changes the numbers of models{NEXT}" + "\n".join(f"- {line}" for line in lines)
    for title, texts in (("Problems", problems), ("Notes", notes)):
        yield from (f"{'' if place else f'{NEXT}## {title}{NEXT[:1]}'}\n{text}" for place, text in enumerate(texts))
    yield from (NEXT + "\n".join(markdown_section(section)) for section in of_questions(plan, ROWS))
    yield "\n".join([f"{NEXT}## Inputs", "", *_drivers(plan)]) + "\n"


def markdown_errors(plan: Plan, faults: Sequence[Fault]) -> list[list[str]]:
    """Return the questions in error and the inputs that are missing, as a section; nothing where there is neither."""
    texts = [f"- ERROR: {markdown_text(fault.sentence)}" for fault in faults]
    texts += [f"- Missing: {markdown_text(gap.why)}" for gap in plan.missing.values()]
    return [["## Without a number", "", *texts]] if texts else []


def markdown_section(section: Section) -> list[str]:
    """Return a table of a plan with its heading."""
    rows = [[markdown_text(text) for text in row] for row in section.rows]
    table = markdown_table([*map(markdown_text, section.headers)], rows, section.lead)
    left = ["", f"… and {number_of(section.more, 'more row')}; TOML and JSON reports have all"] if section.more else []
    return [f"## {markdown_text(section.title)}", "", *table, *left]


def markdown_checks(checks: Sequence[CheckResult]) -> list[str]:
    """Return what checks find: one sentence, and what each says that fails or warns."""
    unmet = [result for state in SAID for result in checks if result.state == state]
    texts = [f"- {SAID[result.state]}: {markdown_text(result.message)}" for result in unmet]
    return ["## Checks", "", checks_said(checks), *(["", *texts] if texts else [])]


def markdown_text(text: str) -> str:
    """Return a text that Markdown and terminals show as it is."""
    return clean(ENTITY.sub(r"\&", storable(text).translate(ESCAPED)))


def _describe_making(plan: Plan) -> str:
    plugins = ", ".join(markdown_text(str(plugin)) for plugin in plan.host.plugins)
    return (
        f"{plan.accelerator.title}, {_case(plan)} where one is shown."
        f" Made with flopsheet {flopsheet.__version__}; plugins: {plugins or 'none'}."
    )


def _case(plan: Plan) -> str:
    return f"{markdown_text(plan.titles[plan.scenario])} case"


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    """Return a Markdown table; all columns but the first `words` are numbers."""
    rule = ["---"] * words + ["---:"] * (len(headers) - words)
    return [f"| {' | '.join(row)} |" for row in (headers, rule, *rows)]


def _cluster(plan: Plan) -> list[str]:
    rows = [
        [line.label, line.unit, *(_show_value(plan.cluster[case][line.name], line.unit) for case in plan.cases)]
        for line in plan.case_lines
    ]
    return markdown_table(["", "Unit", *plan.titles.values()], rows, words=2)


def markdown_rows(plan: Plan) -> list[str]:
    """Return the rows of the table of models."""
    lines = plan.program.list_shown(MODELS_TABLE)
    return [f"| {' | '.join(_row(plan, model, lines))} |" for model in plan.models]


def _headers(plan: Plan) -> list[str]:
    lines = plan.program.list_shown(MODELS_TABLE)
    labels = [f"{line.label} ({line.unit})" if line.unit in EXACT else line.label for line in lines]
    return ["Model", "Status", "Architecture", *COLUMNS.values(), *labels]


def _row(plan: Plan, model: Costed, lines: Sequence[Line]) -> list[str]:
    totals = [_total(name, model.totals[name]) if name in model.totals else "" for name in COLUMNS]
    numbers = plan.describe_model(model, plan.scenario)
    cells = [_show_planned(numbers[line.name], line) if numbers else "" for line in lines]
    return [markdown_text(model.name), model.status, model.model.architecture, *totals, *cells]


def _total(name: str, value: float) -> str:
    return human(value, "bytes" if name.endswith("_bytes") else "FLOP" if "flops" in name else "")


def _show_planned(value: float | str, line: Line) -> str:
    if isinstance(value, str) or no_number(value) is not None or line.unit not in EXACT:
        return cell(value, line.unit, line.label)
    return f"{value:,.0f}"


def _show_value(value: Any, unit: str) -> str:
    if (gap := no_number(value)) is not None:
        return gap.word
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


def _digits(value: Number) -> str:
    gap = no_number(value)
    return digits(plain(value)) if gap is None else gap.word


def _drivers(plan: Plan) -> list[str]:
    rows = [
        [d.title, d.unit, markdown_text(d.source), d.date, *(_digits(case) for case in d.cases)] for d in plan.drivers
    ]
    return markdown_table(["Input", "Unit", "Source", "Date", *plan.titles.values()], rows, words=4)
