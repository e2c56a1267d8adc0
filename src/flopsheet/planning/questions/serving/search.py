"""The layouts of a replica that are compared: the plan's own, and of those that divide a model the cheapest per token.

Tensor parallelism stays within a scale-up domain. Mixtures may have attention on several ranks, with the experts
divided among all of them. Stages are tried only where nothing fits without. Rows are chosen in floating point, for
speed; their numbers in a plan are those of its formulas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import FormulaError
from flopsheet.planning.question import FoundRow
from flopsheet.planning.questions.serving.memory import LAYOUTS
from flopsheet.planning.trials import trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.planning.program import Program
    from flopsheet.planning.run import PlannedModel
    from flopsheet.planning.trials import Trial

REPLICAS_TABLE = "serving_layouts"
BRINGS = (*(f"serving_{name}" for name in LAYOUTS), "attention_data_parallel")
"""What a replica's layout says: all else is the plan's own."""
CHEAPEST = 5
"""Layouts that are listed of each model, next to the plan's own."""
TENSOR = (1, 2, 4, 8, 16, 32, 64)
STAGES = (1, 2, 4, 8)
SIZES = (2, 4, *range(8, 145, 8))
"""Accelerators among which experts are divided: parts of a server, whole servers, and two racks of 72."""


def replicas(program: Program, scope: Mapping[str, Number], model: PlannedModel) -> list[FoundRow]:
    """Return the plan's own layout of a replica, and the cheapest of those that a model fits on."""
    own = trial(program, REPLICAS_TABLE, scope, model)
    results = [_own(own.known)]
    for stages in STAGES:
        ranks = [(_rank_layout(own, layout), layout) for layout in _layouts(own, stages)]
        usable = [(rank, layout) for rank, layout in ranks if rank is not None]
        if usable:
            results += [layout for _, layout in sorted(usable, key=lambda pair: pair[0])[:CHEAPEST]]
            break
    return [FoundRow(_label(layout), layout) for layout in results]


def _rank_layout(own: Trial, layout: Mapping[str, Number]) -> float | None:
    """Return what a layout is ranked with, None for one that is not usable or of which nobody knows it."""
    try:
        lines = own.lines(("ranked_by", "replica_usable"), layout)
        return float(lines["ranked_by"]) if lines["replica_usable"] else None
    except FormulaError:
        return None


def _own(numbers: Mapping[str, Number]) -> dict[str, Number]:
    """Return the layout that the plan has, each size its own or training's."""
    sizes = [int(numbers[f"serving_{name}"] or numbers[name]) for name in LAYOUTS]
    return dict(zip(BRINGS, (*sizes, int(numbers["attention_data_parallel"])), strict=True))


def _layouts(trial: Trial, stages: int) -> Iterator[dict[str, Number]]:
    """Give layouts with so many stages: tensor ranks alone, and attention repeated next to divided experts."""
    for tensor in (size for size in TENSOR if size <= max(trial.known_or("scale_up_size", 1), 1)):
        yield dict(zip(BRINGS, (tensor, stages, 1, 1), strict=True))
        for size in (size for size in SIZES if trial.known["n_experts"] and not size % tensor):
            yield dict(zip(BRINGS, (tensor, stages, size, size // tensor), strict=True))


def _label(layout: Mapping[str, Number]) -> str:
    """Return a layout as people write it, such as `TP2 DP4 EP8`; what is 1 is left out."""
    tensor, stages, experts, attention = (layout[name] for name in BRINGS)
    sizes = (("PP", stages), ("DP", attention), ("EP", experts))
    return " ".join([f"TP{tensor}", *(f"{kind}{size}" for kind, size in sizes if size > 1)])
