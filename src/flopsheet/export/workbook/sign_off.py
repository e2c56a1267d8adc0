"""What a page that somebody signs says beside its figures: the answer, what it rests on, and what moves it most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.answer_cells import answer_sentence, tipping_sentence
from flopsheet.export.workbook.assumptions import driver_row
from flopsheet.export.workbook.lead import SAY, lead_name
from flopsheet.planning.registry import BASE
from flopsheet.planning.sheet import cover_inputs
from livesheets import Formula, Value
from livesheets.excel import call, cell, column, literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Question
    from livesheets.excel import Expression

MOST_RISKS = 3
COLUMNS = {"Input": "", "Live": "_live", "Unit": "_unit", "Source": "_source"}
"""What the page says of an input: columns of Assumptions, each with the end of its name on the cover."""
MODELS_SHEET = "Models"


def is_decided(plan: Plan, question: Question) -> bool:
    """Whether a question is the first one that is answered by a sentence in cells."""
    return question is _find_decision(plan) and bool(plan.costed) and not plan.has_gaps


def _find_decision(plan: Plan) -> Question | None:
    pairs = ((question, question.described.best) for question in plan.questions)
    return next((question for question, best in pairs if best and best.said), None)


def decided_cells(plan: Plan, question: Question) -> dict[str, Value | Formula]:
    """Return the cells of the page of the first question that is answered by a sentence, by name."""
    best = question.described.best
    if best is None or question is not _find_decision(plan):
        return {}
    cover = {driver.name for driver in cover_inputs(plan.program, (plan.lead,) if plan.lead else BASE)}
    on_cover = not plan.lead and plan.costed and not plan.has_gaps
    turns = cell("out_range") if on_cover else tipping_sentence(best)
    answer = cell("out_answer") if on_cover else answer_sentence(best)
    names: dict[str, Value | Formula] = {
        "sum_answer": Formula(cell(lead_name(SAY, question.name)) if plan.lead == question.name else answer),
        "sum_turns": Formula(turns) if best.turns else "",
        "sum_risks": Formula(_risks()),
        "sum_changed": Formula("Models whose numbers differ from those issued: " & cell("out_edited")),
    }
    for place, driver in enumerate(question.described.drivers, 1):
        name = f"sum_row_{place}"
        in_row = {header: call("INDEX", column("drivers", header), cell(name)) for header in COLUMNS}
        named = {header: cell(f"drv_{driver}{part}") for header, part in COLUMNS.items()}
        cells = named if driver in cover else in_row
        names[name] = None if driver in cover else Formula(driver_row(driver))
        of_models = bool(plan.costed) and all(driver in model.model.drivers for model in plan.costed)
        text, source = (_of_models(cells), literal(MODELS_SHEET)) if of_models else (_input(cells), cells["Source"])
        names[f"sum_input_{place}"] = Formula(text & f" [{place}]")
        names[f"sum_source_{place}"] = Formula(f"[{place}] " & source)
    return dict.fromkeys(names, "") if plan.has_gaps else names


def _input(cells: Mapping[str, Expression]) -> Expression:
    """Return the formula of an input with its live value: a share as a percentage."""
    live, unit = cells["Live"], cells["Unit"]
    share, amount = call("TEXT", live, "0.0%"), call("ROUND", live, 2) & " " & unit
    return cells["Input"] & ": " & call("IF", unit == "share", share, amount)


def _of_models(cells: Mapping[str, Expression]) -> Expression:
    """Return the formula of an input of which every model states its own, so that the plan's counts for none."""
    return cells["Input"] & ": as each model states it"


def _risks() -> Expression:
    """Return the formula of the inputs that move the result of Sensitivity most."""
    inputs = [call("INDEX", column("tornado", "Input"), place) for place in range(1, MOST_RISKS + 1)]
    text = "What moves " & cell("in_sensitivity") & " most, see Sensitivity: " & inputs[0]
    for title in inputs[1:]:
        text = text & "; " & title
    return call("IFERROR", text, "")
