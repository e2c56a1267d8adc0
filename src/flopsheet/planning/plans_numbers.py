"""Inputs that a model states for itself, where it uses numbers of the whole plan, which have the plan's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.planning.question import CASES_TABLE, MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Node


def note_plans_numbers(plan: Plan) -> Iterator[str]:
    """Say of each model which of its inputs do not reach a number of the whole plan that it uses."""
    stating = [model for model in plan.costed if model.model.drivers.keys() & plan.program.inputs.keys()]
    readers = _readers(plan.program) if stating else {}
    for model in stating:
        if names := [name for name in readers if name in model.model.drivers]:
            titles = ", ".join(dict.fromkeys(f"“{readers[name]}”" for name in names))
            yield (
                f"{model.name}: its own {', '.join(names)} do not reach {titles} and what follows from there: these are"
                " numbers of the whole plan; give the inputs to the plan or to a scenario, or plan the model apart"
            )


def _readers(program: Program) -> dict[str, str]:
    """Return the title of the first line of the whole plan that reads an input, of lines that models use, by input."""
    of_models = [
        (table.name, line.name) for table in program.tables.values() if MODELS in table.rows for line in table.lines
    ]
    used = program.find_needed(read for node in of_models for read in program.needs(node) if _is_plans(read))
    result: dict[str, str] = {}
    for node in filter(_is_plans, program.order):
        for name in sorted(program.inputs_among(program.text(node).names)) if node in used else ():
            result.setdefault(name, program.nodes[node].label)
    return result


def _is_plans(node: Node) -> bool:
    return node[0] == CASES_TABLE
