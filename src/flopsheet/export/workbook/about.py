"""The cover: the question, the answer, headline figures with their range, and the drivers behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import numbers_of
from flopsheet.accounting.values import add
from flopsheet.export.workbook.answer_cells import answer_sentence, tipping_sentence
from flopsheet.export.workbook.assumptions import SCENARIO, driver_row
from flopsheet.export.workbook.cells import three_digits
from flopsheet.export.workbook.figures import base_answers, figure_cells, unit_of
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.reasons import reason_lines, reasons_of
from flopsheet.planning.sheet import cover_inputs
from flopsheet.units.readable import readable
from livesheets import Formula, Value
from livesheets.excel import call, cell, column

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan
    from livesheets.excel import Expression

Names = dict[str, Value | Formula]


NO_COST = "no cost"
"""What is said in place of an amount that has no number: an input is missing, or a formula fails."""
SHORTEST = 0.01
"""Fewer days would be shown as none."""


def about_names(plan: Plan) -> Names:
    """Return every named cell of the cover."""
    return {
        "in_scenario_label": plan.titles[plan.scenario],
        **_answer(plan),
        **{name: content for answer in base_answers(plan) for name, content in figure_cells(plan, answer).items()},
        "out_reasons": _reasons(plan),
        "out_together": _together(plan),
        **_drivers(plan),
    }


def _write_question(plan: Plan) -> Expression:
    """Return the question with the accelerator that the chosen case takes: named scenarios may have others."""
    titles = [plan.accelerators[case].title for case in plan.cases]
    count, days = call("TEXT", cell("in_accelerators"), "#,##0"), call("ROUND", cell("in_days"), 2)
    begin = "What can we train on " & count
    if len(set(titles)) == 1:
        return begin & f" × {titles[0]} in " & days & " days?"
    return begin & " × " & call("CHOOSE", SCENARIO, *titles) & " in " & days & " days?"


def _answer(plan: Plan) -> Names:
    units = {answer.figure.name: unit_of(answer) for answer in base_answers(plan)}
    cost, low, high = (_money(plan, units["cost"], name) for name in ("out_cost", "out_cost_low", "out_cost_high"))
    hours, basis = three_digits(cell("out_hours")), "Counts are exact; costs rest on the assumptions."
    bounds = "Estimated cost: " & low & f" ({TITLES['low']}) to " & high & f" ({TITLES['high']}). {basis}"
    return {
        "out_question": Formula(_write_question(plan)),
        "out_range": Formula(bounds),
        "out_answer": Formula(cell("out_flop") & " · " & hours & f" {units['hours']} · " & cost),
        **_name_decision(plan),
        "out_flop_dense": Formula(three_digits(cell("out_budget")) & f" {units['budget']}"),
        "out_flop_sparse": Formula(three_digits(cell("out_budget_sparse")) & f" {units['budget_sparse']}"),
    }


def _name_decision(plan: Plan) -> Names:
    """Return question and answer of the first question that is answered in words, in place of the cluster's."""
    for question in plan.questions:
        best = question.described.best
        if best and best.said and plan.costed and not plan.has_gaps:
            return {
                "out_question": question.title,
                "out_answer": Formula(answer_sentence(best)),
                "out_range": Formula(tipping_sentence(best)) if best.turns else "",
            }
    return {}


def _money(plan: Plan, unit: str, name: str) -> Expression:
    """Return the formula that writes an amount in a unit such as USD m; in a plan with gaps, a word if it is none."""
    currency, _, scale = unit.partition(" ")
    amount = f"{currency} " & three_digits(cell(name)) & scale
    return call("IFERROR", amount, NO_COST) if plan.has_gaps else amount


SEE = "counted with a caveat; see the sheet Problems"
"""What the cover says of approximate models, behind the reasons that change numbers."""
OF_EXACT = ". Of exact models: {}"
OPTIONS = "Options exclude each other, so nothing is added up"
NONE_COSTED = '"No model could be costed; see the sheet Problems"'


def _reasons(plan: Plan) -> str:
    """Return what changes numbers of approximate models, which are counted beside it, and apart that of exact ones."""
    caveats, conventions = (
        reason_lines(reasons_of(model for model in plan.models if model.status == status))
        for status in ("approximate", "ok")
    )
    reasons, exact = "; ".join([*caveats, SEE]), "; ".join(conventions)
    return f"{reasons[:1].upper()}{reasons[1:]}{OF_EXACT.format(exact) if exact else ''}"


def _together(plan: Plan) -> str | Formula:
    """Return what training every costed model would take: the live case, in the unit of the Base case."""
    cost, days = _money(plan, together_unit(plan), "out_together_cost"), cell("out_together_days")
    days_text = call("IF", days < SHORTEST, f"less than {SHORTEST}", call("FIXED", days, 2 * (days < 10)))  # noqa: PLR2004
    text = cost & " and " & days_text & " days on the whole cluster: " & cell("out_together_window")
    return OPTIONS if _name_decision(plan) else Formula(text if plan.costed else NONE_COSTED)


def together_unit(plan: Plan) -> str:
    """Return the unit of what training every costed model costs, that of the Base case."""
    costs = numbers_of(plan.training(model, "base")["training_cost"] for model in plan.costed)
    return readable("USD", add(map(float, costs)))


def _drivers(plan: Plan) -> Names:
    names: Names = {}
    drivers = cover_inputs(plan.program, [question.name for question in plan.program.questions])
    for name in dict.fromkeys(driver.name for driver in drivers):
        row = f"drv_{name}_row"
        title, live, unit, source, date = (
            call("INDEX", column("drivers", header), cell(row))
            for header in ("Input", "Live", "Unit", "Source", "Date")
        )
        names |= {
            row: Formula(driver_row(name)),
            f"drv_{name}": Formula(title),
            f"drv_{name}_live": Formula(live),
            f"drv_{name}_unit": Formula(unit & ""),
            f"drv_{name}_source": Formula(source & call("IF", date == "", "", " (" & date & ")")),
        }
    return names
