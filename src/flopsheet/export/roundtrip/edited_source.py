"""The source and date of an input of which a planner typed some cases: the others keep theirs."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from flopsheet.planning.catalog import FROM, PRICE
from flopsheet.planning.inputs import GIVEN, TITLES
from flopsheet.planning.merged_inputs import IMPLIED

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.planning.inputs import Assumption

TYPED = "edited in the workbook"
NAMES = "|".join(TITLES.values())
EDITED = re.compile(rf"((?:{NAMES})(?:, (?:{NAMES}))*): {TYPED}, (\d{{4}}-\d\d-\d\d); ")
REST = re.compile(rf"(?:{NAMES})(?:, (?:{NAMES}))*: ")


def with_source(driver: Assumption, table: Mapping[str, Any], ends: Collection[str], day: str = "") -> dict[str, Any]:
    """Return the values of an input with the source of those that were typed on a day, today without one.

    `ends` are the ends of the range that were. The date of the input is that of its Base value; where that was typed,
    the date of the others is in the source.
    """
    day = day or date.today().isoformat()  # noqa: DTZ011 - the day on which the planner sits
    days, rest = _read_source(driver.source)
    own = day if "base" in ends and (driver.date or _is_price(driver)) else driver.date
    if own != driver.date and driver.date and "base" not in days:
        rest = f"{rest} ({driver.date})"
    days |= dict.fromkeys(map(driver.end, ends), day)
    return {**table, "source": _source(days, rest), "date": own}


def has_source(driver: Assumption) -> bool:
    """Return whether somebody is named as the source of an input, or its date counts, as that of a price does."""
    is_derived = driver.source.startswith((IMPLIED, "The catalog has no "))
    return _is_price(driver) or bool(driver.date) or (driver.source not in ("", GIVEN) and not is_derived)


def _is_price(driver: Assumption) -> bool:
    return f"{FROM}{PRICE}" in driver.input.keys


def _read_source(source: str) -> tuple[dict[str, str], str]:
    """Return the day on which each case was typed, and the source of the others."""
    days: dict[str, str] = {}
    while match := EDITED.match(source):
        days |= dict.fromkeys(match[1].split(", "), match[2])
        source = source[match.end() :]
    rest = REST.sub("", source, count=1) if days else source
    by_title = {title: case for case, title in TITLES.items()}
    return {by_title[title]: day for title, day in days.items()}, rest


def _source(days: Mapping[str, str], rest: str) -> str:
    """Return what was typed, by day, and then the source of the other cases."""
    others = [TITLES[case] for case in TITLES if case not in days]
    if not others:
        return TYPED.capitalize()
    parts = [
        f"{', '.join(TITLES[case] for case in TITLES if days.get(case) == day)}: {TYPED}, {day}"
        for day in sorted({*days.values()})
    ]
    return "; ".join([*parts, f"{', '.join(others)}: {rest}"])
