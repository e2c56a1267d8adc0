"""Contract and spot prices as observed, and how old a price is."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from statistics import median
from typing import Any, NamedTuple

from flopsheet.accounting.values import shown
from flopsheet.errors import PortfolioError
from flopsheet.planning.datafiles import data_rows

COLLECTED = "2026-11-21"
"""The day on which prices were collected: the date of a plan that states none."""

DOUBTFUL = "doubtful"
MARKS = {DOUBTFUL: DOUBTFUL, "second hand": "second hand", "memory": "from memory"}
"""Words of a row's confidence, and what they are called next to its price."""


class ObservedPrice(NamedTuple):
    """A price of one kind for one accelerator: low, base and high in USD per hour, with what it rests on."""

    low: float
    base: float
    high: float
    said: str
    date: str


def observed_price(accelerator: str, kind: str, limit: float, limited_by: str) -> ObservedPrice | None:
    """Return the observed price of a kind, from the newest year; None where nothing was seen at or below a limit.

    Base is the median of what was seen up to the limit, the price of `limited_by`: nobody commits to pay more. Low is
    the least of it, and High the most that was seen. What is doubtful is listed, not counted. The date is the oldest
    that the median rests on.
    """
    rows = [row for row in data_rows("observed_prices") if (row["accelerator"], row["kind"]) == (accelerator, kind)]
    newest = max((row["date"][:4] for row in rows), default="")
    rows = [row for row in rows if row["date"].startswith(newest)]
    usual = [row for row in rows if row["usd"] <= limit and DOUBTFUL not in row["confidence"]]
    if not usual:
        return None
    counted = [row["usd"] for row in usual]
    seen = "; ".join(_said(row) for row in rows)
    said = (
        f"the {len(usual)} of {len(rows)} observed prices at or below the price of {limited_by}, {limit} USD ({seen})"
    )
    most = max(row["usd"] for row in rows)
    return ObservedPrice(min(counted), round(median(counted), 2), most, said, min(row["date"] for row in usual))


def _said(row: dict[str, Any]) -> str:
    words = [row["provider"], row.get("region", ""), str(row["usd"]), row["date"]]
    mark = next((said for word, said in MARKS.items() if word in row["confidence"]), "")
    return ", ".join(word for word in (*words, mark) if word)


def as_date(name: str, value: Any) -> date:
    """Return a date that a plan states, as TOML has it or as ISO text; PortfolioError says what was expected."""
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise PortfolioError(f'{name}: {value!r} is not a date; write it as "2027-01-31"') from None


def wrong_date(dated: str) -> str:
    """Say what is wrong with the date of a source, "" where nothing is or there is none: a year or month is one too."""
    try:
        _last_day(dated) if dated else None
    except (PortfolioError, ValueError):
        return f"{shown(dated)}; a date such as 2027-01-31, 2027-01 or 2027 is expected"
    return ""


def age_days(dated: str, day: date) -> int:
    """Return how many days before a day a price was observed: from the end of its year or month, 0 without a date."""
    return max((day - _last_day(dated)).days, 0) if dated else 0


def _last_day(dated: str) -> date:
    """Return the last day of a date, of a month or of a year."""
    year, _, rest = dated.partition("-")
    if len(year) == 4 and year.isdecimal() and rest.isdecimal():  # noqa: PLR2004 - a year has four digits
        return as_date("date", f"{dated}-{monthrange(int(year), int(rest))[1]}")
    return as_date("date", dated if rest else f"{dated}-12-31")
