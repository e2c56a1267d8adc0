"""A comparison as a page of plain text, or as a document for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import GROUPS
from flopsheet.accounting.values import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from flopsheet.verify.compare import Comparison, Pair
    from flopsheet.verify.tensors import Row

INDENT = "  "


def page(path: Path, result: Comparison | str) -> str:
    """Return what the terminal shows of one config."""
    if isinstance(result, str):
        return f"{path}: not compared\n{INDENT}{result}\n"
    head = [f"{result.model.name}: {'equal' if result.equal else 'NOT EQUAL'} to {result.against}"]
    texts = [f"{INDENT}! {text}" for text in result.model.problems]
    texts += [f"{INDENT}· {text}" for text in (*result.model.notes, *result.remarks)]
    parts = [head + texts, _table(("", "counted", "found", "difference"), _quantities(result))]
    parts += [_lines(result), _tensors(result), *(_aside(reason, rows) for reason, rows in result.aside.items())]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def document(result: Comparison | str) -> dict[str, Any]:
    """Return a comparison for programs."""
    if isinstance(result, str):
        return {"equal": False, "problems": [result]}
    return {
        "name": result.model.name,
        "status": result.model.status,
        "problems": result.model.problems,
        "against": result.against,
        "equal": result.equal,
        "parameters": _pair(result.parameters),
        "flops": _pair(result.flops) | {"of": result.flops_of} if result.flops else None,
        "groups": {name: _pair(pair) for name, pair in _order_groups(result.groups)},
        "tensors": [_row(row) for row in result.rows],
        "aside": {reason: [_row(row) for row in rows] for reason, rows in result.aside.items()},
        "remarks": list(result.remarks),
    }


def _quantities(result: Comparison) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("parameters", *_show_pair(result.parameters))]
    rows += [
        (f"{INDENT}{name}", *_show_pair(pair))
        for name, pair in _order_groups(result.groups)
        if pair.counted or pair.found
    ]
    return rows + ([(f"FLOP of {result.flops_of}", *_show_pair(result.flops))] if result.flops else [])


def _lines(result: Comparison) -> list[str]:
    """Return the ledger's lines in the groups that differ: they are next to the tensors of these groups."""
    ledger, differing = result.model.ledger, {name for name, pair in result.groups.items() if pair.gap}
    if ledger is None or result.parameters.gap == 0:
        return []
    rows = [
        (entry.line.group, entry.line.name, f"{plain(result.model.numbers[entry.line.name]):,}", entry.line.formula)
        for entry in ledger.entries
        if entry.section == "parameters" and entry.role == "line" and entry.line.group in differing
    ]
    return _table(("group", "line", "counted", "formula"), rows, right=(2,))


def _tensors(result: Comparison) -> list[str]:
    """Return the tensors: of the groups that differ, or all where nothing does."""
    differing = {name for name, pair in result.groups.items() if pair.gap} if result.parameters.gap else set()
    rows = [row for row in result.rows if not differing or row.group in differing]
    return _table(("group", "tensor", "shape", "of them", "parameters"), map(_cells, rows), right=(2, 3, 4))


def _aside(reason: str, rows: Sequence[Row]) -> list[str]:
    return [f"stored, but not a parameter of the model: {reason}", *_table((), map(_cells, rows), right=(2, 3, 4))]


def _cells(row: Row) -> tuple[str, ...]:
    shape = " × ".join(map(str, row.shape)) or "1"
    return row.group, row.pattern, shape, f"{row.count:,}", f"{row.parameters:,}"


def _order_groups(groups: Mapping[str, Pair]) -> list[tuple[str, Pair]]:
    order = [*GROUPS, *sorted(groups.keys() - GROUPS.keys())]
    return [(name, groups[name]) for name in order if name in groups]


def _show_pair(pair: Pair) -> tuple[str, str, str]:
    return f"{pair.counted:,}", f"{pair.found:,}", f"{pair.gap:+,}" if pair.gap else "="


def _pair(pair: Pair) -> dict[str, Any]:
    return {"counted": pair.counted, "found": pair.found}


def _row(row: Row) -> dict[str, Any]:
    return {
        "group": row.group,
        "name": row.pattern,
        "shape": list(row.shape),
        "count": row.count,
        "parameters": row.parameters,
    }


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], right: tuple[int, ...] = (1, 2, 3)) -> list[str]:
    """Lay out rows in columns, numbers to the right."""
    cells = [*([head] if head else []), *rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))] if cells else []
    return [
        INDENT
        + "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
