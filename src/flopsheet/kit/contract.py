"""What an architecture offers to those who extend it: its dimensions, lines and totals, and who gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.host.candidate import Plugin
from flopsheet.host.hookspecs import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.accounting.line import Dimension
    from flopsheet.host.host import Host

FIELDS = ("name", "group", "unit", "formula", "active", "shard", "work", "sides", "rows", "title", "source")
"""What is told of a line."""
PROMISE = (
    "An extension (extends = ({name!r},)) may name every dimension, line and total below in its formulas, give its "
    "dimensions' keys, and put a line in the place of one by naming it in `replaces`. Within version {api} of the "
    "plugin API, names stay and keep their meaning and unit; formulas may be corrected, and lines may be added."
)


def contract(host: Host, name: str) -> dict[str, Any]:
    """Return what an extension of an architecture may rely on; PluginError where there is no such architecture."""
    owner, ledger = host.provider(name), host.ledger(name)
    architecture = ledger.architecture
    shared = {one.name for one in WORKLOAD}
    families = [kind for kind, (family, _) in sorted(host.families.items()) if family.architecture == name]
    return {
        "name": name,
        "title": architecture.title,
        "about": architecture.about,
        "plugin": {"name": owner.name, "package": owner.package, "version": owner.version},
        "promise": PROMISE.format(name=name, api=API_VERSION),
        "tokens": architecture.tokens,
        "depth": architecture.depth,
        "decodes": architecture.decodes,
        "adapters": list(architecture.adapters),
        "checks": dict(architecture.checks),
        "model_types": families,
        "dimensions": [_dimension(one) for one in ledger.dimensions if one.name not in shared],
        "workload": [one.name for one in ledger.dimensions if one.name in shared],
        "lines": [
            {field: getattr(entry.line, field) for field in FIELDS}
            | {"role": entry.role, "by": host.giver(name, entry.line.name).name}
            for entry in ledger.entries
        ],
    }


def _dimension(one: Dimension) -> dict[str, Any]:
    ends = {"minimum": one.minimum, "maximum": one.maximum}
    return {"name": one.name, "title": one.title, "unit": one.unit, "kind": one.kind} | {
        "keys": list(one.keys),
        "default": one.default,
        **{name: end for name, end in ends.items() if end is not None},
        "about": one.about,
    }


def page(document: Mapping[str, Any]) -> str:
    """Return a contract for people."""
    plugin = document["plugin"]
    lines = [
        f"{document['title']} ({document['name']}), of plugin {Plugin(**plugin)}",
        document["about"],
        "",
        document["promise"],
        "",
        *_tell_lines(document),
        "",
        "Dimensions",
        *_table(_describe_item(one) for one in document["dimensions"]),
    ]
    for role, title in ROLES.items():
        results = [one for one in document["lines"] if one["role"] == role]
        lines += ["", title, *_table((one["name"], one["unit"], one["group"], one["formula"]) for one in results)]
    return "\n".join(lines)


ROLES = {"line": "Lines", "helper": "Helper lines", "subtotal": "Subtotals", "total": "Totals"}


def _tell_lines(document: Mapping[str, Any]) -> Iterator[str]:
    for name in ("tokens", "depth", "decodes"):
        yield f"{name} = {document[name]}"
    for name in ("adapters", "workload", "model_types"):
        yield f"{name}: {', '.join(document[name]) or 'none'}"
    yield from (f"check: {text}: {sentence}" for text, sentence in document["checks"].items())


def _describe_item(one: Mapping[str, Any]) -> tuple[str, str, str, str]:
    default = "required" if one["default"] is None else f"default {one['default']}"
    keys = f" ({', '.join(one['keys'])})" if one["keys"] else ""
    return one["name"], one["kind"], default, f"{one['title']}{keys}"


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    listed = list(rows)
    widths = [max(len(row[place]) for row in listed) for place in range(len(listed[0]) - 1 if listed else 0)]
    return [
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in listed
    ]
