"""What the cover says where it is about one question: the question, its answer, and the range of its first cost."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import numbers_of
from flopsheet.export.workbook.answer_cells import MONEY, add_unit, answer_sentence, in_place
from flopsheet.export.workbook.figures import figure_key, unit_of
from flopsheet.export.workbook.formula_names import NAME
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.sheet_records import Best
from flopsheet.units.numbers import names_unit
from flopsheet.units.readable import size
from livesheets import Formula, Value
from livesheets.excel import call, cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.answers import Answer
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Question
    from livesheets.excel import Expression

ASK, SAY, RANGE = "ask", "say", "range"
"""How the names of the three cells begin."""
LARGE = 100
"""Numbers from here on are shown whole."""
SEPARATOR = " · "
NO_MODEL = Best("", "").none
ANSWERED = 2
"""Parts of the answer: the other figures are below it."""


def lead_name(cell: str, question: str) -> str:
    """Return the name of a cell of the cover that is about a question."""
    return f"{cell}_{question}"


def lead_cells(plan: Plan, question: Question) -> dict[str, Value | Formula]:
    """Return the cells of a cover that is about a question; one without figures has none."""
    answers = [answer for answer in plan.answers() if answer.question.name == question.name]
    if not answers:
        return {}
    best = question.described.best
    in_words = best and best.said and plan.costed and not plan.has_gaps
    figures = [f"{answer.figure.title}: " & _amount(answer) for answer in answers]
    answer_text = answer_sentence(best) if best and in_words else _answer_formula(question, figures)
    cost = next((answer for answer in answers if answer.unit == MONEY), answers[0])
    return {
        lead_name(ASK, question.name): question.title,
        lead_name(SAY, question.name): Formula(answer_text),
        lead_name(RANGE, question.name): Formula(_range(question, cost)),
    }


def _answer_formula(question: Question, figures: Sequence[Expression]) -> Expression:
    """Return the formula of an answer: the model in the first place and a figure, or that no model is in it."""
    best = question.described.best
    if best is None:
        return _separate_parts(figures[:ANSWERED])
    return call("IFERROR", _separate_parts([in_place(best, NAME), *figures][:ANSWERED]), best.none)


def _separate_parts(parts: Sequence[Expression]) -> Expression:
    return reduce(lambda before, part: before & SEPARATOR & part, parts)


def model_in_place(best: Best, place: int) -> Expression:
    """Return the formula of the name of the model in a place by the line that the question's sheet calls best."""
    return call("IFERROR", in_place(best, NAME, place), NO_MODEL)


def _amount(answer: Answer, case: str = "") -> Expression:
    """Return the formula of a figure with its unit, live or in a case: one that its title names is left out."""
    number, unit = cell(f"out_{figure_key(answer.question, answer.figure)}{case}"), unit_of(answer)
    values = [float(value / size(unit, answer.unit)) for value in numbers_of(answer.numbers.values())]
    form = "#,##0" if min(values, default=0) >= LARGE or all(value.is_integer() for value in values) else "#,##0.00"
    return add_unit(call("TEXT", number, form), unit, is_plain=names_unit(answer.figure.title, unit))


def _range(question: Question, answer: Answer) -> Expression:
    """Return the formula of what a figure comes to in Low cost and High cost; blank where it is none in one of them."""
    key = figure_key(answer.question, answer.figure)
    low, high = (_amount(answer, f"_{case}") & f" ({TITLES[case]})" for case in ("low", "high"))
    text = f"{answer.figure.title}: " & low & " to " & high & ", as delivered."
    is_none = cell(f"out_{key}_low") * cell(f"out_{key}_high") == 0
    return call("IF", is_none, "", text) if question.described.best else text
