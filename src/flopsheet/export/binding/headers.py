"""What a header means: a field of a model, and the unit in which the column shows it."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.configs.words import aliases
from flopsheet.export.binding.fields import fields_of
from flopsheet.export.binding.labels import times_in
from flopsheet.units.money import DOLLAR, DOLLARS, Money, foreign
from flopsheet.units.table import is_plain, kind_of, known_units
from livesheets.spelling import endings, fold, is_sign, readings
from livesheets.suggestions import likely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.export.binding.fields import Field, Periods
    from flopsheet.host.host import Host

_ONE = Fraction(1)

MAX_HINTED = 200
"""Headers of a template that get a hint: each is compared with all names, and a table may have 16,384."""


class Bound(Struct, frozen=True):
    """A header that means a field: one name, or one an architecture where they share a title; values over `times`."""

    header: str
    fields: tuple[Field, ...]
    unit: str = ""
    times: Fraction = _ONE

    @property
    def field(self) -> Field:
        """The field, or the first of those that share the title."""
        return self.fields[0]

    def __str__(self) -> str:
        names = " or ".join(field.name for field in self.fields)
        if foreign(self.unit):
            return f"{names} in {self.unit}"
        return names if self.times == 1 else f"{names} {_write_division(self.times)}"

    @property
    def content(self) -> str:
        """What the column shows, with the unit where the header leaves it open."""
        unit = self.field.unit if self.field.kind == "number" and not self.unit else ""
        return f"{self} ({unit})" if unit not in ("", *(field.name for field in self.fields)) else str(self)


class UnknownHeader(Struct, frozen=True):
    """A header that means nothing, with the reason where its unit is what is not understood."""

    header: str
    reason: str = ""


class InvalidHeader(Struct, frozen=True):
    """A header that cannot be what it says: two fields share the title, or the unit is another's."""

    header: str
    reason: str


Meaning = Bound | UnknownHeader | InvalidHeader


def _write_division(size: Fraction) -> str:
    if size < 1:
        return f"× {1 / size}"
    exponent = len(str(size)) - 1
    return f"÷ 1e{exponent}" if exponent > 2 and size == 10**exponent else f"÷ {size}"  # noqa: PLR2004 - 100 is short


class Catalog(Struct, frozen=True, dict=True):
    """The fields that headers are compared with; a host's and those of periods are read when one asks for them."""

    source: Host | tuple[Field, ...]
    money: Money = DOLLARS
    find_periods: Callable[[], Periods | None] = lambda: None

    @cached_property
    def periods(self) -> Periods | None:
        """What lists of periods may show, None where no question has any."""
        return self.find_periods()

    @cached_property
    def of_periods(self) -> Catalog:
        """The fields of a row that is a period."""
        return Catalog(self.periods.fields if self.periods else (), self.money)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Every field."""
        return self.source if isinstance(self.source, tuple) else fields_of(self.source)

    @cached_property
    def names(self) -> Mapping[str, Field]:
        """Each field by its name."""
        return {field.name: field for field in self.fields}

    @cached_property
    def _by_name(self) -> Mapping[str, Field]:
        own = {fold(name): field for name, field in self.names.items()}
        return own | {word: self.names[name] for word, name in aliases().items() if name in self.names}

    @cached_property
    def _by_title(self) -> Mapping[str, tuple[Field, ...]]:
        result: dict[str, tuple[Field, ...]] = {}
        for field in self.fields:
            result[fold(field.title)] = (*result.get(fold(field.title), ()), field)
        return result

    def meaning(self, header: str) -> Meaning:
        """Return what a header means."""
        for text, unit in readings(header):
            candidates = self._candidates(text)
            if candidates and unit:
                return self._in_unit(header, text, candidates, unit)
            if candidates:
                return _choose_field(header, text, candidates)
        return self._with_ending(header)

    def _with_ending(self, header: str) -> Bound | UnknownHeader:
        """Return the meaning of a header that ends in a unit without brackets; any other end is the author's."""
        for text, unit in endings(header):
            candidates = self._candidates(text)
            result = self._in_unit(header, text, candidates, unit) if candidates else UnknownHeader(header)
            if isinstance(result, Bound):
                return result
            if candidates and is_sign(unit):
                return UnknownHeader(header, result.reason)
        return UnknownHeader(header)

    def _candidates(self, text: str) -> tuple[Field, ...]:
        if text.strip() in self.names:
            return (self.names[text.strip()],)
        by_name, by_title = self._by_name.get(fold(text)), self._by_title.get(fold(text), ())
        return (by_name,) if by_name and by_name not in by_title else by_title

    def _in_unit(self, header: str, text: str, candidates: Sequence[Field], unit: str) -> Meaning:
        """Return the meaning of a header with a unit; of fields that share a title, those of that unit are meant."""
        numbers = [field for field in candidates if field.kind == "number"]
        if not numbers and is_plain(unit):
            return _choose_field(header, text, candidates)
        sizes = {field.name: size for field in numbers if (size := times_in(field.unit, unit, self.money)) is not None}
        fitting = [field for field in numbers if field.name in sizes]
        if not fitting:
            return _misfit(header, candidates[0], numbers, unit)
        meaning = _choose_field(header, text, fitting)
        if isinstance(meaning, InvalidHeader):
            return meaning
        return replace(meaning, unit=unit, times=sizes[meaning.field.name])

    def in_unit(self, meaning: Bound, unit: str) -> Bound:
        """Return the meaning of a header with a unit that is written elsewhere, where the header has none."""
        is_open = not meaning.unit and meaning.field.kind == "number"
        size = times_in(meaning.field.unit, unit, self.money) if is_open else None
        return meaning if size is None else replace(meaning, unit=unit, times=size)

    def hint(self, unknown: UnknownHeader) -> str:
        """Return what may have been meant by a header that means nothing, "" where nothing is close."""
        if unknown.reason:
            return unknown.reason
        text = next((text for text, unit in readings(unknown.header) if unit), unknown.header)
        if text not in self._close and len(self._close) < MAX_HINTED:
            close = likely(fold(text), self._spellings)
            self._close[text] = f"did you mean {self._spellings[close[0]]!r}?" if close else ""
        return self._close.get(text, "")

    @cached_property
    def _close(self) -> dict[str, str]:
        """What was said of headers so far."""
        return {}

    @cached_property
    def _spellings(self) -> Mapping[str, str]:
        """How people spell what a header may say."""
        titles = {fold(field.title): field.title for field in self.fields}
        return {key: field.name for key, field in self._by_name.items()} | titles


def _misfit(header: str, field: Field, numbers: Sequence[Field], unit: str) -> UnknownHeader | InvalidHeader:
    """Return a header whose unit is none of its field."""
    if field.unit.startswith(DOLLAR) and foreign(unit):
        return UnknownHeader(header, other_money(unit, field.name))
    kind = kind_of(unit)
    if not numbers or not kind:
        hint = f"; {field.title} can be in {', '.join(known_units(field.unit))}" if numbers else ""
        return UnknownHeader(header, f"{unit!r} is not a unit of {field.name}{hint}")
    units = ", ".join(known_units(field.unit))
    return InvalidHeader(
        header, f"{unit!r} is a unit of {kind}, but {field.name} is in {field.unit or 'counts'}: {units}"
    )


def other_money(unit: str, what: str) -> str:
    """Say why money in a currency is not filled."""
    return f"{unit!r} is not in USD as {what} is; to convert it, set report_currency and currency_rate under [inputs]"


def _choose_field(header: str, text: str, candidates: Sequence[Field]) -> Bound | InvalidHeader:
    """Return the one field that is meant: a total goes before lines that share its title, a name before titles."""
    totals = [field for field in candidates if field.role in ("model", "result", "total")]
    fields = tuple(totals if len(totals) == 1 else candidates)
    if len({field.unit for field in fields}) == 1 and _apart(fields):
        return Bound(header, fields)
    by_name = [field for field in fields if fold(field.name) == fold(text)]
    if by_name:
        return Bound(header, (by_name[0],))
    names = ", ".join(field.name for field in fields)
    return InvalidHeader(header, f"several fields have this title: {names}; use a name, or add the unit")


def _apart(fields: Iterable[Field]) -> bool:
    """Whether no architecture has two of the fields."""
    homes = [home for field in fields for home in field.where or ("",)]
    return len(homes) == len(set(homes)) and ("" not in homes or len(homes) == 1)
