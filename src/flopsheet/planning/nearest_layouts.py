"""Which layout a model would fit under that does not fit under its own: of those compared, the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import plain
from flopsheet.planning.found_layouts import CHOICES
from flopsheet.planning.question import MODELS_TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Rows

QUESTION, LAYOUTS, FITS, FEWEST = "training", "layouts", "fits_layout", "smallest_accelerators"
SOME = 3
"""Models that are named."""


def nearest_layouts(plan: Plan) -> Iterator[str]:
    """Say for models that do not fit what they would fit under: another layout, or more accelerators."""
    for place in find_unfit(plan, QUESTION, FITS):
        fewest = plan.run(plan.scenario).table(MODELS_TABLE).columns[FEWEST][place]
        hint = _nearest(plan, place) or _fewest(fewest)
        yield f"{plan.costed[place].name} does not fit under its layout; {hint}"


def find_unfit(plan: Plan, question: str, line: str) -> list[int]:
    """Return the places of the first models of which a line is 0; none where its question is not asked."""
    if not any(own.name == question for own in plan.program.questions):
        return []
    numbers = plan.run(plan.scenario).table(MODELS_TABLE).columns[line]
    return [place for place, number in enumerate(numbers) if no_number(number) is None and not number][:SOME]


def _nearest(plan: Plan, place: int) -> str:
    """Return the usable layout that differs least from a model's own, in sizes before settings, then the fastest."""
    values = plan.run(plan.scenario).table(LAYOUTS)
    (rows,) = (source for source in values.table.rows if source.search)
    ranks = zip(values.keys, values.columns[rows.best], strict=True)
    usable = [(int(key), rank) for (model, key), rank in ranks if model == place and no_number(rank) is None and rank]
    if not usable:
        return ""
    own, result = _own(plan, place, rows), cast("Sequence[Mapping[str, Number]]", rows.values)
    apart = {key: [name for name in own if result[key - 1][name] != own[name]] for key, _ in usable}
    nearest, _ = min(usable, key=lambda pair: (sum(map(_is_size, apart[pair[0]])), len(apart[pair[0]]), pair[1]))
    return f"the nearest that fits is {rows.labels[nearest - 1]}"


def _is_size(name: str) -> bool:
    return name.endswith("_parallel")


def _own(plan: Plan, place: int, rows: Rows) -> Mapping[str, object]:
    """Return the layout that the model has: its inputs or the plan's, and the choices of its workload."""
    model = plan.costed[place]
    inputs = {**plan.case(plan.scenario), **model.model.drivers}
    choices = {name: CHOICES[name] for name in rows.brings if name in CHOICES}
    flags = {name: int(model.dimensions[choice] == label) for name, (choice, label) in choices.items()}
    return {name: flags[name] if name in flags else inputs[name] for name in rows.brings}


def _fewest(number: Number) -> str:
    if no_number(number) is not None or not number:
        return "none of the layouts compared fits on any number of accelerators"
    return f"none of those compared does on so few accelerators: it takes {plain(number):,} with a batch in proportion"
