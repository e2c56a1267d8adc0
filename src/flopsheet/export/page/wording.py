"""What people read of a plan on its page: titles, units, formulas in words, inputs with their sources, and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

import flopsheet
from flopsheet.accounting.values import bounds, plain
from flopsheet.configs.portfolio import END, PRICE_KIND, START
from flopsheet.export.plan_tables import BREAK_EVEN, NONE_AT_0
from flopsheet.export.sentences import worded
from flopsheet.export.workbook.formula_names import titles
from flopsheet.planning.found_layouts import stating
from flopsheet.planning.merged_inputs import AGE, CHOOSING_KIND, PRICE, RENTED_AS
from flopsheet.planning.question import MODELS, OTHERS
from flopsheet.planning.sentence import Named, pieces
from flopsheet.planning.variations import DEFAULT_RESULT, TOP, results, tornado
from flopsheet.units.named_values import words_of
from flopsheet.units.readable import scales, size, steps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.configs.scenarios import Scenario
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Table
    from flopsheet.planning.sheet_records import Best

SENTENCES = ("said", "turns", "nearest")
"""The parts of an answer that are in pieces."""
MOST_RESULTS = 3
"""Results whose movers are the first inputs of the page."""


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Return what the page shows of a plan next to its numbers, for JSON; a table's lines are places in `lines`."""
    tables = {name: _table(plan, table) for name, table in plan.program.tables.items()}
    return {
        "version": flopsheet.__version__,
        "inputs": [_input(driver) for driver in plan.drivers],
        "stated": {scenario.name: _list_stated(scenario) for scenario in plan.named},
        "kept": _keep_price(plan),
        "ages": {PRICE: AGE},
        "movers": movers(plan),
        "units": {unit: result for unit in sorted(_units_read(plan)) if (result := _units(unit))},
        "stepped": sorted(unit for unit in _units_read(plan) if steps(unit)),
        "noneAtZero": NONE_AT_0,
        "breakEven": BREAK_EVEN,
        "words": {unit: words for unit in sorted(_units_read(plan)) if (words := words_of(unit))},
        "questions": _questions(plan),
        "best": [_best(plan, best) for best in worded(plan)],
        "accelerators": {case: accelerator.title for case, accelerator in plan.accelerators.items()},
        "lines": _pool_lines(tables.values()),
        "tables": tables,
        "models": [{"name": model.name, "status": model.status, "problems": model.problems} for model in plan.models],
        "costed": [plan.models.index(model) for model in plan.costed],
        "settled": [*_list_searches(plan)],
        "delivered": {case: [_plain(answer.numbers[case]) for answer in plan.answers()] for case in plan.cases},
        "files": [{"path": portfolio.path, "sha256": portfolio.sha256} for portfolio in plan.portfolios],
    }


def _list_stated(scenario: Scenario) -> list[str]:
    """Return the inputs that a named scenario states itself, dates by what follows from them."""
    following = {START: "run_start", END: "days"}
    return [following.get(name, name) for name in scenario.inputs]


def _keep_price(plan: Plan) -> dict[str, Any]:
    """Return the kind of price that lines of a portfolio have to state with changes that would choose another."""
    given = {name for portfolio in plan.portfolios for name in portfolio.inputs}
    movers = () if {PRICE_KIND, PRICE} & given else CHOOSING_KIND
    name = RENTED_AS if f"{plan.price_kind}_price" in given else PRICE_KIND  # that price would be the plan's again
    return {"inputs": movers, "name": name, "value": plan.price_kind}


def movers(plan: Plan) -> list[str]:
    """Return the inputs that move the costliest model's run and first figures of questions, the widest swing first."""
    firsts = [f"{question.name}.{figure.name}" for question in plan.questions for figure in question.figures[:1]]
    available = results(plan)
    names = [name for name in (DEFAULT_RESULT, "cost", *firsts) if name in available][:MOST_RESULTS]
    rows = [tornado(plan, name).rows for name in names]
    result = [str(row[0]) for place in range(TOP) for ranking in rows for row in ranking[place : place + 1]]
    return list(dict.fromkeys(result))


def _input(driver: Assumption) -> dict[str, Any]:
    least, most, above, whole = bounds(driver.input)
    return {
        "name": driver.name,
        "title": driver.title,
        "unit": driver.unit,
        "section": driver.section,
        "about": driver.about,
        "source": driver.source,
        "date": driver.date,
        "labels": driver.input.labels,
        "better": driver.input.better,
        "low": _plain(driver.low),
        "base": _plain(driver.base),
        "high": _plain(driver.high),
        "least": least,
        "most": most,
        "above": above,
        "whole": whole,
    }


def _questions(plan: Plan) -> list[dict[str, Any]]:
    """Return the questions, each with the tables that none before it has."""
    result, seen_before = [], set[str]()
    for question in plan.questions:
        tables = [table.name for table in question.tables if table.name not in seen_before]
        seen_before |= {*tables}
        charts = [asdict(chart) for chart in question.described.charts]
        head = {"name": question.name, "title": question.title, "about": question.about}
        result.append({**head, "notes": question.described.notes, "tables": tables, "charts": charts})
    return result


def _best(plan: Plan, best: Best) -> dict[str, Any]:
    """Return the sentences of a question in pieces; `elsewhere` are lines that only the three cases of a range have."""
    table = plan.program.tables[best.table]
    links = {link.name for link in table.links if link.case}
    parts = {name: [[*map(_piece, pieces(part))] for part in getattr(best, name)] for name in SENTENCES}
    return asdict(best) | parts | {"elsewhere": [line.name for line in table.lines if line.formula in links]}


def _piece(piece: str | Named) -> str | dict[str, Any]:
    return piece if isinstance(piece, str) else asdict(piece)


def _table(plan: Plan, table: Table) -> dict[str, Any]:
    names = titles(plan.program, table)
    return {
        "title": plan.program.title(table.name),
        "shown": [line.name for line in plan.program.list_shown(table.name)],
        "rank": plan.program.rank(table.name),
        "keys": [
            {
                "key": rows.key,
                "title": rows.title or rows.key,
                "unit": rows.unit,
                "models": rows in (MODELS, OTHERS),
                "labels": rows.labels,
            }
            for rows in table.rows
        ],
        "lines": {
            line.name: {
                "title": line.label,
                "unit": line.unit,
                "words": plan.program.formula(table.name, line.formula).markdown(lambda name: names.get(name, name)),
                "reads": plan.program.formula(table.name, line.formula).names,
                "about": line.about,
                "source": line.source,
            }
            for line in table.lines
        },
        "links": {link.name: link.title or link.name.replace("_", " ") for link in table.links},
    }


def _pool_lines(tables: Iterable[dict[str, Any]]) -> list[Any]:
    """Return what the lines of tables are, each once, with its place where it was: tables share most of theirs."""
    pool: dict[str, int] = {}
    results: list[Any] = []
    for table in tables:
        for name, line in table["lines"].items():
            place = pool.setdefault(str(line), len(results))
            results += [line] if place == len(results) else []
            table["lines"][name] = place
    return results


def _list_searches(plan: Plan) -> Iterable[dict[str, Any]]:
    """Give the searches of which models took a row: the line that ranks its rows, and what each model took."""
    for name, table in plan.program.tables.items():
        for rows in table.rows:
            if rows.best and rows.key in plan.settled:
                places = {at: place for place, at in enumerate(plan.models.index(model) for model in plan.costed)}
                choices = {places[at]: label for at, label in plan.settled[rows.key].items()}
                instead = sorted(stating(rows))
                yield {"table": name, "key": rows.key, "best": rows.best, "taken": choices, "instead": instead}


def _units_read(plan: Plan) -> Iterable[str]:
    lines = {line.unit for table in plan.program.tables.values() for line in table.lines}
    keys = {rows.unit for table in plan.program.tables.values() for rows in table.rows}
    return lines | keys | {driver.unit for driver in plan.drivers}


def _units(unit: str) -> list[tuple[str, float]]:
    """Return the units in which people read numbers of a unit, the largest first, each with its size."""
    return [(scale, float(size(scale, unit))) for scale in scales(unit)]


def _plain(number: Any) -> float | None:
    result = None if number is None else plain(number)
    return result if isinstance(result, int | float) else None
