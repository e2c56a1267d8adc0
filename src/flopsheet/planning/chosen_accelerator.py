"""Inputs that come from the accelerator of a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.planning.catalog import FROM, OPTIONAL, RANGE, RANGES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.planning.catalog import Accelerator
    from flopsheet.planning.inputs import Assumption


def with_accelerator(assumptions: Iterable[Assumption], accelerator: Accelerator) -> tuple[Assumption, ...]:
    """Fill the inputs that come from the accelerator with its figures, sources and dates.

    A figure that the catalog lacks leaves its input without a value, for the plan to give.
    """
    return tuple(_filled(one, accelerator, _field(one)) if _field(one) else one for one in assumptions)


def _field(one: Assumption) -> str:
    """Return the field of the catalog that an input comes from, or nothing."""
    found = (key.removeprefix(FROM) for key in one.input.keys if key.startswith(FROM))
    return next(found, "")


def _filled(one: Assumption, chosen: Accelerator, field: str) -> Assumption:
    low: Any
    base: Any
    high: Any
    if field in chosen.found:
        low, base, high, source, date = chosen.found[field]
    elif field in RANGES:
        low, base, high, source, date = (getattr(chosen, f"{field}_{part}") for part in RANGE)
    else:
        low = base = high = getattr(chosen, field, None)
        source, date = _source(field, chosen), chosen.date
    if base is None:
        low = base = high = 0 if field in OPTIONAL else None
        source, date = f"The catalog has no {one.name} of {chosen.title}", ""
    return replace(one, low=low, base=base, high=high, source=source, date=date)


def _source(field: str, chosen: Accelerator) -> str:
    """Return where the figure comes from; recalled figures carry the mark with them."""
    source = chosen.server_power_source if field == "server_power_factor" else chosen.source
    return f"{chosen.title}: {source}{' (from memory)' if field in chosen.memory_fields else ''}"
