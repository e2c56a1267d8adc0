"""A filled workbook as the report that it shows: inputs and results by model and name, as in a TOML report."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flopsheet.configs.grid import open_workbook
from flopsheet.errors import UsageError
from flopsheet.export.roundtrip.cells import TRILLION, in_plain_units
from flopsheet.export.roundtrip.compare import SCENARIO, keys
from flopsheet.export.roundtrip.origin import Origin, read_origin
from flopsheet.export.roundtrip.rows import FilledWorkbook, Rows, rows_of
from flopsheet.export.workbook.cells import MISSING
from flopsheet.host.loading import load
from flopsheet.planning.deep_totals import deeper_ledger
from flopsheet.planning.facts import OWN_TOKENS
from flopsheet.planning.inputs import CASES, TITLES, as_defined, case_called, read_typed
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.planning.registry import all_inputs, program
from flopsheet.units.named_values import DATE, name_number
from livesheets import NOT_CALCULATED, Unusable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Input, Line
    from flopsheet.export.roundtrip.rows import Key
    from flopsheet.host.host import Host
    from livesheets import Cell


def workbook_document(path: Path) -> dict[str, Any]:
    """Return a workbook as a report holds its numbers; UsageError where flopsheet did not write it, or not calculated.

    Models have the results of the scenario that the workbook shows, and neither notes nor published counts.
    """
    book = FilledWorkbook(str(path), open_workbook(path))
    origin = read_origin(book.book, str(path))
    host = load(*origin.choice)
    tables = {name: rows_of(book, name, key) for name, key in keys(host).items() if name in book.book.tables}
    missing = [name for name in ("drivers", "cases", "models") if name not in tables]
    if missing:
        raise UsageError(f"{path} has no table {missing[0]!r}; diff compares whole workbooks of flopsheet")
    titles = TITLES | {name: name for name in named_scenarios(tables["drivers"])}
    label = str(_cell(book.value(*book.find_named(SCENARIO)), f"{path}: the scenario"))
    scenario = case_called(label, titles) or label
    return {
        "schema": 1,
        "workbook": str(path),
        "typed_over": [place for name in ("models", "cases") for place in _find_typed_over(tables[name])],
        "flopsheet": {"version": dict(origin.read_pairs("Program")).get("flopsheet", "")},
        "plugins": [plugin._asdict() for plugin in origin.plugins],
        "inputs": {
            "accelerator": next(iter(dict(origin.read_pairs("Accelerator"))), ""),
            **_inputs(host, tables["drivers"]),
        },
        "scenarios": _budget(host, tables["cases"], titles),
        "models": [*_models(host, tables, scenario, origin), *_list_failed(book, origin)],
    }


def _find_typed_over(rows: Rows) -> Iterator[str]:
    """Give the cells that hold a constant in a column of formulas; one for typing has none or those of no value."""
    for header in rows.columns:
        formulas = {key: rows.formula(key, header) for key in rows.rows}
        if any(formulas.values()) and MISSING not in formulas.values():
            yield from (rows.address(key, header) for key, formula in formulas.items() if formula is None)


def _inputs(host: Host, drivers: Rows) -> dict[str, dict[str, Cell]]:
    """Return the range of each input in rising order, as a report holds it."""
    inputs, ranges = all_inputs(host), {}
    for name in map(str, drivers.rows):
        if name in inputs:
            driver, read = as_defined(inputs[name]), in_plain_units(drivers, name, partial(_state_value, inputs[name]))
            ranges[name] = {driver.end(case): read(_value(drivers, name, TITLES[case])) for case in CASES}
    return ranges


def _state_value(input_: Input, cell: Cell) -> Any:
    """Return a choice by its label, as a report does, and anything else as the cell shows it."""
    try:
        return read_typed(input_, cell) if input_.labels or input_.unit == DATE else cell
    except ValueError:
        return cell


def named_scenarios(drivers: Rows) -> list[str]:
    """Return the named scenarios: the columns between those of the cases and the live one."""
    headers = list(drivers.columns)
    return headers[headers.index(TITLES[CASES[-1]]) + 1 : headers.index("Live")]


def _budget(host: Host, cases: Rows, titles: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    lines = _find_asked(host, cases, CASES_TABLE)
    keys = {case_called(cases.value(key, "case"), titles): key for key in reversed(cases.rows)}
    return {case: _named_values(cases, keys[case], lines) for case in titles if case in keys}


def _find_asked(host: Host, rows: Rows, table: str) -> list[Line]:
    """Return the lines of a shared table that the workbook's questions ask for."""
    return [line for line in program(host).lines(table) if line.name in rows.columns]


def _models(host: Host, tables: dict[str, Rows], scenario: str, origin: Origin) -> list[dict[str, Any]]:
    results = []
    models = tables["models"]
    lines = _find_asked(host, models, MODELS_TABLE)
    digests = dict(origin.read_pairs("Config"))
    for key in models.rows:
        architecture = str(models.value(key, "Architecture"))
        workings = tables.get(architecture)
        tokens = models.value(key, OWN_TOKENS)
        entry = {
            "name": models.value(key, "Model"),
            "status": models.value(key, "Status"),
            "tokens": round(tokens * TRILLION) if isinstance(tokens, int | float) else None,
            "scenarios": {scenario: _named_values(models, key, lines)},
        }
        if workings is not None and key in workings.rows:
            entry |= {"sha256": digests.get(str(workings.value(key, "file")), "")}
            entry |= _numbers(_find_ledger(host, architecture, workings), workings, key)
        results.append({name: value for name, value in entry.items() if value is not None})
    return results


def _find_ledger(host: Host, architecture: str, workings: Rows) -> Ledger:
    """Return the ledger with every total that the workbook's questions asked of an architecture."""
    own = host.ledger(architecture)
    asked = workings.columns.keys() - own.places.keys()
    return deeper_ledger(host, architecture, {*asked}) or own if asked else own


def _numbers(ledger: Ledger, workings: Rows, key: Key) -> dict[str, Any]:
    """Return dimensions, totals and groups of a row; what the table leaves out is 0 for every model."""
    groups: dict[str, dict[str, Cell]] = {section: {} for section in ("parameters", "flops", "memory")}
    totals: dict[str, Cell] = {}
    for entry in ledger.entries:
        if entry.role == "subtotal":
            groups[entry.section][entry.line.group] = _value(workings, key, entry.line.name)
        elif entry.role == "total":
            totals[entry.line.name] = _value(workings, key, entry.line.name)
    dimensions = {dimension.name: _value(workings, key, dimension.name) for dimension in ledger.dimensions}
    return {"dimensions": dimensions, "totals": totals, "groups": groups}


def find_failed(book: FilledWorkbook) -> dict[str, str]:
    """Return the models in error, which only the table of problems holds, each with its file."""
    if "problems" not in book.book.tables:
        return {}
    rows = rows_of(book, "problems")
    keys = [key for key in rows.rows if rows.value(key, "Kind") == "error"]
    return {str(rows.value(key, "Model")): str(rows.value(key, "File")) for key in keys}


def _list_failed(book: FilledWorkbook, origin: Origin) -> list[dict[str, Any]]:
    digests = dict(origin.read_pairs("Config"))
    return [
        {"name": name, "status": "error", "sha256": digests.get(file, "")} for name, file in find_failed(book).items()
    ]


def _values(rows: Rows, key: Key, lines: list[Line]) -> dict[str, Cell]:
    return {line.name: _value(rows, key, line.name) for line in lines}


def _named_values(rows: Rows, key: Key, lines: list[Line]) -> dict[str, Any]:
    """Return the values of a row as a report has them: days and verdicts by their names."""
    values = _values(rows, key, lines)
    return {line.name: name_number(values[line.name], line.unit) for line in lines}  # type: ignore[arg-type]


def _value(rows: Rows, key: Key, header: str) -> Cell:
    if header not in rows.columns:
        return 0
    return _cell(rows.value(key, header), f"{rows.workbook.path}: {rows.address(key, header)}")


def _cell(value: Cell, where: str) -> Cell:
    """Return what a cell shows, an error value as its name; UsageError where nobody has calculated it."""
    if value is NOT_CALCULATED:
        raise UsageError(f"{where}: {value}")
    return value.what if isinstance(value, Unusable) else value
