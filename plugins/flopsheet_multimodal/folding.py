"""Inkling's tower: linear layers, between which neighboring positions are folded into one, until a patch is one."""

from __future__ import annotations

from itertools import accumulate, combinations, pairwise
from math import ceil, log
from operator import getitem, mul
from typing import TYPE_CHECKING, Any

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Scale = tuple[int, int]

CUT = (
    "pictures are cut as patches fit into them; the processor of Inkling rounds their rows up and adds a column at the"
    " right"
)
ROUNDING = 1e-4
MOST = 256
"""Layers and pixels of a side of which all choices are tried in a moment."""
KEPT = "what the vision tower keeps for training is not counted"


def read_folds(config: Mapping[str, Any]) -> Reading:
    """Sum all layers but the last, which gives the width of the text; products are those of a patch."""
    sides = (config["patch_size"], config["temporal_patch_size"])
    if not (1 <= config["num_hidden_layers"] <= MOST and min(sides) > 1 and max(sides) <= MOST):
        raise ValueError(f"num_hidden_layers, patch_size and temporal_patch_size must be from 1, 2 and 2 to {MOST}")
    scales = _scales(config["temporal_patch_size"], config["patch_size"], config["num_channels"])
    whole = scales[-1][0]
    chosen = [scales[i] for i in _choose(scales, config["num_hidden_layers"], whole * config["num_channels"])]
    *layers, (width, _, _) = [(width * end // start, end, out) for (start, width), (end, out) in pairwise(chosen)]
    sums = {
        "stem_weights": sum(width * out for width, _, out in layers),
        "stem_products": sum(width * out * (whole // end) for width, end, out in layers),
        "vectors": sum(out for _, _, out in layers),
        "projector_d_in": width,
    }
    return Reading(sums, notes=[CUT, KEPT])


def _scales(frames: int, side: int, channels: int) -> list[Scale]:
    """Return how many pixels a position may hold, and how wide it then is: sides are folded first, then frames."""
    squares = [(n * n, 64 * ceil(n * n * channels / 64)) for n in accumulate(_primes(side), mul)]
    times = [(side * side * n, 64 * side * side * channels * n) for n in accumulate(_primes(frames), mul)]
    return [(1, channels), *squares, *times]


def _primes(number: int) -> list[int]:
    """Return the prime factors of a number, the largest first."""
    factor = next((n for n in range(2, int(number**0.5) + 1) if number % n == 0), number)
    return [] if number == 1 else [*_primes(number // factor), factor]


def _choose(scales: Sequence[Scale], n_layers: int, values: int) -> list[int]:
    """Return the scales between layers, those nearest to even steps; each at most once where there are enough."""
    gaps = [[abs(log(values) * i / n_layers - log(size)) for size, _ in scales] for i in range(n_layers + 1)]
    if n_layers < len(scales):
        places = combinations(range(len(scales)), n_layers + 1)
        costs = sorted(((sum(map(getitem, gaps, each)), each[1:-1]) for each in places), reverse=True)
        inner = _least({each: cost for cost, each in costs})
    else:
        inner = tuple(_least(dict(enumerate(row))) for row in gaps[1:-1])
    return [0, *inner, len(scales) - 1]


def _least(costs: Mapping[Any, float]) -> Any:
    """Return what costs least; ValueError where rounding of the class's 32-bit numbers would decide it."""
    best, *others = sorted(costs, key=lambda each: costs[each])
    if others and costs[others[0]] - costs[best] < ROUNDING:
        raise ValueError(
            "patch_size, num_channels and num_hidden_layers leave two folds equally good: rounding decides"
        )
    return best
