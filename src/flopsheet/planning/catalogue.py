"""What planning takes as given: accelerators with their prices, and the drivers of a plan in three cases."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from flopsheet.accounting.words import likely
from flopsheet.errors import PortfolioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DriverKind = Literal["count", "ratio", "flag"]
Block = Literal["cluster", "efficiency", "model", "price", "energy"]


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


@dataclass(frozen=True, slots=True)
class Driver:
    """One input of a plan in its three cases; `low` is the case of low cost.

    A driver is unset while its cases are None: the chosen accelerator has no such figure, and the plan must give one.
    """

    name: str
    title: str
    unit: str
    kind: DriverKind
    block: Block
    low: float | None
    base: float | None
    high: float | None
    source: str
    date: str
    about: str
    from_accelerator: bool = False

    @property
    def cases(self) -> tuple[float, float, float]:
        """The low, base and high value; a PortfolioError where the driver is unset."""
        if self.low is None or self.base is None or self.high is None:
            raise PortfolioError(_unset(self))
        return self.low, self.base, self.high


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


@cache
def drivers() -> tuple[Driver, ...]:
    """Give the drivers in the order in which people see them; those from an accelerator hold the H100 SXM's figures."""
    return tuple(Driver(**row) for row in _rows("drivers"))


def with_accelerator(drivers: Iterable[Driver], accelerator: Accelerator) -> tuple[Driver, ...]:
    """Fill the drivers that come from the accelerator with its figures, sources and dates.

    A figure that the catalogue lacks leaves its driver unset, for the plan to give; `require_set` says so.
    """
    return tuple(_filled(driver, accelerator) if driver.from_accelerator else driver for driver in drivers)


def require_set(drivers: Iterable[Driver]) -> None:
    """Raise one PortfolioError that names every driver without a value; to ask once the plan's own values are in."""
    problems = [_unset(driver) for driver in drivers if None in (driver.low, driver.base, driver.high)]
    if problems:
        raise PortfolioError("\n".join(problems))


def _rows(table: str) -> list[dict[str, Any]]:
    """Read the table from the data file of its name."""
    file = files("flopsheet.planning") / "data" / f"{table}.toml"
    rows: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))[table]
    return rows


def _accelerator(row: dict[str, Any]) -> Accelerator:
    return Accelerator(**{**row, "memory_fields": tuple(row.get("memory_fields", ()))})


def _filled(driver: Driver, chosen: Accelerator) -> Driver:
    if driver.name == "price_per_hour":
        low, base, high = chosen.price_low, chosen.price_base, chosen.price_high
        source, date = chosen.price_source, chosen.price_date
    else:
        low = base = high = getattr(chosen, driver.name)
        source, date = _source(driver, chosen), chosen.date
    if base is None:
        source, date = f"The catalogue has no {driver.name} of {chosen.title}", ""
    return replace(driver, low=low, base=base, high=high, source=source, date=date)


def _source(driver: Driver, chosen: Accelerator) -> str:
    """Say where the figure stands, and where it does not: recalled figures carry the mark with them."""
    source = chosen.server_power_source if driver.name == "server_power_factor" else chosen.source
    return f"{chosen.title}: {source}{' (from memory)' if driver.name in chosen.memory_fields else ''}"


def _unset(driver: Driver) -> str:
    return f"{driver.source}: give {driver.name} under [drivers]"


def _guess(name: str, known: Iterable[str]) -> str:
    near = likely(name, known)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
