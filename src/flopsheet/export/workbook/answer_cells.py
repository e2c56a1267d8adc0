"""The sentence that answers a question, in the cells of its options: the same parts that the terminal shows."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.nonumber import numbers_of
from flopsheet.export.shown_units import shown_units
from flopsheet.export.workbook.assumptions import SCENARIO
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.formula_names import NAME, input_cell, look_up, table_name
from flopsheet.planning.inputs import CASES
from flopsheet.planning.sentence import ACCELERATOR, MODEL, Named, pieces
from flopsheet.units.named_values import DATE
from flopsheet.units.readable import readable
from livesheets.excel import call, here, literal, multiply_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from flopsheet.planning.plan import Plan
    from flopsheet.planning.sheet_records import Best
    from livesheets.excel import Expression, Operand

BETWEEN, LONG = "; ", 1000
"""What is between what an option does not survive, and more letters than all of it has."""
SAID, TURNS, NEAREST = "said", "turns", "nearest"
"""The columns with the sentence of each option, where it is no longer viable, and what is said where none is."""
MONEY = "USD"
"""The unit that is before its number."""
FORMS: Mapping[str, str] = shown_units("sentence")
"""How numbers of a unit are written, where not with one decimal."""


class Wording(Struct, frozen=True):
    """What is named, in words, and the number behind it; None for a name."""

    words: Expression
    number: Expression | None = None


def answer_sentence(best: Best) -> Expression:
    """Return the formula of the sentence of the option in the first place, or that there is none, with the nearest."""
    none: Operand = in_place(best, NEAREST, line=best.near) if best.nearest else f"{best.none}."
    return call("IFERROR", in_place(best, SAID), none)


def tipping_sentence(best: Best) -> Expression:
    """Return the formula of what the option in the first place does not survive; blank where there is none."""
    return call("IFERROR", "No longer viable: " & in_place(best, TURNS), "")


def in_place(best: Best, header: str, place: int = 1, line: str = "") -> Expression:
    """Return what a column has of the option in a place by a line, without one that by which the best is found."""
    return look_up(table_name(best.table), header, line or best.line, place)


def sentence_columns(plan: Plan, best: Best) -> Iterator[tuple[str, Expression]]:
    """Give the columns of the parts of an option's sentence, and those that join them."""
    turns = [f"{BETWEEN}{part}" for part in best.turns]
    nearest = [f"{best.none}.", *best.nearest] if best.nearest else []
    for header, parts in ((SAID, best.said), (TURNS, turns), (NEAREST, nearest)):
        names = [f"{header}_{place}" for place, _ in enumerate(parts, 1)]
        yield from zip(names, (_part(plan, best, part) for part in parts), strict=True)
        if names:
            text = reduce(and_, (here(table_name(best.table), name) for name in names))
            yield header, call("MID", text, literal(1) + len(BETWEEN), LONG) if header == TURNS else text


def _part(plan: Plan, best: Best, part: str) -> Expression:
    """Return the formula of a part: blank where something that it names is 0, or is not there."""
    parts = [*pieces(part)]
    wordings = [_word_piece(plan, best, piece) for piece in parts]
    text = reduce(and_, (wording.words for wording in wordings))
    numbers = [wording.number for wording in wordings if wording.number is not None]
    if any(isinstance(piece, Named) and piece.place > 1 for piece in parts):
        return call("IFERROR", text, "")
    return call("IF", multiply_all(numbers) == 0, "", text) if numbers else text


def _word_piece(plan: Plan, best: Best, piece: str | Named) -> Wording:
    if isinstance(piece, str):
        return Wording(literal(piece))
    name = piece.name
    if name == MODEL:
        return Wording(_of_option(best, NAME, piece.place))
    if name == ACCELERATOR:
        titles = [plan.accelerators[case].title for case in plan.cases]
        return Wording(call("CHOOSE", SCENARIO, *titles) if len({*titles}) > 1 else literal(titles[0]))
    if definition := plan.program.inputs.get(name):
        number, unit = input_cell(name), definition.unit
        if piece.words:
            return Wording(call("CHOOSE", number if definition.labels else number + 1, *piece.words))
        values: list[Any] = [plan.case(case)[name] for case in CASES]
    else:
        number = _of_option(best, name, piece.place)
        unit = next(line.unit for line in plan.program.tables[best.table].lines if line.name == name)
        values = [row[name] for row in plan.table(best.table) if not isinstance(row[name], str)]
    return Wording(_write_number(number, unit, values, plain=piece.plain), number)


def _of_option(best: Best, header: str, place: int) -> Expression:
    """Return what a column has of the row's own option, the first one, or of that in another place."""
    return here(table_name(best.table), header) if place == 1 else in_place(best, header, place)


def _write_number(number: Expression, unit: str, values: Sequence[Any], *, plain: bool) -> Expression:
    """Return the formula of a number as people read it, in the unit that fits it as delivered."""
    if unit == DATE:
        month, day = (call("RIGHT", "0" & call(part, number), 2) for part in ("MONTH", "DAY"))
        return call("YEAR", number) & "-" & month & "-" & day
    if unit.startswith("nats"):
        return call("TEXT", number, "0.000")
    fits = readable(unit, max(numbers_of(values), default=0))
    text = call("TEXT", number / unit_size(fits, unit), FORMS.get(fits, "#,##0.0"))
    return add_unit(text, fits, is_plain=plain or unit == "share")


def add_unit(text: Expression, unit: str, *, is_plain: bool) -> Expression:
    """Return a number's text with its unit: a currency is before it, another behind it if it is not `is_plain`."""
    money, _, scale = unit.partition(" ")
    if money == MONEY:
        return f"{money} " & text & scale if scale else f"{money} " & text
    return text if is_plain else text & f" {unit}"
