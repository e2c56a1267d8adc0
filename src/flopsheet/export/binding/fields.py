"""Every name that a column of a template may have: fields of a model, its dimensions, lines, totals and results."""

from __future__ import annotations

from collections import ChainMap
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.data import read_table
from flopsheet.accounting.values import plain
from flopsheet.configs.model import BETWEEN
from flopsheet.configs.words import unit_of
from flopsheet.planning.facts import off_published
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.registry import program
from flopsheet.units.named_values import DATE, name_number, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Dimension, Line
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.sheet_records import Timeline

Role = Literal["model", "result", "total", "line", "dimension"]
Kind = Literal["text", "number", "flag"]


class Field(Struct, frozen=True):
    """Something that a column can show of a model; `where` says which architectures have it, nothing if all do."""

    name: str
    title: str
    unit: str
    about: str
    role: Role
    kind: Kind = "number"
    where: tuple[str, ...] = ()


class Periods(NamedTuple):
    """What a row that is a period may show: the timeline that says so, the key of its periods, and the fields.

    `other_question` is the one that would fill it, where the plan does not ask it.
    """

    timeline: Timeline
    key: str
    fields: tuple[Field, ...]
    other_question: str = ""


def _read_fields() -> Iterator[Field]:
    """Give the fields of fields.toml; one without a unit is a text."""
    for name, entry in read_table("flopsheet.export.binding", "fields.toml").items():
        unit = entry.get("unit")
        yield Field(name, entry["title"], unit or "", entry["about"], "model", "text" if unit is None else "number")


MODEL_FIELDS = tuple(_read_fields())
"""What a model is, next to its numbers."""

GENERIC = frozenset({"no", "model", "name", "notes", "file", "source"})
"""Fields whose names are in many tables: alone they make no list of models."""


@cache
def fields_of(host: Host) -> tuple[Field, ...]:
    """Return every field, whatever models a batch holds; a plugin that fails has none."""
    results = [field_of_line(line, "result") for line in program(host).lines(MODELS_TABLE)]
    result = {field.name: field for field in (*MODEL_FIELDS, *results)}
    ledgers = host.every_ledger()
    for name, ledger in ledgers.items():
        for field in _of_ledger(ledger):
            old = result.get(field.name, field)
            if old.role not in ("model", "result"):
                result[field.name] = replace(old, where=(*old.where, name))
    everywhere = set(ledgers)
    return tuple(replace(field, where=()) if set(field.where) == everywhere else field for field in result.values())


def _of_ledger(ledger: Ledger) -> Iterator[Field]:
    for entry in ledger.entries:
        if entry.section != "workload":
            line = entry.line
            role: Role = "total" if entry.role == "total" else "line"
            yield field_of_line(line, role)
    for dimension in ledger.dimensions:
        kind = _KINDS.get(dimension.kind, "number")
        about = dimension.about or _origin(dimension)
        yield Field(dimension.name, dimension.title, unit_of(dimension), about, "dimension", kind)


def field_of_line(line: Line, role: Role) -> Field:
    """Return what a column can show of a line."""
    kind: Kind = "flag" if line.unit == "flag" else "text" if words_of(line.unit) else "number"
    return Field(line.name, line.label, line.unit, line.about or f"= {line.formula}", role, kind)


def _origin(dimension: Dimension) -> str:
    """Return where a dimension comes from: the config's fields, or its default."""
    keys, default = " or ".join(dimension.keys), dimension.default
    return f"{keys} of the config" if keys else "Stated" if default is None else f"{default} unless stated"


_KINDS: Mapping[str, Kind] = {"choice": "text", "flag": "flag"}


def values_of(plan: Plan, number: int, model: Costed, names: AbstractSet[str]) -> Mapping[str, Any]:
    """Return the values of the wanted fields, by name, among others; a model in error has no numbers."""
    values = _describe_model(number, model)
    if model.ledger is None:
        return values
    results = {line.name for line in plan.model_lines}
    plan_lines = shown_lines(plan.training(model, plan.scenario), plan.model_lines) if names & results else {}
    return ChainMap(values, _compare_published(model), plan_lines, model.dimensions, model.numbers.as_dict())


def shown_lines(lines: Mapping[str, Any], units: Collection[Line]) -> dict[str, Any]:
    """Return lines as a list shows them: a verdict by its words, and blank the days that an undated plan lacks."""
    days = {line.name: lines[line.name] or None for line in units if line.unit == DATE}
    words = {line.name: name_number(plain(lines[line.name]), line.unit) for line in units if words_of(line.unit)}
    return {**lines, **days, **words}


def _describe_model(number: int, model: Costed) -> dict[str, Any]:
    plugin = model.plugin
    return {
        "no": number,
        "model": model.name,
        "name": model.name,
        "status": model.status,
        "problems": BETWEEN.join(model.problems),
        "notes": BETWEEN.join(model.notes),
        "architecture": model.model.architecture,
        "model_type": model.model.model_type,
        "file": model.model.source,
        "source": model.model.source,
        "sha256": model.model.sha256,
        "plugin": plugin.name if plugin else "",
        "plugin_version": f"{plugin.package} {plugin.version}" if plugin else "",
        "tokens_override": model.model.drivers.get("tokens"),
    }


def _compare_published(model: Costed) -> dict[str, Any]:
    count = model.model.published or model.model.stored
    if count is None:
        return {}
    return {
        "published": count.parameters,
        "published_source": count.source,
        "published_date": count.date,
        "off_published": off_published(model),
    }
