"""The sentence that answers a question, in the cells of its options: the same parts that the terminal shows."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting.nonumber import numbers_of
from flopsheet.export.workbook.assumptions import SCENARIO
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.formula_names import NAME, input_cell, table_name
from flopsheet.planning.inputs import CASES
from flopsheet.planning.sentence import ACCELERATOR, MODEL, Named, pieces
from flopsheet.units.called import DATE
from flopsheet.units.readable import readable
from livesheets.excel import call, column, here, literal, multiply_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from flopsheet.planning.described import Best
    from flopsheet.planning.plan import Plan
    from livesheets.excel import Expression, Operand

BETWEEN, LONG = "; ", 1000
"""What is between what an option does not survive, and more letters than all of it has."""
SAID, TURNS, NEAREST = "said", "turns", "nearest"
"""The columns with the sentence of each option, where it is no longer viable, and what is said where none is."""
FORMS = {
    "accelerators": "#,##0",
    "USD/GPU-h": "#,##0.00",
    "USD/Mtok": "#,##0.000",
    "s": "0.00",
    "ms": "#,##0",
    "share": "0.0%",
}
"""How numbers of a unit are written, where not with one decimal."""


class Wording(NamedTuple):
    """What is named, in words, and the number behind it; None for a name."""

    words: Expression
    number: Expression | None = None


def answer_sentence(best: Best) -> Expression:
    """Return the formula of the sentence of the option in the first place, or that there is none, with the nearest."""
    none: Operand = _first(best, NEAREST, best.near) if best.nearest else f"{best.none}."
    return call("IFERROR", _first(best, SAID, best.line), none)


def tipping_sentence(best: Best) -> Expression:
    """Return the formula of what the option in the first place does not survive; blank where there is none."""
    return call("IFERROR", "No longer viable: " & _first(best, TURNS, best.line), "")


def _first(best: Best, header: str, line: str) -> Expression:
    table = table_name(best.table)
    return call("INDEX", column(table, header), call("MATCH", 1, column(table, line), 0))


def sentence_columns(plan: Plan, best: Best) -> Iterator[tuple[str, Expression]]:
    """Give the columns of the parts of an option's sentence, and those that join them."""
    turns = [f"{BETWEEN}{part}" for part in best.turns]
    nearest = [f"{best.none}.", *best.nearest] if best.nearest else []
    for header, parts in ((SAID, best.said), (TURNS, turns), (NEAREST, nearest)):
        names = [f"{header}_{place}" for place, _ in enumerate(parts, 1)]
        yield from zip(names, (_part(plan, best, part) for part in parts), strict=True)
        if names:
            text = _join_parts(here(table_name(best.table), name) for name in names)
            yield header, call("MID", text, literal(1) + len(BETWEEN), LONG) if header == TURNS else text


def _join_parts(parts: Iterable[Expression]) -> Expression:
    return reduce(and_, parts)


def _part(plan: Plan, best: Best, part: str) -> Expression:
    """Return the formula of a part: blank where something that it names is 0, or is not there."""
    references = [piece for piece in pieces(part) if isinstance(piece, Named)]
    wordings = [
        Wording(literal(piece)) if isinstance(piece, str) else _name_option(plan, best, piece) for piece in pieces(part)
    ]
    text, numbers = (
        _join_parts(wording.words for wording in wordings),
        [wording.number for wording in wordings if wording.number is not None],
    )
    if any(reference.place > 1 for reference in references):
        return call("IFERROR", text, "")
    return call("IF", multiply_all(numbers) == 0, "", text) if numbers else text


def _name_option(plan: Plan, best: Best, reference: Named) -> Wording:
    table = table_name(best.table)
    if reference.name == MODEL:
        return Wording(here(table, NAME) if reference.place == 1 else _in_place(best, NAME, reference.place))
    if reference.name == ACCELERATOR:
        titles = [plan.accelerators[case].title for case in plan.cases]
        return Wording(call("CHOOSE", SCENARIO, *titles) if len({*titles}) > 1 else literal(titles[0]))
    definition = plan.program.inputs.get(reference.name)
    if definition is not None and definition.labels:
        return Wording(call("CHOOSE", input_cell(reference.name), *reference.words))
    if definition is not None:
        live, values = input_cell(reference.name), [plan.case(case)[reference.name] for case in CASES]
        return Wording(_write_number(live, definition.unit, values, plain=reference.plain), live)
    line = next(line for line in plan.program.tables[best.table].lines if line.name == reference.name)
    number = here(table, reference.name) if reference.place == 1 else _in_place(best, reference.name, reference.place)
    row_values = [row[reference.name] for row in plan.table(best.table) if not isinstance(row[reference.name], str)]
    return Wording(_write_number(number, line.unit, row_values, plain=reference.plain), number)


def _in_place(best: Best, header: str, place: int) -> Expression:
    table = table_name(best.table)
    return call("INDEX", column(table, header), call("MATCH", place, column(table, best.line), 0))


def _write_number(number: Expression, unit: str, values: Sequence[Any], *, plain: bool) -> Expression:
    """Return the formula of a number as people read it, in the unit that fits it as delivered."""
    if unit == DATE:
        month, day = (call("RIGHT", "0" & call(part, number), 2) for part in ("MONTH", "DAY"))
        return call("YEAR", number) & "-" & month & "-" & day
    if unit.startswith("nats"):
        return call("TEXT", number, "0.000")
    fits = readable(unit, max(numbers_of(values), default=0))
    text = call("TEXT", number / unit_size(fits, unit), FORMS.get(fits, "#,##0.0"))
    money, _, scale = fits.partition(" ")
    if money == "USD":
        return "USD " & text & scale if scale else "USD " & text
    return text if plain or unit == "share" else text & f" {fits}"
