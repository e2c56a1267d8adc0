"""What of a question fits together when it is loaded: names, inputs, rows, links, figures, checks and its sheets."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.formula.names import check_name
from flopsheet.accounting.values import label, wrong_default
from flopsheet.errors import FlopsheetError, FormulaError, PluginError, SeveralPluginError
from flopsheet.planning.inputs import as_defined
from flopsheet.planning.question import BRACED, MODELS, OTHERS, extra_keys, flags
from flopsheet.planning.row_limits import checked_count, checked_product, list_rows, listed_rows
from flopsheet.planning.run import with_flags
from flopsheet.planning.sound_sheet import wrong_in_sheets
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from flopsheet.accounting.line import Input, Number
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Question, Rows, Table

Wrong = tuple[str, str]
"""A place in a question, and what is wrong there."""


def check_question(program: Program, question: Question, tables: Collection[str] = ()) -> None:
    """Raise PluginError for all that is wrong in a question of a program; `tables` are tables that are not its own."""
    _raise(chain(_names(question, tables), _inputs(question), _rows(question)))
    _ = program.inputs, program.tables
    _raise(chain(_own_names(program, question), _read_tables(program, question), _find_uncounted(program, question)))
    _ = program.links
    program.check_order(question)
    _ = program.figures
    _raise(chain(_find_unknown(program, question), _checks(program, question), wrong_in_sheets(program, question)))


def _raise(wrong: Iterable[Wrong]) -> None:
    results = [PluginError(f"{place}: {what}", place) for place, what in wrong]
    if results:
        raise SeveralPluginError(results) if len(results) > 1 else results[0]


def _names(question: Question, tables: Collection[str]) -> Iterator[Wrong]:
    """Find names that formulas and workbooks cannot have, and those of one table that are there twice."""
    yield from _unusable({"name": question.name})
    for part in ("figures", "checks", "tables"):
        yield from _unusable({f"{part}[{at}].name": item.name for at, item in enumerate(getattr(question, part))})
    yield from _twice("figures", [item.name for item in question.figures])
    for at, table in enumerate(question.tables):
        if table.name in tables:
            yield f"tables[{at}].name", f"the table {table.name!r} is that of an architecture; another name is expected"
        own = _names_in(table)
        yield from _unusable({f"tables[{at}].{place}": name for place, name in own.items()})
        yield from _twice(f"tables[{at}]", own.values())


def _names_in(table: Table) -> dict[str, str]:
    """Return the names that formulas of a table read, by their places in it."""
    keys = {f"rows[{at}].key": rows.key for at, rows in enumerate(table.rows)}
    extras = {f"rows[{at}].values": name for at, rows in enumerate(table.rows) for name in extra_keys(rows)}
    links = {f"links[{at}].name": link.name for at, link in enumerate(table.links)}
    lines = {f"lines[{at}].name": line.name for at, line in enumerate(table.lines)}
    return {**keys, **extras, **links, **lines}


def _unusable(names: Mapping[str, str]) -> Iterator[Wrong]:
    yield from ((place, reason) for place, name in names.items() if (reason := check_name(name)))


def _twice(where: str, names: Iterable[str]) -> Iterator[Wrong]:
    for name, times in Counter(names).items():
        if times > 1:
            yield where, f"{name!r} is there {times} times; different names are expected"


def _inputs(question: Question) -> Iterator[Wrong]:
    """Find inputs whose default, range or date no plan could give."""
    for at, item in enumerate(question.inputs):
        if reason := _wrong_input(item):
            yield f"inputs[{at}]", f"the input {item.name}: {reason}"


def _wrong_input(one: Input) -> str:
    if one.kind == "choice" and len({*one.labels}) < max(len(one.labels), 1):
        return "a choice needs labels, different words that people choose from"
    if reason := wrong_default(one):
        return reason
    base = next((end for end in (one.default, one.low, one.high) if end is not None), None)
    ends = {} if base is None else {"low": one.low, "base": base, "high": one.high}
    table: dict[str, Any] = {end: _label_choice(one, base if value is None else value) for end, value in ends.items()}
    try:
        as_defined(one).with_values({**table, "date": one.date}) if table else None
    except (ValueError, FlopsheetError) as error:
        return str(error)
    return ""


def _label_choice(item: Input, value: Any) -> Any:
    """Return a value of a choice that is given by its place, from 1, by its label as a portfolio gives it."""
    is_place = item.labels and isinstance(value, int) and 1 <= value <= len(item.labels)
    return label(item, value) if is_place else value


def _rows(question: Question) -> Iterator[Wrong]:
    """Find rows that are none, that are labeled otherwise than counted, or that are more than a table has."""
    for at, table in enumerate(question.tables):
        for place, rows in enumerate(table.rows):
            if rows not in (MODELS, OTHERS) and (reason := _wrong_rows(rows)):
                yield f"tables[{at}].rows[{place}]", reason
            if rows.search and table.rows[0] != MODELS:
                what = f"rows of {table.name} that a search finds for each model; MODELS is expected before them"
                yield f"tables[{at}].rows[{place}]", what


def _wrong_rows(rows: Rows) -> str:
    if bool(rows.until) + bool(rows.values) + bool(rows.search) != 1 and not (rows.search and rows.values):
        return f"the rows {rows.key} have no values; until, values or a search is expected"
    if rows.until and not formula.read(rows.until).names and (reason := _said_by(partial(_whole, rows))):
        return reason
    if rows.labels and not rows.search and len(rows.labels) != len(rows.values):
        return f"{len(rows.values):,} values and {len(rows.labels):,} labels; a label for each value is expected"
    every = list_rows(rows)
    if len({key for key, _ in every}) < len(every):
        return f"two of the rows have the same {rows.key}; different ones are expected"
    if len({frozenset(own) for _, own in every}) > 1:
        return f"the rows of {rows.key} bring different numbers; those of the first row are expected in each"
    return _said_by(lambda: checked_count(rows, len(every)))


def _whole(rows: Rows) -> None:
    """Raise FormulaError for rows until a number, not a formula of inputs, that no count is."""
    count = formula.read(rows.until).evaluate({})
    if count < 0 or count != int(count):
        raise FormulaError(f"until = {rows.until!r} gives {float(count):g}; a whole number of at least 0 is expected")


def _said_by(step: Callable[[], object]) -> str:
    try:
        step()
    except FlopsheetError as error:
        return str(error)
    return ""


def _is_near(other: Question, question: Question) -> bool:
    return other.name in (question.name, *question.needs) or not (other.optional and question.optional)


def _own_names(program: Program, question: Question) -> Iterator[Wrong]:
    """Find lines and links with the name of an input, and checks that another question has of the same table.

    An optional question that it does not need may have an input of that name: no formula of it reads that.
    """
    inputs = [item for other in program.questions if _is_near(other, question) for item in other.inputs]
    names_in_use = {item.name for item in inputs} | {flag for item in inputs for flag in flags(item)}
    for at, table in enumerate(question.tables):
        for place, name in _names_in(table).items():
            if name in names_in_use and not place.startswith("rows"):
                yield f"tables[{at}].{place}", f"an input is called {name!r}; another name is expected"
    counts = Counter((check.table, check.name) for _, check in program.checks)
    for at, check in enumerate(question.checks):
        if counts[check.table, check.name] > 1:
            yield f"checks[{at}].name", f"the table {check.table} has a check {check.name!r}; another name is expected"


def _read_tables(program: Program, question: Question) -> Iterator[Wrong]:
    """Find checks of tables that there are not, and first rows of tables without rows."""
    links = ((t, at, link) for t, table in enumerate(question.tables) for at, link in enumerate(table.links))
    read = [(f"figures[{at}]", item.how, item.table) for at, item in enumerate(question.figures)]
    for place, how, name in [*read, *((f"tables[{t}].links[{at}]", item.how, item.table) for t, at, item in links)]:
        if how == "first" and name in program.tables and not program.tables[name].rows:
            yield f"{place}.how", f"the table {name} has no rows, so there is no first one"
    for at, check in enumerate(question.checks):
        if check.table not in program.tables:
            hint = names_like(check.table, program.tables)
            yield f"checks[{at}].table", f"the table {check.table!r} does not exist{hint}"


def _find_uncounted(program: Program, question: Question) -> Iterator[Wrong]:
    """Find formulas of rows that cannot be read, and tables that have too many rows with the inputs as they come."""
    scopes = list(_scopes(program.inputs.values()))
    names = scopes[0].keys() | program.inputs.keys()
    for at, table in enumerate(question.tables):
        for place, rows in enumerate(table.rows):
            if rows.until and (reason := _said_by(partial(formula.read, rows.until, names))):
                yield f"tables[{at}].rows[{place}].until", reason
                return
        for scope in scopes:
            if reason := _said_by(partial(_product, table, scope)):
                yield f"tables[{at}].rows", f"{reason}, with the inputs as they come"
                break


def _product(table: Table, scope: Mapping[str, Number]) -> None:
    """Raise FormulaError where a table has more rows than it may; inputs without a default leave them unknown."""
    ready = [rows for rows in table.rows if {*(formula.read(rows.until).names if rows.until else ())} <= scope.keys()]
    checked_product(table, prod(listed_rows(rows, scope) for rows in ready if rows not in (MODELS, OTHERS)))


def _scopes(inputs: Iterable[Input]) -> Iterator[dict[str, Number]]:
    """Give what formulas read of the inputs as they come: at the low end of each, at its default, and at the high."""
    every = [as_defined(assumption) for assumption in inputs]
    for end in ("base", "low", "high"):
        values = {assumption.name: value for assumption in every if (value := getattr(assumption, end)) is not None}
        yield with_flags((assumption.input for assumption in every if assumption.name in values), values)


def _find_unknown(program: Program, question: Question) -> Iterator[Wrong]:
    """Find inputs and questions that the question names and that there are not."""
    inputs = {f"asked_by[{at}]": name for at, name in enumerate(question.asked_by)}
    inputs |= {f"heeds[{at}].input": item.input for at, item in enumerate(question.heeds)}
    for at, item in enumerate(question.implied):
        inputs[f"implied[{at}].input"] = item.input
        inputs |= {f"implied[{at}].given[{place}]": name for place, name in enumerate(item.given)}
    questions = {f"needs[{at}]": name for at, name in enumerate(question.needs)}
    questions |= {f"heeds[{at}].asks": item.asks for at, item in enumerate(question.heeds)}
    all_questions = [item.name for item in program.questions]
    if question.name in question.needs:
        yield f"needs[{question.needs.index(question.name)}]", "a question that needs itself; another one is expected"
    for part, existing in ((inputs, list(program.inputs)), (questions, all_questions)):
        for place, name in part.items():
            if name not in existing:
                yield place, f"{name!r} does not exist{names_like(name, existing)}"


def _checks(program: Program, question: Question) -> Iterator[Wrong]:
    """Find checks whose formula cannot be read, and words in braces that are no input."""
    for at, check in enumerate(question.checks):
        if reason := _said_by(partial(program.formula, check.table, check.formula)):
            yield f"checks[{at}].formula", reason
        for part in ("message", "remedy"):
            for name in BRACED.findall(getattr(check, part)):
                if name not in program.inputs:
                    hint = names_like(name, program.inputs)
                    yield f"checks[{at}].{part}", f"no input is called {name!r}, which is in braces{hint}"
