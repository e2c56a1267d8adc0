"""What a search found becomes a model's own where nobody stated it: the fastest layout that fits, for example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.planning.costing import cost
from flopsheet.planning.deep_totals import add_totals

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Rows

CHOICES = {f"{item.name}_is_{label}": (item.name, label) for item in WORKLOAD for label in item.labels}
"""The flags of a model's workload: the choice and the label that each stands for."""


def settle_layouts(plan: Plan, inputs: Collection[str]) -> Plan:
    """Return the plan with the best row of each search as the inputs of models for which nobody stated any of it.

    `inputs` are the inputs that the plan gives. A choice of the workload that a model states, such as `recompute`, is
    kept: the best row with it is taken. A model for which no row is usable stays as it is.
    """
    models, labels = [*plan.models], {}
    for table, rows in find_unstated(plan.program, inputs):
        best = _best(plan, table, rows)
        labels[rows.key] = {place: rows.labels[key - 1] for place, key in best.items()}
        for place, key in best.items():
            models[place] = _with(plan, models[place], rows, rows.values[key - 1])
    result = {key: texts for key, texts in labels.items() if texts}
    return replace(plan, models=add_totals(plan.host, models, plan.program), settled=result) if result else plan


def find_unstated(program: Program, inputs: Collection[str]) -> list[tuple[str, Rows]]:
    """Return the searches, each with the name of its table, of whose inputs none is stated."""
    return [(name, rows) for name, rows in program.searches if rows.best and not {*inputs} & stating(rows)]


def inputs_of(rows: Rows) -> list[str]:
    """Return the inputs of a plan among the numbers that rows bring."""
    return [name for name in rows.brings if name not in CHOICES]


def stating(rows: Rows) -> set[str]:
    """Return the inputs of which one that is given says that nothing is to be taken of a search."""
    return {*inputs_of(rows), *(rows.search.instead if rows.search else ())}


def restate_model(plan: Plan, place: int) -> dict[str, Any]:
    """Return the inputs and the choices that a settled model took of a search, as a portfolio states them."""
    model = plan.models[place]
    searches = [rows for _, rows in plan.program.searches if place in plan.settled.get(rows.key, {})]
    inputs = {name: model.model.drivers[name] for rows in searches for name in inputs_of(rows)}
    choices = {CHOICES[name][0] for rows in searches for name in rows.brings if name in CHOICES}
    return {"inputs": inputs, **{name: model.dimensions[name] for name in sorted(choices)}}


def _best(plan: Plan, table: str, rows: Rows) -> dict[int, int]:
    """Return the key of the best row of each model that may take one, by the model's place.

    Of rows that rank alike it is the one that brings the least, so that the order of a search decides nothing.
    """
    values = plan.run("base").table(table)
    places = [place for place, model in enumerate(plan.models) if model.ledger]
    best: dict[int, tuple[Number, list[Number], int]] = {}
    for (model, key), rank in zip(values.keys, values.columns[rows.best], strict=True):
        place = places[int(model)]
        if no_number(rank) is None and rank and _may_take(plan.models[place], rows, rows.values[int(key) - 1]):
            row: Any = rows.values[int(key) - 1]
            result = rank, [row[name] for name in rows.brings], int(key)
            best[place] = min(best.get(place, result), result)
    return {place: key for place, (_, _, key) in best.items()}


def _may_take(model: Costed, rows: Rows, row: Any) -> bool:
    """Return whether a model states none of a row's inputs, and its choices as the row has them."""
    choices = [(name, label) for name, label in _choices(rows, row).items() if name in model.model.given]
    agrees = all(model.dimensions[name] == label for name, label in choices)
    return agrees and not model.model.drivers.keys() & stating(rows)


def _choices(rows: Rows, row: Mapping[str, Number]) -> dict[str, str]:
    """Return the choices that a row's flags stand for; without any, a choice's first label."""
    flags = {name: CHOICES[name] for name in rows.brings if name in CHOICES}
    labels = {item.name: item.labels[0] for item in WORKLOAD if item.name in dict(flags.values())}
    return labels | dict(choice for name, choice in flags.items() if row[name])


def _with(plan: Plan, model: Costed, rows: Rows, row: Any) -> Costed:
    """Return a model with a row's inputs and choices as its own."""
    drivers = {**model.model.drivers, **{name: row[name] for name in inputs_of(rows)}}
    choices = _choices(rows, row)
    own = replace(model.model, drivers=drivers, given={**model.model.given, **choices})
    same = all(model.dimensions[name] == label for name, label in choices.items())
    return replace(model, model=own) if same else cost(plan.host, own)
