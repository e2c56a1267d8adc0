"""Building a ledger of the lines that plugins give, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.adapters import adapter_lines, freezing
from flopsheet.accounting.formula.compose import names, substitute
from flopsheet.accounting.formula.names import check_name
from flopsheet.accounting.ledger import Ledger, read_formula
from flopsheet.accounting.line import FORMULAS, Architecture, Dimension, Line
from flopsheet.accounting.masks import check_masks
from flopsheet.accounting.quantized_weights import quantized_lines
from flopsheet.accounting.serving import serving_entries
from flopsheet.accounting.tokens import check_tokens, own_tokens
from flopsheet.accounting.totals import Entry, flop_entries, helpers, memory_entries, parameter_entries
from flopsheet.accounting.training import training_entries
from flopsheet.accounting.workload import HELPERS, MAX_POSITIONS, WORKLOAD
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_NAME = 22
"""Characters of an architecture's name: the sheet `Workings …` holds at most 31."""


def build(
    architecture: Architecture, parameters: Sequence[Line], flops: Sequence[Line], memory: Sequence[Line]
) -> Ledger:
    """Return the ledger of an architecture, of the lines that plugins give.

    Workload dimensions and helpers that no line names are left out. PluginError says which name clashes or is
    unusable, which formula cannot be read, and which line is not what it should be under a mask.
    """
    _check_lines(architecture, (*parameters, *flops, *memory))
    model_parameters = parameters
    adapters = adapter_lines(parameters, flops, architecture.adapters)
    parameters, flops = [*parameters, *adapters[0]], [*flops, *adapters[1]]
    tokens = own_tokens(architecture, flops)
    check_tokens(architecture, tokens, (*parameters, *flops, *memory))
    entries = [
        *parameter_entries(parameters),
        *flop_entries(flops, architecture.tokens),
        *training_entries(flops, architecture.tokens),
        *serving_entries(flops, architecture.decodes, architecture.continues, tokens),
        *memory_entries([*quantized_lines(parameters, flops), *memory]),
    ]
    own = architecture.dimensions
    if all(dimension.name != MAX_POSITIONS.name for dimension in own):
        own = (*own, MAX_POSITIONS)
    helper_entries, workload = _find_needed(entries, tokens)
    workload = freezing(workload, architecture.adapters, model_parameters)
    ledger = Ledger(architecture, (*own, *workload), (*_choices(workload), *helper_entries, *entries))
    check_names(ledger)
    _check_texts(ledger)
    for line in model_parameters:
        for text in filter(None, (line.sides, line.rows)):  # of matrices, which quantized checkpoints may hold
            read_formula(architecture, line, text, ledger.places)
    check_masks(flops, ledger.dimensions, ledger.formulas)
    return ledger


def _check_lines(architecture: Architecture, lines: Iterable[Line]) -> None:
    """Refuse a name or formula that cannot be read, before others are composed of it."""
    for line in lines:
        if reason := check_name(line.name):
            raise _unusable(architecture, line.name, reason)
        for part in FORMULAS:
            if text := getattr(line, part):
                read_formula(architecture, line, text)


def _check_texts(ledger: Ledger) -> None:
    """Refuse formulas of the architecture that name what it lacks; a depth that is unsaid may be unknown."""
    architecture = ledger.architecture
    texts = {part: getattr(architecture, part) for part in ("decodes", "continues", "depth")}
    for part, text in texts.items():
        try:
            formula.read(text, None if text == getattr(Architecture, part) else ledger.places)
        except FormulaError as error:
            of = f"architectures.{architecture.name}.{part}"
            raise PluginError(f"{part} of {architecture.name}:\n{error}", of) from None


def _find_needed(entries: Sequence[Entry], tokens: Line) -> tuple[list[Entry], list[Dimension]]:
    """Return the helper lines and workload dimensions that the entries name, directly or through each other."""
    needed_names = set[str]().union(*(names(entry.line.formula) for entry in entries))
    lines = []
    for line in (*HELPERS, tokens):
        if line.name in needed_names:
            lines.append(line)
            needed_names.update(names(line.formula))
    needed_names |= {
        d.name for d in WORKLOAD if needed_names.intersection(f"{d.name}_is_{label}" for label in d.labels)
    }
    for dimension in reversed(WORKLOAD):
        if dimension.name in needed_names and isinstance(dimension.default, str):
            needed_names.update(names(dimension.default))
    return helpers("workload", *lines), [dimension for dimension in WORKLOAD if dimension.name in needed_names]


def _choices(dimensions: Iterable[Dimension]) -> list[Entry]:
    lines = (
        Line(
            f"{dimension.name}_is_{label}",
            substitute("1 if choice == place else 0", {"choice": dimension.name, "place": str(place)}),
            "flag",
            title=f"{dimension.title}: {label}",
            additive=False,
        )
        for dimension in dimensions
        if dimension.kind == "choice"
        for place, label in enumerate(dimension.labels, start=1)
    )
    return helpers("workload", *lines)


def check_architecture_name(name: str) -> str | None:
    """Say why an architecture cannot have this name, or None if it can."""
    return check_name(name) or (f"it has more than {MAX_NAME} characters" if len(name) > MAX_NAME else None)


def check_names(ledger: Ledger) -> None:
    """Refuse a name that is used twice, or that a workbook cannot have; PluginError names it."""
    own = ledger.architecture.name
    if reason := check_architecture_name(own):
        raise PluginError(f"the architecture {own!r} cannot have this name, which tables and sheets get: {reason}", own)
    totals = {entry.line.name for entry in ledger.entries if entry.role in {"subtotal", "total"}}
    earlier: set[str] = set()
    for name in [*(d.name for d in ledger.dimensions), *(e.line.name for e in ledger.entries)]:
        double = "it is a total of flopsheet's own" if name in totals else "it is used twice"
        reason = check_name(name) or (double if name in earlier else None)
        if reason:
            raise _unusable(ledger.architecture, name, reason)
        earlier.add(name)


def _unusable(architecture: Architecture, name: str, reason: str) -> PluginError:
    return PluginError(f"{architecture.name}: the name {name!r} cannot be used: {reason}", name)
