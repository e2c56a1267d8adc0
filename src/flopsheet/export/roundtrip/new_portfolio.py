"""A portfolio of its own from a filled workbook, where there is none that the workbook could change."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.portfolio import Portfolio
from flopsheet.configs.scenarios import ABOUT, Scenario
from flopsheet.configs.settings import SHORT
from flopsheet.export.roundtrip.compare import SCENARIO
from flopsheet.export.roundtrip.document import named_scenarios
from flopsheet.export.roundtrip.edit import written_toml
from flopsheet.export.roundtrip.new_inputs import WorkbookInputs
from flopsheet.export.roundtrip.new_models import WorkbookModels
from flopsheet.export.roundtrip.rows import rows_of, same_value, shown_cell
from flopsheet.host.local import WRITTEN
from flopsheet.planning.costing import cost_all
from flopsheet.planning.found_layouts import CHOICES, inputs_of
from flopsheet.planning.inputs import TITLES, case_called, either
from flopsheet.planning.making import make_plan

if TYPE_CHECKING:
    from flopsheet.export.roundtrip.new_models import Entry
    from flopsheet.export.roundtrip.origin import Origin
    from flopsheet.export.roundtrip.rows import FilledWorkbook
    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice
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


OPTIONAL = ("scenario", "without", "plugins", "workload", "scenarios")
"""What a portfolio leaves out where it is empty."""


class NewPortfolio(Struct):
    """The portfolio as plain data, what is refused, and what is to be said."""

    document: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def portfolio_from_workbook(
    host: Host, workbook: FilledWorkbook, origin: Origin, choice: Choice, output: Path
) -> NewPortfolio:
    """Return the portfolio that gives the workbook's plan, and states no more than it has to.

    `choice` are the plugins that the workbook was made with, where they are now.

    A model comes from its config file where that is as it was, or from its size, with what was changed; else it is
    described by its dimensions, which only an exact one may be: what was wrong with it would be forgotten.
    """
    portfolio = NewPortfolio()
    portfolio.notes.append(f"{output} does not exist: a new portfolio is written; edited formulas cannot be listed")
    models = WorkbookModels(host, workbook, origin, output.parent, portfolio.problems, portfolio.notes)
    entries = models.entries()
    rows = rows_of(workbook, "drivers", "Name")
    inputs = WorkbookInputs(host, origin, rows, _own(entries), portfolio.problems, portfolio.notes)
    search_results = read_search_results(inputs.program(), origin)
    inputs.own = _own(without(entries, search_results))
    inputs.read()
    scenario = _scenario(workbook, named_scenarios(rows), portfolio)
    if portfolio.problems:
        return portfolio
    values = inputs.state_inputs()
    document: dict[str, Any] = {
        "name": next(iter(dict(origin.read_pairs("Plan"))), output.stem),
        "scenario": "" if scenario == "base" else scenario,
        "without": list(choice.without),
        "plugins": _plugin_files(choice, output.parent),
        "questions": inputs.questions,
        "workload": {},
        "inputs": values,
        "scenarios": inputs.scenarios(values),
    }
    document["models"] = search_again(document, models, entries, search_results)
    document["workload"] = _take_shared_settings(document["models"])
    portfolio.document = {key: value for key, value in document.items() if value or key not in OPTIONAL}
    return portfolio


def dump(portfolio: NewPortfolio) -> bytes:
    """Return the portfolio as TOML."""
    return written_toml(portfolio.document).encode("utf-8")


def _scenario(workbook: FilledWorkbook, names: list[str], portfolio: NewPortfolio) -> str:
    """Return the case that the workbook shows."""
    label = workbook.value(*workbook.find_named(SCENARIO))
    titles = TITLES | {name: name for name in names}
    scenario = case_called(label, titles)
    if not scenario:
        portfolio.problems.append(
            f"the scenario is {shown_cell(label)}; {either(tuple(titles.values()))} is expected on About"
        )
    return scenario


def _plugin_files(choice: Choice, folder: Path) -> list[str]:
    """Return the files of plugins without code, as a portfolio in a folder names them."""
    files = [str(file) for file in choice.plugins if str(file).endswith(WRITTEN)]
    return [Path(os.path.relpath(file, folder)).as_posix() for file in files]


def _own(entries: Mapping[int, Entry]) -> set[str]:
    """Return the inputs that models state for themselves."""
    own = {name for entry in entries.values() for name in entry.get("inputs", {})}
    return own | {"tokens" for entry in entries.values() if "tokens" in entry}


def _take_shared_settings(entries: list[Entry]) -> dict[str, Any]:
    """Take the settings that all models state alike out of their entries, and return them as a workload."""
    tables = [[entry, entry.get("dimensions", {})] for entry in entries]
    workload = {}
    for name in (*SHORT, *(dimension.name for dimension in WORKLOAD)):
        values = [next((table[name] for table in both if name in table), None) for both in tables]
        if len(entries) > 1 and values[0] is not None and all(value == values[0] for value in values):
            workload[name] = values[0]
        elif name in SHORT and any(value is not None for value in values):
            break
    for table in (table for both in tables for table in both):
        for name in workload:
            table.pop(name, None)
    return workload
