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
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.accounting.line import Line
    from flopsheet.accounting.numbers import Numbers
    from flopsheet.accounting.totals import Entry
    from flopsheet.kit.examples import Example
    from flopsheet.kit.subject import Subject
    from flopsheet.planning.costed import Costed

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
    for one in _counted_examples(subject):
        for name, number in one.costed.totals.items():
            per = name.endswith("_per_token")
            if number < 0 or (not per and number != int(number)):
                remedy = "look for a line that subtracts or divides: widths that fit need a check of the architecture"
                yield Finding(f"{one.name}: {name}", f"it is {number:g}, which no model has", remedy)
        yield from _kept_below_nothing(subject, one)


def _kept_below_nothing(subject: Subject, one: Example) -> Iterator[Finding]:
    """Find lines of activations that are negative; those that read what only plans of training know are theirs."""
    answers = subject.host.answers.get(one.costed.model.architecture, ())
    with suppress(PluginError):  # `declared` says so
        for line in (
            line for answer in answers if answer.plugin == subject.plugin for line in activation_lines(answer)
        ):
            size = formula.read(line.formula)
            if {*size.names} <= one.costed.numbers.keys() and (number := size.evaluate(one.costed.numbers)) < 0:
                what = f"it keeps {float(number):g} {line.unit}, which no model does"
                yield Finding(f"{one.name}: line {line.name}", what, "look for what it subtracts")


def reads(subject: Subject) -> Iterator[Finding]:
    """Find caches of which a decode step reads more than they hold, or less than nothing."""
    for one in _counted_examples(subject):
        numbers = one.costed.numbers
        for line in (entry.line for entry in _entries(one.costed) if entry.section == "memory"):
            read = numbers[f"{line.name}{READ_BY_STEP}"] if line.decode else 0
            if not 0 <= read <= numbers[line.name]:
                what = f"a decode step reads {float(read):,.0f} bytes of {float(numbers[line.name]):,.0f}"
                remedy = "write what a step reads of the cache as decode, with the cache's own factors"
                yield Finding(f"{one.name}: line {line.name}", what, remedy)


def causal(subject: Subject) -> Iterator[Finding]:
    """Find totals of a mask that are not what the model costs when the workload has that mask."""
    for one in _counted_examples(subject):
        if not _has(one.costed, "mask"):
            continue
        for mask in ("causal", "full"):
            total = f"flops_forward_{mask}"
            chosen = cost(subject.host, one.costed.model, {"mask": mask})
            if total in one.costed.totals and chosen.totals.get("flops_forward") != one.costed.totals[total]:
                what = f"it is {one.costed.totals[total]:,}, and flops_forward with mask = {mask} is"
                remedy = "leave `full` out, or write the core with pairs and nothing else of the mask"
                yield Finding(f"{one.name}: {total}", f"{what} {chosen.totals.get('flops_forward', 0):,}", remedy)


def products(subject: Subject) -> Iterator[Finding]:
    """Find models that compute less than two FLOP for each active weight and token."""
    for one in _counted_examples(subject):
        lengths = {name: LENGTH for name in ("seq_len", "target_len") if _has(one.costed, name)}
        short = cost(subject.host, one.costed.model, {"batch": 1, **lengths})
        if short.ledger is None or not lengths:
            continue
        weights = _active_weights(subject, short)
        least, flops = 2 * LENGTH * sum(weights.values()), short.totals["flops_forward"]
        if flops < least:
            without = [name for name in weights if f"{name}_flops" not in short.numbers]
            hint = f"no FLOP line for {', '.join(without)}" if without else "a product is missing or too small"
            what = f"{LENGTH} tokens cost {flops:,} FLOP, and 2 × active weights × tokens are {float(least):,.0f}"
            remedy = f"{hint}: blocks.linear gives both lines; weights that no token passes say active='0'"
            yield Finding(f"{one.name}: flops_forward", what, remedy)


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
    for one in _counted_examples(subject):
        for name in _sizes(one.costed):
            more = cost(subject.host, one.costed.model, {name: 2 * int(one.costed.numbers[name])})
            if more.ledger is None:
                continue  # a check of the architecture binds it to other sizes
            for total in ("parameters", "flops_forward", "memory_bytes"):
                if more.totals[total] < one.costed.totals[total]:
                    what = f"it falls from {one.costed.totals[total]:,} to {more.totals[total]:,} when {name} doubles"
                    yield Finding(f"{one.name}: {total}", what, f"look for a line that subtracts or divides by {name}")


def _sizes(model: Costed) -> list[str]:
    """Return the dimensions that say how many layers a model has, and how wide they are."""
    if model.ledger is None:
        return []
    dimensions = {dimension.name: dimension for dimension in model.ledger.dimensions}
    layers = [name for name in names(model.ledger.architecture.depth) if name in dimensions]
    widths = [name for name, one in dimensions.items() if name == "d_model" or "hidden_size" in one.keys]
    return [name for name in dict.fromkeys([*layers, *widths]) if model.numbers[name]]


def columns(subject: Subject) -> Iterator[Finding]:
    """Find lines that NumPy computes otherwise than exact arithmetic does."""
    try:
        import numpy as np  # noqa: PLC0415 - an extra
    except ImportError:
        raise SkippedError("NumPy is not installed: pip install 'flopsheet[sweep]'") from None
    for one in _counted_examples(subject):
        ledger, numbers = one.costed.ledger, one.costed.numbers
        if ledger is None:
            continue
        given = {dimension.name: np.full(2, float(numbers[dimension.name])) for dimension in ledger.dimensions}
        for name, column in ledger.columns(given).items():
            swept, exact = float(np.ravel(column)[0]), float(numbers[name])
            if not isclose(swept, exact, rel_tol=NEAR, abs_tol=NEAR):
                what = f"NumPy gives {swept!r}, exact arithmetic {exact!r}"
                remedy = "avoid ceil, floor and comparisons of numbers that are equal but for rounding"
                yield Finding(f"{one.name}: line {name}", what, remedy)


def _counted_examples(subject: Subject) -> list[Example]:
    if not subject.examples:
        raise AbsentError("the plugin reads no type and has no architecture")
    if not subject.counted:
        raise SkippedError("no example can be counted")
    return subject.counted


def _entries(model: Costed) -> tuple[Entry, ...]:
    return model.ledger.entries if model.ledger else ()


def _has(model: Costed, dimension: str) -> bool:
    return dimension in model.numbers
