"""Reports as TOML: all that went in and all that came out, and a portfolio again.

Fed back to `flopsheet report`, a report gives the same numbers: each model restates every dimension, each driver its
three cases. `config` and `sha256` then only say where a model came from; the file is not opened again. Paths are stated
from the folder in which flopsheet ran and no time is written, so the same inputs give the same bytes, wherever the
output stands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import tomli_w
from msgspec import Struct

import flopsheet
from flopsheet.accounting.nonumber import NoNumber, first_gap
from flopsheet.accounting.values import label, plain
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.settings import OPTIMIZER
from flopsheet.export.files import shown_path
from flopsheet.planning.faults import Fault, faults_of
from flopsheet.planning.fingerprints import facts_of, of_ledger, of_program
from flopsheet.planning.inputs import CASES, ENDS, write_value
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.question_set import SHARED
from flopsheet.planning.reasons import reason_rows, reasons_of

if TYPE_CHECKING:
    from flopsheet.configs.model import Model, Published
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.candidate import Plugin
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.verdicts import CheckResult

SCHEMA = 1
UNSAFE = re.compile("[\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
"""Half a pair, which no file in UTF-8 can hold, and signs that turn the direction of the text around them."""
LARGEST = 2**63 - 1
"""Whole numbers beyond are written as floats: TOML promises no more than 64 bits."""


class ReportHead(Struct, frozen=True):
    """What the head of a report says of all its models: their files, workload, architectures, and checks."""

    files: Sequence[Mapping[str, str]]
    workload_values: Mapping[str, Sequence[Any]]
    architectures: Collection[str]
    checks: Sequence[CheckResult]
    faults: Sequence[Fault]
    reasons: Mapping[str, int]
    """How many models there are by what changes their numbers."""


def gather(plan: Plan) -> ReportHead:
    """Return what a plan's report says of all its models."""
    architectures = {model.model.architecture for model in plan.costed}
    files, workload = _files(plan.portfolios, plan.models), used_dimensions(plan.costed)
    return ReportHead(files, workload, architectures, check_results(plan), faults_of(plan), reasons_of(plan.models))


def costed_head(providers: Mapping[str, Plugin], files: Mapping[str, str]) -> str:
    """Return what is above the models in `show --format toml`: the plugins that counted them, and their files."""
    tables = [file_table(path, sha256) for path, sha256 in files.items()]
    return toml_text(storable({**_heading(providers[name] for name in sorted(providers)), "files": tables}))


def costed_model(model: Costed) -> str:
    """Return a model as `show --format toml` prints it, with every line."""
    return _entry(storable({**model_table(model), "lines": model.lines}))


def file_of(model: Costed) -> dict[str, str]:
    """Return the path of a model's file as it is shown with its hash; nothing where it has none."""
    return {shown_path(model.model.source): model.model.sha256} if model.model.source else {}


def report_document(plan: Plan) -> Iterator[str]:
    """Give a plan as a TOML report, model by model: a large batch never is as one text."""
    yield toml_text(plan_table(plan, gather(plan)))
    for model in plan.models:
        yield "\n" + planned_model(plan, model)


def planned_model(plan: Plan, model: Costed) -> str:
    """Return a model of a plan as TOML reports hold it."""
    return _entry(storable(planned_table(plan, model)))


def _entry(table: dict[str, Any]) -> str:
    """Return an entry of the list of models.

    tomli_w would first write one in a list on a single line, to see whether it is short.
    """
    return toml_text({"models": table}).replace("[models]", "[[models]]", 1)


def report_table(plan: Plan) -> dict[str, Any]:
    """Return a plan as the table that the TOML and JSON reports hold."""
    table = {**plan_table(plan, gather(plan)), "models": [planned_table(plan, model) for model in plan.models]}
    result: dict[str, Any] = storable(table)
    return result


def plan_table(plan: Plan, head: ReportHead) -> dict[str, Any]:
    """Return what a report says above its models."""
    table: dict[str, Any] = storable(
        {
            **_heading(plan.host.plugins),
            **({"without": list(plan.host.without)} if plan.host.without else {}),
            **errors_table(plan, head.faults),
            **reasons_table(head.reasons),
            "name": plan.name,
            "scenario": plan.scenario,
            "questions": [question.name for question in plan.program.questions],
            "files": head.files,
            "workload": _workload(plan.portfolios, head.workload_values),
            "inputs": {
                "accelerator": plan.accelerator.name,
                **{driver.name: _input(driver) for driver in plan.drivers if driver.base is not None},
            },
            "answers": answers_table(plan),
            "checks": _checks(head.checks),
            "scenarios": {case: plan.describe_case(case) for case in CASES} | _describe_scenarios(plan),
            "tables": {name: plan.table(name) for name in plan.program.tables if name not in SHARED},
            "fingerprints": fingerprints_table(plan, head.architectures),
        }
    )
    return table


def fingerprints_table(plan: Plan, architectures: Collection[str]) -> dict[str, Any]:
    """Return the fingerprint of each line, by architecture and by table of the plan, and the totals that plans read."""
    return {
        "architectures": {name: of_ledger(plan.host.ledger(name)) for name in sorted(architectures)},
        "tables": of_program(plan.program),
        "facts": facts_of(plan.program),
    }


def _describe_scenarios(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return the results of each named scenario, and what makes it one: every input that is not that of Base.

    A report states what the catalog gave, so that it also has to state what another accelerator's row gave.
    """
    base, result = plan.case("base"), {}
    for scenario in plan.named:
        own = plan.case(scenario.name)
        drivers = [d for d in plan.drivers if first_gap((own[d.name], base[d.name])) is None]
        changes = {d.name: write_value(d.input, own[d.name]) for d in drivers if own[d.name] != base[d.name]}
        stated = {"about": scenario.about, "inputs": {**scenario.inputs, **changes}}
        result[scenario.name] = {**plan.describe_case(scenario.name), **stated}
    return result


def planned_table(plan: Plan, model: Costed) -> dict[str, Any]:
    """Return what a report says of a model, with its plan in each case."""
    cases = {case: plan.describe_model(model, case) for case in plan.cases} if model.ledger else {}
    return {**model_table(model), "scenarios": cases}


def model_table(model: Costed) -> dict[str, Any]:
    """Return what a report says of a model, but for its plan; every key of the contract is there."""
    return {
        "name": model.name,
        "status": model.status,
        "problems": model.problems,
        "notes": model.notes,
        "architecture": model.model.architecture,
        **_origin(model.model),
        "plugin": model.plugin._asdict() if model.plugin else {},
        "dimensions": model.dimensions,
        "totals": model.totals,
        "groups": model.groups,
    }


def toml_text(table: Mapping[str, Any]) -> str:
    """Return a table as TOML, without the keys of what has no number: it has no null."""
    return tomli_w.dumps(_without_null(table))


def _without_null(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return [_without_null(item) for item in value] if isinstance(value, list) else value


def errors_table(plan: Plan, faults: Iterable[Fault]) -> dict[str, Any]:
    """Return what has no number and why: each question in error with its cause, and each input that is missing."""
    errors = [
        {"question": fault.question, "plugin": fault.plugin, "name": fault.name, "message": fault.sentence}
        for fault in faults
    ]
    missing = [{"input": name, "message": gap.why} for name, gap in plan.missing.items()]
    return {name: rows for name, rows in (("errors", errors), ("missing", missing)) if rows}


def reasons_table(counts: Mapping[str, int]) -> dict[str, Any]:
    """Return what changes the numbers of some models, counted by reason; nothing where no model has one."""
    rows = reason_rows(counts)
    return {"reasons": rows} if rows else {}


def storable(value: Any) -> Any:
    """Return a value as both TOML and JSON can hold it: no None, no fraction, no huge integer, no lone surrogate.

    What is no number is null, which `toml_text` leaves out.
    """
    if type(value) is float or (type(value) is int and -LARGEST <= value <= LARGEST):
        return value  # as most are
    if isinstance(value, Mapping):
        return {key: storable(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, Fraction) or (isinstance(value, int) and abs(value) > LARGEST):
        return float(value)
    return None if isinstance(value, NoNumber) else value


def storable_text(text: str) -> str:
    """Return a text without lone surrogates, and without signs that turn the direction of what is around it."""
    return text if text.isascii() else UNSAFE.sub("�", text)


def _heading(plugins: Iterable[Plugin]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "flopsheet": {"version": flopsheet.__version__},
        "plugins": [plugin._asdict() for plugin in plugins],
    }


def _files(portfolios: Iterable[Portfolio], models: Iterable[Costed]) -> list[dict[str, str]]:
    """Return each file that was read, once, with its hash where it could be read."""
    files = {shown_path(portfolio.path): portfolio.sha256 for portfolio in portfolios}
    for model in models:
        files |= file_of(model)
    return [file_table(path, sha256) for path, sha256 in files.items()]


def file_table(path: str, sha256: str) -> dict[str, str]:
    """Return what reports say of a file: its path as it is shown, and its hash where it could be read."""
    return {"path": path, **({"sha256": sha256} if sha256 else {})}


def _workload(portfolios: Iterable[Portfolio], used_values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the workload that all models share; where they differ, their dimensions say it."""
    workloads = [portfolio.workload for portfolio in portfolios]
    result = {}
    for dimension in WORKLOAD:
        stated = (table[dimension.name] for table in workloads if dimension.name in table)
        values = used_values.get(dimension.name) or [*stated]
        if values and all(value == values[0] for value in values):
            result[dimension.name] = values[0]
    return result


def used_dimensions(models: Iterable[Costed]) -> dict[str, list[Any]]:
    """Return the values that models have of each dimension of the workload, each once."""
    result: dict[str, dict[Any, None]] = {dimension.name: {} for dimension in WORKLOAD}
    each = dict.fromkeys((model.ledger, model.ledger.workload_of(model.numbers)) for model in models if model.ledger)
    for ledger, numbers in each:
        for dimension, number in zip(ledger.workload, numbers, strict=True):
            result[dimension.name][label(dimension, number) if dimension.labels else plain(number)] = None
    return {name: list(values) for name, values in result.items()}


def _input(driver: Assumption) -> dict[str, Any]:
    """Return the range of an input as a portfolio states it, in rising order."""
    ends = {end: write_value(driver.input, getattr(driver, end)) for end in ENDS}
    return {**ends, "source": driver.source, "date": driver.date}


def answers_table(plan: Plan) -> dict[str, dict[str, dict[str, Any]]]:
    """Return every figure of every question in every case, with its unit."""
    result: dict[str, dict[str, dict[str, Any]]] = {}
    for answer in plan.answers():
        numbers = {case: plain(answer.numbers[case]) for case in plan.cases}
        result.setdefault(answer.question.name, {})[answer.figure.name] = {**numbers, "unit": answer.unit}
    return result


def checks_table(plan: Plan) -> list[dict[str, Any]]:
    """Return every check: whether it passes, warns or fails, in which cases, and what to say there."""
    return _checks(check_results(plan))


def _checks(results: Iterable[CheckResult]) -> list[dict[str, Any]]:
    return [
        {
            "name": result.check.name,
            "state": result.state,
            "message": result.message,
            "cases": list(result.cases),
        }
        for result in results
    ]


def _origin(model: Model) -> dict[str, Any]:
    origin = {
        "config": shown_path(model.source),
        "sha256": model.sha256,
        "tokens": model.drivers.get("tokens"),
        "inputs": {name: value for name, value in model.drivers.items() if name != "tokens"} or None,
        OPTIMIZER: model.given.get(OPTIMIZER),
        "published": _count(model.published),
        "stored": _count(model.stored),
    }
    return {key: value for key, value in origin.items() if value}


def _count(count: Published | None) -> dict[str, Any]:
    return {"parameters": count.parameters, "source": count.source, "date": count.date} if count else {}
