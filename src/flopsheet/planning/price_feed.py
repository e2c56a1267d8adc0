"""A dated snapshot of somebody's prices of accelerators, as prices of a plugin without code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.configs.files import parse_toml, read_bytes
from flopsheet.errors import MAX_PROBLEMS, UsageError, list_problems
from flopsheet.planning.catalog import Price, price_kinds
from flopsheet.planning.own_rows import csv_rows
from flopsheet.planning.prices import spread, wrong_date
from flopsheet.units.numbers import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from flopsheet.planning.catalog import Accelerator

HEADERS = {
    "accelerator": ("accelerator", "gpu", "gpu_name", "gpu_model"),
    "usd": ("usd", "usd_per_hour", "price_per_hour", "hourly_price", "price"),
    "count": ("count", "gpus", "gpu_count"),
    "kind": ("kind", "price_kind", "pricing"),
    "provider": ("provider", "vendor", "cloud"),
    "region": ("region", "location"),
    "date": ("date", "day", "observed", "timestamp"),
}
"""What a feed may call each column, in any case."""
NEEDED = ("accelerator", "usd", "date")
KINDS = {"ondemand": "on_demand", "interruptible": "spot", "preemptible": "spot", "committed": "reserved"}
"""What feeds call kinds of prices, next to the catalog's own names."""


class Quote(Struct, frozen=True):
    """A row of a feed: USD per accelerator-hour, on a day."""

    accelerator: str
    kind: str
    usd: float
    provider: str
    region: str
    date: str


class Feed(Struct, frozen=True):
    """The rows of a feed that are of the catalog, and how many there are of each name that is not."""

    quotes: Sequence[Quote]
    unknown: Mapping[str, int]


def read_feed(path: Path, catalog: Mapping[str, Accelerator], region: str = "") -> Feed:
    """Return the rows of a csv or TOML file, of one region alone where that is given.

    A row needs an accelerator, by its name or title in the catalog, a price in USD and a date; the price is that of
    `count` accelerators where there is such a column. UsageError names each row that is wrong.
    """
    names = {_fold_word(word): chip.name for chip in catalog.values() for word in (chip.name, chip.title)}
    quotes, problems, unknown = [], [], Counter[str]()
    for where, row in _rows(path):
        try:
            quote = _quote(_rename_fields(row))
        except UsageError as error:
            problems.append(f"{where}: {error}")
            continue
        name = names.get(_fold_word(quote.accelerator))
        if name is None:
            unknown[quote.accelerator] += 1
        elif region in ("", quote.region):
            quotes.append(replace(quote, accelerator=name))
    if problems:
        raise UsageError(list_problems(f"{path}: rows that are no prices", problems[:MAX_PROBLEMS]))
    return Feed(quotes, unknown)


def summarize_quotes(quotes: Sequence[Quote], source: str) -> list[Price]:
    """Return a price for each accelerator and kind: the median, with the 20th and 80th percentile as low and high."""
    groups: dict[tuple[str, str], list[Quote]] = {}
    for quote in quotes:
        groups.setdefault((quote.accelerator, quote.kind), []).append(quote)
    return [_price(accelerator, kind, group, source) for (accelerator, kind), group in sorted(groups.items())]


def _price(accelerator: str, kind: str, group: Sequence[Quote], source: str) -> Price:
    low, base, high = spread(quote.usd for quote in group)
    text, newest = _describe_group(group, source), max(quote.date for quote in group)
    return Price(accelerator=accelerator, low=low, base=base, high=high, source=text, date=newest, kind=kind)


def as_plugin(prices: Sequence[Price], source: str) -> dict[str, Any]:
    """Return the plugin without code that has these prices."""
    rows = [{name: getattr(price, name) for name in Price.__dataclass_fields__} for price in prices]
    return {"about": f"Prices of {source}", "flopsheet_api": "1.0", "prices": rows}


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the rows with their places, headers in lower case."""
    if path.suffix.lower() == ".toml":
        results = [value for value in parse_toml(read_bytes(path), path).values() if isinstance(value, list)]
        entries = [(f"row {place}", row) for place, row in enumerate(results[0] if results else (), 1)]
    else:
        entries = [(f"line {place}", row) for place, row in enumerate(csv_rows(path), 2)]
    for where, row in entries:
        if not isinstance(row, dict):
            raise UsageError(f"{path}, {where}: a table is expected")
        yield where, {str(key).strip().lower(): value for key, value in row.items()}


def _rename_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says under the names of a quote; the first word of each is taken before the others."""
    words = ((name, word) for name, headers in HEADERS.items() for word in reversed(headers))
    return {name: row[word] for name, word in words if row.get(word, "") != ""}


def _quote(row: Mapping[str, Any]) -> Quote:
    missing = [f"{field} ({', '.join(HEADERS[field])})" for field in NEEDED if field not in row]
    if missing:
        raise UsageError(f"no {' and no '.join(missing)}")
    usd, count = (_amount(field, row.get(field, 1)) for field in ("usd", "count"))
    day = str(row["date"])[:10]
    if wrong := wrong_date(day):
        raise UsageError(f"date: {wrong}")
    kind = _fold_word(str(row.get("kind", "on_demand")))
    kind = KINDS.get(kind, next((name for name in price_kinds() if _fold_word(name) == kind), ""))
    if not kind:
        raise UsageError(f"kind: {row['kind']!r}; one of {', '.join(price_kinds())} is expected")
    provider, region = (str(row.get(field, "")) for field in ("provider", "region"))
    return Quote(str(row["accelerator"]), kind, usd / count, provider, region, day)


def _amount(name: str, value: Any) -> float:
    result = number(value.strip().removeprefix("$")) if isinstance(value, str) else value
    if isinstance(result, bool) or not isinstance(result, int | float) or not 0 < result < 1e6:  # noqa: PLR2004 - no hour costs it
        raise UsageError(f"{name}: {value!r}; a number above 0 is expected")
    return float(result)


def _describe_group(group: Sequence[Quote], source: str) -> str:
    providers = dict.fromkeys(quote.provider for quote in group if quote.provider)
    number_of = "one price" if len(group) == 1 else f"{len(group)} prices"
    return f"{source}: {number_of}{' of ' if providers else ''}{', '.join(providers)}"


def _fold_word(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum())
