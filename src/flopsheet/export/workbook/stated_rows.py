"""Rows of Provenance: what a portfolio states that no other cell of its workbook holds, so that none is lost on import.

The numbers themselves are on Assumptions, on Models, and in the workings.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from flopsheet.configs.portfolio import CATALOGED, DATED
from flopsheet.configs.settings import SHORT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan

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
