"""The cover: the question, the answer, headline figures with their range, and the drivers behind them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import fixed, scientific, short, three_digits, three_digits_of
from flopsheet.export.workbook.notes import said_of
from flopsheet.export.workbook.units import divisor, readable, size
from flopsheet.export.xlsx import Formula, Value
from flopsheet.planning.budget import CLUSTER_LINES
from flopsheet.planning.plan import CASES, Plan

if TYPE_CHECKING:
    from flopsheet.planning.catalogue import Driver

Names = dict[str, Value | Formula]


@dataclass(frozen=True)
class Figure:
    """A headline figure: a line of the cluster."""

    key: str
    title: str
    line: str
    about: str

    def unit(self, plan: Plan) -> str:
        """Return the unit in which people read the Base case."""
        plain_unit = next(line.unit for line in CLUSTER_LINES if line.name == self.line)
        return readable(plain_unit, plan.cluster["base"][self.line])


FIGURES = (
    Figure("budget", "Compute", "budget_flop", "FLOP that the cluster does in the time; 1 ZFLOP is 1e21"),
    Figure("hours", "Accelerator-hours", "accelerator_hours", "Accelerators × days × 24"),
    Figure("cost", "Cost", "budget_cost", "Accelerator-hours × price"),
    Figure("energy", "Energy", "energy_kwh", "With servers and cooling"),
    Figure("carbon", "Emissions", "carbon_kg", "Energy × carbon intensity of the grid"),
)
DRIVERS = ("accelerators", "days", "peak_tflops", "mfu", "goodput", "price_per_hour")
SHORTEST = 0.01
"""Fewer days would be shown as none."""


def about_names(plan: Plan) -> Names:
    """Return every named cell of the cover."""
    return {**_scenario(plan), **_answer(plan), **_figures(plan), **_counts(plan), **_drivers(plan)}


def _scenario(plan: Plan) -> Names:
    number = CASES.index(plan.scenario) + 1
    return {
        "in_scenario_label": plan.scenario.capitalize(),
        "in_scenario": Formula("MATCH(in_scenario_label,cases[case],0)", number),
    }


def _answer(plan: Plan) -> Names:
    live, results = plan.case(plan.scenario), plan.cluster[plan.scenario]
    title = plan.accelerator.title
    question = f"What do {fixed(float(live['accelerators']), 0)} {title} buy in {short(float(live['days']))} days?"
    asked = f'"What do "&TEXT(in_accelerators,"#,##0")&" {_quoted(title)} buy in "&ROUND(in_days,2)&" days?"'
    units = {figure.key: figure.unit(plan) for figure in FIGURES}
    hour = units["hours"]
    hours = float(results["accelerator_hours"]) / size(hour)
    usd, _, scale = units["cost"].partition(" ")
    scale = scale and f" {scale}"
    costs = {case: float(plan.cluster[case]["budget_cost"]) / size(units["cost"]) for case in CASES}
    cost = costs[plan.scenario]
    flop = scientific(float(results["budget_flop"]))
    answer = f"{flop} FLOP · {three_digits(hours)} {hour} · {usd} {three_digits(cost)}{scale}"
    text = (
        f'TEXT(INDEX(cases[budget_flop],in_scenario),"0.00E+00")&" FLOP · "&{three_digits_of("out_hours")}'
        f'&" {hour} · {usd} "&{three_digits_of("out_cost")}&"{scale}"'
    )
    low, high = three_digits(costs["low"]), three_digits(costs["high"])
    said = f"Money is a guess from guesses: {usd} {low}{scale} in the Low case, {usd} {high}{scale} in the High case"
    range_text = (
        f'"Money is a guess from guesses: {usd} "&{three_digits_of("out_cost_low")}&"{scale} in the Low case,'
        f' {usd} "&{three_digits_of("out_cost_high")}&"{scale} in the High case"'
    )
    return {
        "out_question": Formula(asked, question),
        "out_answer": Formula(text, answer),
        "out_range": Formula(range_text, said),
    }


def _quoted(text: str) -> str:
    return text.replace('"', '""')


def _figures(plan: Plan) -> Names:
    names: Names = {}
    for figure in FIGURES:
        unit = figure.unit(plan)
        times = divisor(unit)
        values = {case: plain(plan.cluster[case][figure.line]) / size(unit) for case in CASES}
        names |= {
            f"lbl_{figure.key}": figure.title,
            f"unit_{figure.key}": unit,
            f"abt_{figure.key}": figure.about,
            f"out_{figure.key}": Formula(f"INDEX(cases[{figure.line}],in_scenario)/{times}", values[plan.scenario]),
        }
        for number, case in enumerate(CASES, start=1):
            names[f"out_{figure.key}_{case}"] = Formula(f"INDEX(cases[{figure.line}],{number})/{times}", values[case])
    return names


def _counts(plan: Plan) -> Names:
    found = Counter(model.status for model in plan.models)
    costed, asked = found["ok"] + found["approximate"], len(plan.models)
    failed = found["error"]
    text = 'SUM(out_n_exact,out_n_approximate)&" of "&SUM(out_n_exact,out_n_approximate,out_n_failed)&" costed"'
    return {
        "out_n_exact": Formula('COUNTIF(models[Status],"ok")', found["ok"]),
        "out_n_approximate": Formula('COUNTIF(models[Status],"approximate")', found["approximate"]),
        "out_n_failed": Formula('COUNTIF(problems[Kind],"error")', failed),
        "out_problems": _problems(plan),
        "out_costed": Formula(text, f"{costed} of {asked} costed"),
        **_together(plan),
    }


def _together(plan: Plan) -> Names:
    """Return what training every costed model would take: the live case, in the unit of the Base case."""
    models = plan.costed
    if not models:
        none = "No model could be costed: the sheet Problems says why"
        return {"out_together": Formula(f'"{none}"', none), "out_together_cost": 0, "out_together_days": 0}
    usd = readable("USD", sum(float(plan.training(model, "base")["training_cost"]) for model in models))
    live = [plan.training(model, plan.scenario) for model in models]
    cost, days = (sum(float(found[line]) for found in live) for line in ("training_cost", "training_days"))
    money, _, scale = usd.partition(" ")
    scale = scale and f" {scale}"
    cost /= size(usd)
    lasting = fixed(days, 2) if days >= SHORTEST else f"less than {SHORTEST}"
    said = f"To train them all: {money} {three_digits(cost)}{scale}, {lasting} days of the whole cluster"
    text = (
        f'"To train them all: {money} "&{three_digits_of("out_together_cost")}&"{scale}, "'
        f'&IF(out_together_days<{SHORTEST},"less than {SHORTEST}",FIXED(out_together_days,2))'
        '&" days of the whole cluster"'
    )
    return {
        "out_together": Formula(text, said),
        "out_together_cost": Formula(f"SUM(models[training_cost])/{divisor(usd)}", cost),
        "out_together_days": Formula("SUM(models[training_days])", days),
    }


def _problems(plan: Plan) -> Formula:
    """Return what the sheet Problems holds, in words: a sheet without rows says that there are none."""
    kinds = {"error": "Not costed", "problem": "reservations", "note": "notes"}
    found = Counter(problem.kind for problem in said_of(plan))
    text = '&" · '.join(f'{word}: "&COUNTIF(problems[Kind],"{kind}")' for kind, word in kinds.items())
    return Formula(f'"{text}', " · ".join(f"{word}: {found[kind]}" for kind, word in kinds.items()))


def _drivers(plan: Plan) -> Names:
    known = {driver.name: driver for driver in plan.drivers}
    live = plan.case(plan.scenario)
    names: Names = {}
    rows = [driver.name for driver in plan.drivers]
    for name in DRIVERS:
        row = f"drv_{name}_row"
        names[row] = Formula(f'MATCH("{name}",drivers[Name],0)', rows.index(name) + 1)
        names[f"drv_{name}"] = Formula(f"INDEX(drivers[Input],{row})", known[name].title)
        names[f"drv_{name}_live"] = Formula(f"in_{name}", plain(live[name]))
        names[f"drv_{name}_unit"] = Formula(f"INDEX(drivers[Unit],{row})", known[name].unit)
        names[f"drv_{name}_source"] = _sourced(known[name], row)
    return names


def _sourced(driver: Driver, row: str) -> Formula:
    """Return a driver's source with its date, where it has one."""
    date = f"INDEX(drivers[Date],{row})"
    said = f"{driver.source} ({driver.date})" if driver.date else driver.source
    return Formula(f'INDEX(drivers[Source],{row})&IF({date}="",""," ("&{date}&")")', said)
