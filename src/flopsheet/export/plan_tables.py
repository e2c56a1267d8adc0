"""What `flopsheet plan` shows as rows: figures, models and tables, each number as people read it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.nonumber import NoNumber, no_number
from flopsheet.accounting.values import plain
from flopsheet.export.shown_units import shown_units
from flopsheet.export.text import clean, cut
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.planning.question_set import SHARED
from flopsheet.units.named_values import name_number
from flopsheet.units.numbers import counts, digits, human, names_unit
from flopsheet.units.readable import readable, size, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.answers import Answer, Variation
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Rows

NAME_WIDTH = 28
"""Characters of a model's name on the terminal."""
THOUSAND = 1_000
NONE = "—"
"""What stands for a number that is null in a document."""
NONE_AT_0 = tuple(shown_units("none_at_0"))
"""Units of figures in which 0 says that there is none."""


BREAK_EVEN = "break-even"
"""What the titles have of amounts at which two ways cost the same: 0 of them is never."""


class Section(NamedTuple):
    """A title, headers and rows, whose first `lead` columns say what a row is; and how many rows are left out."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    lead: int
    more: int = 0


def figures(plan: Plan) -> list[Section]:
    """Return the figures of each question, in every case."""
    return _figure_sections(plan, list(plan.titles.values()), partial(_figures, plan))


def _figure_sections(plan: Plan, headers: list[str], cells: Callable[[Answer], list[str]]) -> list[Section]:
    """Return a section for each question that has figures, with a row of cells for each of them."""
    results = []
    for question in plan.questions:
        answers = (answer for answer in plan.answers() if answer.question == question)
        rows = [[answer.figure.title, *cells(answer)] for answer in answers]
        results += [Section(question.title, ["", *headers], rows, 1)] if rows else []
    return results


def compare_cases(plan: Plan, cases: Sequence[str]) -> list[Section]:
    """Return the figures of each question in the shown case and in others, with what differs."""
    headers = [header for case in cases for header in (plan.titles[case], "differs by")]

    def cells(answer: Answer) -> list[str]:
        base, title = answer.numbers[plan.scenario], answer.figure.title
        numbers = [answer.numbers[case] for case in cases]
        pairs = [(cell(number, answer.unit, title), _difference(number, base, answer.unit)) for number in numbers]
        return [cell(base, answer.unit, title), *(text for pair in pairs for text in pair)]

    return _figure_sections(plan, [plan.titles[plan.scenario], *headers], cells)


def _difference(number: Number, base: Number, unit: str) -> str:
    """Return how much more a number is than another, with its sign; nothing where either is none."""
    if no_number(number) is not None or no_number(base) is not None or number == base:
        return NONE
    less = plain(number) - plain(base)
    return f"{'+' if less > 0 else '-'}{show_number(abs(less), unit)}"


def tables(plan: Plan, most: int | None = None) -> list[Section]:
    """Return everything that is shown as rows: figures, models, and other tables; at most so many rows of each."""
    return [*figures(plan), *listings(plan, most), *varied_tables(plan)]


def listings(plan: Plan, most: int | None = None) -> list[Section]:
    """Return the models and the tables of questions, at most so many rows of each."""
    models = [_models(plan, most)] if MODELS_TABLE in plan.program.tables and plan.models else []
    return [*models, *of_questions(plan, most)]


def varied_tables(plan: Plan) -> list[Section]:
    """Return what --tornado and --grid ask for."""
    return [_show_variation(plan, variation) for variation in plan.variations]


def of_table(plan: Plan, name: str) -> list[Section]:
    """Return one table with all its rows, as far as it has any to show."""
    if name == MODELS_TABLE:
        return [_models(plan, None)]
    if name == CASES_TABLE:
        rows, lines = plan.table(name), plan.program.list_shown(name)
        return [_section(plan.program.title(name), [], lines, rows)]
    return _table(plan, name, None)


def of_questions(plan: Plan, most: int | None = None) -> list[Section]:
    """Return the tables of questions but for those of cases and models, at most so many rows of each."""
    others = [name for name in plan.program.tables if name not in SHARED]
    return [section for name in others for section in _table(plan, name, most)]


def _table(plan: Plan, name: str, most: int | None) -> list[Section]:
    """Return a table without its rows of zeros; of one with several keys, a section for each value of the first."""
    table, title, lines = plan.program.tables[name], plan.program.title(name), plan.program.list_shown(name)
    rows = [row for row in _rank_rows(plan, name) if any(_says(row[line.name]) for line in lines)]
    top_rows, more = rows[:most], len(rows[most:]) if most else 0
    groups = dict.fromkeys(row[table.keys[0]] for row in top_rows) if len(table.keys) > 1 else {}
    if not groups:
        return [_section(title, table.rows, lines, top_rows)._replace(more=more)] if rows else []
    results = []
    for key in groups:
        own = [row for row in top_rows if row[table.keys[0]] == key]
        results.append(_section(f"{title}: {key}", table.rows[1:], lines, own))
    return [*results[:-1], results[-1]._replace(more=more)]


def _section(title: str, keys: Sequence[Rows], lines: Sequence[Line], rows: Sequence[Mapping[str, Any]]) -> Section:
    headers = [*(key.title or key.key for key in keys), *(line.label for line in lines)]
    body = []
    for row in rows:
        first = [_key(row[key.key], key.unit) for key in keys]
        body.append([*first, *(cell(row[line.name], line.unit, line.label) for line in lines)])
    return Section(title, headers, body, len(keys))


def _key(value: float | str, unit: str) -> str:
    """Return what a row is with all its digits, as its header has no unit: `131,072`, `20%`."""
    if isinstance(value, str):
        return clean(value)
    return show_number(value, unit) if unit in FORMS else digits(value)


def _show_variation(plan: Plan, variation: Variation) -> Section:
    unit, words = variation.unit, variation.words
    rows = [[*row[:words], *(show_number(number, unit) for number in row[words:])] for row in variation.rows]
    title = f"{variation.title}; {plan.titles[plan.scenario]}: {show_number(variation.base, unit)}"
    return Section(title, list(variation.headers), rows, words)


def _rank_rows(plan: Plan, table: str) -> list[dict[str, int | float | str]]:
    """Return the rows of a table; of a ranked one those with a rank, the best first within each first key."""
    rows, rank = plan.table(table), plan.program.rank(table)
    if not rank:
        return rows
    key = plan.program.tables[table].keys[0]
    groups = list(dict.fromkeys(row[key] for row in rows))

    def order(row: Mapping[str, Any]) -> tuple[int, bool, Any]:
        has_none = no_number(row[rank]) is not None
        return groups.index(row[key]), has_none, 0 if has_none else row[rank]

    return sorted((row for row in rows if _says(row[rank])), key=order)


def _says(value: Any) -> bool:
    """Whether a number is not 0, or none."""
    return no_number(value) is not None or bool(value)


def _models(plan: Plan, most: int | None) -> Section:
    lines = plan.program.list_shown(MODELS_TABLE)
    rows = []
    for model in plan.models[:most]:
        numbers = plan.training(model, plan.scenario) if model.ledger else {}
        cells = [cell(numbers[line.name], line.unit, line.label) if numbers else "" for line in lines]
        rows.append([cut(clean(model.name), NAME_WIDTH), model.status, *cells])
    headers = ["Model", "Status", *(line.label for line in lines)]
    return Section(f"Models, {plan.titles[plan.scenario]} case", headers, rows, 2, len(plan.models) - len(rows))


def _figures(plan: Plan, answer: Answer) -> list[str]:
    """Return a figure in every case; where an input is missing, the first says which one to give."""
    values = [answer.numbers[case] for case in plan.cases]
    cells = [cell(value, answer.unit, answer.figure.title) for value in values]
    gaps = [place for place, value in enumerate(values) if no_number(value) is not None]
    if gaps:
        cells[gaps[0]] = str(no_number(values[gaps[0]]))
    return cells


def cell(value: Number | str, unit: str, title: str) -> str:
    """Return a number under its title: `none` or `never` where 0 says so, without a unit that the title names."""
    if (gap := no_number(value)) is not None:
        return gap.word
    if not value and BREAK_EVEN in title.lower() and unit not in FORMS:
        return "never"
    if not value and unit in NONE_AT_0:
        return "none"
    return show_number(value, "" if names_unit(title, unit) else unit)


def show_number(value: Any, unit: str) -> str:
    """Return a number as people read it, with its unit: `8.03 B`, `38%`, `yes`; a word for what is none."""
    if value is None or isinstance(value, str | NoNumber):
        return NONE if value is None else value if isinstance(value, str) else value.word
    number = plain(value)
    if isinstance(word := name_number(number, unit), str):
        return word or NONE
    if unit in FORMS:
        return FORMS[unit](number)
    if unit.startswith(("FLOP", "bytes")) and "/" not in unit.removeprefix("FLOP/s"):
        return human(number, unit)
    if unit.startswith("nats"):
        return f"{number:.3f} {unit}" if number else "none"
    # A prefix of its own takes no second one: tonnes, not K kg, TB-month, not K GB-month; and short times are in ms.
    if (unit.startswith("k") and number >= THOUSAND) or unit == "s" or steps(unit):
        other = readable(unit, number)
        number, unit = number / size(other, unit), other
    unit = "" if unit == "ratio" else unit.removesuffix("s") if number == 1 and counts(unit) else unit
    return f"{_brief(number)} {unit}".rstrip()


def _money(number: float) -> str:
    unit = readable("USD", float(f"{number:.3g}"))
    return f"USD {_brief(number / size(unit))}{unit.removeprefix('USD').strip()}"


MANY_TIMES = 10
"""From here on, a share is written with all its digits before the point."""
FORMS: Mapping[str, Callable[[float], str]] = {
    "flag": lambda number: "yes" if number else "no",
    "output": lambda number: "tokens" if number else "writes no tokens",
    "share": lambda number: f"{100 * number:{'.3g' if number < MANY_TIMES else ',.0f'}}%",
    "USD": _money,
}
"""Units whose numbers are written in a way of their own."""


def _brief(number: float) -> str:
    """Return a number with the digits that say enough: three, and all of those before the point below 100,000."""
    if abs(number) >= 100_000:  # noqa: PLR2004 - from here on, three digits say enough
        return human(number)
    if float(number).is_integer():
        return digits(number)
    if abs(number) >= 99.95:  # noqa: PLR2004 - from here on, three digits are before the point
        return digits(float(round(number)))
    return f"{number:#.3g}" if abs(number) >= 1 else f"{number:.3g}"
