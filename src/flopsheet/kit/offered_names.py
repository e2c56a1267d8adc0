"""The names that a question may use: lines of the shared tables, inputs, units and looks, each with what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.serving import serving_entries
from flopsheet.accounting.totals import flop_entries, memory_entries, parameter_entries
from flopsheet.accounting.training import training_entries
from flopsheet.host.hookspecs import API_VERSION
from flopsheet.planning.listing import list_inputs
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.planning.registry import questions
from flopsheet.planning.sheet_records import LOOKS, MODEL_LOOKS
from flopsheet.units.readable import families, family, units_of
from flopsheet.units.table import units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.host.host import Host
    from flopsheet.planning.question import Question

KINDS: Mapping[str, str] = {
    MODELS_TABLE: "Lines of the table models, one row per model, and totals of each model that its formulas may name",
    CASES_TABLE: "Lines of the table cases, one row per case",
    "inputs": "Inputs of questions, which the formulas of any question asked along with them may name",
    "units": "Units in which a column or figure may show a plain one, the largest first",
    "looks": "Looks of columns",
}
"""What can be shown, each with its heading."""
PROMISE = f"Within version {API_VERSION.partition('.')[0]}.x of the plugin API these names stay; more may be added."
TOTAL = "every model"
"""Where totals of a ledger come from: no question brings them."""


def list_offered(host: Host, kind: str) -> dict[str, Any]:
    """Return the names of a kind as rows of texts, with what is promised of them."""
    rows = {
        MODELS_TABLE: lambda: [*_totals(), *_lines(host, MODELS_TABLE)],
        CASES_TABLE: lambda: [*_lines(host, CASES_TABLE)],
        "inputs": lambda: [_input(row) for row in list_inputs(host)],
        "units": lambda: [*_units()],
        "looks": lambda: [*_looks()],
    }
    return {"kind": kind, "title": KINDS[kind], "promise": PROMISE, "rows": rows[kind]()}


def _totals() -> Iterator[dict[str, str]]:
    later = [*training_entries((), "1"), *serving_entries((), "1")]
    for entry in (*parameter_entries(()), *flop_entries((), "1"), *later, *memory_entries(())):
        if entry.role == "total":
            yield {"name": entry.line.name, "unit": entry.line.unit, "title": entry.line.label, "question": TOTAL}


def _lines(host: Host, name: str) -> Iterator[dict[str, str]]:
    """Give the lines of a shared table that people see or other questions read: steps of a computation may change."""
    every = questions(host)
    read = {line for question in every.values() for line in _list_lines(question, name)}
    for question in every.values():
        for table in question.tables:
            for line in table.lines if table.name == name else ():
                if line.name in read and line.name not in table.replaces:
                    yield {"name": line.name, "unit": line.unit, "title": line.label, "question": question.name}


def _list_lines(question: Question, name: str) -> Iterator[str]:
    """Give the lines of a shared table that a question shows, heads with, or reads of other questions."""
    own = {line.name for table in question.tables for line in table.lines}
    sheet = question.sheet.get("tables", {}).get(name, {})
    yield from (column["line"] for column in sheet.get("columns", ()))
    yield from (line for key in ("shown", "sensitivity") for line in sheet.get(key, ()))
    yield from (figure.line for figure in question.figures if figure.table == name)
    links = (link.line for table in question.tables for link in table.links if link.table == name)
    yield from (line for line in links if line not in own)


def _input(row: Mapping[str, Any]) -> dict[str, str]:
    default = "required" if row["default"] is None else str(row["default"])
    return {name: row[name] for name in ("name", "unit", "default", "title", "question")} | {"default": default}


def _units() -> Iterator[dict[str, str]]:
    """Give each plain unit with the larger ones of it, and each family of which a column of Models may take one."""
    plain = dict.fromkeys([*units()["readable"], *(column["of"] for column in units()["columns"].values())])
    for unit in plain:
        yield {"name": unit, "shown as": ", ".join(units_of(unit)), "family": ""}
    for name in families():
        yield {"name": units()["columns"][name]["of"], "shown as": ", ".join(family(name)), "family": name}


def _looks() -> Iterator[dict[str, str]]:
    yield from ({"name": name, "what it shows": text, "where": "any table"} for name, text in LOOKS.items())
    for name, text in MODEL_LOOKS.items():
        yield {"name": name, "what it shows": text, "where": MODELS_TABLE}


def page(document: Mapping[str, Any]) -> str:
    """Return the names of a kind for people."""
    rows = [tuple(row.values()) for row in document["rows"]]
    headers = tuple(document["rows"][0]) if rows else ()
    cells = [headers, *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)
    return "\n".join([document["title"], document["promise"], "", *lines])
