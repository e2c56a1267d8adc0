"""The layouts that are compared: of each split of the accelerators the fastest that fits, and the fastest of those.

A split is tensor × pipeline × context × expert parallelism. What costs time and saves memory (recomputation, ZeRO
stage 3) is tried only where what is faster does not fit. Rows are chosen in floating point, for speed; their numbers in
a plan are those of its formulas.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.errors import FormulaError
from flopsheet.planning.question import MODELS_TABLE, FoundRow
from flopsheet.planning.trials import trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.program import Program
    from flopsheet.planning.run import PlannedModel
    from flopsheet.planning.trials import Trial

RECOMPUTED = ("none", "selective", "full")
RECOMPUTE = {label: f"recompute_is_{label}" for label in RECOMPUTED[1:]}
"""The flags that formulas read: none of them is recompute none."""
SIZES = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
SETTINGS = ("virtual_stages", "zero_stage", "micro_batch", "sequence_parallel")
BRINGS = (*SIZES, *SETTINGS, *RECOMPUTE.values())
"""What a layout says: all else is the plan's own."""
FASTEST = 12
"""Splits that are listed of each model."""
MAX_STAGES = 64
UNEVEN = 1.1
"""How much more than an even share of the layers the fullest stage may have."""
VIRTUAL = (1, 2, 4, 8)
SHORTEST = 4096
"""Tokens of a sequence that stay on an accelerator at least where context parallelism cuts it."""
MICRO = (1, 2, 4)
ZERO = (1, 2, 3)
"""The stages that are tried, in the order of their time. Stage 0 is slower than stage 1 and takes more memory."""
SAME = 12
"""Digits to which step times agree that count as equal."""


class Attempt(Struct, frozen=True):
    """A layout with what the search asks of it."""

    layout: Mapping[str, Number]
    seconds: float
    fits: bool
    fewest: float


def _divides(trial: Trial, layout: Mapping[str, Number]) -> bool:
    """Return whether a layout divides the model, the accelerators and the batch."""
    try:
        return bool(trial.lines(("layout_divides",), layout)["layout_divides"])
    except FormulaError:
        return False


def _try_layout(trial: Trial, layout: Mapping[str, Number]) -> Attempt:
    """Return step time and memory of a layout; one without these numbers fits nowhere."""
    try:
        result = trial.lines(("step_seconds", "fits_accelerator", "fewest_accelerators"), layout)
    except FormulaError:
        return Attempt(layout, math.inf, fits=False, fewest=math.inf)
    seconds = float(f"{result['step_seconds']:.{SAME}g}")
    return Attempt(layout, seconds, bool(result["fits_accelerator"]), float(result["fewest_accelerators"] or "inf"))


def layouts(program: Program, scope: Mapping[str, Number], model: PlannedModel) -> list[FoundRow]:
    """Return the plan's own layout, a model's fastest, neighbors of the first, and the one on fewest accelerators."""
    own = trial(program, MODELS_TABLE, scope, model)
    numbers = own.known
    attempts = [attempt for split in _splits(own) for attempt in _of_split(own, split)]
    fast = sorted(_fastest_of_splits(attempts), key=lambda attempt: attempt.seconds)[:FASTEST]
    results = [{name: numbers[name] for name in BRINGS}, *(attempt.layout for attempt in fast)]
    if fast:
        results += [layout for layout in _neighbors(numbers, fast[0].layout) if _divides(own, layout)]
    small = sorted(attempts, key=lambda attempt: (attempt.fewest, attempt.seconds))[: 1 if fast else FASTEST]
    return [_find_layout(layout) for layout in (*results, *(attempt.layout for attempt in small))]


def _splits(trial: Trial) -> Iterator[dict[str, Number]]:
    """Give every split that divides heads, layers, experts, accelerators and batch, tensor within a scale-up domain."""
    numbers = trial.known
    divisors = _divisors(int(numbers["accelerators"]))
    layers, tokens = numbers["pipeline_layers"], numbers["sequence_tokens"]
    sizes = (
        [size for size in divisors if size <= trial.known_or("scale_up_size", 1)],
        [size for size in divisors if size <= min(layers, MAX_STAGES) and -(-layers // size) * size <= UNEVEN * layers],
        [size for size in divisors if size == 1 or tokens / size >= SHORTEST],
        [size for size in divisors if size <= max(numbers["n_experts"], 1)],
    )
    for split in product(*sizes):
        layout: dict[str, Number] = dict(zip(SIZES, split, strict=True))
        layout |= {"micro_batch": 1, "sequence_parallel": 1}
        if _divides(trial, layout):
            yield layout


def _of_split(trial: Trial, split: Mapping[str, Number]) -> Iterator[Attempt]:
    """Give the settings of a split that are worth trying, and the ones that take the least memory."""
    for size in _chunks(trial.known["pipeline_layers"], split["pipeline_parallel"]):
        yield from _fitting(trial, {**split, "virtual_stages": size})
    yield _try_layout(trial, {**split, "virtual_stages": 1, "zero_stage": ZERO[-1], **_recompute("full")})


def _fitting(trial: Trial, layout: Mapping[str, Number]) -> Iterator[Attempt]:
    """Give what fits of a layout, from the fastest recomputation on; one that fits without FSDP ends the search."""
    for label in RECOMPUTED:
        for stage in ZERO:
            attempt = _try_layout(trial, {**layout, "zero_stage": stage, **_recompute(label)})
            if attempt.fits:
                yield attempt
                if stage < ZERO[-1]:
                    return
                break


def _fastest_of_splits(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return the fastest layout that fits of each split; of equally fast ones the first, which is the simplest."""
    best: dict[tuple[Number, ...], Attempt] = {}
    for attempt in attempts:
        split = tuple(attempt.layout[name] for name in SIZES)
        if attempt.fits and (split not in best or attempt.seconds < best[split].seconds):
            best[split] = attempt
    return list(best.values())


def _neighbors(numbers: Mapping[str, Number], layout: Mapping[str, Number]) -> Iterator[dict[str, Number]]:
    """Give layouts that differ from one in a single setting."""
    other = {
        "virtual_stages": _chunks(numbers["pipeline_layers"], layout["pipeline_parallel"]),
        "zero_stage": [0, *ZERO],
        "micro_batch": MICRO,
        "sequence_parallel": (0, 1) if layout["tensor_parallel"] > 1 else (),
    }
    for label in RECOMPUTED:
        yield {**layout, **_recompute(label)}
    for name, values in other.items():
        yield from ({**layout, name: value} for value in values)


def _chunks(layers: Number, stages: Number) -> list[int]:
    """Return into how many chunks of equally many layers stages may be cut."""
    return [size for size in VIRTUAL if size == 1 or (stages > 1 and layers % (size * stages) == 0)]


def _recompute(choice: str) -> dict[str, Number]:
    return {flag: int(label == choice) for label, flag in RECOMPUTE.items()}


def _divisors(number: int) -> list[int]:
    return [size for size in range(1, number + 1) if number % size == 0]


def _find_layout(layout: Mapping[str, Number]) -> FoundRow:
    numbers = {name: int(layout[name]) for name in BRINGS}
    return FoundRow(_label(numbers), numbers)


def _label(layout: Mapping[str, int]) -> str:
    """Return a layout as people write it: `TP8 PP4x2 EP8 ZeRO1 selective`; what is 1 is left out."""
    tensor, stages, context, experts = (layout[name] for name in SIZES)
    chunks = f"x{layout['virtual_stages']}" if layout["virtual_stages"] > 1 else ""
    parts = [
        f"TP{tensor}" if layout["sequence_parallel"] or tensor == 1 else f"TP{tensor} without SP",
        f"PP{stages}{chunks}" if stages > 1 else "",
        f"CP{context}" if context > 1 else "",
        f"EP{experts}" if experts > 1 else "",
        f"ZeRO{layout['zero_stage']}",
        next((label for label, flag in RECOMPUTE.items() if layout[flag]), RECOMPUTED[0]),
        f"micro-batch {layout['micro_batch']}" if layout["micro_batch"] > 1 else "",
    ]
    return " ".join(part for part in parts if part)
