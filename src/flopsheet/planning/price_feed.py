"""A dated snapshot of somebody's prices of accelerators, as prices of a plugin without code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Quote(NamedTuple):
    """A row of a feed: USD per accelerator-hour, on a day."""

    accelerator: str
    kind: str
    usd: float
    provider: str
    region: str
    date: str


class Feed(NamedTuple):
    """The rows of a feed that are of the catalog, and how many there are of each name that is not."""

    quotes: Sequence[Quote]
    unknown: Mapping[str, int]


def read_feed(path: Path, catalog: Mapping[str, Accelerator], region: str = "") -> Feed:
    """Return the rows of a csv or TOML file, of one region alone where that is given.

    A row needs an accelerator, by its name or title in the catalog, a price in USD and a date; the price is that of
    `count` accelerators where there is such a column. UsageError names each row that is wrong.
    """
    known = {_fold_word(word): one.name for one in catalog.values() for word in (one.name, one.title)}
    quotes, problems, unknown = [], [], Counter[str]()
    for where, row in _rows(path):
        try:
            quote = _quote(_rename_fields(row))
        except UsageError as error:
            problems.append(f"{where}: {error}")
            continue
        name = known.get(_fold_word(quote.accelerator))
        if name is None:
            unknown[quote.accelerator] += 1
        elif region in ("", quote.region):
            quotes.append(quote._replace(accelerator=name))
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
    low, base, high = spread(one.usd for one in group)
    newest = max(one.date for one in group)
    return Price(
        accelerator=accelerator,
        low=low,
        base=base,
        high=high,
        source=_describe_group(group, source),
        date=newest,
        kind=kind,
    )


def as_plugin(prices: Sequence[Price], source: str) -> dict[str, Any]:
    """Return the plugin without code that has these prices."""
    rows = [{name: getattr(price, name) for name in Price.__dataclass_fields__} for price in prices]
    return {"about": f"Prices of {source}", "flopsheet_api": "1.0", "prices": rows}


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the rows with their places, headers in lower case."""
    if path.suffix.lower() == ".toml":
        results = [value for value in parse_toml(read_bytes(path), path).values() if isinstance(value, list)]
        numbered = [(f"row {place}", row) for place, row in enumerate(results[0] if results else (), 1)]
    else:
        numbered = [(f"line {place}", row) for place, row in enumerate(csv_rows(path), 2)]
    for where, row in numbered:
        if not isinstance(row, dict):
            raise UsageError(f"{path}, {where}: a table is expected")
        yield where, {str(key).strip().lower(): value for key, value in row.items()}


def _rename_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says under the names of a quote; the first word of each is taken before the others."""
    words = ((name, word) for name, called in HEADERS.items() for word in reversed(called))
    return {name: row[word] for name, word in words if row.get(word, "") != ""}


def _quote(said: Mapping[str, Any]) -> Quote:
    missing = [f"{name} ({', '.join(HEADERS[name])})" for name in NEEDED if name not in said]
    if missing:
        raise UsageError(f"no {' and no '.join(missing)}")
    usd, count = (_amount(name, said.get(name, 1)) for name in ("usd", "count"))
    day = str(said["date"])[:10]
    if wrong := wrong_date(day):
        raise UsageError(f"date: {wrong}")
    kind = _fold_word(str(said.get("kind", "on_demand")))
    kind = KINDS.get(kind, next((one for one in price_kinds() if _fold_word(one) == kind), ""))
    if not kind:
        raise UsageError(f"kind: {said['kind']!r}; one of {', '.join(price_kinds())} is expected")
    provider, region = (str(said.get(name, "")) for name in ("provider", "region"))
    return Quote(str(said["accelerator"]), kind, usd / count, provider, region, day)


def _amount(name: str, value: Any) -> float:
    result = number(value.strip().removeprefix("$")) if isinstance(value, str) else value
    if isinstance(result, bool) or not isinstance(result, int | float) or not 0 < result < 1e6:  # noqa: PLR2004 - no hour costs it
        raise UsageError(f"{name}: {value!r}; a number above 0 is expected")
    return float(result)


def _describe_group(group: Sequence[Quote], source: str) -> str:
    providers = dict.fromkeys(one.provider for one in group if one.provider)
    number_of = "one price" if len(group) == 1 else f"{len(group)} prices"
    return f"{source}: {number_of}{' of ' if providers else ''}{', '.join(providers)}"


def _fold_word(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum())
