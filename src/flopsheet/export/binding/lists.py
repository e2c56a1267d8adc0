"""Lists of models: tables of the template whose headers mean fields of a model, a row per model."""

from __future__ import annotations

import statistics
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.values import plain
from flopsheet.configs.words import flags
from flopsheet.errors import TemplateError
from flopsheet.export.binding.fields import GENERIC, values_of
from flopsheet.export.binding.headers import Bound, Catalog, InvalidHeader, Meaning, UnknownHeader, other_money
from flopsheet.export.binding.labels import over
from flopsheet.units import formats
from flopsheet.units.formats import shows_days
from flopsheet.units.money import is_foreign_unit
from flopsheet.units.named_values import DATE
from livesheets import TableFill, unescape
from livesheets.addresses import address
from livesheets.references import Area, reference
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.planning.plan import Plan
    from livesheets import Table, Template, Value
    from livesheets.tokens import Token

LEAST = 2
"""Headers that must mean something before a table is a list of models: one can be chance."""
SAYS_WHY = frozenset({"status", "problems"})
"""Columns that tell models in error apart; without one of them, these have no row."""


class Header(Struct, frozen=True):
    """A column of a table: where its header is, what it means, and whether the author gave it a formula."""

    where: str
    column: int
    meaning: Meaning
    formula: bool

    @property
    def is_filled(self) -> bool:
        """Whether flopsheet gives the column its values."""
        return isinstance(self.meaning, Bound) and not self.formula


class ModelList(Struct, frozen=True):
    """A table that is a list of models."""

    table: Table
    headers: tuple[Header, ...]

    @property
    def wrong(self) -> list[str]:
        """What keeps the table from being filled."""
        return [
            f"{header.where}: the header {header.meaning.header!r}: {header.meaning.reason}"
            for header in self.headers
            if isinstance(header.meaning, InvalidHeader) and not header.formula
        ]

    def rows(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        """Give the values of each row by the name of the field: those of a model."""
        bound = [header.meaning for header in self.headers if isinstance(header.meaning, Bound)]
        names = {field.name for meaning in bound for field in meaning.fields}
        own = self.table.name if self.table.name in plan.host.tables else ""  # an architecture's has its models alone
        for number, model in enumerate(plan.models, start=1):
            if (model.ledger or self.tells_errors) and own in ("", model.model.architecture):
                yield values_of(plan, number, model, names)

    @property
    def tells_errors(self) -> bool:
        """Whether models in error have a row: a column says what they are."""
        names = {header.meaning.field.name for header in self.headers if isinstance(header.meaning, Bound)}
        return bool(names & SAYS_WHY)


def read_headers(template: Template, table: Table, catalog: Catalog) -> tuple[Header, ...]:
    """Return what the headers of a table mean."""
    columns = enumerate(table.columns, start=table.area.left)
    return tuple(_read_header(template, table, column, catalog.meaning(text), catalog) for column, text in columns)


def _read_header(template: Template, table: Table, column: int, meaning: Meaning, catalog: Catalog) -> Header:
    """Return a header with the unit that its number format says, or the cell above it."""
    first = (table.sheet, table.area.top + table.headers, column)
    form, text = template.number_format(*first), template.value(table.sheet, table.area.top - 1, column)
    above = text.strip(" ()[]") if isinstance(text, str) else ""
    where = f"{table.sheet}!{address(table.area.top, column)}"
    if isinstance(meaning, Bound):
        shown = _in_unit(catalog, meaning, formats.beside(form), "its number format", formats.money(form))
        money = above if is_foreign_unit(above) else ""
        titled = shown if meaning.unit else _in_unit(catalog, meaning, above, "the cell above it", money)
        meaning = titled if _is_plain(shown) and not _is_plain(titled) else shown
    return Header(where, column, meaning, template.formula_text(*first) is not None)


def _in_unit(catalog: Catalog, meaning: Bound, unit: str, place: str, money: str) -> Bound | UnknownHeader:
    """Return what a header means with a unit that is said elsewhere, or with money of another country."""
    if meaning.field.unit == "USD" and money and not catalog.money.names_currency(money):
        return UnknownHeader(meaning.header, f"{place}: {other_money(money, meaning.field.name)}")
    return catalog.in_unit(meaning, unit)


def _is_plain(meaning: Bound | UnknownHeader) -> bool:
    """Whether a header means plain numbers, as under a format that writes $ and nothing else."""
    return isinstance(meaning, Bound) and meaning.times == 1


def make_list(meanings: Iterable[Meaning]) -> bool:
    """Whether headers make a list of models: two that mean something, one of them no everyday word."""
    names = [meaning.field.name for meaning in meanings if isinstance(meaning, Bound)]
    return len(names) >= LEAST and not GENERIC.issuperset(names)


def fill_list(plan: Plan, model_list: ModelList, template: Template) -> TableFill:
    """Return the rows of a list of models; columns that nothing fills are blank, or keep the author's formula."""
    if model_list.wrong:
        head = f"the table {model_list.table.name} has headers that cannot be filled:"
        raise TemplateError("\n  ".join([head, *model_list.wrong]))
    writers = [_writer(model_list.table, header, template) for header in model_list.headers]
    rows = [[write(values) for write in writers] for values in model_list.rows(plan)]
    return TableFill(rows, totals=_totals(template, model_list, rows))


def _writer(table: Table, header: Header, template: Template) -> Callable[[Mapping[str, Any]], Value]:
    """Return what makes a column's value of a model's values."""
    meaning = header.meaning
    if not isinstance(meaning, Bound) or header.formula:
        return lambda _: None
    names = [field.name for field in meaning.fields]
    show = _shower(table, header, meaning, template)

    def write(values: Mapping[str, Any]) -> Value:
        value = next((values[name] for name in names if name in values), None)
        return None if value is None or value == "" else show(value)

    return write


def _shower(table: Table, header: Header, meaning: Bound, template: Template) -> Callable[[Any], Value]:
    first = (table.sheet, table.area.top + 1, header.column)
    kind = meaning.field.kind
    if kind == "text":
        return str
    if kind == "flag":
        return _flag(template.value(*first))
    if meaning.field.unit == DATE and template.day_offset:
        return lambda value: plain(Fraction(value) - template.day_offset)
    times = meaning.times
    if times != 1:  # a format that divides, such as 0% or 0.0,, is part of the unit
        times /= formats.divisor(template.number_format(*first))
    return lambda value: over(value, times)


def _flag(sample: Value) -> Callable[[Any], Value]:
    """Return how a flag is shown: as the sample shows it, else as 1 or 0, which sum."""
    if isinstance(sample, bool):
        return bool
    if isinstance(sample, str) and sample.strip():
        return lambda value: _word(sample.strip(), bool(value)) or None
    return lambda value: int(bool(value))


def _word(sample: str, value: bool) -> str:  # noqa: FBT001 - the value itself
    word = next((pair for pair in flags() if sample.casefold() in pair), flags()[0])[not value]
    return word.upper() if sample.isupper() and len(sample) > 1 else word.capitalize() if sample[0].isupper() else word


def _totals(template: Template, model_list: ModelList, rows: Sequence[Sequence[Value]]) -> dict[str, Value]:
    """Return what the totals row shows of the columns that are filled."""
    table = model_list.table
    places = [place for place, header in enumerate(model_list.headers) if table.totals and header.is_filled]
    totals = {place: total_of(template, table, place, [row[place] for row in rows]) for place in places}
    return {table.columns[place]: value for place, value in totals.items() if value is not None}


WHOLE = 1.5
"""What no share is: a sample over it is in percent."""


def doubt(template: Template, table: Table, header: Header) -> str:
    """Return why a column may not show what its sample does, "" where nothing speaks against it."""
    meaning = header.meaning
    if not isinstance(meaning, Bound) or header.formula:
        return ""
    form = template.number_format(table.sheet, table.area.top + 1, header.column)
    if meaning.field.unit == DATE and not shows_days(form):
        return "it is not formatted for days, so it shows numbers such as 46,447"
    sample = template.value(table.sheet, table.area.top + 1, header.column)
    return _of_flag(sample) if meaning.field.kind == "flag" else _of_number(meaning, sample)


def _of_flag(sample: Value) -> str:
    is_known = not isinstance(sample, str) or any(sample.strip().casefold() in pair for pair in flags())
    return "" if is_known else f"the sample {sample!r} is not a known yes or no, so the column shows Yes and No"


def _of_number(meaning: Bound, sample: Value) -> str:
    field = meaning.field
    if field.kind == "number" and isinstance(sample, str) and sample.strip():
        unit = meaning.unit or field.unit
        return f"the sample {sample!r} is text, but it shows {f'numbers in {unit}' if unit else 'numbers'}"
    percent = isinstance(sample, int | float) and not meaning.unit and field.unit == "share" and abs(sample) > WHOLE
    return f"the sample is {sample}, but it shows shares such as 0.4; write '{field.title} (%)' for percent" * percent


TOTALS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "average": statistics.fmean,
    "min": min,
    "max": max,
    "stdDev": statistics.stdev,
    "var": statistics.variance,
}
"""The totals that Excel offers under a column of numbers; counts are apart."""
LEAST_OF = {"sum": 0, "stdDev": 2, "var": 2}
"""How many numbers a total needs, where it is not one."""

_PLAIN: dict[float, str] = {
    1: "average",
    2: "countNums",
    3: "count",
    4: "max",
    5: "min",
    7: "stdDev",
    9: "sum",
    10: "var",
}
_CODES: Mapping[float, str] = _PLAIN | {100 + code: total for code, total in _PLAIN.items()}
"""What the first number of SUBTOTAL means; from 101 on, hidden rows are left out."""
_WORDS = {total.lower(): total for total in TOTALS} | {"count": "countNums", "counta": "count"}
"""The total that a function of Excel gives, by its name in lower case."""


def total_of(template: Template, table: Table, place: int, column: Sequence[Value]) -> Value:
    """Return what the totals row shows of a filled column; None where nobody knows, or Excel gives an error.

    A formula counts, not what the table says of it: Excel keeps the two alike, others do not.
    """
    at = table.area.left + place
    formula = template.formula_text(table.sheet, table.area.bottom, at)
    return _total(_function(formula, table, place) if formula else table.functions[place], column)


def _function(formula: str, table: Table, place: int) -> str:
    """Return which total of its own column a formula is, "" for another formula."""
    pieces = [piece for piece in tokens(formula) if piece.kind != "blank"]
    match [(piece.kind, piece.text) for piece in pieces]:
        case ("function", _), ("sign", "("), ("number", code), ("sign", "," | ";"), _, ("sign", ")"):
            total = _CODES.get(float(code), "") if pieces[0].word == "subtotal" else ""
        case ("function", _), ("sign", "("), _, ("sign", ")"):
            total = _WORDS.get(pieces[0].word, "")
        case _:
            return ""
    return total if _is_column(pieces[-2], table, place) else ""


def _is_column(piece: Token, table: Table, place: int) -> bool:
    """Whether a piece of a formula means the data rows of one column of the table."""
    if piece.kind == "table":
        ref = read_structured(piece.text)
        headers = [unescape(header).casefold() for header in ref.columns]
        own = (ref.table or table.name).casefold() == table.name.casefold()
        return own and not ref.items and headers == [table.columns[place].casefold()]
    at = table.area.left + place
    rows = Area(table.area.top + 1, at, table.area.bottom - table.totals, at)
    result = reference(piece.text) if piece.kind == "cells" else None
    return result is not None and result.sheet.casefold() in {"", table.sheet.casefold()} and result.area == rows


def _total(function: str, column: Sequence[Value]) -> Value:
    """Return the total of a column; None where Excel gives an error or no total."""
    numbers = [float(value) for value in column if isinstance(value, int | float) and not isinstance(value, bool)]
    if function == "count":
        return sum(value is not None for value in column)
    if function == "countNums":
        return len(numbers)
    if function not in TOTALS or len(numbers) < LEAST_OF.get(function, 1):
        return None
    return TOTALS[function](numbers)
