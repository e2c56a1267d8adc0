"""Single values: what defined names with a prefix, and `{{ name }}` markers, get."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct

import flopsheet
from flopsheet.accounting.values import plain
from flopsheet.planning.inputs import CASES, TITLES, either
from flopsheet.units.named_values import DATE
from livesheets import Formula
from livesheets.excel import call, cell, column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.accounting.line import Line
    from flopsheet.planning.plan import Plan
    from livesheets import Value
    from livesheets.excel import Operand

HIDDEN = "hidden_sheets"
"""The marker that says which sheets are hidden: it is known when a workbook is written."""
PREFIXES = ("in_", "out_", "chk_", "meta_")
SUMMED = {
    "parameters": ("parameters", "parameters_active"),
    "bytes": ("weights_bytes", "kv_cache_bytes", "state_bytes", "training_state_bytes"),
}
"""Totals of models, by unit, that a plan's sums name next to its planning lines."""
UNSUMMED = ("ratio", "share", "flag", "FLOP/s")
"""Units whose sum over models means nothing."""
CASE_ORDER = f"{TITLES['low']} is the cheapest case and {TITLES['high']} the most expensive"
_LOW, _BASE, _HIGH = (call("INDEX", column("cases", "budget_cost"), row) for row, _ in enumerate(CASES, start=1))
COSTS_RISE = call("AND", _LOW <= _BASE, _BASE <= _HIGH)
"""Whether the cluster's cost rises from case to case."""


class NamedValue(Struct, frozen=True):
    """One value of the plan: its name with the prefix, what it is, and what a cell of that name gets."""

    name: str
    title: str
    unit: str
    about: str
    value: Value | Formula


def named_values(plan: Plan, template: bytes, template_name: str) -> Mapping[str, NamedValue]:
    """Return every single value that a template may name."""
    counts = _constants("out_", "models", _list_counts(plan))
    meta = _constants("meta_", "", _meta(plan, template, template_name))
    result = (*_inputs(plan), *_results(plan), *_sums(plan), *counts, *_checks(plan), *meta)
    return {single.name: single for single in result}


def _constants(prefix: str, unit: str, rows: Iterable[tuple[str, str, str, Value]]) -> Iterator[NamedValue]:
    return (NamedValue(f"{prefix}{name}", title, unit, about, value) for name, title, about, value in rows)


def markers(plan: Plan, template: bytes, template_name: str) -> dict[str, str]:
    """Return what `{{ name }}` stands for in texts: the names of `meta_` cells without the prefix."""
    return {name: str(value) for name, _, _, value in _meta(plan, template, template_name)}


def _inputs(plan: Plan) -> Iterator[NamedValue]:
    for driver in plan.drivers:
        live = plan.case(plan.scenario)[driver.name]
        yield NamedValue(f"in_{driver.name}", driver.title, driver.unit, "The case that is shown", plain(live))
        for case in CASES:
            value = plain(plan.case(case)[driver.name])
            yield NamedValue(f"in_{driver.name}_{case}", driver.title, driver.unit, f"The {case} case", value)
    number, titles = plan.cases.index(plan.scenario) + 1, plan.titles
    yield NamedValue("in_scenario", "Scenario", "", "Its place: 1, 2 or 3 for low, base or high", number)
    yield NamedValue("in_scenario_label", "Scenario", "", either(tuple(titles.values())), titles[plan.scenario])


def _results(plan: Plan) -> Iterator[NamedValue]:
    for line in plan.case_lines:
        yield _result(line, "", cell("in_scenario"))
        for number, case in enumerate(CASES, start=1):
            yield _result(line, case, number)


def _result(line: Line, case: str, row: Operand) -> NamedValue:
    name = f"out_{line.name}_{case}" if case else f"out_{line.name}"
    about = line.about or f"The {case or 'shown'} case"
    result = call("INDEX", column("cases", line.name), row)
    value = call("IF", result == 0, "", result) if line.unit == DATE else result
    return NamedValue(name, line.label, line.unit, about, Formula(value))


def _sums(plan: Plan) -> Iterator[NamedValue]:
    """Give the sums over models."""
    lines = [(line.name, line.label, line.unit) for line in plan.model_lines if line.unit not in UNSUMMED]
    totals = [(name, name.replace("_", " ").capitalize(), unit) for unit, names in SUMMED.items() for name in names]
    about = "The sum over the models that are costed"
    for name, title, unit in (*totals, *lines):
        yield NamedValue(f"out_total_{name}", f"{title}, all models", unit, about, _sum(name))
    cost = next(line for line in plan.model_lines if line.name == "training_cost")
    about = f"The same as out_total_{cost.name}"
    yield NamedValue("out_total_cost", f"{cost.label}, all models", cost.unit, about, _sum(cost.name))


def _sum(name: str) -> Formula:
    return Formula(call("SUM", column("models", name)))


def _checks(plan: Plan) -> Iterator[NamedValue]:
    statuses = [model.status for model in plan.models]
    for name, title, value in (
        ("costed", "Every model is costed", "error" not in statuses),
        ("exact", "Every model is exact", all(status == "ok" for status in statuses)),
        ("range", CASE_ORDER, Formula(COSTS_RISE)),
        ("scenarios", "State of all checks, beside the scenarios", Formula("chk_master")),
    ):
        yield NamedValue(f"chk_{name}", title, "", title, value)


def _list_counts(plan: Plan) -> Iterator[tuple[str, str, str, Value]]:
    statuses = [str(model.status) for model in plan.models]
    yield "n_models", "Models", "Of the batch", len(statuses)
    for name, status in (("n_exact", "ok"), ("n_approximate", "approximate"), ("n_failed", "error")):
        yield name, f"Models that are {status}", "Of the batch", statuses.count(status)


def _meta(plan: Plan, template: bytes, template_name: str) -> Iterator[tuple[str, str, str, Value]]:
    plugins = sorted({f"{plugin.name} {plugin.version}" for model in plan.models if (plugin := model.plugin)})
    yield "title", "Title", "The plan's name", plan.name
    yield "version", "Version", "Of flopsheet", flopsheet.__version__
    yield "date", "Date", "Today, or SOURCE_DATE_EPOCH where it is set", today()
    as_of = max((driver.date for driver in plan.drivers), default="")
    yield "as_of", "As of", "The newest date of an input", as_of
    yield "scenario", "Scenario", either(tuple(plan.titles.values())), plan.titles[plan.scenario]
    yield "accelerator", "Accelerator", "What the plan buys", plan.accelerator.title
    yield "template", "Template", "The template's file name", template_name
    yield "template_sha256", "SHA-256 of the template", "As it was before it was filled", sha256(template).hexdigest()
    digests = ", ".join(portfolio.sha256 for portfolio in plan.portfolios)
    yield "portfolio", "Portfolio", "The plan's portfolios", ", ".join(one.path for one in plan.portfolios)
    yield "portfolio_sha256", "SHA-256 of the portfolio", "As it was read", digests
    yield HIDDEN, "Hidden sheets", "Which sheets of the workbook are hidden, and how to show them", ""
    yield "plugins", "Plugins", "What described the architectures", ", ".join(plugins)
    yield from _list_counts(plan)


def today() -> str:
    """Return today's date as ISO text, or that of SOURCE_DATE_EPOCH where it is set."""
    moment = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(moment), UTC) if moment else datetime.now(UTC)
    return now.date().isoformat()
