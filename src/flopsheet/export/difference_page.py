"""What moved between two reports, as text, as Markdown for a pull request, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.export.difference import Difference, Move, show_value
from flopsheet.export.documents import add_version, json_text
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MOST = 50
"""Rows of a model that Markdown shows; the rest is counted."""


def as_text(diff: Difference) -> str:
    """Return the page that a terminal shows."""
    lines = list(diff.remarks)
    lines += [f"formula changed: {name}" for name in diff.formulas]
    lines += [f"table changed: {name}" for name in diff.tables]
    lines += _list_models(diff)
    if diff.figures:
        figures = (f"  {move.path}  {move.old} → {move.new}  {move.cause}" for move in diff.figures)
        lines += ["Figures, Base", *figures]
    for name in _names(diff):
        lines.append(name or "The plan")
        if name in diff.statuses:
            lines.append("  status  " + " → ".join(diff.statuses[name]))
        lines += _table(diff.moves.get(name, []))
    return "\n".join([*lines, count_moves(diff)])


def as_markdown(diff: Difference) -> str:
    """Return what a pull request shows: first how much moved, then each model's numbers."""
    lines = [f"**{count_moves(diff)}**", ""]
    items = [*diff.remarks, *(f"formula changed: `{name}`" for name in diff.formulas)]
    items += [f"table changed: `{name}`" for name in diff.tables]
    items += _list_models(diff)
    lines += [*(f"- {_cell(text)}" for text in items), ""] if items else []
    if diff.figures:
        rows = (f"| {_cell(move.path)} | {move.old} | {move.new} | {move.cause} |" for move in diff.figures)
        lines += ["| figure, Base | old | new | change |", "|---|---:|---:|---:|", *rows, ""]
    for name in _names(diff):
        lines += [f"### {_cell(name or 'The plan')}", ""]
        if name in diff.statuses:
            lines += ["status: " + " → ".join(diff.statuses[name]), ""]
        moves = diff.moves.get(name, [])
        lines += _markdown_table(moves) if moves else []
    return "\n".join(lines).rstrip()


def _list_models(diff: Difference) -> list[str]:
    return [f"model added: {name}" for name in diff.added] + [f"model removed: {name}" for name in diff.removed]


def as_json(diff: Difference) -> str:
    """Return the same for programs."""
    moves = {name: [*map(_record, own)] for name, own in diff.moves.items()}
    plan = moves.pop("", [])
    document: dict[str, Any] = {
        "moved": diff.moved,
        "summary": count_moves(diff),
        "remarks": diff.remarks,
        "formulas": diff.formulas,
        "tables": diff.tables,
        "added": diff.added,
        "removed": diff.removed,
        "statuses": {name: {"old": old, "new": new} for name, (old, new) in diff.statuses.items()},
        "plan": plan,
        "models": moves,
    }
    return json_text(add_version(document))


WRITERS: Mapping[str, Callable[[Difference], str]] = {"text": as_text, "md": as_markdown, "json": as_json}


def count_moves(diff: Difference) -> str:
    """Return how much moved, and how much of it because a formula did."""
    every = [move for moves in diff.moves.values() for move in moves]
    places = [number_of(sum(map(bool, diff.moves)), "model")] if any(diff.moves) else []
    places += ["the plan"] if "" in diff.moves else []
    parts = [f"{number_of(len(every), 'number')} moved in {' and '.join(places)}"] if every else []
    if by_formula := sum("formula" in move.cause for move in every):
        parts.append(f"{by_formula} of them by a formula")
    parts += [f"{number_of(len(diff.added), 'model')} added"] if diff.added else []
    parts += [f"{number_of(len(diff.removed), 'model')} removed"] if diff.removed else []
    parts += [f"{number_of(len(diff.statuses), 'model')} with a changed status"] if diff.statuses else []
    parts += [f"{number_of(len(diff.tables), 'table')} changed"] if diff.tables else []
    return ", ".join(parts) or "no number moved"


def _names(diff: Difference) -> Iterable[str]:
    return dict.fromkeys((*diff.moves, *diff.statuses))


def _record(move: Move) -> dict[str, Any]:
    return {"path": move.path, "old": move.old, "new": move.new, "change": move.change, "cause": move.cause}


def _table(moves: Iterable[Move]) -> list[str]:
    rows = [(move.path, *_both(move), move.change, move.cause) for move in moves]
    path, old, new, change, _ = (max((len(row[place]) for row in rows), default=0) for place in range(5))
    return [f"  {r[0]:<{path}}  {r[1]:>{old}} → {r[2]:>{new}}  {r[3]:>{change}}  {r[4]}".rstrip() for r in rows]


def _markdown_table(moves: list[Move]) -> list[str]:
    rows = [(f"`{move.path}`", *_both(move), move.change, move.cause) for move in moves[:MOST]]
    lines = ["| number | old | new | change | cause |", "|---|---:|---:|---:|---|"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return [*lines, *([f"\n… and {len(moves) - MOST} more"] if len(moves) > MOST else []), ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _both(move: Move) -> tuple[str, str]:
    """Return both values, with every digit where fewer would look the same."""
    old, new = show_value(move.old), show_value(move.new)
    return (repr(move.old), repr(move.new)) if old == new else (old, new)
