"""Checks by numbers, of every example: what holds of any model that can exist."""

from __future__ import annotations

from contextlib import suppress
from math import isclose
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.totals import READ_BY_STEP
from flopsheet.errors import PluginError
from flopsheet.host.candidate import UNITS
from flopsheet.host.joining import activation_lines
from flopsheet.kit.findings import AbsentError, Finding, SkippedError
from flopsheet.kit.plan_checks import import_numpy
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.accounting.line import Line
    from flopsheet.accounting.numbers import Numbers
    from flopsheet.accounting.totals import Entry
    from flopsheet.kit.subject import Subject
    from flopsheet.planning.costed_model import Costed

LENGTH = 64
"""Tokens of the sequence that products are compared at."""
TABLES = ("embedding", "positional", "norm", "vision", "audio", "projector", "adapters")
"""Groups that no token is multiplied with, or not every one."""
LARGE = 0.01
"""A share of the parameters from which weights that nothing is computed with are no vectors or biases."""
NEAR = 1e-11
"""How far float64 may be off the exact numbers, as a share."""


def whole(subject: Subject) -> Iterator[Finding]:
    """Find counts that are negative, or not whole where they count things."""
    for name, model in models_of(subject):
        for total, number in model.totals.items():
            if number < 0 or (number != int(number) and not total.endswith("_per_token")):
                remedy = "look for a line that subtracts or divides: widths that fit need a check of the architecture"
                yield Finding(f"{name}: {total}", f"it is {number:g}, which no model has", remedy)
        yield from _kept_below_nothing(subject, name, model)


def _kept_below_nothing(subject: Subject, name: str, model: Costed) -> Iterator[Finding]:
    """Find lines of activations that are negative; those that read what only plans of training know are theirs."""
    answers = subject.host.answers.get(model.model.architecture, ())
    with suppress(PluginError):  # `declared` says so
        for line in (
            line for answer in answers if answer.plugin == subject.plugin for line in activation_lines(answer)
        ):
            size = formula.read(line.formula)
            if {*size.names} <= model.numbers.keys() and (number := size.evaluate(model.numbers)) < 0:
                what = f"it keeps {float(number):g} {line.unit}, which no model does"
                yield Finding(f"{name}: line {line.name}", what, "look for what it subtracts")


def reads(subject: Subject) -> Iterator[Finding]:
    """Find caches of which a decode step reads more than they hold, or less than nothing."""
    for name, model in models_of(subject):
        numbers = model.numbers
        for line in (entry.line for entry in _entries(model) if entry.section == "memory"):
            read = numbers[f"{line.name}{READ_BY_STEP}"] if line.decode else 0
            if not 0 <= read <= numbers[line.name]:
                what = f"a decode step reads {float(read):,.0f} bytes of {float(numbers[line.name]):,.0f}"
                remedy = "write what a step reads of the cache as decode, with the cache's own factors"
                yield Finding(f"{name}: line {line.name}", what, remedy)


def causal(subject: Subject) -> Iterator[Finding]:
    """Find totals of a mask that are not what the model costs when the workload has that mask."""
    for name, model in models_of(subject):
        if "mask" not in model.numbers:
            continue
        for mask in ("causal", "full"):
            total = f"flops_forward_{mask}"
            under_mask = cost(subject.host, model.model, {"mask": mask})
            if total in model.totals and under_mask.totals.get("flops_forward") != model.totals[total]:
                what = f"it is {model.totals[total]:,}, and flops_forward with mask = {mask} is"
                remedy = "leave `full` out, or write the core with pairs and nothing else of the mask"
                yield Finding(f"{name}: {total}", f"{what} {under_mask.totals.get('flops_forward', 0):,}", remedy)


def products(subject: Subject) -> Iterator[Finding]:
    """Find models that compute less than two FLOP for each active weight and token."""
    for name, model in models_of(subject):
        lengths = {length: LENGTH for length in ("seq_len", "target_len") if length in model.numbers}
        short = cost(subject.host, model.model, {"batch": 1, **lengths})
        if short.ledger is None or not lengths:
            continue
        weights = _active_weights(subject, short)
        least, flops = 2 * LENGTH * sum(weights.values()), short.totals["flops_forward"]
        if flops < least:
            without = [line for line in weights if f"{line}_flops" not in short.numbers]
            hint = f"no FLOP line for {', '.join(without)}" if without else "a product is missing or too small"
            what = f"{LENGTH} tokens cost {flops:,} FLOP, and 2 × active weights × tokens are {float(least):,.0f}"
            remedy = f"{hint}: blocks.linear gives both lines; weights that no token passes say active='0'"
            yield Finding(f"{name}: flops_forward", what, remedy)


def _active_weights(subject: Subject, model: Costed) -> Mapping[str, float]:
    """Return the active weights of each line that every token passes, by the line's name.

    A line without FLOP of its own counts where it is large; one whose FLOP do not follow the tokens does not.
    """
    ledger, numbers = model.ledger, model.numbers
    if ledger is None:
        return {}
    others = _joined_lines(subject, model)
    per_token = {entry.line.name for entry in _entries(model) if _is_tokens(entry.line, numbers)}
    result = {}
    for line in _weights(model):
        flops = ledger.formulas.get(f"{line.name}_flops")
        share = formula.read(line.active).evaluate(numbers)
        follows = bool(per_token.intersection(flops.names)) if flops else line.additive and _is_large(model, line)
        if line.group not in TABLES and share and follows and line.name not in others:
            result[line.name] = float(numbers[line.name] * share)
    return result


def _joined_lines(subject: Subject, model: Costed) -> set[str]:
    """Return the lines of parts that are next to a language model, which tokens of text do not pass."""
    host, sides = subject.host, subject.host.sides(model.model.architecture)
    answers = host.answers[model.model.architecture] if sides else ()
    return {line.name for answer in answers for hook in UNITS for line in answer.items[hook]}


def _is_tokens(line: Line, numbers: Numbers) -> bool:
    """Tell whether a line gives at least as many tokens as the sequence has."""
    return line.unit == "tokens" and numbers[line.name] >= LENGTH


def _is_large(model: Costed, line: Line) -> bool:
    return bool(model.numbers[line.name] > LARGE * model.numbers["parameters"])


def _weights(model: Costed) -> list[Line]:
    return [entry.line for entry in _entries(model) if entry.role == "line" and entry.line.unit == "parameters"]


def monotone(subject: Subject) -> Iterator[Finding]:
    """Find models that lose parameters, FLOP or bytes when they get more layers or more width."""
    for name, model in models_of(subject):
        for size in _sizes(model):
            more = cost(subject.host, model.model, {size: 2 * int(model.numbers[size])})
            if more.ledger is None:
                continue  # a check of the architecture binds it to other sizes
            for total in ("parameters", "flops_forward", "memory_bytes"):
                if more.totals[total] < model.totals[total]:
                    what = f"it falls from {model.totals[total]:,} to {more.totals[total]:,} when {size} doubles"
                    yield Finding(f"{name}: {total}", what, f"look for a line that subtracts or divides by {size}")


def _sizes(model: Costed) -> list[str]:
    """Return the dimensions that say how many layers a model has, and how wide they are."""
    if model.ledger is None:
        return []
    dimensions = {dimension.name: dimension for dimension in model.ledger.dimensions}
    layers = [name for name in names(model.ledger.architecture.depth) if name in dimensions]
    widths = [name for name, size in dimensions.items() if name == "d_model" or "hidden_size" in size.keys]
    return [name for name in dict.fromkeys([*layers, *widths]) if model.numbers[name]]


def columns(subject: Subject) -> Iterator[Finding]:
    """Find lines that NumPy computes otherwise than exact arithmetic does."""
    np = import_numpy()
    for name, model in models_of(subject):
        ledger, numbers = model.ledger, model.numbers
        if ledger is None:
            continue
        values = {dimension.name: np.full(2, float(numbers[dimension.name])) for dimension in ledger.dimensions}
        for line, column in ledger.columns(values).items():
            swept, exact = float(np.ravel(column)[0]), float(numbers[line])
            if not isclose(swept, exact, rel_tol=NEAR, abs_tol=NEAR):
                what = f"NumPy gives {swept!r}, exact arithmetic {exact!r}"
                remedy = "avoid ceil, floor and comparisons of numbers that are equal but for rounding"
                yield Finding(f"{name}: line {line}", what, remedy)


def models_of(subject: Subject) -> list[tuple[str, Costed]]:
    """Return the name and the model of each example that can be counted."""
    if not subject.examples:
        raise AbsentError("the plugin reads no type and has no architecture")
    if not subject.countable:
        raise SkippedError("no example can be counted")
    return [(example.name, example.costed) for example in subject.countable]


def _entries(model: Costed) -> tuple[Entry, ...]:
    return model.ledger.entries if model.ledger else ()
