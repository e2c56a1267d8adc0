"""Named cells of a planner's template: each in the unit and currency of its label, and none left with a sample."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.export.binding.bind import doubled_names, elsewhere, sample_of, several_cells
from flopsheet.export.binding.headers import other_money
from flopsheet.export.binding.labels import label_money, size_of, to_size, unread_unit
from flopsheet.units.money import DOLLAR, DOLLARS, Money
from flopsheet.units.named_values import DATE
from livesheets import Formula
from livesheets.addresses import address
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from flopsheet.export.binding.bind import FillableCell
    from flopsheet.export.binding.names import NamedValue
    from flopsheet.export.workbook.plan_filler import PlanFiller
    from flopsheet.planning.plan import Plan
    from livesheets import Table, Template, Value

    Cell = Value | Formula


def label_values(
    filler: PlanFiller, values: Mapping[str, NamedValue], places: Sequence[FillableCell], remarks: list[str]
) -> Iterator[tuple[str, Value | Formula]]:
    """Give the value of each named cell, in the unit of its label; one in money of another country is emptied."""
    for place in places:
        single, where = values[place.key], (place.sheet, place.row, place.column)
        if place.key in filler.named.values:
            yield place.name, single.value
        elif (currency := _other_money(filler, where, single.unit)) and single.unit:
            remarks.append(f"the name {place.name} is left blank: {other_money(currency, place.key)}")
            yield place.name, None
        else:
            size = size_of(filler.template, *where, single.unit, money_of(filler.plan))
            yield place.name, to_size(single.value, size)


def count_days(
    template: Template, values: Mapping[str, NamedValue], places: Sequence[FillableCell], cells: Mapping[str, Cell]
) -> dict[str, Cell]:
    """Return the contents of cells with days as the template counts them; a formula counts as flopsheet does."""
    names = {place.name for place in places if values[place.key].unit == DATE} if template.day_offset else set()
    return {**cells, **{name: _count_day(cells[name], template.day_offset) for name in names}}


def _count_day(cell: Cell, offset: int) -> Cell:
    value = cell.value if isinstance(cell, Formula) else cell
    return value - offset if isinstance(value, int | float | Fraction) else value


def unknown_results(
    template: Template,
    names: Collection[str],
    tables: Collection[Table],
    remarks: list[str],
    question_of: Callable[[str], str],
) -> dict[str, Value | Formula]:
    """Empty the cells with a number whose name begins as a result's, and is none: nobody should read the sample.

    One that several cells have is told, and they keep it.
    """
    known_names, doubled = {name.casefold() for name in names}, doubled_names(template, names)
    result: dict[str, Value | Formula] = {}
    for name in template.all_names:
        is_known = template.clear_names.get(name, "").casefold() in known_names
        remarks += filter(None, [several_cells(template, name) if is_known else ""])
        place = None if is_known else sample_of(template, name, tables)
        if place:
            where = f"{place.sheet}!{address(place.row, place.column)}"
            remarks.append(f"{where}: {doubled.get(name) or _unknown(name, names, question_of)}")
            result[name] = None
    return result


def _unknown(name: str, names: Collection[str], question_of: Callable[[str], str]) -> str:
    """Return why a plan has no result of a name."""
    if question := question_of(name.rpartition("!")[2]):
        return f"the name {name} {elsewhere(question)}, so its sample is left out"
    return f"the name {name} is no result of this plan, so its sample is left out{names_like(name, names)}"


def undated(
    values: Mapping[str, NamedValue], places: Sequence[FillableCell], cells: Mapping[str, Cell]
) -> Iterator[str]:
    """Say which days are blank: the plan has no date."""
    for place in places:
        cell = cells[place.name]
        if values[place.key].unit == DATE and isinstance(cell, Formula) and cell.value == "":
            yield f"the name {place.name} is left blank: the plan has no date, so set start under [inputs]"


def unread_units(filler: PlanFiller, values: Mapping[str, NamedValue], places: Sequence[FillableCell]) -> Iterator[str]:
    """Say which cells are in the unit of their name, as what their label says of one is not understood."""
    for place in places:
        unit, where = values[place.key].unit, (place.sheet, place.row, place.column)
        words = unread_unit(filler.template, *where, unit, money_of(filler.plan)) if unit else ""
        if words and place.key not in filler.named.values:
            cell = f"{place.sheet}!{address(place.row, place.column)}"
            yield f"{cell}: {place.key} is in {unit}: {words!r} in its label is not read as a unit of it"


def _other_money(filler: PlanFiller, where: tuple[str, int, int], unit: str) -> str:
    """Return what a cell's label says of money that is not the plan's, "" for none."""
    currency = label_money(filler.template, *where, unit) if unit.startswith(DOLLAR) else ""
    return "" if money_of(filler.plan).names_currency(currency) else currency


def money_of(plan: Plan) -> Money:
    """Return the currency that a plan reports in besides dollars; one without a rate is none."""
    inputs = plan.case(plan.scenario)
    definition = plan.program.inputs.get("report_currency")
    if definition is None or inputs["currency_rate"] == 1:
        return DOLLARS
    return Money(str(definition.labels[int(inputs[definition.name]) - 1]), Fraction(str(inputs["currency_rate"])))
