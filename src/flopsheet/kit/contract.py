"""What an architecture offers to those who extend it: its dimensions, lines and totals, and who gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.host.candidate import Plugin
from flopsheet.host.hookspecs import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    workload = {dimension.name for dimension in WORKLOAD}
    families = [kind for kind, (family, _) in sorted(host.families.items()) if family.architecture == name]
    return {
        "name": name,
        "title": architecture.title,
        "about": architecture.about,
        "plugin": owner._asdict(),
        "promise": PROMISE.format(name=name, api=API_VERSION),
        "tokens": architecture.tokens,
        "depth": architecture.depth,
        "decodes": architecture.decodes,
        "adapters": list(architecture.adapters),
        "checks": dict(architecture.checks),
        "model_types": families,
        "dimensions": [_dimension(dimension) for dimension in ledger.dimensions if dimension.name not in workload],
        "workload": [dimension.name for dimension in ledger.dimensions if dimension.name in workload],
        "lines": [
            {field: getattr(entry.line, field) for field in FIELDS}
            | {"role": entry.role, "by": host.giver(name, entry.line.name).name}
            for entry in ledger.entries
        ],
    }


def _dimension(dimension: Dimension) -> dict[str, Any]:
    ends = {"minimum": dimension.minimum, "maximum": dimension.maximum}
    return {name: getattr(dimension, name) for name in ("name", "title", "unit", "kind")} | {
        "keys": list(dimension.keys),
        "default": dimension.default,
        **{name: end for name, end in ends.items() if end is not None},
        "about": dimension.about,
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
        *_table([_describe_item(row) for row in document["dimensions"]]),
    ]
    for role, title in ROLES.items():
        rows = [row for row in document["lines"] if row["role"] == role]
        lines += ["", title, *_table([(row["name"], row["unit"], row["group"], row["formula"]) for row in rows])]
    return "\n".join(lines)


ROLES = {"line": "Lines", "helper": "Helper lines", "subtotal": "Subtotals", "total": "Totals"}


def _tell_lines(document: Mapping[str, Any]) -> Iterator[str]:
    for name in ("tokens", "depth", "decodes"):
        yield f"{name} = {document[name]}"
    for name in ("adapters", "workload", "model_types"):
        yield f"{name}: {', '.join(document[name]) or 'none'}"
    yield from (f"check: {text}: {sentence}" for text, sentence in document["checks"].items())


def _describe_item(item: Mapping[str, Any]) -> tuple[str, str, str, str]:
    default = "required" if item["default"] is None else f"default {item['default']}"
    keys = f" ({', '.join(item['keys'])})" if item["keys"] else ""
    return item["name"], item["kind"], default, f"{item['title']}{keys}"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
