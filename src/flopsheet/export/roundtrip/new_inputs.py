"""The inputs of a portfolio that gives a workbook's: those alone that the catalog and the other inputs do not give."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.configs.portfolio import ACCELERATOR, END, REPORT_DATE, START
from flopsheet.errors import UsageError
from flopsheet.export.roundtrip.cells import in_plain_units, read_cell, text_in
from flopsheet.export.roundtrip.document import named_scenarios
from flopsheet.export.roundtrip.edited_source import TYPED, has_source, with_source
from flopsheet.export.roundtrip.rows import lost_part, same_value, shown_cell
from flopsheet.export.workbook.assumptions import SAME
from flopsheet.export.workbook.cells import MISSING
from flopsheet.export.workbook.problems import OF_SCENARIO, stated_value
from flopsheet.planning.catalog import FROM, accelerator, catalog
from flopsheet.planning.chosen_accelerator import with_accelerator
from flopsheet.planning.inputs import CASES, ENDS, GIVEN, TITLES, WORDS, Assumption, as_defined, read_typed, write_value
from flopsheet.planning.merged_inputs import AGE, Assumed, assume_inputs
from flopsheet.planning.prices import as_date
from flopsheet.planning.registry import all_inputs, heads
from flopsheet.planning.registry import program as program_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from flopsheet.accounting.line import Input
    from flopsheet.export.roundtrip.origin import Origin
    from flopsheet.export.roundtrip.rows import Rows
    from flopsheet.host.host import Host
    from flopsheet.planning.program import Program


class WorkbookInputs(Struct):
    """The table of inputs of a workbook, and what its portfolio has to state for them.

    `own` are the inputs that models state for themselves; `cells` has low, base, high, source and date of each row,
    `by_scenario` the values of each named scenario.
    """

    host: Host
    origin: Origin
    rows: Rows
    own: Collection[str]
    problems: list[str]
    notes: list[str]
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_scenario: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def questions(self) -> list[str]:
        """The questions that were asked; in an older workbook, those of which every input has a row."""
        return [name for name, _ in self.origin.read_pairs("Question")] or self._complete

    @property
    def _complete(self) -> list[str]:
        """The questions of which every input has a row."""
        inputs = {name: {input_.name for input_ in head.inputs} for name, head in heads(self.host).items()}
        return [name for name, names in inputs.items() if names and names <= self.rows.rows.keys()]

    def program(self, names: Collection[str] = ()) -> Program:
        """Return the program of the questions, with those that came along because of an input."""
        questions = heads(self.host)
        asks = {rule.asks for name in self.questions if name in questions for rule in questions[name].heeds}
        return program_of(self.host, [*self.questions, *(asks & {*self._complete})], {*names, *self.own})

    def read(self) -> None:
        """Read every row that is an input of a question; any other is a problem."""
        inputs = all_inputs(self.host)
        for name in map(str, self.rows.rows):
            if name in inputs:
                self._read(inputs[name])
            else:
                self.problems.append(
                    f"{self.rows.address(name, 'Name')}: no question that is installed has the input {name!r}:"
                    " install the plugin that has it, or clear the row"
                )

    def _read(self, input_: Input) -> None:
        driver, read = as_defined(input_), in_plain_units(self.rows, input_.name, partial(read_typed, input_))
        if input_.default is None and all(self.rows.value(input_.name, TITLES[case]) is None for case in CASES):
            return
        if self.rows.formula(input_.name, TITLES["base"]) == MISSING:
            return  # the catalog has none, and nobody gave one
        headers = {case: TITLES["base" if self._follows_base(input_.name, TITLES[case]) else case] for case in CASES}
        result = {c: read_cell(self.rows, input_.name, headers[c], read, self.problems, input_.title) for c in CASES}
        names = [name for name in named_scenarios(self.rows) if not self._follows_base(input_.name, name)]
        scenarios = {name: read_cell(self.rows, input_.name, name, read, self.problems, input_.title) for name in names}
        if None in (*result.values(), *scenarios.values()):
            return
        if result["low"] == result["high"] != result["base"]:
            old = result["low"]
            self.notes.append(
                f"{self.rows.address(input_.name, TITLES['base'])}: {input_.name} = {shown_cell(result['base'])} in all"
                f" cases: {shown_cell(old)} is no range around it"
            )
            result = dict.fromkeys(CASES, result["base"])
            scenarios = {name: result["base"] if same_value(value, old) else value for name, value in scenarios.items()}
        words = {word: text_in(self.rows.value(input_.name, word.capitalize())) for word in WORDS}
        self.cells[input_.name] = {driver.end(case): value for case, value in result.items()} | words
        for name, value in scenarios.items():
            self.by_scenario.setdefault(name, {})[input_.name] = value

    def _follows_base(self, name: str, header: str) -> bool:
        """Tell whether a cell of an input that had no value is the formula that reads Base."""
        return self.rows.formula(name, header) in (MISSING, SAME)

    def state_inputs(self) -> dict[str, Any]:
        """Return what the portfolio states of the inputs by name: names, dates, and values with their sources."""
        pairs = self.origin.read_pairs("Stated")
        names = {name: stated_value(name, text) for name, text in pairs if OF_SCENARIO not in name}
        result: dict[str, Any] = {ACCELERATOR: self._accelerator, **self._with_window(names)}
        result |= {name: self.cells[name] for name in self._without_value if name in self.cells}
        drivers = self._complete_inputs(result, self._differs)
        tables = {name: table for name, table in result.items() if name in self.cells}
        return result | {name: _short(self._date_row(drivers[name], table)) for name, table in tables.items()}

    def scenarios(self, inputs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the inputs of each named scenario, and what is said about it."""
        result: dict[str, dict[str, Any]] = {name: {} for name in self.by_scenario}
        for path, text in self.origin.read_pairs("Stated"):
            scenario, _, name = path.partition(OF_SCENARIO)
            if scenario in result and name:
                result[scenario][name] = self.by_scenario[scenario].get(name, stated_value(name, text))
        for scenario, own in result.items():
            values = {**inputs, **own}
            self._complete_inputs(values, partial(self._differs_in, scenario))
            own.update((name, value) for name, value in values.items() if name not in inputs)
        abouts = {name: {"about": text} for name, text in self.origin.read_pairs("Scenario") if text}
        return {name: abouts.get(name, {}) | own for name, own in result.items() if own}

    @property
    def _accelerator(self) -> str:
        """The accelerator that the workbook plans with; UsageError where it does not say."""
        name = next(iter(dict(self.origin.read_pairs("Accelerator"))), "")
        if not name:
            raise UsageError(
                f"{self.origin.workbook} does not say which accelerator it plans with; report again and edit that one"
            )
        return name

    @property
    def _without_value(self) -> list[str]:
        """The inputs that have neither a default nor a figure in the catalog."""
        row = accelerator(self._accelerator, catalog(self.host))
        drivers = [as_defined(input_) for input_ in self.program().inputs.values()]
        return [driver.name for driver in with_accelerator(drivers, row) if driver.base is None]

    def _complete_inputs(self, inputs: dict[str, Any], differs: Callable[[Assumption], Any]) -> dict[str, Assumption]:
        """Add, one after the other, what the workbook has otherwise than a plan of the inputs; return what that has.

        What follows from other inputs, such as the price that a size calls for, comes after them.
        """
        first: dict[str, Assumption] = {}
        for follows in (False, True):
            while True:
                plan = self._assume(inputs)
                ends = {d.name: value for d in plan.drivers if (value := differs(d)) is not None}
                first = {d.name: d for d in plan.drivers} | first
                new = {n: v for n, v in ends.items() if n not in inputs and self._follows(n) <= follows}
                if not new:
                    break
                first |= {d.name: d for d in plan.drivers if d.name in new}
                inputs |= new
        return first

    def _assume(self, inputs: Mapping[str, Any]) -> Assumed:
        program = self.program(inputs)
        missing = [name for name in program.inputs if name not in self.rows.rows]
        if missing:
            raise lost_part(self.rows.workbook.path, f"{self.rows.sheet} has no row of {', '.join(missing)}")
        return assume_inputs(self.host, program, all_inputs(self.host), inputs, self.own)

    def _follows(self, name: str) -> bool:
        """Return whether an input may follow from others: from the accelerator at its kind of price, or as implied."""
        program = self.program()
        implied_inputs = {rule.input for question in heads(self.host).values() for rule in question.implied}
        keys = program.inputs[name].keys if name in program.inputs else ()
        return name in {AGE, *implied_inputs} or any(key.startswith(FROM) for key in keys)

    def _differs(self, driver: Assumption) -> dict[str, Any] | None:
        """Return the row of an input where the plan has it otherwise."""
        row = self.cells.get(driver.name)
        return None if row is None or all(same_value(row[key], value) for key, value in _row(driver).items()) else row

    def _differs_in(self, scenario: str, driver: Assumption) -> Any:
        """Return the value of an input in a scenario where the plan has another one."""
        value = self.by_scenario[scenario].get(driver.name)
        base = None if driver.base is None else write_value(driver.input, driver.base)
        return None if same_value(value, base) else value

    def _date_row(self, driver: Assumption, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row with the source of what was typed over the catalog's values."""
        before = _row(driver)
        ends = [end for end in ENDS if not same_value(before[end], table[end])]
        is_same = before["source"] == table["source"] and before["date"] == table["date"]
        day = dict(self.origin.read_pairs("Stated")).get(REPORT_DATE, "")
        return with_source(driver, table, ends, day) if ends and is_same and has_source(driver) else dict(table)

    def _with_window(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the names and dates, without a window where somebody typed other days."""
        row = self.cells.get("days")
        if START not in names or END not in names or row is None:
            return names
        days = (as_date(END, names[END]) - as_date(START, names[START])).days
        if all(row[end] == days for end in ENDS):
            return names
        row["source"] = TYPED.capitalize()
        return {name: value for name, value in names.items() if name not in (START, END)}


def _row(driver: Assumption) -> dict[str, Any]:
    """Return an input as its row has it."""
    numbers = {end: getattr(driver, end) for end in ENDS}
    ends = {end: None if number is None else write_value(driver.input, number) for end, number in numbers.items()}
    return {**ends, "source": driver.source, "date": driver.date}


def _short(table: Mapping[str, Any]) -> Any:
    """Return a range as people write it: one number for all cases, and no word that would be there anyway."""
    words = {word: table[word] for word in WORDS if table[word] not in ("", GIVEN)}
    ends = {end: table[end] for end in ENDS}
    if all(same_value(value, table["base"]) for value in ends.values()):
        return {"base": table["base"], **words} if words else table["base"]
    return {**ends, **words}
