"""Checks of reading configs: examples count, twice alike, and nonsense does not count."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from flopsheet.configs.fields import irrelevant
from flopsheet.configs.reading import fields_of_dimensions
from flopsheet.configs.source import load_model
from flopsheet.kit.examples import DEFAULTS, DRAWN, GIVEN
from flopsheet.kit.findings import AbsentError, Finding, Remark, SkippedError
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.kit.examples import Example
    from flopsheet.kit.subject import Subject

NONSENSE: tuple[Any, ...] = (-7, 0.37, "many", [], {}, None)
"""What no size can be."""
UNHEARD = "a_field_that_nobody_knows"
MOST = 4
"""Types whose every field is turned into nonsense: each takes some dozens of readings."""

UNHELD = (
    "give the dimension its kind and minimum, or refuse it in `checks`; where `read` takes the place of the field,"
    " compare the two there"
)
"""What to do about a size that cannot be and counts."""

REMEDIES = {
    "error": "correct the config, or how the plugin reads it",
    "approximate": "read what it names, or say in the family that it changes no count",
}
"""What to do about a config that does not count as ok."""


def examples(subject: Subject) -> Iterator[Finding | Remark]:
    """Find configs of the plugin's types that are not counted as ok."""
    countable = [example for example in subject.examples if example.costed.status != "error"]
    if subject.failures and len(countable) < max(1, len(subject.examples)):
        raise SkippedError("correct what is refused above first")
    if not subject.examples:
        raise AbsentError("the plugin reads no type and has no architecture")
    for file, model_type in subject.left_out.items():
        yield Remark(str(file), f"left out: the plugin does not read its model_type {model_type!r}; --config reads it")
    for example in subject.examples:
        status = example.costed.status
        if status == "error" and example.origin == DRAWN:
            what = f"no config could be made up that counts: {'; '.join(example.costed.problems)}"
            yield Finding(example.name, what, "give a real one with --config, or put config.json next to the plugin")
        elif status == "error" and example.origin == DEFAULTS:
            yield Remark(example.name, f"refused at its class defaults: {'; '.join(example.costed.problems)}")
        elif status == "error" or (status == "approximate" and example.origin == GIVEN):
            what = f"{status}: {'; '.join(example.costed.problems)}"
            yield Finding(example.name, what, REMEDIES[status])


def find_unrepeatable(subject: Subject) -> Iterator[Finding]:
    """Find configs that give other numbers when they are read again, or that reading changes."""
    for example in _configs(subject):
        config = deepcopy(dict(example.config or {}))
        again = cost(subject.host, load_model(subject.host, config))
        remedy = "let `read` and the hooks keep nothing, and copy before they change anything"
        if config != example.config:
            yield Finding(example.name, "reading changes the config", remedy)
        if any(getattr(again, name) != getattr(example.costed, name) for name in ("totals", "problems", "notes")):
            yield Finding(example.name, "reading it again gives other numbers or messages", remedy)


def nonsense(subject: Subject) -> Iterator[Finding]:
    """Find sizes that cannot be and are counted as ok, and fields that nobody knows."""
    countable = [example for example in _configs(subject) if example.costed.status == "ok"]
    for example in countable[:MOST]:
        config = dict(example.config or {})
        for field in _size_fields(subject, example):
            for value in NONSENSE:
                if value is None and field not in _required_fields(example):
                    continue  # many classes take null for a default
                if _is_ok(subject, config | {field: value}):
                    yield Finding(f"{example.name}: {field} = {value!r}", "it is counted as ok", UNHELD)
        for where, unheard in _with_unheard(config):
            if _is_ok(subject, unheard):
                remedy = "let `read` report only the fields that it understands in Reading.keys, and problems of others"
                yield Finding(f"{example.name}: {where} = 3", "a field that nobody knows is counted as ok", remedy)


def _with_unheard(config: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give configs with a field that nobody knows, next to the others and in each table that may change a count."""
    yield UNHEARD, {**config, UNHEARD: 3}
    for key, table in config.items():
        if isinstance(table, dict) and table and key not in irrelevant():
            yield f"{key}.{UNHEARD}", {**config, key: {**table, UNHEARD: 3}}


def _configs(subject: Subject) -> list[Example]:
    results = [example for example in subject.countable if example.config is not None]
    if not subject.examples:
        raise AbsentError("the plugin reads no type and has no architecture")
    if not results:
        raise SkippedError("no config of the plugin can be counted")
    return results


def _size_fields(subject: Subject, example: Example) -> list[str]:
    """Return the fields of a config that say a size."""
    config = example.config or {}
    names = fields_of_dimensions(subject.host, str(config.get("model_type"))).values()
    return [key for key in dict.fromkeys(names) if isinstance(config.get(key), int) and config[key] is not True]


def _required_fields(example: Example) -> set[str]:
    dimensions = example.costed.ledger.dimensions if example.costed.ledger else ()
    return {key for dimension in dimensions if dimension.default is None for key in dimension.keys}


def _is_ok(subject: Subject, config: dict[str, Any]) -> bool:
    return cost(subject.host, load_model(subject.host, config)).status == "ok"
