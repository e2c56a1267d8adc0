"""The tables Problems and Provenance: what is to be said about models, and what made this workbook."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

import flopsheet
from flopsheet.configs.portfolio import CATALOGED, DATED
from flopsheet.configs.settings import SHORT
from flopsheet.export.text import cut
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.planning.fingerprints import of_all, of_ledger, of_program
from flopsheet.planning.providers import architectures_of, plugins_of
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from flopsheet.planning.costed_model import Costed
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


OF_SCENARIO = ": "
"""What is between a named scenario and its input: no name of a scenario has a colon."""

MAX_NUMBERS = 1_000
"""Models of one row: a cell holds 32,767 characters."""


def stated_rows(plan: Plan) -> Iterator[list[str]]:
    """Give the plugins left out, the questions asked, names and dates that were stated, and how models were read."""
    yield from (["Without", name, "left out"] for name in plan.host.without)
    yield from (["Question", name, "asked"] for name in plan.asked)
    yield from (["Stated", name, value] for name, value in sorted(_list_stated(plan)))
    yield from (["Scenario", scenario.name, scenario.about] for scenario in plan.named)
    yield from (["Chosen", key, ", ".join(map(str, numbers))] for key, numbers in _list_chosen(plan))
    yield from (["Model", str(number), text] for number, text in _entries(plan))


def _list_stated(plan: Plan) -> Iterator[tuple[str, str]]:
    """Give the names and dates of the plan, what no question reads, and every input of a named scenario.

    A scenario's input may be that of Base, so that its cell does not tell.
    """
    inputs = {name: value for portfolio in plan.portfolios for name, value in portfolio.inputs.items()}
    inputs |= dict(text.split("=", 1) for option, text in plan.options if option == "--input")
    for name in inputs.keys() - plan.program.inputs.keys():
        yield name, _text(name, inputs[name])
    for scenario in plan.named:
        prefix = f"{scenario.name}{OF_SCENARIO}"
        yield from ((f"{prefix}{name}", _text(name, value)) for name, value in scenario.inputs.items())


def _text(name: str, value: Any) -> str:
    """Return a name or date as such, and any other value as JSON."""
    return str(value) if name in (*CATALOGED, *DATED) else json.dumps(value, ensure_ascii=False, default=str)


def stated_value(name: str, text: str) -> Any:
    """Return the value of a row."""
    return text if name in (*CATALOGED, *DATED) else json.loads(text)


def _list_chosen(plan: Plan) -> Iterator[tuple[str, list[int]]]:
    """Give the models that took a row of each search, by their numbers."""
    for key, places in plan.settled.items():
        numbers = [place + 1 for place in sorted(places)]
        yield from ((key, numbers[first : first + MAX_NUMBERS]) for first in range(0, len(numbers), MAX_NUMBERS))


def _entries(plan: Plan) -> Iterator[tuple[int, str]]:
    """Give what the entry of a model says next to its numbers, as JSON, by the model's number."""
    for number, model in enumerate(plan.models, start=1):
        if entry := _entry(model, plan.program.inputs):
            yield number, json.dumps(entry, ensure_ascii=False)


def _entry(model: Costed, input_names: Collection[str]) -> dict[str, Any]:
    config = model.model
    settings = {name: config.given[name] for name in SHORT if name in config.given}
    count = asdict(config.published) if config.published else {}
    count_entry = {"published": {key: value for key, value in count.items() if value}} if count else {}
    unread = {name: value for name, value in config.drivers.items() if name not in input_names and name != "tokens"}
    return {**config.entry, **settings, **count_entry, **({"inputs": unread} if unread else {})}
