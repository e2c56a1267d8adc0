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


def as_text(found: Difference) -> str:
    """Return the page that a terminal shows."""
    lines = list(found.remarks)
    lines += [f"formula changed: {name}" for name in found.formulas]
    lines += [f"model added: {name}" for name in found.added]
    lines += [f"model removed: {name}" for name in found.removed]
    if found.figures:
        lines += ["Figures, Base", *(f"  {one.path}  {one.old} → {one.new}  {one.cause}" for one in found.figures)]
    for name in _names(found):
        lines.append(name or "The plan")
        if name in found.statuses:
            lines.append("  status  " + " → ".join(found.statuses[name]))
        lines += _table(found.moves.get(name, []))
    return "\n".join([*lines, count_moves(found)])


def as_markdown(found: Difference) -> str:
    """Return what a pull request shows: first how much moved, then each model's numbers."""
    lines = [f"**{count_moves(found)}**", ""]
    said = [*found.remarks, *(f"formula changed: `{name}`" for name in found.formulas)]
    said += [f"model added: {name}" for name in found.added] + [f"model removed: {name}" for name in found.removed]
    lines += [*(f"- {_cell(text)}" for text in said), ""] if said else []
    if found.figures:
        rows = (f"| {_cell(one.path)} | {one.old} | {one.new} | {one.cause} |" for one in found.figures)
        lines += ["| figure, Base | old | new | change |", "|---|---:|---:|---:|", *rows, ""]
    for name in _names(found):
        lines += [f"### {_cell(name or 'The plan')}", ""]
        if name in found.statuses:
            lines += ["status: " + " → ".join(found.statuses[name]), ""]
        moves = found.moves.get(name, [])
        lines += _markdown_table(moves) if moves else []
    return "\n".join(lines).rstrip()


def as_json(found: Difference) -> str:
    """Return the same for programs."""
    moves = {
        name: [{"path": m.path, "old": m.old, "new": m.new, "change": m.change, "cause": m.cause} for m in own]
        for name, own in found.moves.items()
        if name
    }
    plan = [{"path": m.path, "old": m.old, "new": m.new, "change": m.change, "cause": m.cause} for m in _plan(found)]
    document: dict[str, Any] = {
        "moved": found.moved,
        "summary": count_moves(found),
        "remarks": found.remarks,
        "formulas": found.formulas,
        "added": found.added,
        "removed": found.removed,
        "statuses": {name: {"old": old, "new": new} for name, (old, new) in found.statuses.items()},
        "plan": plan,
        "models": moves,
    }
    return json_text(add_version(document))


WRITERS: Mapping[str, Callable[[Difference], str]] = {"text": as_text, "md": as_markdown, "json": as_json}


def count_moves(found: Difference) -> str:
    """Return how much moved, and how much of it because a formula did."""
    every = [move for moves in found.moves.values() for move in moves]
    places = [number_of(sum(map(bool, found.moves)), "model")] if any(found.moves) else []
    places += ["the plan"] if "" in found.moves else []
    said = [f"{number_of(len(every), 'number')} moved in {' and '.join(places)}"] if every else []
    if by_formula := sum("formula" in move.cause for move in every):
        said.append(f"{by_formula} of them by a formula")
    said += [f"{number_of(len(found.added), 'model')} added"] if found.added else []
    said += [f"{number_of(len(found.removed), 'model')} removed"] if found.removed else []
    said += [f"{number_of(len(found.statuses), 'model')} with a changed status"] if found.statuses else []
    return ", ".join(said) or "no number moved"


def _names(found: Difference) -> Iterable[str]:
    return dict.fromkeys((*found.moves, *found.statuses))


def _plan(found: Difference) -> list[Move]:
    return found.moves.get("", [])


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
