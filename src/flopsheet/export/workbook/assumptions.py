"""The sheets Assumptions and Budget: a row an input, and a row an input or line of the cluster."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.line import lower_title
from flopsheet.accounting.nonumber import no_number, numbers_of
from flopsheet.accounting.values import bounds, plain
from flopsheet.export.layout.shipped_lists import columns_of
from flopsheet.export.workbook.axes import moving
from flopsheet.export.workbook.cells import MISSING, unit_for
from flopsheet.export.workbook.formula_names import names_read, own_header, titles
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.planning.inputs import CASES, TITLES, write_value
from flopsheet.planning.question import CASES_TABLE, MODELS
from flopsheet.units.readable import readable, size
from livesheets import Formula, RowChoices, TableFill, Value
from livesheets.addresses import letters, quote
from livesheets.excel import call, cell, column, headers, here

if TYPE_CHECKING:
    from collections.abc import Container

    from flopsheet.accounting.line import Number
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from livesheets import Table
    from livesheets.excel import Expression, Operand

TIMES, VALUE = "Times", "Value"
"""How many plain units the shown one is, and the live value in plain units: a choice's place in its list."""
SCENARIO = cell("in_scenario")
"""The place of the case that is shown."""
CHOICE = "choice"
"""What is in the place of a unit where a word is chosen."""
MANY = 10**7
"""From here on, people read a number in a larger unit."""


def case_number(place: int, title: str = "") -> Operand:
    """Return the place of a case: from the third one on a count of columns, since a 3 would be a constant."""
    if place < len(CASES):
        return place
    return call("COLUMNS", column("drivers", TITLES[CASES[0]], title or TITLES[CASES[-1]]))


def driver_row(name: str) -> Expression:
    """Return the row of an input in the table of drivers."""
    return call("MATCH", name, column("drivers", "Name"), 0)


def of_cases(plan: Plan) -> tuple[str, str]:
    """Return the first and last of the columns of all cases as formulas read them, named scenarios included."""
    first, *_, last = map(_value, plan.titles.values())
    return first, last


def drivers_table(plan: Plan) -> TableFill:
    """Return the table of drivers: as people type them and, behind their names, as formulas read them."""
    words, unread, moves = _words(plan), _unread(plan), moving(plan)
    rows = (_driver(driver, len(words), _same(plan, driver), unread, moves) for driver in plan.drivers)
    return replace(fill_list("drivers", rows, _names(plan), repeats=_find_repeated(plan)), row_choices=_choices(plan))


def _names(plan: Plan) -> dict[str, Operand]:
    """Return what the formulas of a row read together: its cases as shown and as formulas read them, and its words."""
    first, *_, last = plan.titles.values()
    spans = {"cases_here": (first, last), "values_here": of_cases(plan), "choices_here": (_word(1), _words(plan)[-1])}
    return {name: here("drivers", *span) for name, span in spans.items()}


def _find_repeated(plan: Plan) -> dict[str, list[str]]:
    return {"case": list(plan.titles.values()), "choice": [word.split()[-1] for word in _words(plan)]}


def _words(plan: Plan) -> list[str]:
    """Return the headers of the columns with the words of choices: one at least, which shows how they look."""
    most = max((len(driver.input.labels) for driver in plan.drivers), default=0)
    return [_word(place) for place in range(1, 1 + max(1, most))]


def _value(case: str) -> str:
    """Return the header of the column with a case as formulas read it."""
    return f"{case} value"


def point(place: int) -> str:
    """Return the header of the column with a point between Low cost and High cost as formulas read it."""
    return f"Point {place}"


def _word(place: int) -> str:
    """Return the header of the column with a choice's word of this place."""
    return f"Choice {place}"


def _choices(plan: Plan) -> list[RowChoices]:
    first, *_, last = plan.titles.values()
    rows = ((row, len(driver.input.labels)) for row, driver in enumerate(plan.drivers))
    return [RowChoices(row, (first, last), (_word(1), _word(count))) for row, count in rows if count]


def driver_names(plan: Plan, table: Table) -> dict[str, str]:
    """Return the defined name of the cell with each driver's live value in the template's table."""
    place = [spec.header for spec in columns_of("drivers", _find_repeated(plan))].index(VALUE)
    sheet, column = quote(table.sheet), letters(table.area.left + place)
    rows = enumerate(plan.drivers, start=table.area.top + 1)
    return {f"in_{driver.name}": f"{sheet}!${column}${row}" for row, driver in rows}


def budget_table(plan: Plan) -> TableFill:
    """Return the table Budget: a row a line of the cluster, then a row a driver that one reads; cases are across."""
    titles_by_name = titles(plan.program, plan.program.tables[CASES_TABLE])
    texts = {line.name: formula.read(line.formula) for line in plan.case_lines}
    words = {name: text.markdown(lambda word: lower_title(titles_by_name[word])) for name, text in texts.items()}
    base = plan.cluster["base"]
    entries = [
        ("Result", line.label, unit_for(line.unit, base[line.name]), line.unit, line.name) for line in plan.case_lines
    ]
    read = {name for text in texts.values() for name in text.names}
    entries += [
        ("Driver", driver.title, shown_unit(driver), driver.unit, driver.name)
        for driver in plan.drivers
        if driver.name in read and not driver.input.labels
    ]
    rows: list[list[Value]] = [
        [part, title, unit, words.get(name, ""), plain_unit, size(unit, plain_unit), name]
        for part, title, unit, plain_unit, name in entries
    ]
    span = "no", plan.case_lines[-1].name
    names = {"case_columns": column(CASES_TABLE, *span), "case_headers": headers(CASES_TABLE, *span)}
    return fill_list("budget", rows, names, repeats={"case": list(plan.titles.values())})


def _unread(plan: Plan) -> set[str]:
    """Return the inputs that every model has of its own and that only lines of models read."""
    tables = [table for table in plan.program.tables.values() if MODELS not in table.rows]
    read = names_read(plan.program, (line.formula for table in tables for line in table.lines))
    own_inputs = [plan.own(model) for model in plan.costed]
    return {name for name in plan.own_inputs if name not in read and all(name in own for own in own_inputs)}


def _driver(
    driver: Assumption, words: int, same: Container[int], unread: Container[str], moves: Container[str]
) -> list[Value | Formula]:
    is_read = driver.name not in unread
    labels, unit = driver.input.labels, shown_unit(driver)
    times = 1 if labels else size(unit, driver.unit)
    values = [_case_cell(driver, place, times, follows=place in same) for place in range(len(driver.cases))]
    about = f"Each model has its own on Models, in the column {own_header(driver.name)}: change it there"
    notes = [driver.source, driver.date, driver.about if is_read else about, driver.name]
    least, most, above, whole = bounds(driver.input)
    choices = [*labels, *[None] * (words - len(labels))]
    limits = [least, most, least - 1 if above is None else above, int(whole), int(is_read), int(driver.name in moves)]
    return [driver.section.capitalize(), driver.title, unit, *values, *notes, times, *limits, *choices]


SAME = str(here("drivers", TITLES["base"]))
"""The formula of a case that follows Base: of an input without a range, and where Base is missing."""


def _same(plan: Plan, driver: Assumption) -> set[int]:
    """Return the places of cases that follow Base: both ends of no range, and scenarios that do not set the input."""
    base = CASES.index("base")
    if any(no_number(value) is not None for value in driver.cases):
        return set()
    ends = {*range(len(CASES))} - {base} if len({*driver.cases[: len(CASES)]}) == 1 else set()
    scenarios = {len(CASES) + at for at, scenario in enumerate(plan.named) if driver.name not in scenario.inputs}
    return {place for place in ends | scenarios if driver.cases[place] == driver.cases[base]}


def _case_cell(driver: Assumption, place: int, times: float, *, follows: bool) -> Value | Formula:
    """Return what a case holds: a word or number, what Base holds, or no number until one is typed in Base."""
    value, base = driver.cases[place], CASES.index("base")
    if no_number(value) is not None:
        is_base_missing = place != base and no_number(driver.cases[base]) is not None
        return Formula(SAME if is_base_missing else MISSING)
    content = write_value(driver.input, value) if driver.input.labels else _in_unit(value, times)
    return Formula(SAME, content, follows=True) if follows else content


def shown_unit(driver: Assumption) -> str:
    """Return the unit in which an input is shown: a readable one of large numbers that are exact in it."""
    if driver.input.labels:
        return driver.unit or CHOICE
    if driver.base is None or driver.base < MANY:
        return driver.unit
    unit = readable(driver.unit, driver.base)
    times = size(unit, driver.unit)
    exact = all(plain(value) == _in_unit(value, times) * times for value in numbers_of(driver.cases))
    return unit if exact and driver.base >= times else driver.unit


def _in_unit(value: Number, times: float) -> int | float:
    return plain(value) if times == 1 else plain(Fraction(value) / times)
