"""What each forward line costs under each mask: its own formula with the mask's pairs in it, and a proof that it is so.

`pairs` and whatever follows it depend on the workload's mask. Under one mask they are formulas without it, which stand
in a line's place: nothing guesses from how a line is written what its causal form may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.formula import Steps
from flopsheet.accounting.formula.compose import names, settle, substitute
from flopsheet.accounting.formula.exact import same
from flopsheet.accounting.formula.steps import needed_names
from flopsheet.accounting.line import variant_of
from flopsheet.accounting.workload import HELPERS, MASK
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Dimension, Line, Number


class Convention(Struct, frozen=True):
    """A mask under which the forward pass is totaled whichever one the workload chose; `suffix` ends its lines."""

    suffix: str
    pairs: str
    about: str


CONVENTIONS = (
    Convention("full", "full square", "every pair, as counters count"),
    Convention("causal", "causal pairs", "pairs that a token may see, windows left out"),
)

POINTS = 8
SIZES = (2, 13, 127, 1021, 5)
"""Inputs of a proof are below one of these: sometimes a window is longer than the sequence, sometimes not."""


def masked_lines(lines: Sequence[Line]) -> dict[Convention, dict[str, Line]]:
    """Return, for each convention, what the lines that follow the mask are under it, by the name of the line.

    The lines come in the order of the ledger. A line's `full`, where it has one, stands for its formula over the full
    square.
    """
    return {convention: lines_under(convention, lines) for convention in CONVENTIONS}


def lines_under(convention: Convention, lines: Sequence[Line]) -> dict[str, Line]:
    """Return what the lines that follow the mask are under one convention, by the name of the line."""
    return dict(_under(convention, lines))


def _under(convention: Convention, lines: Sequence[Line]) -> Iterator[tuple[str, Line]]:
    meanings = _flags(convention)
    for line in (*HELPERS, *lines):
        own = line.full if convention.suffix == "full" else ""
        follows = not meanings.keys().isdisjoint(names(line.formula))
        text = _with(meanings, own or line.formula)
        if not line.additive:
            meanings |= {line.name: text} if follows else {}
        elif follows or line.full:
            variant = variant_of(line, convention.suffix, text, convention.pairs)
            meanings[line.name] = variant.name
            yield line.name, variant


def _with(meanings: Mapping[str, str], text: str) -> str:
    return text if meanings.keys().isdisjoint(names(text)) else settle(substitute(text, meanings))


def _flags(convention: Convention) -> dict[str, str]:
    """Return the mask and the flags of its labels as numbers."""
    place = MASK.labels.index(convention.suffix) + 1
    flags = {f"{MASK.name}_is_{label}": str(int(label == convention.suffix)) for label in MASK.labels}
    return {MASK.name: str(place), **flags}


def check_masks(lines: Iterable[Line], dimensions: Sequence[Dimension], formulas: Mapping[str, Formula]) -> None:
    """Refuse a line that under a mask is not what its line of that mask says; PluginError names it, and the inputs.

    Only a line with `full` can be so. The two are compared as exact numbers at points whose inputs are unlike each
    other, small and large: different polynomials agree at all of them only by a chance that nobody meets.
    """
    for line in lines:
        if line.full:
            names = needed_names([line.name, *(f"{line.name}_{c.suffix}" for c in CONVENTIONS)], formulas)
            steps = Steps({name: formula for name, formula in formulas.items() if name in names})
            _check(line, [dimension for dimension in dimensions if dimension.name in names], steps)


def _check(line: Line, inputs: Sequence[Dimension], steps: Steps) -> None:
    comparisons = 0
    for point in range(POINTS):
        for convention in CONVENTIONS:
            values = _values(inputs, point) | {MASK.name: MASK.labels.index(convention.suffix) + 1}
            try:
                numbers = steps.evaluate(values)
            except FormulaError:  # a formula need not have a value for every input
                continue
            comparisons += 1
            if not same(numbers[line.name], numbers[f"{line.name}_{convention.suffix}"]):
                raise PluginError(_unlike(line, convention, numbers), line.name)
    if not comparisons:
        raise PluginError(
            f"line {line.name}: its `full` cannot be compared with its formula; leave `full` out", line.name
        )


def _values(inputs: Iterable[Dimension], point: int) -> dict[str, Number]:
    """Return values that the dimensions can have, different at each point and always the same."""
    values: dict[str, Number] = {}
    for place, dimension in enumerate(inputs):
        number = (point * 7919 + place * 104729 + 1) * 48271 % 2147483647
        most = SIZES[(point + place) % len(SIZES)]
        if dimension.kind == "choice":
            values[dimension.name] = 1 + number % len(dimension.labels)
        elif dimension.kind == "flag":
            values[dimension.name] = number % 2
        else:
            span = most if dimension.maximum is None else int(dimension.maximum) - dimension.minimum + 1
            values[dimension.name] = dimension.minimum + number % span
    return values


def _unlike(line: Line, convention: Convention, numbers: Mapping[str, Number]) -> str:
    result, other = numbers[line.name], numbers[f"{line.name}_{convention.suffix}"]
    return (
        f"line {line.name}: with {MASK.name} = {convention.suffix} its formula gives {float(result):g} and its `full`"
        f" {float(other):g} for the same inputs; leave `full` out, or write the same formula with full_pairs in the"
        " place of pairs"
    )
