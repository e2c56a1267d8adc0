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


def as_text(difference: Difference) -> str:
    """Return the page that a terminal shows."""
    lines = list(difference.remarks)
    lines += [f"formula changed: {name}" for name in difference.formulas]
    lines += [f"model added: {name}" for name in difference.added]
    lines += [f"model removed: {name}" for name in difference.removed]
    if difference.figures:
        lines += [
            "Figures, Base",
            *(f"  {move.path}  {move.old} → {move.new}  {move.cause}" for move in difference.figures),
        ]
    for name in _names(difference):
        lines.append(name or "The plan")
        if name in difference.statuses:
            lines.append("  status  " + " → ".join(difference.statuses[name]))
        lines += _table(difference.moves.get(name, []))
    return "\n".join([*lines, count_moves(difference)])


def as_markdown(difference: Difference) -> str:
    """Return what a pull request shows: first how much moved, then each model's numbers."""
    lines = [f"**{count_moves(difference)}**", ""]
    items = [*difference.remarks, *(f"formula changed: `{name}`" for name in difference.formulas)]
    items += [f"model added: {name}" for name in difference.added] + [
        f"model removed: {name}" for name in difference.removed
    ]
    lines += [*(f"- {_cell(text)}" for text in items), ""] if items else []
    if difference.figures:
        rows = (f"| {_cell(move.path)} | {move.old} | {move.new} | {move.cause} |" for move in difference.figures)
        lines += ["| figure, Base | old | new | change |", "|---|---:|---:|---:|", *rows, ""]
    for name in _names(difference):
        lines += [f"### {_cell(name or 'The plan')}", ""]
        if name in difference.statuses:
            lines += ["status: " + " → ".join(difference.statuses[name]), ""]
        moves = difference.moves.get(name, [])
        lines += _markdown_table(moves) if moves else []
    return "\n".join(lines).rstrip()


def as_json(difference: Difference) -> str:
    """Return the same for programs."""
    moves = {name: [*map(_record, own)] for name, own in difference.moves.items()}
    plan = moves.pop("", [])
    document: dict[str, Any] = {
        "moved": difference.moved,
        "summary": count_moves(difference),
        "remarks": difference.remarks,
        "formulas": difference.formulas,
        "added": difference.added,
        "removed": difference.removed,
        "statuses": {name: {"old": old, "new": new} for name, (old, new) in difference.statuses.items()},
        "plan": plan,
        "models": moves,
    }
    return json_text(add_version(document))


WRITERS: Mapping[str, Callable[[Difference], str]] = {"text": as_text, "md": as_markdown, "json": as_json}


def count_moves(difference: Difference) -> str:
    """Return how much moved, and how much of it because a formula did."""
    every = [move for moves in difference.moves.values() for move in moves]
    places = [number_of(sum(map(bool, difference.moves)), "model")] if any(difference.moves) else []
    places += ["the plan"] if "" in difference.moves else []
    parts = [f"{number_of(len(every), 'number')} moved in {' and '.join(places)}"] if every else []
    if by_formula := sum("formula" in move.cause for move in every):
        parts.append(f"{by_formula} of them by a formula")
    parts += [f"{number_of(len(difference.added), 'model')} added"] if difference.added else []
    parts += [f"{number_of(len(difference.removed), 'model')} removed"] if difference.removed else []
    parts += [f"{number_of(len(difference.statuses), 'model')} with a changed status"] if difference.statuses else []
    return ", ".join(parts) or "no number moved"


def _names(difference: Difference) -> Iterable[str]:
    return dict.fromkeys((*difference.moves, *difference.statuses))


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
