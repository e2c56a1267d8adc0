"""A portfolio of its own from a filled workbook, where there is none that the workbook could change."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from flopsheet.configs.reading import read_dimensions
from flopsheet.configs.source import load_model
from flopsheet.errors import UsageError
from flopsheet.export.roundtrip.cells import in_plain_units, read_cell, row_values, text_in, tokens_in
from flopsheet.export.roundtrip.changes import needed
from flopsheet.export.roundtrip.compare import SCENARIO, keys
from flopsheet.export.roundtrip.document import failed, named_scenarios
from flopsheet.export.roundtrip.rows import Rows, rows_of, same_value
from flopsheet.export.workbook.assumptions import SAME
from flopsheet.export.workbook.cells import MISSING
from flopsheet.planning.catalog import FROM, PRICE, accelerator, catalog
from flopsheet.planning.chosen_accelerator import with_accelerator
from flopsheet.planning.facts import OWN_TOKENS, PUBLISHED
from flopsheet.planning.inputs import CASES, ENDS, TITLES, case_called, either, typed, unchanged, written
from flopsheet.planning.registry import questions

if TYPE_CHECKING:
    from flopsheet.accounting.line import Input
    from flopsheet.configs.model import Model
    from flopsheet.export.roundtrip.origin import Origin
    from flopsheet.export.roundtrip.rows import FilledWorkbook, Key
    from flopsheet.host.host import Host
    from flopsheet.planning.inputs import Assumption


BILLION = 10**9


@dataclass
class NewPortfolio:
    """The portfolio as plain data, what is refused, and what is to be said."""

    document: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def portfolio_from_workbook(host: Host, found: FilledWorkbook, origin: Origin, output: Path) -> NewPortfolio:
    """Return the portfolio that gives the workbook's inputs.

    A model comes from its config file where that is as it was, with what was changed; else it is described by its
    dimensions, which only an exact one may be: what was wrong with it would be forgotten.
    """
    made = NewPortfolio()
    title = next(iter(dict(origin.told("Plan"))), output.stem)
    chosen = next(iter(dict(origin.told("Accelerator"))), "")
    if not chosen:
        raise UsageError(
            f"{origin.workbook} does not say which accelerator it plans with; report again and edit that one"
        )
    label = found.value(*found.named(SCENARIO))
    drivers = rows_of(found, "drivers", "Name")
    named = named_scenarios(drivers)
    titles = TITLES | {name: name for name in named}
    scenario = case_called(label, titles)
    if not scenario:
        made.problems.append(f"the scenario is {label!r}; {either(tuple(titles.values()))} is expected")
    made.document = {"name": title, "scenario": scenario, "inputs": {}}
    made.document["inputs"] = {"accelerator": chosen, **_drivers(host, drivers, chosen, made)}
    made.document |= {"scenarios": {name: _scenario(host, drivers, name, made) for name in named}} if named else {}
    made.document["models"] = _models(host, found, origin, output, made)
    made.notes.append(f"{output} does not exist: a new portfolio is written; edited formulas cannot be listed")
    made.notes += [f"{name} is in error in the workbook and left out" for name in failed(found)]
    return made


def dumped(made: NewPortfolio) -> bytes:
    """Return the portfolio as TOML."""
    return tomli_w.dumps(made.document).encode("utf-8")


def _drivers(host: Host, rows: Rows, chosen: str, made: NewPortfolio) -> dict[str, Any]:
    """Return the drivers that are not as the catalog has them, and the price, which has several kinds."""
    stated = {}
    row = accelerator(chosen, catalog(host))
    for driver in with_accelerator([unchanged(one) for one in _asked(host, rows)], row):
        if driver.name not in rows.rows:
            made.problems.append(f"the row of {driver.name} is gone from the table drivers; undo that")
            continue
        if driver.base is None and rows.formula(driver.name, TITLES["base"]) == MISSING:
            continue  # nobody gave it a value
        table = _driver(rows, driver, made)
        listed = {end: written(driver.input, getattr(driver, end)) for end in ENDS if driver.base is not None}
        listed |= {"source": driver.source, "date": driver.date}
        same = all(same_value(listed.get(key), value) for key, value in table.items())
        if f"{FROM}{PRICE}" in driver.input.keys or not same:
            stated[driver.name] = table
    return stated


def _scenario(host: Host, rows: Rows, name: str, made: NewPortfolio) -> dict[str, Any]:
    """Return the inputs of a named scenario that differ from the Base case."""
    found: dict[str, Any] = {}
    for one in (one for one in _asked(host, rows) if one.name in rows.rows):
        if rows.formula(one.name, name) in (MISSING, SAME):
            continue  # nobody gave it a value
        base, own = (
            read_cell(rows, one.name, header, partial(typed, one), made.problems) for header in (TITLES["base"], name)
        )
        found |= {} if same_value(base, own) else {one.name: own}
    return found


def _asked(host: Host, rows: Rows) -> list[Input]:
    """Return the inputs of the questions that the workbook asks: those of which any input has a row."""
    asked = (q for q in questions(host).values() if any(one.name in rows.rows for one in q.inputs))
    return [one for question in asked for one in question.inputs]


def _driver(rows: Rows, driver: Assumption, made: NewPortfolio) -> dict[str, Any]:
    read = in_plain_units(rows, driver.name, partial(typed, driver.input))
    base = TITLES["base"]
    headers = {case: base if _follows_base(rows, driver, case) else TITLES[case] for case in CASES}
    table = {
        driver.end(case): read_cell(rows, driver.name, header, read, made.problems) for case, header in headers.items()
    }
    return table | {word: text_in(rows.value(driver.name, word.capitalize())) for word in ("source", "date")}


def _follows_base(rows: Rows, driver: Assumption, case: str) -> bool:
    """Tell whether a case of an input that the catalog lacks is the formula that reads Base."""
    return driver.base is None and case != "base" and rows.formula(driver.name, TITLES[case]) is not None


def _models(
    host: Host, found: FilledWorkbook, origin: Origin, output: Path, made: NewPortfolio
) -> list[dict[str, Any]]:
    listed = rows_of(found, "models", "No")
    made.problems += listed.problems
    entries: dict[int, dict[str, Any]] = {}
    for architecture in (name for name in keys(host) if name in host.tables and name in found.book.tables):
        workings = rows_of(found, architecture, "no")
        made.problems += [problem for problem in workings.problems if problem not in made.problems]
        for key in workings.rows:
            if key in entries:
                made.problems.append(f"{workings.address(key, 'no')}: the number {key} is another model's")
            elif isinstance(key, int):
                entries[key] = _entry(host, workings, key, origin, output, made)
                entries[key] |= _of_listed(listed, key, made)
    lost = [str(key) for key in listed.rows if key not in entries]
    made.problems += [f"model {key} of the table models has no row of workings" for key in lost]
    return [entries[key] for key in sorted(entries)]


def _of_listed(listed: Rows, key: Key, made: NewPortfolio) -> dict[str, Any]:
    """Return what the table of models says next to the workings: own tokens, and the count that somebody published."""
    if key not in listed.rows:
        return {}
    tokens, count = read_cell(listed, key, OWN_TOKENS, tokens_in, made.problems), listed.value(key, PUBLISHED)
    said = {"tokens": tokens} if tokens else {}
    if isinstance(count, int | float):
        said["published"] = {
            "parameters": round(count * BILLION),
            "source": f"as stated in {Path(listed.filled.path).name}",
        }
    return said


def _entry(host: Host, workings: Rows, key: Key, origin: Origin, output: Path, made: NewPortfolio) -> dict[str, Any]:
    """Return a model's entry: its config and what differs from it, or the dimensions that it has to state."""
    ledger = host.ledger(workings.name)
    shown = [dimension for dimension in ledger.dimensions if dimension.name in workings.columns]
    hidden = {d.name: 0 for d in ledger.dimensions if d not in shown and d.kind != "choice"}
    values = row_values(workings, key, shown, made.problems)
    name, file = str(workings.value(key, "model") or f"Model {key}"), str(workings.value(key, "file") or "")
    model = _at_hand(host, workings.name, file, dict(origin.told("Config")))
    if model is None and workings.value(key, "status") not in (None, "ok"):
        made.problems.append(
            f"{workings.address(key, 'status')}: {name} is not exact, and its config file {file or '(no name)'} has"
            " moved or changed: its problems would be lost; run import where the report ran"
        )
    base = model or read_dimensions(host, workings.name, {})
    given, missing = needed(host, ledger, base, {**hidden, **values}, {})
    made.problems += [f"{workings.address(key, 'no')} ({name}): {problem}" for problem in missing]
    if model is None:
        return {"name": name, "architecture": workings.name, "dimensions": given}
    return {"config": Path(os.path.relpath(file, output.parent)).as_posix(), "name": name, **given}


def _at_hand(host: Host, architecture: str, file: str, digests: dict[str, str]) -> Model | None:
    """Return the model of a config file that is as it was when the workbook was made, None otherwise."""
    if not file or not Path(file).is_file() or file not in digests:
        return None
    model = load_model(host, file)
    same = model.sha256 == digests[file] and model.architecture == architecture
    return replace(model, name=file) if same and not model.errors else None
