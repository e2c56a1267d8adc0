"""What an hour of an accelerator costs, from observed prices in a window of days, and how old a price is."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from flopsheet.accounting.values import show_value
from flopsheet.errors import PortfolioError
from flopsheet.planning.datafiles import data_rows, data_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FILE = "observed_prices"
WINDOW = 365
"""Days before a plan's day in which prices count. Half of it would lose the contracts that were read in May four days
after prices were collected in November; twice of it would mix in three quarters as many from before."""
LOW, HIGH = 0.2, 0.8
"""The percentiles of on-demand prices that are the ends of their range."""
CENT = Decimal("0.01")

DOUBTFUL = "doubtful"
MARKS = {DOUBTFUL: DOUBTFUL, "second hand": "second hand", "memory": "from memory"}
"""Words of a row's confidence, and what they are called next to its price."""


class Observation(NamedTuple):
    """A row of the data with the days on which it may have been seen: one, or those of a bare year.

    Rows of the same days stand in the order of the other fields.
    """

    last: date
    first: date
    provider: str
    region: str
    usd: float
    when: str
    confidence: str
    source: str

    @property
    def words(self) -> str:
        """The price with who asked it, and a mark where it is not read at the source."""
        mark = next((title for word, title in MARKS.items() if word in self.confidence), "")
        return ", ".join(word for word in (self.provider, self.region, str(self.usd), self.when, mark) if word)


class Observed(Struct, frozen=True):
    """The observations of a window: all, those that count, and their period in words."""

    rows: Sequence[Observation]
    reliable: Sequence[Observation]
    period: str


class ObservedPrice(NamedTuple):
    """A price of one kind for one accelerator: low, base and high in USD per hour, with what it rests on."""

    low: float
    base: float
    high: float
    basis: str
    date: str


def day_collected() -> date:
    """Return the day on which prices were last looked for, or a later one that was observed.

    It is the day of a plan that states none.
    """
    return _book()[0]


def on_demand_price(accelerator: str, day: date) -> ObservedPrice | None:
    """Return the price on demand that was known on a day: the median of what was seen, and nearest percentiles.

    The date is the newest that was seen, a bare year where no other is.
    """
    window = _find_observed(accelerator, "on_demand", day)
    if window is None:
        return None
    texts = [row.when for row in window.reliable]
    newest = max([text for text in texts if not _is_year(text)] or texts)
    return ObservedPrice(*spread(row.usd for row in window.reliable), _on_demand(window), newest)


def spread(prices: Iterable[float]) -> tuple[float, float, float]:
    """Return the 20th percentile, the median and the 80th of some prices; the median is to the cent."""
    usd = sorted(prices)
    low, high = (usd[round((len(usd) - 1) * share)] for share in (LOW, HIGH))
    return low, min(max(_middle(usd), low), high), high


def contract_price(accelerator: str, kind: str, limit: float, limited_by: str, day: date) -> ObservedPrice | None:
    """Return the price of a kind that was known on a day; None where nothing was seen at or below a limit.

    Base is the median of what was seen up to the limit, the price of `limited_by`: nobody commits to pay more. Low is
    the least of it, and High the most that was seen. What is doubtful is listed, not counted. The date is the oldest
    that the median rests on.
    """
    window = _find_observed(accelerator, kind, day)
    usual = [row for row in window.reliable if row.usd <= limit] if window else []
    if window is None or not usual:
        return None
    text = (
        f"the {len(usual)} of {len(window.rows)} observed prices at or below the price of {limited_by}, {limit} USD,"
        f" of {window.period} ({'; '.join(row.words for row in window.rows)})"
    )
    usd, most = [row.usd for row in usual], max(row.usd for row in window.reliable)
    return ObservedPrice(min(usd), _middle(usd), most, text, usual[0].when)


def _find_observed(accelerator: str, kind: str, day: date) -> Observed | None:
    """Return what was seen in the days before a day, or, where that is nothing, before the newest that was seen.

    Later observations were not known on that day, and doubtful ones choose no window.
    """
    seen_before = [row for row in _book()[1].get((accelerator, kind), ()) if row.first <= day]
    newest = max((min(row.last, day) for row in seen_before if not _is_doubtful(row)), default=None)
    if newest is None:
        return None
    end = day if (day - newest).days <= WINDOW else newest
    rows = [row for row in seen_before if end - timedelta(WINDOW) <= row.last and row.first <= end]
    age = "" if end == day else f", the newest {(day - newest).days} days before {day}"
    return Observed(rows, [row for row in rows if not _is_doubtful(row)], f"{_period(rows)}{age}")


def _on_demand(window: Observed) -> str:
    """Return what a price on demand rests on; what it is comes before the first bracket."""
    count, total = len(window.reliable), len(window.rows)
    few = f"{count} of {total}" if count < total else f"{count}"
    what = (
        f"one on-demand price of {window.period}"
        if total == 1
        else f"{few} on-demand prices of {window.period}: median, with the 20th and 80th percentile as low and high"
    )
    listing = "; ".join(row._replace(when="").words for row in sorted(window.rows, key=lambda row: row.usd))
    read = dict.fromkeys(row.source.partition(" (")[0] for row in window.reliable if "memory" not in row.confidence)
    return f"{what} ({listing}){'; read in ' if read else ''}{', '.join(read)}"


def _period(rows: Sequence[Observation]) -> str:
    """Return from when to when prices were observed: days, or years where a day is not known."""
    dates = [row.when for row in rows]
    first, last = min(dates), max(dates)
    if any(map(_is_year, dates)):
        first, last = first[:4], last[:4]
    return first if first == last else f"{first} to {last}"


def _middle(usd: Sequence[float]) -> float:
    """Return the median to the cent, half a cent up."""
    return float(median(Decimal(str(price)) for price in usd).quantize(CENT, ROUND_HALF_UP))


def _is_doubtful(row: Observation) -> bool:
    return DOUBTFUL in row.confidence


def _is_year(text: str) -> bool:
    return len(text) == len("2026")


@cache
def _book() -> tuple[date, Mapping[tuple[str, str], Sequence[Observation]]]:
    """Return the day of collection, and the observations of each accelerator and kind, the oldest first."""
    result: dict[tuple[str, str], list[Observation]] = {}
    for row in data_rows(FILE):
        result.setdefault((row["accelerator"], row["kind"]), []).append(_observation(row))
    firm = [row.first for group in result.values() for row in group if not _is_doubtful(row)]
    last = max(date.fromisoformat(data_value(FILE, "collected")), *firm)
    return last, {key: sorted(group) for key, group in result.items()}


def _observation(row: Mapping[str, Any]) -> Observation:
    first, last = (f"{row['date']}{end}" if _is_year(row["date"]) else row["date"] for end in ("-01-01", "-12-31"))
    words = (row["provider"], row.get("region", ""), row["usd"], row["date"], row["confidence"], row["source"])
    return Observation(date.fromisoformat(last), date.fromisoformat(first), *words)


def as_date(name: str, value: Any) -> date:
    """Return a date that a plan states, as TOML has it or as ISO text; PortfolioError says what was expected."""
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise PortfolioError(f'{name}: {value!r} is not a date; write it as "2027-01-31"') from None


def wrong_date(text: str) -> str:
    """Say what is wrong with the date of a source, "" where nothing is or there is none: a year or month is one too."""
    try:
        _last_day(text) if text else None
    except (PortfolioError, ValueError):
        return f"{show_value(text)}; a date such as 2027-01-31, 2027-01 or 2027 is expected"
    return ""


def age_days(text: str, day: date) -> int:
    """Return how many days before a day a price was observed: from the end of its year or month, 0 without a date."""
    return max((day - _last_day(text)).days, 0) if text else 0


def _last_day(text: str) -> date:
    """Return the last day of a date, of a month or of a year."""
    year, _, rest = text.partition("-")
    if len(year) == 4 and year.isdecimal() and rest.isdecimal():  # noqa: PLR2004 - a year has four digits
        return as_date("date", f"{text}-{monthrange(int(year), int(rest))[1]}")
    return as_date("date", text if rest else f"{text}-12-31")
