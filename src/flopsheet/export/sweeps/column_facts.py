"""What people and programs should know of a column: its title, unit, formula, meaning and source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.line import Dimension

if TYPE_CHECKING:
    from flopsheet.accounting.line import Line
    from flopsheet.planning.designs.axes import Axis
    from flopsheet.planning.designs.sweep import DesignSweep


def describe_column(sweep: DesignSweep, name: str) -> dict[str, str]:
    """Return what there is to know of a column of a sweep; of a setting alone, its title."""
    line = sweep.line(name)
    return facts_of(line) if line is not None else {"title": name.replace("_", " ").capitalize()}


def axis_of(sweep: DesignSweep, name: str) -> Axis | None:
    """Return the axis of a column, None where it is calculated."""
    return next((axis for axis in sweep.design.axes if axis.name == name), None)


def title_with_unit(sweep: DesignSweep, name: str) -> str:
    """Return the title of a column, with its unit where it has one."""
    facts = describe_column(sweep, name)
    return f"{facts['title']} ({facts['unit']})" if "unit" in facts else facts["title"]


def choose_axes(sweep: DesignSweep) -> tuple[str, str]:
    """Return the two columns of numbers that a chart of the designs shows."""
    objectives = [*sweep.design.pareto, *([sweep.design.best] if sweep.design.best else [])]
    targets = [objective.formula.names[0] for objective in objectives if objective.formula.names]
    words = {axis.name for axis in sweep.design.axes if axis.words}
    axes = [axis.name for axis in sweep.design.axes if not axis.words]
    numbers = [name for name in sweep.names if name not in words]
    across, *others = list(dict.fromkeys([*targets[:2], *axes, *numbers])) if len(targets) > 1 else [*axes, *numbers]
    return across, next((name for name in [*targets, *others, *numbers] if name != across), across)


def facts_of(line: Line | Dimension) -> dict[str, str]:
    """Return what a line, input or dimension says of itself, without what it leaves out."""
    title, formula = (line.title, "") if isinstance(line, Dimension) else (line.label, line.formula)
    facts = {"title": title, "unit": line.unit, "formula": formula, "about": line.about, "source": line.source}
    return {key: text for key, text in facts.items() if text}
