"""What people and programs should know of a column: its title, unit, formula, meaning and source."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import Dimension
from flopsheet.units.named_values import is_called, name_number

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def unit_of(sweep: DesignSweep, name: str) -> str:
    """Return the unit of a column, "" where it has none."""
    return getattr(sweep.line(name), "unit", "")


def is_text(sweep: DesignSweep, name: str) -> bool:
    """Tell whether the values of a column are names, days or verdicts."""
    axis = axis_of(sweep, name)
    return (axis is not None and bool(axis.words)) or is_called(unit_of(sweep, name))


def state_values(sweep: DesignSweep, name: str, column: Iterable[float]) -> list[Any]:
    """Return the values of a column as people read them: names, days and verdicts as text, and no number as nan."""
    axis, unit = axis_of(sweep, name), unit_of(sweep, name)
    values = map(axis.state_value, column) if axis is not None else map(float, column)
    return [value if isinstance(value, str) or isnan(value) else name_number(value, unit) for value in values]


def title_with_unit(sweep: DesignSweep, name: str) -> str:
    """Return the title of a column, with its unit where it has one."""
    facts = describe_column(sweep, name)
    return f"{facts['title']} ({facts['unit']})" if "unit" in facts else facts["title"]


def choose_axes(sweep: DesignSweep) -> tuple[str, str]:
    """Return the two columns of numbers that a chart of the designs shows."""
    objectives = [*sweep.design.pareto, *([sweep.design.best] if sweep.design.best else [])]
    targets = [objective.formula.names[0] for objective in objectives if objective.formula.names]
    axes = [axis.name for axis in sweep.design.axes if not is_text(sweep, axis.name)]
    numbers = [name for name in sweep.names if not is_text(sweep, name)]
    across, *others = list(dict.fromkeys([*targets[:2], *axes, *numbers])) if len(targets) > 1 else [*axes, *numbers]
    return across, next((name for name in [*targets, *others, *numbers] if name != across), across)


def facts_of(line: Line | Dimension) -> dict[str, str]:
    """Return what a line, input or dimension says of itself, without what it leaves out."""
    title, formula = (line.title, "") if isinstance(line, Dimension) else (line.label, line.formula)
    facts = {"title": title, "unit": line.unit, "formula": formula, "about": line.about, "source": line.source}
    return {key: text for key, text in facts.items() if text}
