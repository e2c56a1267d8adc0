"""The ledger: all lines of one architecture in order, checked once, evaluated for one model or for columns of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.adapters import adapter_lines, freezing
from flopsheet.accounting.filling import Fillings
from flopsheet.accounting.formula.compose import names, substitute
from flopsheet.accounting.formula.names import check_name
from flopsheet.accounting.line import FORMULAS, NOTHING, Architecture, Dimension, Line, Number
from flopsheet.accounting.masks import check_masks
from flopsheet.accounting.picking import picker
from flopsheet.accounting.quantized import quantized_lines
from flopsheet.accounting.sentences import Sentences
from flopsheet.accounting.serving import serving_entries
from flopsheet.accounting.totals import Entry, flop_entries, memory_entries, parameter_entries
from flopsheet.accounting.training import training_entries
from flopsheet.accounting.workload import HELPERS, MAX_POSITIONS, TOKENS, WORKLOAD
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

    from flopsheet.accounting.formula import Formula


class Numbers(Mapping[str, Number]):
    """A model's numbers by name: a row beside places that all models of an architecture share.

    Ten thousand models of a batch take a fifth of what as many dictionaries do.
    """

    __slots__ = ("places", "row")

    def __init__(self, places: Mapping[str, int] = NOTHING, row: Sequence[Number] = ()) -> None:
        """Keep a row whose numbers have these names."""
        self.places = places
        self.row = row

    def __getitem__(self, name: str) -> Number:
        """Return the number of a dimension or line."""
        return self.row[self.places[name]]

    def __contains__(self, name: object) -> bool:
        """Tell whether a dimension or line of that name exists."""
        return name in self.places

    def get(self, name: str, default: Any = None) -> Any:
        """Return the number of a dimension or line, another one where it does not exist."""
        place = self.places.get(name)
        return default if place is None else self.row[place]

    def some(self, names: Iterable[str]) -> dict[str, Number]:
        """Return the numbers of these names."""
        row, places = self.row, self.places
        return {name: row[places[name]] for name in names}

    def packed(self) -> Numbers:
        """Return the same in less room, for a batch; to ask for a number then takes a little longer."""
        from flopsheet.accounting.packed import packed  # noqa: PLC0415 - only a batch pays for it

        return Numbers(self.places, packed(self.row))

    def as_dict(self) -> dict[str, Number]:
        """Return the numbers as a dictionary, for who asks for many."""
        return dict(zip(self.places, self.row, strict=True))

    def __iter__(self) -> Iterator[str]:
        """Give the names in order: dimensions, then lines."""
        return iter(self.places)

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return len(self.row)


MAX_NAME = 22
"""Characters of an architecture's name: the sheet `Workings …` holds at most 31."""


Picker = Callable[[Any], tuple[Any, ...]]
WEIGHTS = "parameters"
WHOLE = frozenset((int,))
PLAIN = frozenset((int, float))
"""Types of numbers that are no fractions."""
ABSURD = 10**60
"""From here on a line holds more weights than the largest sizes that may be given make: a formula errs."""
ROUNDING = 1e-13
"""The part of a float64 number by which it may miss a whole one."""


@dataclass(frozen=True, eq=False)
class Ledger:
    """The dimensions and lines of one architecture, in the order of their evaluation."""

    architecture: Architecture
    dimensions: tuple[Dimension, ...]
    entries: tuple[Entry, ...]

    def __reduce__(self) -> tuple[type[Ledger], tuple[Any, ...]]:
        """Pickle what a ledger is made of; compiled formulas are made anew."""
        return type(self), (self.architecture, self.dimensions, self.entries)

    @cached_property
    def formulas(self) -> dict[str, Formula]:
        """Each line's formula by the line's name; PluginError names the line that cannot be read."""
        known = {dimension.name for dimension in self.dimensions}
        formulas = {}
        for entry in self.entries:
            formulas[entry.line.name] = _read(self.architecture, entry.line, entry.line.formula, known)
            known.add(entry.line.name)
        return formulas

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of every dimension and line in the numbers of a model."""
        names = (*(dimension.name for dimension in self.dimensions), *(entry.line.name for entry in self.entries))
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def workload(self) -> tuple[Dimension, ...]:
        """The dimensions of the workload."""
        named = {dimension.name for dimension in WORKLOAD}
        return tuple(dimension for dimension in self.dimensions if dimension.name in named)

    def workload_of(self, numbers: Numbers) -> tuple[Number, ...]:
        """Return the numbers of the workload."""
        return self._workload(numbers.row)

    @cached_property
    def _workload(self) -> Picker:
        return picker([self.places[dimension.name] for dimension in self.workload])

    @cached_property
    def totals(self) -> tuple[str, ...]:
        """The names of the totals."""
        return tuple(entry.line.name for entry in self.entries if entry.role == "total")

    def fill(
        self, given: Mapping[str, Any], fields: Mapping[str, Number], defaults: Mapping[str, float | str]
    ) -> tuple[dict[str, Number], dict[str, str]]:
        """Return the value of each dimension, and what is wrong with those without one, as `values.fill_in` does."""
        return self._fillings.fill(given, fields, defaults)

    @cached_property
    def _fillings(self) -> Fillings:
        return Fillings(self.dimensions)

    @cached_property
    def notes(self) -> Sentences:
        """The architecture's notes."""
        return Sentences(self.architecture.notes, self.places)

    def checks(self, more: Mapping[str, str]) -> Sentences:
        """Return the architecture's checks of dimensions and fields, and more of them."""
        key = tuple(more.items())
        if key not in self._checks:
            named = {dimension.name for dimension in self.dimensions}
            self._checks[key] = Sentences({**self.architecture.checks, **more}, named)
        return self._checks[key]

    @cached_property
    def _checks(self) -> dict[tuple[tuple[str, str], ...], Sentences]:
        return {}

    def evaluate(self, values: Mapping[str, Number]) -> Numbers:
        """Return the exact value of every line beside the given value of every dimension."""
        return Numbers(self.places, (*self._given(values), *self._steps.row(values)))

    @cached_property
    def _given(self) -> Picker:
        return picker([dimension.name for dimension in self.dimensions])

    def impossible(self, numbers: Numbers) -> Line | None:
        """Return the first line that counts what cannot be; None where all can be.

        Weights are whole and fewer than absurd; neither weights nor FLOP nor caches and states are negative, and a
        cache is no third of a byte.
        """
        row, (weights, counts) = numbers.row, self._counted
        parameters, counted = weights(row), counts(row)
        whole = WHOLE.issuperset(map(type, parameters)) and max(parameters, default=0) < ABSURD
        if whole and min(counted, default=0) >= 0 and PLAIN.issuperset(map(type, counted)):
            return None
        return next((line for line in self._lines if not _can_be(line, numbers[line.name])), None)

    def possible(self, columns: Mapping[str, Any]) -> Any:
        """Return where all `counted` lines, as float64 columns, count what can be: what `impossible` asks of one model.

        Weights are whole up to the rounding of float64, and thirds of a byte are not seen.
        """
        found: Any = True
        for line in self._lines:
            column = columns[line.name]
            found = found & (column >= 0)
            if line.unit == WEIGHTS:
                found = found & (abs(column % 1 - 0.5) >= 0.5 - ROUNDING * (1 + abs(column))) & (column < ABSURD)
        return found

    @property
    def counted(self) -> tuple[str, ...]:
        """The names of the lines that are looked at: weights, FLOP, caches and states."""
        return tuple(line.name for line in self._lines)

    @cached_property
    def _lines(self) -> list[Line]:
        """The lines of weights, FLOP, caches and states; bytes are also taken away, of weights that are quantized."""
        of_lines = [entry.line for entry in self.entries if entry.role == "line"]
        lines = [line for line in of_lines if line.additive and not line.signed]
        return [line for line in lines if line.unit in (WEIGHTS, "FLOP") or line.group in ("kv_cache", "state")]

    @cached_property
    def _counted(self) -> tuple[Picker, Picker]:
        """What picks the numbers of weights out of a row, and what picks all that is counted."""
        weights = [self.places[line.name] for line in self._lines if line.unit == WEIGHTS]
        return picker(weights), picker([self.places[line.name] for line in self._lines])

    @cached_property
    def _steps(self) -> formula.Steps:
        return formula.Steps(self.formulas, f" of {self.architecture.name}")

    def columns(
        self, values: Mapping[str, Any], wanted: Iterable[str] | None = None
    ) -> dict[str, np.ndarray[Any, Any] | float]:
        """Return lines as float64 columns: the `wanted` ones and those that they read, or all.

        Each dimension is a number or an array of one length.
        """
        known = dict(values)
        needed = self.formulas.keys() if wanted is None else self._needed(wanted)
        lines: dict[str, np.ndarray[Any, Any] | float] = {}
        for name, line in self.formulas.items():
            if name in needed:
                lines[name] = known[name] = line.columns(known)
        return lines

    def _needed(self, wanted: Iterable[str]) -> set[str]:
        """Return the lines that some lines read, and these themselves."""
        found: set[str] = set()
        waiting = [name for name in wanted if name in self.formulas]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += [other for other in self.formulas[name].names if other in self.formulas]
        return found


def _can_be(line: Line, number: Number) -> bool:
    """Tell whether a line can count so much; bytes of an element may be any binary fraction, such as half a byte."""
    if line.unit == WEIGHTS:
        return 0 <= number < ABSURD and number == int(number)
    return number >= 0 and (line.unit == "FLOP" or _is_binary(number))


def _is_binary(number: Number) -> bool:
    """Tell whether a number is whole, halves, quarters and so on, as every float is."""
    parts: int = getattr(number, "denominator", 1)
    return parts & (parts - 1) == 0


def build(
    architecture: Architecture, parameters: Sequence[Line], flops: Sequence[Line], memory: Sequence[Line]
) -> Ledger:
    """Return the ledger of an architecture, of the lines that plugins give.

    Workload dimensions and helpers that no line names are left out. PluginError says which name clashes or is
    unusable, which formula cannot be read, and which line is not what it should be under a mask.
    """
    _check_lines(architecture, (*parameters, *flops, *memory))
    given = parameters
    adapters = adapter_lines(parameters, flops, architecture.adapters)
    parameters, flops = [*parameters, *adapters[0]], [*flops, *adapters[1]]
    entries = [
        *parameter_entries(parameters),
        *flop_entries(flops, architecture.tokens),
        *training_entries(flops, architecture.tokens),
        *serving_entries(flops, architecture.decodes, architecture.continues),
        *memory_entries([*quantized_lines(parameters, flops), *memory]),
    ]
    own = architecture.dimensions
    if all(dimension.name != MAX_POSITIONS.name for dimension in own):
        own = (*own, MAX_POSITIONS)
    helpers, workload = _needed(entries)
    workload = freezing(workload, architecture.adapters, given)
    ledger = Ledger(architecture, (*own, *workload), (*_choices(workload), *helpers, *entries))
    check_names(ledger)
    check_masks(flops, ledger.dimensions, ledger.formulas)
    return ledger


def _check_lines(architecture: Architecture, lines: Iterable[Line]) -> None:
    """Refuse a name or formula that cannot be read, before others are composed of it."""
    for line in lines:
        if reason := check_name(line.name):
            raise _unusable(architecture, line.name, reason)
        for part in FORMULAS:
            if text := getattr(line, part):
                _read(architecture, line, text)


def _needed(entries: Sequence[Entry]) -> tuple[list[Entry], list[Dimension]]:
    """Return the helper lines and workload dimensions that the entries name, directly or through each other."""
    named = set[str]().union(*(names(entry.line.formula) for entry in entries))
    helpers = []
    for line in (*HELPERS, TOKENS):
        if line.name in named:
            helpers.append(Entry(line, "workload", "helper"))
            named.update(names(line.formula))
    named |= {d.name for d in WORKLOAD if named.intersection(f"{d.name}_is_{label}" for label in d.labels)}
    for dimension in reversed(WORKLOAD):
        if dimension.name in named and isinstance(dimension.default, str):
            named.update(names(dimension.default))
    return helpers, [dimension for dimension in WORKLOAD if dimension.name in named]


def _choices(dimensions: Iterable[Dimension]) -> list[Entry]:
    return [
        Entry(
            Line(
                f"{dimension.name}_is_{label}",
                substitute("1 if choice == place else 0", {"choice": dimension.name, "place": str(place)}),
                "flag",
                title=f"{dimension.title}: {label}",
                additive=False,
            ),
            "workload",
            "helper",
        )
        for dimension in dimensions
        if dimension.kind == "choice"
        for place, label in enumerate(dimension.labels, start=1)
    ]


def check_architecture_name(name: str) -> str | None:
    """Say why an architecture cannot have this name, or None if it can."""
    return check_name(name) or (f"it has more than {MAX_NAME} characters" if len(name) > MAX_NAME else None)


def check_names(ledger: Ledger) -> None:
    """Refuse a name that is used twice, or that a workbook cannot have; PluginError names it."""
    own = ledger.architecture.name
    if reason := check_architecture_name(own):
        raise PluginError(f"the architecture {own!r} cannot have this name, which tables and sheets get: {reason}", own)
    seen: set[str] = set()
    for name in [*(d.name for d in ledger.dimensions), *(e.line.name for e in ledger.entries)]:
        reason = check_name(name) or ("it is used twice" if name in seen else None)
        if reason:
            raise _unusable(ledger.architecture, name, reason)
        seen.add(name)


def _unusable(architecture: Architecture, name: str, reason: str) -> PluginError:
    return PluginError(f"{architecture.name}: the name {name!r} cannot be used: {reason}", name)


def _read(architecture: Architecture, line: Line, text: str, known: set[str] | None = None) -> Formula:
    try:
        return formula.read(text, known)
    except FormulaError as error:
        raise PluginError(f"line {line.name} of {architecture.name}:\n{error}", line.name) from None
