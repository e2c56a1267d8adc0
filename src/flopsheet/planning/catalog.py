"""What planning takes as given: accelerators with their prices, and the kinds of price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from flopsheet.errors import PortfolioError
from flopsheet.host.typed_records import fields_of
from flopsheet.planning.datafiles import data_rows
from flopsheet.planning.evidence import Evidence, evidence
from flopsheet.planning.prices import as_date, contract_price, day_collected, on_demand_price, wrong_date
from livesheets.suggestions import likely, names_like

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.host.host import Host

PRICE = "price"
"""The field that is the price of an hour: a range."""
PRICES = (PRICE, "list")
"""The fields that are the price of an hour: as the plan pays it, and on demand."""
RANGES = (*PRICES, "purchase")
"""The fields that have a range, a source and a date of their own."""
POSITIVE = ("peak_tflops", "memory_gb", "bandwidth_tbs", "server_power_factor")
"""The fields that every accelerator has."""
UNPUBLISHED = ("fp8_tflops", "fp4_tflops", "scale_up_gbs", "scale_up_size", "scale_out_gbs", "tdp_w")
"""The fields that are None where nobody publishes the figure."""
MOST = 1e12
"""More than any figure of an accelerator in its unit."""
OPTIONAL = ("purchase", "fp8_tflops", "fp4_tflops")
"""Fields that are 0 where the catalog has none: questions take that for not known, or not built in."""
RANGE = ("low", "base", "high", "source", "date")
FROM = "accelerator."
"""How an input's keys name a field of the chosen accelerator."""
FROM_MEMORY = "memory_fields"
AUTOMATIC, ON_DEMAND, RESERVED = "automatic", "on_demand", "reserved"
LARGE, LONG = 512, 30
"""Accelerators and days from which a plan is priced as reserved: nobody rents so many for so long on demand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One accelerator that a plan can choose.

    Peaks are dense, in 1e12 FLOP/s; memory is in decimal GB, links in decimal GB/s one way. List prices are USD per
    accelerator-hour on demand; the price is the same unless `at_price_kind` gives another. Purchases are USD per
    accelerator with its share of the server. None is where nobody publishes the figure. `memory_fields` names the
    fields that were recalled and not read in the source. Dates are ISO text as exact as they are known: a `price_date`
    may be a bare year. `found` is what published runs on its generation say of MFU, and
    its price of each kind that is not on demand. `stated` are prices of plugins by kind, which win. `as_of` is the day
    on which prices are those that were known, by default the day of their collection.
    """

    name: str
    title: str
    vendor: str
    generation: str
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
    fp4_tflops: float | None = None
    scale_up_gbs: float | None = None
    scale_up_size: int | None = None
    scale_out_gbs: float | None = None
    tdp_w: float | None = None
    watts_per_tflop: float = 0.56
    memory_fields: tuple[str, ...] = ()
    note: str = ""
    price_low: float | None = None
    price_base: float | None = None
    price_high: float | None = None
    price_source: str = ""
    price_date: str = ""
    price_basis: str = ""
    list_low: float | None = None
    list_base: float | None = None
    list_high: float | None = None
    list_source: str = ""
    list_date: str = ""
    purchase_low: float | None = None
    purchase_base: float | None = None
    purchase_high: float | None = None
    purchase_source: str = ""
    purchase_date: str = ""
    found: Mapping[str, Evidence | None] = field(default_factory=dict, compare=False)
    stated: Mapping[str, Price] = field(default_factory=dict, compare=False)
    as_of: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What an hour of an accelerator costs by contract: a range in USD, of a kind of `price_kinds.toml`.

    A price wins over what the catalog knows of that accelerator and kind. `date` is ISO text.
    """

    accelerator: str
    low: float
    base: float
    high: float
    source: str
    date: str
    kind: str = "on_demand"


class PriceKind(Struct, frozen=True):
    """A kind of price: the discount on the price on demand, as a range with source and date.

    Nobody binds himself for longer to pay more: an observed price above that of the kind `below` is not counted.
    """

    name: str
    title: str
    below: str = ON_DEMAND
    low: float = 0
    base: float = 0
    high: float = 0
    source: str = ""
    date: str = ""


def accelerators(day: str = "") -> Mapping[str, Accelerator]:
    """Give every accelerator by name, in the order of names, at the prices known on a day."""
    return _catalog(None, day or str(day_collected()))


class Priced(Mapping[str, Accelerator]):
    """Accelerators by name at the prices known on a day; each is priced where it is first read."""

    def __init__(self, chips: Mapping[str, Accelerator], day: str) -> None:
        self._unpriced, self._day = chips, day
        self._priced: dict[str, Accelerator] = {}

    def __getitem__(self, name: str) -> Accelerator:
        """Give an accelerator with its prices."""
        if name not in self._priced:
            self._priced[name] = on_day(self._unpriced[name], self._day)
        return self._priced[name]

    def __iter__(self) -> Iterator[str]:
        """Give the names."""
        return iter(self._unpriced)

    def __len__(self) -> int:
        """Give how many there are."""
        return len(self._unpriced)


@cache
def list_unpriced() -> Mapping[str, Accelerator]:
    """Give every accelerator by name, without what follows from prices on a day and from published runs."""
    result = (Accelerator(**{**row, FROM_MEMORY: tuple(row.get(FROM_MEMORY, ()))}) for row in data_rows("accelerators"))
    return MappingProxyType({chip.name: chip for chip in result})


def catalog(host: Host, day: str = "") -> Mapping[str, Accelerator]:
    """Give every accelerator by name, those of plugins too, at prices known on a day and those that plugins state."""
    return _catalog(host, day or str(day_collected()))


@cache
def _catalog(host: Host | None, day: str) -> Mapping[str, Accelerator]:
    return Priced(_list_accelerators(host) if host else list_unpriced(), day)


@cache
def _list_accelerators(host: Host) -> Mapping[str, Accelerator]:
    """Give every accelerator with what plugins state; what is wrong with that is in the host's failures."""
    result: dict[str, Accelerator] = dict(list_unpriced())
    for plugin, items in host.ask_all("flopsheet_accelerators", Accelerator):
        for chip in items:
            if reason := "there is already one" if chip.name in result else _wrong(chip):
                host.fail(plugin, f"accelerator {chip.name}: {reason}", chip.name)
            else:
                result[chip.name] = chip
    for plugin, prices in host.ask_all("flopsheet_prices", Price):
        for price in prices:
            if reason := _wrong_price(price, result):
                host.fail(plugin, f"price of {price.accelerator}: {reason}", price.accelerator)
            else:
                result[price.accelerator] = _at_price(result[price.accelerator], price)
    return MappingProxyType(result)


def on_day(chip: Accelerator, day: str) -> Accelerator:
    """Give an accelerator with what follows from it on a day: its price of each kind, MFU of published runs."""
    listing = None if ON_DEMAND in chip.stated else on_demand_price(chip.name, as_date("day", day))
    result = replace(chip, as_of=day, **_listed_at(*listing) if listing else {})
    prices = {kind.name: _price_of(at_price_kind(result, kind)) for kind in price_kinds().values() if kind.base}
    return replace(result, found={**evidence(result.generation), **prices})


def _listed_at(*values: Any) -> dict[str, Any]:
    """Return the fields of a price on demand, which is the list price too."""
    return {f"{name}_{part}": value for name in PRICES for part, value in zip(RANGE, values, strict=True)}


def _wrong(chip: Accelerator) -> str:
    """Say what no accelerator can have: no name, figures of nothing or without end, or a range that does not rise."""
    if not chip.name:
        return "a name is expected"
    numbers = {name: getattr(chip, name) for name in POSITIVE}
    numbers |= {name: number for name in UNPUBLISHED if (number := getattr(chip, name)) is not None}
    if bad := [name for name, number in numbers.items() if not 0 < number <= MOST]:
        return f"{bad[0]} = {numbers[bad[0]]}; a number above 0 and of at most {MOST:g} is expected"
    if unknown := [name for name in chip.memory_fields if name not in fields_of(Accelerator)]:
        return f"memory_fields names {unknown[0]!r}, which is no field{names_like(unknown[0], fields_of(Accelerator))}"
    for name in RANGES:
        ends = [getattr(chip, f"{name}_{part}") for part in RANGE[:3]]
        if len({end is None for end in ends}) > 1 or (None not in ends and not 0 <= ends[0] <= ends[1] <= ends[2]):
            return f"{name} = {ends}; low, base and high in rising order are expected, or none of them"
    dates = {name: getattr(chip, name) for name in ("date", *(f"{name}_date" for name in RANGES))}
    return next((f"{name} is {reason}" for name, text in dates.items() if (reason := wrong_date(text))), "")


def _wrong_price(price: Price, chips: Mapping[str, Accelerator]) -> str:
    if price.accelerator not in chips:
        return f"no accelerator has this name{_guess(price.accelerator, chips)}"
    if price.kind not in price_kinds():
        return f"kind is {price.kind!r}; one of {', '.join(price_kinds())} is expected"
    if not 0 < price.low <= price.base <= price.high:
        return f"{price.low}, {price.base}, {price.high}; low, base and high above 0 and in rising order are expected"
    return (reason := wrong_date(price.date)) and f"date is {reason}"


def _at_price(chip: Accelerator, price: Price) -> Accelerator:
    fields = _listed_at(*(getattr(price, part) for part in RANGE)) if price.kind == ON_DEMAND else {}
    return replace(chip, stated={**chip.stated, price.kind: price}, **fields)


def accelerator(name: str, chips: Mapping[str, Accelerator]) -> Accelerator:
    """Give one accelerator, or a PortfolioError that names those there are."""
    if name not in chips:
        raise PortfolioError(f"no accelerator is named {name!r}{_guess(name, chips)}")
    return chips[name]


@cache
def price_kinds() -> Mapping[str, PriceKind]:
    """Give every kind of price by name."""
    rows = (PriceKind(**row) for row in data_rows("price_kinds"))
    return MappingProxyType({row.name: row for row in rows})


def price_kind(name: Any) -> str:
    """Give the name of a kind of price, or a PortfolioError that names those there are."""
    kinds = (AUTOMATIC, *price_kinds())
    if name not in kinds:
        raise PortfolioError(f"price_kind: {name!r} is not one of {', '.join(kinds)}")
    return str(name)


def kind_for(accelerators: Any, days: Any) -> str:
    """Give the kind of price that a plan of this size takes when it names none."""
    return RESERVED if accelerators >= LARGE and days >= LONG else ON_DEMAND


def at_price_kind(accelerator: Accelerator, kind: PriceKind) -> Accelerator:
    """Give the accelerator at another kind of price: as observed, else the list price less the discount of the kind."""
    if own := accelerator.stated.get(kind.name):
        return _with_price(accelerator, own, f"as {own.source} says")
    if not kind.base or accelerator.price_base is None:
        return accelerator
    low, base, high = (
        round(price * (1 - kind.base), 2)
        for price in (accelerator.price_low, accelerator.price_base, accelerator.price_high)
        if price is not None
    )
    limit = at_price_kind(accelerator, price_kinds()[kind.below]).price_base or accelerator.price_base
    day = as_date("as_of", accelerator.as_of) if accelerator.as_of else day_collected()
    deal = contract_price(accelerator.name, kind.name, limit, price_kinds()[kind.below].title, day)
    if deal:
        low, high = min(deal.low, low), max(deal.high, high)
        source = (
            f"{_capitalize(kind.title)}: median of {deal.basis}. Low and high: the lowest and highest of"
            f" them and of the on-demand prices less {kind.base:.0%}"
        )
        price = Evidence(low, deal.base, high, source, deal.date)
        return _with_price(accelerator, price, f"the median of {deal.basis}")
    low, base = min(low, limit), min(base, limit)
    origin, most = accelerator.price_source.partition(" (")[0], price_kinds()[kind.below].title
    source = (
        f"{_capitalize(kind.title)}: {kind.base:.0%} below the on-demand price of"
        f" {accelerator.price_base} USD, at most that of {most}. Discount: {kind.source}. On demand: {origin}"
    )
    date = min(kind.date, accelerator.price_date)
    basis = f"{kind.base:.0%} below the price on demand (no observed price)"
    return _with_price(accelerator, Evidence(low, base, high, source, date), basis)


def _with_price(accelerator: Accelerator, price: Price | Evidence, basis: str) -> Accelerator:
    fields = {f"{PRICE}_{part}": getattr(price, part) for part in RANGE}
    return replace(accelerator, **fields, price_basis=basis)


def _capitalize(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _price_of(chip: Accelerator) -> Evidence | None:
    """Return the price of an hour as an input takes it, None where the catalog has none."""
    if chip.price_low is None or chip.price_base is None or chip.price_high is None:
        return None
    return Evidence(chip.price_low, chip.price_base, chip.price_high, chip.price_source, chip.price_date)


def _guess(name: str, chips: Mapping[str, Accelerator]) -> str:
    """Return who may have been meant, by name or by title, else who there is."""
    names = {chip.title: chip.name for chip in chips.values()} | {chip: chip for chip in chips}
    near = dict.fromkeys(names[chip] for chip in likely(name, names))
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else f"; expected one of {', '.join(chips)}"
