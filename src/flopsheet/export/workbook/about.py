"""The cover: the question, the answer, headline figures with their range, and the drivers behind them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import fixed, scientific
from flopsheet.export.xlsx import Formula, Value
from flopsheet.planning.plan import CASES, Plan

Names = dict[str, Value | Formula]


@dataclass(frozen=True)
class Figure:
    """A headline figure: a line of the cluster in a readable unit."""

    key: str
    title: str
    line: str
    unit: str
    divisor: int
    about: str


FIGURES = (
    Figure(
        "budget", "Compute", "budget_flop", "ZFLOP", 10**21, "FLOP that the cluster does in the time; 1 ZFLOP is 1e21"
    ),
    Figure("hours", "Accelerator-hours", "accelerator_hours", "M GPU-h", 10**6, "Accelerators × days × 24"),
    Figure("cost", "Cost", "budget_cost", "USD m", 10**6, "Accelerator-hours × price"),
    Figure("energy", "Energy", "energy_kwh", "GWh", 10**6, "With servers and cooling"),
    Figure("carbon", "Emissions", "carbon_kg", "kt CO2e", 10**6, "Energy × carbon intensity of the grid"),
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
    flop, hours, cost = (float(results[name]) for name in ("budget_flop", "accelerator_hours", "budget_cost"))
    answer = f"{scientific(flop)} FLOP · {fixed(hours / 10**6, 2)} M GPU-h · USD {fixed(cost / 10**6, 1)} m"
    found = {name: f"INDEX(cases[{name}],in_scenario)" for name in ("budget_flop", "accelerator_hours", "budget_cost")}
    text = (
        f'TEXT({found["budget_flop"]},"0.00E+00")&" FLOP · "&TEXT({found["accelerator_hours"]}/1000000,"#,##0.00")'
        f'&" M GPU-h · USD "&TEXT({found["budget_cost"]}/1000000,"#,##0.0")&" m"'
    )
    low, high = (float(plan.cluster[case]["budget_cost"]) / 10**6 for case in ("low", "high"))
    said = (
        f"Money is a guess from guesses: USD {fixed(low, 1)} m in the Low case, USD {fixed(high, 1)} m in the High case"
    )
    range_text = (
        '"Money is a guess from guesses: USD "&TEXT(INDEX(cases[budget_cost],1)/1000000,"#,##0.0")&" m in the Low case,'
        ' USD "&TEXT(INDEX(cases[budget_cost],3)/1000000,"#,##0.0")&" m in the High case"'
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
        divisor = "1E+21" if figure.divisor > 10**15 else str(figure.divisor)
        values = {case: plain(plan.cluster[case][figure.line]) / figure.divisor for case in CASES}
        names |= {
            f"lbl_{figure.key}": figure.title,
            f"unit_{figure.key}": figure.unit,
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
        "out_costed": Formula(text, f"{costed} of {asked} costed"),
    }


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
