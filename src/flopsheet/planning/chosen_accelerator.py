"""Inputs that come from the accelerator of a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.errors import PluginError
from flopsheet.planning.catalog import FROM, OPTIONAL, PRICES, RANGE, RANGES
from flopsheet.planning.inputs import as_defined
from flopsheet.planning.prices import day_collected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.line import Input
    from flopsheet.planning.catalog import Accelerator
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.question import Question


def with_accelerator(assumptions: Iterable[Assumption], accelerator: Accelerator) -> tuple[Assumption, ...]:
    """Fill the inputs that come from the accelerator with its figures, sources and dates.

    A figure that the catalog lacks leaves its input without a value, for the plan to give.
    """
    return tuple(_fill_input(one, accelerator, _field(one)) if _field(one) else one for one in assumptions)


def with_defaults(question: Question, accelerator: Accelerator) -> Question:
    """Return a question whose inputs that come from the accelerator have the figures of one as their defaults."""
    return replace(question, inputs=tuple(_default(one, accelerator) for one in question.inputs))


def _default(one: Input, accelerator: Accelerator) -> Input:
    made = as_defined(one)
    if not _field(made):
        return one
    result = _fill_input(made, accelerator, _field(made))
    ends: dict[str, Any] = {} if result.low == result.high else {"low": result.low, "high": result.high}
    base: Any = result.base
    return one._replace(**ends, default=base, source=result.source, date=result.date)


def _field(one: Assumption) -> str:
    """Return the field of the catalog that an input comes from, or nothing."""
    result = (key.removeprefix(FROM) for key in one.input.keys if key.startswith(FROM))
    return next(result, "")


def _fill_input(one: Assumption, chosen: Accelerator, field: str) -> Assumption:
    low: Any
    base: Any
    high: Any
    if field in chosen.found:
        low, base, high, source, date = chosen.found[field] or (None, None, None, "", "")
    elif field in RANGES:
        low, base, high, source, date = (getattr(chosen, f"{field}_{part}") for part in RANGE)
    else:
        low = base = high = _number(one, field, chosen)
        source, date = _source(field, chosen), chosen.date
    if base is None:
        low = base = high = 0 if field in OPTIONAL else None
        source, date = f"The catalog has no {one.name} of {chosen.title}{_until(field, chosen)}", ""
    return replace(one, low=low, base=base, high=high, source=source, date=date)


def _number(one: Assumption, field: str, chosen: Accelerator) -> Any:
    """Return a field of the catalog that is a number or not known; PluginError where an input names no such field."""
    value = getattr(chosen, field, "")
    if value is not None and not isinstance(value, int | float):
        raise PluginError(f"the input {one.name!r} has the key '{FROM}{field}'; an accelerator has no such number")
    return value


def _until(field: str, chosen: Accelerator) -> str:
    """Say until when there is no price, where a later one may be known."""
    return f" until {chosen.as_of}" if field in PRICES and "" < chosen.as_of < str(day_collected()) else ""


def _source(field: str, chosen: Accelerator) -> str:
    """Return where the figure comes from; recalled figures carry the mark with them."""
    source = chosen.server_power_source if field == "server_power_factor" else chosen.source
    return f"{chosen.title}: {source}{' (from memory)' if field in chosen.memory_fields else ''}"
