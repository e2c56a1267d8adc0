"""The cover: the question, the answer, headline figures with their range, and the drivers behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import numbers_of
from flopsheet.accounting.values import added
from flopsheet.export.workbook.cells import in_text, three_digits
from flopsheet.export.workbook.figures import base_answers, figure_cells, unit_of
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.reasons import reason_lines, reasons_of
from flopsheet.planning.sheet import cover_inputs
from flopsheet.spreadsheet.engine import Formula, Value
from flopsheet.units.readable import divisor, readable

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

Names = dict[str, Value | Formula]


NO_COST = "no cost"
"""What is said in place of an amount that has no number: an input is missing, or a formula fails."""
SHORTEST = 0.01
"""Fewer days would be shown as none."""


def about_names(plan: Plan) -> Names:
    """Return every named cell of the cover."""
    return {**_scenario(plan), **_answer(plan), **_figures(plan), **_counts(plan), **_drivers(plan)}


def _scenario(plan: Plan) -> Names:
    return {
        "in_scenario_label": plan.titles[plan.scenario],
        "in_scenario": Formula("MATCH(in_scenario_label,cases[case],0)"),
    }


def _accelerators(plan: Plan) -> str:
    """Return what says within a text which accelerator the chosen case takes: named scenarios may have others."""
    titles = [in_text(plan.accelerators[case].title) for case in plan.cases]
    if len(set(titles)) == 1:
        return titles[0]
    chosen = ",".join(f'"{title}"' for title in titles)
    return f'"&CHOOSE(in_scenario,{chosen})&"'


def _answer(plan: Plan) -> Names:
    title = _accelerators(plan)
    units = {answer.figure.name: unit_of(answer) for answer in base_answers(plan)}
    usd, scale = _money(units["cost"])
    cost, low, high = (_money_of(plan, usd, name, scale) for name in ("out_cost", "out_cost_low", "out_cost_high"))
    answer = f'out_flop&" · "&{three_digits("out_hours")}&" {units["hours"]} · "&{cost}'
    bounds = (
        f'"Estimated cost: "&{low}&" ({TITLES["low"]}) to "&{high}&" ({TITLES["high"]}).'
        ' Counts are exact; costs rest on the assumptions."'
    )
    return {
        "out_question": Formula(
            f'"What can we train on "&TEXT(in_accelerators,"#,##0")&" × {title} in "&ROUND(in_days,2)&" days?"'
        ),
        "out_answer": Formula(answer),
        "out_range": Formula(bounds),
        "out_flop": Formula(
            'CHOOSE(out_kinds,out_flop_dense,out_flop_sparse&" (mixtures of experts)",'
            'out_flop_dense&" for dense models or "&out_flop_sparse&" for mixtures of experts")'
        ),
        "out_kinds": Formula(KINDS_OF_MODELS),
        "out_flop_dense": Formula(f'{three_digits("out_budget")}&" {units["budget"]}"'),
        "out_flop_sparse": Formula(f'{three_digits("out_budget_sparse")}&" {units["budget_sparse"]}"'),
    }


ACTIVE, ALL = "models[parameters_active]", "models[parameters]"
KINDS_OF_MODELS = f"1+(SUMPRODUCT(({ACTIVE}<{ALL})*1)>0)*(1+(SUMPRODUCT(({ALL}>0)*({ACTIVE}>={ALL}))>0))"
"""1 where all models use all of their parameters for every token, 2 where none does, 3 where some do."""


def _money(unit: str) -> tuple[str, str]:
    """Return the currency of a unit such as USD m, and what is behind an amount."""
    currency, _, scale = unit.partition(" ")
    return currency, scale


def _money_of(plan: Plan, currency: str, name: str, scale: str) -> str:
    """Return the formula that writes an amount; in a plan with gaps, a word where it has no number."""
    amount = f'"{currency} "&{three_digits(name)}&"{scale}"'
    return f'IFERROR({amount},"{NO_COST}")' if plan.has_gaps else amount


def _figures(plan: Plan) -> Names:
    return {name: cell for answer in base_answers(plan) for name, cell in figure_cells(plan, answer).items()}


def _counts(plan: Plan) -> Names:
    text = f'{COSTED}&" of "&SUM(out_n_exact,out_n_approximate,out_n_failed)&" costed"'
    problems = '&" · '.join(f'{word}: "&COUNTIF(problems[Kind],"{kind}")' for kind, word in KINDS.items())
    return {
        "out_n_exact": Formula('COUNTIF(models[Status],"ok")'),
        "out_n_approximate": Formula('COUNTIF(models[Status],"approximate")'),
        "out_n_failed": Formula('COUNTIF(problems[Kind],"error")'),
        "out_problems": Formula(f'"{problems}'),
        "out_costed": Formula(text),
        "out_reasons": _sentence("; ".join([*reason_lines(reasons_of(plan.models)), SEE])),
        **_together(plan),
    }


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


SEE = "counted with a caveat; see the sheet Problems"
"""What the cover says of approximate models, behind the reasons that change numbers."""
KINDS = {"error": "Not costed", "caveat": "caveats", "note": "notes"}
"""What the sheet Problems holds, by kind: a sheet without rows says that there are none."""

COSTED = "SUM(out_n_exact,out_n_approximate)"
NONE_COSTED = '"No model could be costed; see the sheet Problems"'


def _together(plan: Plan) -> Names:
    """Return what training every costed model would take: the live case, in the unit of the Base case."""
    costs = numbers_of(plan.training(model, "base")["training_cost"] for model in plan.costed)
    unit = readable("USD", added(map(float, costs)))
    usd, scale = _money(unit)
    text = (
        f'{_money_of(plan, usd, "out_together_cost", scale)}&" and "'
        f'&IF(out_together_days<{SHORTEST},"less than {SHORTEST}",FIXED(out_together_days,2*(out_together_days<10)))'
        '&" days on the whole cluster: "&out_together_window'
    )
    return {
        "out_together": Formula(text if plan.costed else NONE_COSTED),
        "out_together_cost": Formula(f"SUM(models[training_cost])/{divisor(unit)}"),
        "out_together_window": Formula(
            'IF(out_together_days<=in_days,"within","longer than")&" the "&ROUND(in_days,2)&"-day window"'
        ),
        "out_together_days": Formula("SUM(models[training_days])"),
    }


def _drivers(plan: Plan) -> Names:
    names: Names = {}
    for name in dict.fromkeys(one.name for one in cover_inputs(plan.program, [q.name for q in plan.program.questions])):
        row = f"drv_{name}_row"
        date = f"INDEX(drivers[Date],{row})"
        names |= {
            row: Formula(f'MATCH("{name}",drivers[Name],0)'),
            f"drv_{name}": Formula(f"INDEX(drivers[Input],{row})"),
            f"drv_{name}_live": Formula(f"INDEX(drivers[Live],{row})"),
            f"drv_{name}_unit": Formula(f'INDEX(drivers[Unit],{row})&""'),
            f"drv_{name}_source": Formula(f'INDEX(drivers[Source],{row})&IF({date}="",""," ("&{date}&")")'),
        }
    return names
