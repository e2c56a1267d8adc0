"""Inputs that come from the accelerator of a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import structs

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
    return tuple(_fill_input(item, accelerator, _field(item)) if _field(item) else item for item in assumptions)


def with_defaults(question: Question, accelerator: Accelerator) -> Question:
    """Return a question whose inputs that come from the accelerator have the figures of one as their defaults."""
    return replace(question, inputs=tuple(_default(item, accelerator) for item in question.inputs))


def _default(item: Input, accelerator: Accelerator) -> Input:
    driver = as_defined(item)
    if not _field(driver):
        return item
    result = _fill_input(driver, accelerator, _field(driver))
    ends: dict[str, Any] = {} if result.low == result.high else {"low": result.low, "high": result.high}
    base: Any = result.base
    return item._replace(**ends, default=base, source=result.source, date=result.date)


def _field(item: Assumption) -> str:
    """Return the field of the catalog that an input comes from, or nothing."""
    result = (key.removeprefix(FROM) for key in item.input.keys if key.startswith(FROM))
    return next(result, "")


def _fill_input(item: Assumption, accelerator: Accelerator, field: str) -> Assumption:
    low: Any
    base: Any
    high: Any
    if field in accelerator.found:
        low, base, high, source, date = accelerator.found[field] or (None, None, None, "", "")
    elif field in RANGES:
        low, base, high, source, date = (getattr(accelerator, f"{field}_{part}") for part in RANGE)
    else:
        low = base = high = _number(item, field, accelerator)
        source, date = _source(field, accelerator), accelerator.date
    if base is None:
        low = base = high = 0 if field in OPTIONAL else None
        source, date = f"The catalog has no {item.name} of {accelerator.title}{_until(field, accelerator)}", ""
    return structs.replace(item, low=low, base=base, high=high, source=source, date=date)


def _number(item: Assumption, field: str, accelerator: Accelerator) -> Any:
    """Return a field of the catalog that is a number or not known; PluginError where an input names no such field."""
    value = getattr(accelerator, field, "")
    if value is not None and not isinstance(value, int | float):
        raise PluginError(f"the input {item.name!r} has the key '{FROM}{field}'; an accelerator has no such number")
    return value


def _until(field: str, accelerator: Accelerator) -> str:
    """Say until when there is no price, where a later one may be known."""
    return f" until {accelerator.as_of}" if field in PRICES and "" < accelerator.as_of < str(day_collected()) else ""


def _source(field: str, accelerator: Accelerator) -> str:
    """Return where the figure comes from; recalled figures carry the mark with them."""
    source = accelerator.server_power_source if field == "server_power_factor" else accelerator.source
    return f"{accelerator.title}: {source}{' (from memory)' if field in accelerator.memory_fields else ''}"
