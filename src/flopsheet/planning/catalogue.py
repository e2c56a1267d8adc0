"""What planning takes as given: accelerators with their prices."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from flopsheet.errors import PortfolioError
from flopsheet.planning.inputs import missing
from flopsheet.suggestions import likely

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.planning.inputs import Assumption

FROM, PRICE = "accelerator.", "price"
"""How an input's keys name a field of the chosen accelerator; its price is a range."""


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One accelerator that a plan can choose.

    Peaks are dense, in 1e12 FLOP/s; memory is in decimal GB. Prices are USD per accelerator-hour on demand. None stands
    where nobody publishes the figure. `memory_fields` names the fields that were recalled and not read in the source.
    Dates are ISO text as exact as they are known: a `price_date` may be a bare year.
    """

    name: str
    title: str
    vendor: str
    year: int
    peak_tflops: float
    memory_gb: float
    bandwidth_tbs: float
    server_power_factor: float
    server_power_source: str
    source: str
    date: str
    confidence: Literal["read", "mixed", "memory"]
    fp8_tflops: float | None = None
    tdp_w: float | None = None
    memory_fields: tuple[str, ...] = ()
    note: str = ""
    price_low: float | None = None
    price_base: float | None = None
    price_high: float | None = None
    price_source: str = ""
    price_date: str = ""


@cache
def accelerators() -> Mapping[str, Accelerator]:
    """Give every accelerator by name, in the order of names."""
    rows = (_accelerator(row) for row in _rows("accelerators"))
    return MappingProxyType({row.name: row for row in rows})


def accelerator(name: str) -> Accelerator:
    """Give one accelerator, or a PortfolioError that names those there are."""
    known = accelerators()
    if name not in known:
        raise PortfolioError(f"no accelerator is named {name!r}{_guess(name, known)}; known are {', '.join(known)}")
    return known[name]


def with_accelerator(assumptions: Iterable[Assumption], accelerator: Accelerator) -> tuple[Assumption, ...]:
    """Fill the inputs that come from the accelerator with its figures, sources and dates.

    A figure that the catalogue lacks leaves its input without a value, for the plan to give; `require_set` says so.
    """
    return tuple(_filled(one, accelerator, _field(one)) if _field(one) else one for one in assumptions)


def require_set(assumptions: Iterable[Assumption]) -> None:
    """Raise one PortfolioError that names every input without a value; to ask once the plan's own values are in."""
    problems = [missing(one) for one in assumptions if None in (one.low, one.base, one.high)]
    if problems:
        raise PortfolioError("\n".join(problems))


def _rows(table: str) -> list[dict[str, Any]]:
    """Read the table from the data file of its name."""
    file = files("flopsheet.planning") / "data" / f"{table}.toml"
    rows: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))[table]
    return rows


def _accelerator(row: dict[str, Any]) -> Accelerator:
    return Accelerator(**{**row, "memory_fields": tuple(row.get("memory_fields", ()))})


def _field(one: Assumption) -> str:
    """Return the field of the catalogue that an input comes from, or nothing."""
    found = (key.removeprefix(FROM) for key in one.input.keys if key.startswith(FROM))
    return next(found, "")


def _filled(one: Assumption, chosen: Accelerator, field: str) -> Assumption:
    if field == PRICE:
        low, base, high = chosen.price_low, chosen.price_base, chosen.price_high
        source, date = chosen.price_source, chosen.price_date
    else:
        low = base = high = getattr(chosen, field)
        source, date = _source(field, chosen), chosen.date
    if base is None:
        source, date = f"The catalogue has no {one.name} of {chosen.title}", ""
    return replace(one, low=low, base=base, high=high, source=source, date=date)


def _source(field: str, chosen: Accelerator) -> str:
    """Return where the figure comes from; recalled figures carry the mark with them."""
    source = chosen.server_power_source if field == "server_power_factor" else chosen.source
    return f"{chosen.title}: {source}{' (from memory)' if field in chosen.memory_fields else ''}"


def _guess(name: str, known: Iterable[str]) -> str:
    near = likely(name, known)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
