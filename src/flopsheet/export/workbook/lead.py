"""What the cover says where it is about one question: the question, its answer, and the range of its first cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.cells import three_digits
from flopsheet.export.workbook.figures import figure_key, unit_of
from flopsheet.export.workbook.formula_names import NAME, table_name
from flopsheet.planning.inputs import TITLES
from flopsheet.spreadsheet.engine import Formula, Value
from flopsheet.units.readable import size

if TYPE_CHECKING:
    from flopsheet.planning.plan import Answer, Plan
    from flopsheet.planning.question import Question

ASK, SAY, RANGE = "ask", "say", "range"
"""How the names of the three cells begin."""
LARGE = 100
"""Numbers from here on are shown whole."""
ANSWERED = 2
"""Parts of the answer: the other figures stand below it."""


def lead_name(cell: str, question: str) -> str:
    """Return the name of a cell of the cover that is about a question."""
    return f"{cell}_{question}"


def lead_cells(plan: Plan, question: Question) -> dict[str, Value | Formula]:
    """Return the cells of a cover that is about a question; one without figures has none."""
    answers = [answer for answer in plan.answers() if answer.question is question]
    if not answers:
        return {}
    parts = [*_best(question), *(_figure(answer) for answer in answers)]
    told = '&" · "&'.join(parts[:ANSWERED])
    paid = next((answer for answer in answers if answer.unit == "USD"), answers[0])
    return {
        lead_name(ASK, question.name): question.title,
        lead_name(SAY, question.name): Formula(told),
        lead_name(RANGE, question.name): Formula(_range(paid)),
    }


def _best(question: Question) -> list[str]:
    """Return the formula of the name of the model in the first place, where the sheet says by which line."""
    return [model_in_place(question, 1)] if "best" in question.sheet else []


def model_in_place(question: Question, place: int) -> str:
    """Return the formula of the name of the model in a place by the line that the question's sheet calls best."""
    said = question.sheet["best"]
    table = table_name(said["table"])
    return f'IFERROR(INDEX({table}[{NAME}],MATCH({place},{table}[{said["line"]}],0)),"No model")'


def _figure(answer: Answer) -> str:
    key, unit = figure_key(answer.question, answer.figure), unit_of(answer)
    base = float(answer.numbers["base"] / size(unit, answer.unit))
    form = "#,##0" if base.is_integer() or base >= LARGE else "0.00"
    return f'"{answer.figure.title}: "&TEXT(out_{key},"{form}")&" {unit}"'


def _range(answer: Answer) -> str:
    key = figure_key(answer.question, answer.figure)
    low, high = (f'{three_digits(f"out_{key}_{case}")}&" ({TITLES[case]}' for case in ("low", "high"))
    return f'"{answer.figure.title}, {unit_of(answer)}: "&{low}) to "&{high}), as delivered."'
