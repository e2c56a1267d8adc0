"""What the models of a workbook took of a search: left to it again where it finds the same, else stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.configs.portfolio import Portfolio
from flopsheet.configs.scenarios import ABOUT, Scenario
from flopsheet.export.roundtrip.rows import same_value
from flopsheet.planning.costing import cost_all
from flopsheet.planning.found_layouts import CHOICES, inputs_of
from flopsheet.planning.making import make_plan

if TYPE_CHECKING:
    from flopsheet.export.roundtrip.new_models import Entry, WorkbookModels
    from flopsheet.export.roundtrip.origin import Origin
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program

Entries = Mapping[int, "Entry"]


class SearchResult(Struct, frozen=True):
    """What a model took of a search: inputs, and choices of its workload."""

    inputs: frozenset[str]
    choices: frozenset[str]


NONE = SearchResult(frozenset(), frozenset())


def read_search_results(program: Program, origin: Origin) -> dict[int, SearchResult]:
    """Return what each model took of a search, by the model's number."""
    searches = {rows.key: rows for table in program.tables.values() for rows in table.rows if rows.best}
    result: dict[int, SearchResult] = {}
    for key, numbers in ((key, numbers) for key, numbers in origin.read_pairs("Chosen") if key in searches):
        choices = frozenset(CHOICES[name][0] for name in searches[key].brings if name in CHOICES)
        for number in map(int, numbers.split(", ")):
            old = result.get(number, NONE)
            result[number] = SearchResult(old.inputs | {*inputs_of(searches[key])}, old.choices | choices)
    return result


def without(entries: Entries, results: Mapping[int, SearchResult]) -> dict[int, Entry]:
    """Return the entries without what their models took of a search."""
    return {number: _without(entry, results.get(number, NONE)) for number, entry in entries.items()}


def _without(entry: Entry, search: SearchResult) -> Entry:
    tables = {"inputs": search.inputs, "dimensions": search.choices}
    result = {key: value for key, value in entry.items() if key not in search.choices}
    for key in tables.keys() & result.keys():
        result[key] = {name: value for name, value in result[key].items() if name not in tables[key]}
    return {key: value for key, value in result.items() if value != {}}


def search_again(
    head: Mapping[str, Any], models: WorkbookModels, entries: Entries, results: Mapping[int, SearchResult]
) -> list[Entry]:
    """Return the entries without what a search finds again; where it finds something else, as the workbook has it."""
    inputs_alone = {number: replace(search, choices=frozenset()) for number, search in results.items()}
    for left_out in (results, inputs_alone) if results else ():
        short = [*without(entries, left_out).values()]
        plan = _plan_again(head, models, short)
        if all(_is_as_stated(plan, place, entry) for place, entry in enumerate(entries.values())):
            return short
    if results:
        models.notes.append("layouts that were chosen automatically are now written out, as the workbook has them")
    return [*entries.values()]


def _plan_again(head: Mapping[str, Any], models: WorkbookModels, entries: list[Entry]) -> Plan:
    scenarios = tuple(
        Scenario(name, own.get(ABOUT, ""), {key: value for key, value in own.items() if key != ABOUT})
        for name, own in head.get("scenarios", {}).items()
    )
    portfolio = Portfolio(head["name"], "", "", inputs=head["inputs"], questions=head["questions"], scenarios=scenarios)
    return make_plan(models.host, cost_all(models.host, models.read(entries), {}), [portfolio])


def _is_as_stated(plan: Plan, place: int, entry: Entry) -> bool:
    """Return whether a model of the plan has the inputs and dimensions that an entry states."""
    model, inputs = plan.models[place], entry.get("inputs", {})
    own = {name: value for name, value in model.model.drivers.items() if name != "tokens"}
    settings = {**entry, **entry.get("dimensions", {})}
    return own.keys() == inputs.keys() and all(
        same_value(value, target[name])
        for values, target in ((own, inputs), (model.dimensions, settings))
        for name, value in values.items()
        if name in target
    )
