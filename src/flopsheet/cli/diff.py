"""`flopsheet diff`: which numbers moved between two reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.cli.common import exit_on_error
from flopsheet.export.difference import Difference, Move, compare, read_report, shown

if TYPE_CHECKING:
    from collections.abc import Iterable


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    metavar="REL",
    help="Relative difference up to which two numbers are equal, such as 1e-9.",
)
@exit_on_error
def diff(old: Path, new: Path, tolerance: float) -> int:
    """Show which numbers moved from the report OLD to the report NEW; each may be TOML, JSON or a workbook.

    The exit status is 1 if a number moved, appeared or disappeared, or a model's status changed, else 0. Changed plugin
    versions and config files are reported, but do not affect the exit status.
    """
    found = compare(read_report(old), read_report(new), tolerance)
    for line in _page(found):
        click.echo(line)
    return int(found.moved)


def _page(found: Difference) -> list[str]:
    lines = list(found.remarks)
    lines += [f"model added: {name}" for name in found.added]
    lines += [f"model removed: {name}" for name in found.removed]
    for name in dict.fromkeys((*found.moves, *found.statuses)):
        lines.append(name or "The plan")
        if name in found.statuses:
            lines.append("  status  " + " → ".join(found.statuses[name]))
        lines += _table(found.moves.get(name, []))
    return [*lines, _counted(found)]


def _table(moves: Iterable[Move]) -> list[str]:
    rows = [(move.path, *_both(move), move.change) for move in moves]
    path, old, new, change = (max((len(row[place]) for row in rows), default=0) for place in range(4))
    return [f"  {r[0]:<{path}}  {r[1]:>{old}} → {r[2]:>{new}}  {r[3]:>{change}}".rstrip() for r in rows]


def _both(move: Move) -> tuple[str, str]:
    """Return both values, with every digit where fewer would look the same."""
    old, new = shown(move.old), shown(move.new)
    return (repr(move.old), repr(move.new)) if old == new else (old, new)


def _counted(found: Difference) -> str:
    moves = sum(len(moves) for moves in found.moves.values())
    places = [_many(sum(map(bool, found.moves)), "model")] if any(found.moves) else []
    places += ["the plan"] if "" in found.moves else []
    said = [f"{_many(moves, 'number')} moved in {' and '.join(places)}"] if moves else []
    said += [f"{_many(len(found.added), 'model')} added"] if found.added else []
    said += [f"{_many(len(found.removed), 'model')} removed"] if found.removed else []
    said += [f"{_many(len(found.statuses), 'model')} with a changed status"] if found.statuses else []
    return ", ".join(said) or "no number moved"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
