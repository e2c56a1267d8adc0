"""The cover: the question, the answer, headline figures with their range, and the drivers behind them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import fixed, scientific, three_digits, three_digits_of
from flopsheet.export.workbook.notes import said_of
from flopsheet.export.xlsx import Formula, Value
from flopsheet.planning.plan import CASES, Plan

Names = dict[str, Value | Formula]


@dataclass(frozen=True)
class Figure:
    """A headline figure: a line of the cluster, and the units in which people read it, the largest first."""

    key: str
    title: str
    line: str
    about: str
    units: tuple[tuple[str, int], ...]

    def unit(self, plan: Plan) -> tuple[str, int]:
        """Return the largest unit of which the Base case has at least one, and how many plain units that is."""
        value = plan.cluster["base"][self.line]
        return next((unit for unit in self.units if value >= unit[1]), self.units[-1])


FIGURES = (
    Figure(
        "budget",
        "Compute",
        "budget_flop",
        "FLOP that the cluster does in the time; 1 ZFLOP is 1e21",
        (("ZFLOP", 10**21), ("EFLOP", 10**18)),
    ),
    Figure(
        "hours",
        "Accelerator-hours",
        "accelerator_hours",
        "Accelerators × days × 24",
        (("M GPU-h", 10**6), ("k GPU-h", 10**3), ("GPU-h", 1)),
    ),
    Figure(
        "cost",
        "Cost",
        "budget_cost",
        "Accelerator-hours × price",
        (("USD m", 10**6), ("USD k", 10**3), ("USD", 1)),
    ),
    Figure(
        "energy",
        "Energy",
        "energy_kwh",
        "With servers and cooling",
        (("GWh", 10**6), ("MWh", 10**3), ("kWh", 1)),
    ),
    Figure(
        "carbon",
        "Emissions",
        "carbon_kg",
        "Energy × carbon intensity of the grid",
        (("kt CO2e", 10**6), ("t CO2e", 10**3), ("kg CO2e", 1)),
    ),
)
DRIVERS = ("accelerators", "days", "peak_tflops", "mfu", "goodput", "price_per_hour")


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
    question = f"What do {fixed(float(live['accelerators']), 0)} {title} buy in {fixed(float(live['days']), 0)} days?"
    asked = f'"What do "&TEXT(in_accelerators,"#,##0")&" {_quoted(title)} buy in "&TEXT(in_days,"#,##0")&" days?"'
    units = {figure.key: figure.unit(plan) for figure in FIGURES}
    hours, hour = float(results["accelerator_hours"]) / units["hours"][1], units["hours"][0]
    usd, _, scale = units["cost"][0].partition(" ")
    scale = scale and f" {scale}"
    costs = {case: float(plan.cluster[case]["budget_cost"]) / units["cost"][1] for case in CASES}
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
        unit, times = figure.unit(plan)
        divisor = f"1E+{len(str(times)) - 1}" if times > 10**15 else str(times)
        values = {case: plain(plan.cluster[case][figure.line]) / times for case in CASES}
        names |= {
            f"lbl_{figure.key}": figure.title,
            f"unit_{figure.key}": unit,
            f"abt_{figure.key}": figure.about,
            f"out_{figure.key}": Formula(f"INDEX(cases[{figure.line}],in_scenario)/{divisor}", values[plan.scenario]),
        }
        for number, case in enumerate(CASES, start=1):
            names[f"out_{figure.key}_{case}"] = Formula(f"INDEX(cases[{figure.line}],{number})/{divisor}", values[case])
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
    }


def _problems(plan: Plan) -> Formula:
    """Return what the sheet Problems holds, in words: a sheet without rows says that there are none."""
    kinds = {"error": "not costed", "problem": "reservations", "note": "notes"}
    found = Counter(problem.kind for problem in said_of(plan))
    text = '&", "&'.join(f'COUNTIF(problems[Kind],"{kind}")&" {word}"' for kind, word in kinds.items())
    return Formula(text, ", ".join(f"{found[kind]} {word}" for kind, word in kinds.items()))


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
        names[f"drv_{name}_source"] = Formula(f"INDEX(drivers[Source],{row})", known[name].source)
    return names
