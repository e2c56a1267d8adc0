"""A plan's inputs: each with its value in three cases, checked and converted the same way wherever it was given."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.line import Input, Number, lower_title
from flopsheet.accounting.nonumber import NoNumber
from flopsheet.accounting.tables import package_table
from flopsheet.accounting.values import check, label, plain, show_value
from flopsheet.errors import PluginError, PortfolioError
from flopsheet.host.places import place_in
from flopsheet.host.typed_records import check_known
from flopsheet.planning.catalog import FROM, PRICE
from flopsheet.planning.prices import as_date, wrong_date
from flopsheet.units.amounts import amount
from flopsheet.units.named_values import DATE, name_number
from livesheets.days import day_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.question import Question

CASES = ("low", "base", "high")
"""The cases of a plan: low cost, base, high cost."""
TITLES = {"low": "Low cost", "base": "Base", "high": "High cost"}
"""What people call the cases, everywhere."""


def either(titles: Sequence[str]) -> str:
    """Return what may be chosen, in a sentence."""
    *others, last = titles
    return f"{', '.join(others)} or {last}" if others else last


CHOICES = either(tuple(TITLES.values()))
"""The cases of every plan, in a sentence."""
ENDS = CASES
"""The values of a range in rising order have the same three names; `Assumption.cases` says which case takes which."""
WORDS = ("source", "date")
SHARE = "share"
"""The kind of an input that is a part of a whole, and the unit of such a number."""


class Assumption(Struct, frozen=True):
    """An input with its range in one plan: `low`, `base` and `high` in rising order, None where nobody gave one.

    `named` are its values in the plan's named scenarios.
    """

    input: Input
    low: Number | None
    base: Number | None
    high: Number | None
    source: str = ""
    date: str = ""
    named: tuple[Number, ...] = ()

    @property
    def name(self) -> str:
        """The input's name in formulas."""
        return self.input.name

    @property
    def title(self) -> str:
        """The input's name for people."""
        return self.input.title

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return self.input.unit

    @property
    def about(self) -> str:
        """What the input means."""
        return self.input.about

    @property
    def section(self) -> str:
        """The heading under which people find it."""
        return self.input.section

    @property
    def cases(self) -> tuple[Number, ...]:
        """The values of low cost, base, high cost and the named scenarios; no number where the input has none."""
        if self.low is None or self.base is None or self.high is None:
            none: Any = NoNumber(missing(self), self.name)
            return (none, none, none, *self.named)
        ends = (self.low, self.base, self.high)
        return (*(ends[::-1] if self.input.better == "high" else ends), *self.named)

    def end(self, case: str) -> str:
        """Return which value of the range a case takes, in rising order: high MFU is low cost."""
        opposite = {"low": "high", "high": "low"} if self.input.better == "high" else {}
        return opposite.get(case, case)

    def with_values(self, content: Any) -> Assumption:
        """Return the assumption with one value for all cases, or a table of values; ValueError says what is wrong."""
        table = content if isinstance(content, dict) else {"base": content}
        unknown = table.keys() - {*ENDS, *WORDS}
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))} unknown; low, base, high, source and date are expected")
        base = table.get("base", self.base)
        low, middle, high = (self._value(end, table.get(end, base), content) for end in ENDS)
        if not low <= middle <= high:
            raise ValueError(
                f"low = {_show_number(low)}, base = {_show_number(middle)}, high = {_show_number(high)};"
                f" values in rising order are expected{self._ordering()}"
            )
        source, date = str(table.get("source", GIVEN)), str(table.get("date", ""))
        if reason := wrong_date(date):
            raise ValueError(f"date = {reason}")
        return Assumption(self.input, low, middle, high, source, date)

    def _value(self, end: str, value: Any, content: Any) -> Number:
        try:
            return read_value(self.input, value)
        except ValueError as error:
            raise ValueError(f"{end} = {error}" if isinstance(content, dict) else str(error)) from None

    def _ordering(self) -> str:
        if not self.input.better:
            return ""
        return f" (the case {TITLES['low']} takes the {self.input.better} end of this input)"


def read_value(item: Input, value: Any) -> Number:
    """Return what a portfolio gives an input: a number, `15T`, or a date; ValueError says what was expected."""
    if item.unit == DATE and not isinstance(value, int | float):
        return _day(value)
    unit = item.unit or (SHARE if item.kind == SHARE else "")
    return check(item, value if item.labels else amount(value, unit))


def _day(value: Any) -> int:
    try:
        return day_number(as_date("", value))
    except PortfolioError as error:
        raise ValueError(str(error).removeprefix(": ")) from None


GIVEN = "Set in this plan"
"""The source of a value that a portfolio gives without one."""


def as_defined(item: Input) -> Assumption:
    """Return an input as it comes: its default, of a choice the place of a label, and range with their source."""
    is_label = item.default in item.labels
    base = check(item, item.default) if is_label else None if isinstance(item.default, str) else item.default
    low = base if item.low is None else item.low
    high = base if item.high is None else item.high
    return Assumption(item, low, base, high, item.source, item.date)


def write_value(item: Input, number: Number) -> Any:
    """Return a value as a portfolio states it: a choice by its label."""
    return label(item, number) if item.labels else name_number(plain(number), item.unit) or 0


def read_typed(item: Input, cell: Any) -> Any:
    """Return what a portfolio states for a cell of a workbook: a choice by its label, typed as label or place; a date.

    ValueError says what was expected.
    """
    if item.labels and isinstance(cell, int | float) and cell in range(1, len(item.labels) + 1):
        return item.labels[int(cell) - 1]
    is_day = item.unit == DATE and isinstance(cell, date)
    return write_value(item, check(item, day_number(cell) if is_day else cell))


def missing(assumption: Assumption) -> str:
    """Say that an input has no value, and which one to give: `no price: give price_per_hour`."""
    field = next((key.removeprefix(FROM) for key in assumption.input.keys if key.startswith(FROM)), "")
    return f"no {PRICE if field == PRICE else lower_title(assumption.title)}: give {assumption.name}"


def case_called(text: Any, titles: Mapping[str, str] = TITLES) -> str:
    """Return the case that a cell names, "" where it names none."""
    result = {title.casefold(): case for case, title in titles.items()}
    return result.get(str(text).casefold(), "")


class InputsFile(tuple[Input, ...]):  # noqa: SLOT001 - it says where it is from
    """The inputs of a file of a package."""

    package: str
    file: str


class SheetFile(dict[str, Any]):
    """What a file of a package says of how its question is shown."""

    package: str
    file: str


def inputs_from(package: str, name: str = "inputs.toml") -> tuple[Input, ...]:
    """Return the inputs of a TOML table that a package holds; PluginError names a row that is no input."""
    rows = package_table(package, name).get("inputs", [])
    result = InputsFile(_input(f"{package}/{name}: inputs[{at}]", row) for at, row in enumerate(rows))
    result.package, result.file = package, name
    return result


def sheet_from(package: str, name: str = "sheet.toml") -> dict[str, Any]:
    """Return what a package says of how its question is shown."""
    result = SheetFile(package_table(package, name))
    result.package, result.file = package, name
    return result


def place_in_package(question: Question, of: str) -> str:
    """Return file and line, in parentheses, at which a package says something of a question in a file of its own."""
    part, _, place = of.partition(".")
    data = question.sheet if part == "sheet" else question.inputs
    if isinstance(data, SheetFile) and place:
        return place_in(data.package, data.file, place)
    return place_in(data.package, data.file, of) if isinstance(data, InputsFile) and of.startswith("inputs[") else ""


def _input(where: str, row: Any) -> Input:
    """Return a row as an input, its values unchecked: they are held to the fields' types with all of the question."""
    if not isinstance(row, dict):
        raise PluginError(f"{where}: {show_value(row)}; a table is expected")
    check_known(row, Input._fields, where)
    if missing := {"name", "title"} - row.keys():
        raise PluginError(f"{where}: {', '.join(sorted(missing))} missing")
    fields: dict[str, Any] = {"minimum": 0, **row}
    return Input(**fields)


def _show_number(number: Number) -> str:
    return show_value(plain(number))
