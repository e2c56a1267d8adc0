"""What people and programs should know of a column: its title, unit, formula, meaning and source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.line import Dimension

if TYPE_CHECKING:
    from flopsheet.accounting.line import Line
    from flopsheet.planning.designs.sweep import DesignSweep


def describe_column(sweep: DesignSweep, name: str) -> dict[str, str]:
    """Return what there is to know of a column of a sweep; of a setting alone, its title."""
    line = sweep.line(name)
    return facts_of(line) if line is not None else {"title": name.replace("_", " ").capitalize()}


def facts_of(line: Line | Dimension) -> dict[str, str]:
    """Return what a line, input or dimension says of itself, without what it leaves out."""
    title, formula = (line.title, "") if isinstance(line, Dimension) else (line.label, line.formula)
    facts = {"title": title, "unit": line.unit, "formula": formula, "about": line.about, "source": line.source}
    return {key: text for key, text in facts.items() if text}
