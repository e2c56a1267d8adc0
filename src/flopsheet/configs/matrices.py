"""The matrices of a model, line by line: how many, of how many rows and columns, and under which names."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.quantized_weights import linear_layers, quantizable
from flopsheet.configs.layers import layer_words
from flopsheet.configs.modules import OTHER_STACK, array_lines, idle_lines, places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Group, Line, Number
    from flopsheet.configs.modules import Place

APART = ("vision", "audio", "projector", "adapters")
"""Groups of linear layers of which something else says how they are stored."""


class Matrices(Struct, frozen=True):
    """The matrices of one line: `number` of them, each of so many rows and columns.

    `place` is where checkpoints keep them, None where no name is known; `layers` are the layers that have them, None
    where that is not known, `n_layers` how many those are of the model's `depth`. `split` is how many matrices a layer
    has that may be gated.
    """

    name: str
    group: Group
    weights: Number
    number: Number
    rows: Number
    columns: Number
    place: Place | None
    layers: frozenset[int] | None
    n_layers: int
    depth: int
    split: Number


def matrices_of(ledger: Ledger, numbers: Mapping[str, Number], config: Mapping[str, Any]) -> list[Matrices]:
    """Return the matrices of a model that a format may quantize; ValueError names a line whose shape is not known."""
    depth = int(config.get("num_hidden_layers") or numbers.get("n_layers", 0))
    words = layer_words(config, depth)
    results: list[Matrices] = []
    for line in (line for line in quantizable(*lines_of(ledger)) if numbers[line.name]):
        rows, columns = _sides(line, numbers)
        if columns or not results:
            results.append(_matrices(line, rows, columns, numbers, words))
        else:
            results[-1] = _widen(results[-1], numbers[line.name], rows)
    return results


def left_plain(ledger: Ledger, numbers: Mapping[str, Number]) -> list[str]:
    """Return the lines of linear layers that are counted in their own type, but that a format may quantize.

    Those of towers are told apart, adapters are never quantized, and arrays of a class's own are no linear layers.
    """
    parameters, flops = lines_of(ledger)
    known = {line.name for line in quantizable(parameters, flops)} | array_lines()
    others = [line for line in linear_layers(parameters, flops) if line.group not in APART and line.name not in known]
    others += [line for line in parameters if line.name in idle_lines()]
    return [line.name for line in others if numbers[line.name]]


def lines_of(ledger: Ledger) -> tuple[list[Line], list[Line]]:
    """Return the lines of parameters and of FLOP."""
    lines = {name: [e.line for e in ledger.entries if e.section == name] for name in ("parameters", "flops")}
    return lines["parameters"], lines["flops"]


def _sides(line: Line, numbers: Mapping[str, Number]) -> tuple[Fraction, Fraction]:
    """Return the rows and columns of all matrices of a line together."""
    if not (line.rows and line.sides):
        raise ValueError(f"the rows and columns of {line.name} are not known")
    rows = Fraction(formula.read(line.rows).evaluate(numbers))
    return rows, Fraction(formula.read(line.sides).evaluate(numbers)) - rows


def _widen(matrices: Matrices, weights: Number, rows: Fraction) -> Matrices:
    """Return matrices with the rows of a line that has none of its own: keys and values in one matrix with queries."""
    return replace(matrices, weights=matrices.weights + weights, rows=matrices.rows + rows / Fraction(matrices.number))


def _matrices(
    line: Line, rows: Fraction, columns: Fraction, numbers: Mapping[str, Number], words: list[frozenset[str]]
) -> Matrices:
    weights = numbers[line.name]
    count = rows * columns / Fraction(weights)
    place = place_of(line.name)
    own = numbers.get("encoder_layers" if line.name.startswith("encoder_") else "decoder_layers")
    words = words if own is None else [frozenset()] * int(own)
    layers, n_layers = _layers(place, numbers, words)
    split = numbers.get(place.gate_key, 0) if place else 0
    return Matrices(
        line.name, line.group, weights, count, rows / count, columns / count, place, layers, n_layers, len(words), split
    )


def place_of(name: str) -> Place | None:
    """Return where checkpoints keep the matrices of a line; None where modules.toml does not know it."""
    own = [name, *(name.removeprefix(side) for side in OTHER_STACK if name.startswith(side))]
    return next((places()[each] for each in own if each in places()), None)


def _layers(
    place: Place | None, numbers: Mapping[str, Number], words: list[frozenset[str]]
) -> tuple[frozenset[int] | None, int]:
    """Return the layers that have the matrices of a line, and how many; None where the config does not say which."""
    depth = len(words)
    every = frozenset(range(depth))
    n_layers = int(next((numbers[name] for name in place.layers if numbers.get(name)), depth)) if place else depth
    if n_layers == depth or not place:
        return every, n_layers
    result = (frozenset(i for i in every if words[i] & kind) for kind in place.kinds)
    return next((layers for layers in result if len(layers) == n_layers), None), n_layers
