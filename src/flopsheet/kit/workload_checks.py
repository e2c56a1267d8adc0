"""Checks of the workload that each line names and grows with: weights none, caches the context, FLOP pairs at most."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.steps import needed_names
from flopsheet.accounting.line import OF_MEMORY
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.errors import FlopsheetError
from flopsheet.host.joining import activation_lines
from flopsheet.kit.count_checks import models_of
from flopsheet.kit.findings import Finding, Remark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Line
    from flopsheet.kit.subject import Subject
    from flopsheet.planning.costed_model import Costed

BYTES = frozenset(dimension.name for dimension in WORKLOAD if dimension.name.endswith("dtype_bytes"))
LENGTHS = frozenset({"seq_len", "target_len", "context"})
PASS = frozenset({"batch", "mask", *LENGTHS})
"""What a forward pass or a cache is of, and no weight."""
UNSIZED = "its bytes follow no kv_dtype_bytes, state_dtype_bytes or conv_dtype_bytes, as those of numbers of one size"
PRODUCTS = ("linear", "attention_core", "scan")
LONG = 2**24
"""Tokens of a sequence beyond every window and chunk."""
MOST = 6
"""Between what pairs of tokens grow by when the sequence doubles, about 4, and what triples do, about 8."""


def followed(subject: Subject) -> Iterator[Finding | Remark]:
    """Find lines that name a part of the workload that they cannot follow, and those that may lack one."""
    models = models_of(subject)
    for name, ledger in subject.ledgers.items():
        for line in subject.lines(name):
            read = needed_names([line.name], ledger.formulas)
            for what, remedy in _wrong_names(ledger, line, read):
                yield Finding(f"{name}: line {line.name}", what, remedy)
            if line.group in OF_MEMORY and line.additive and not read & BYTES:
                yield Remark(f"{name}: line {line.name}", UNSIZED)
        yield from _kept_lines(subject, name)
    for name, model in models:
        yield from _grown_lines(subject, name, model)


def _wrong_names(ledger: Ledger, line: Line, read: set[str]) -> Iterator[tuple[str, str]]:
    """Give what a line names and cannot follow, with what to do."""
    if line.unit == "parameters" and line.additive and (wrong := read & (PASS | BYTES)):
        yield _names(wrong), "leave it out: weights do not follow the workload"
    if line.unit == "FLOP" and line.additive and (wrong := read & BYTES):
        yield _names(wrong), "leave it out: FLOP do not follow how numbers are stored"
    is_source = "target_len" in ledger.places
    if line.group == "kv_cache" and line.additive and "seq_len" in read and "context" not in read and not is_source:
        yield _names({"seq_len"}), "name context: the tokens that the cache holds"


def _names(names: set[str]) -> str:
    return f"it follows {', '.join(sorted(names))}"


def _kept_lines(subject: Subject, architecture: str) -> Iterator[Finding | Remark]:
    """Find kept elements that are counted in bytes, and remark those that no token changes."""
    host = subject.host
    with suppress(FlopsheetError):  # `declared` says what is wrong
        ledger = host.training_ledger(architecture)
        own = [answer for answer in host.answers[architecture] if answer.plugin == subject.plugin]
        for line in (line for answer in own for line in activation_lines(answer)):
            read = needed_names([line.name], ledger.formulas)
            if read & BYTES:
                remedy = "leave it out: activations are elements, and flopsheet knows their bytes"
                yield Finding(f"{architecture}: line {line.name}", _names(read & BYTES), remedy)
            if not read & PASS:
                what = "it is the same for any batch and length, as what is made of weights alone"
                yield Remark(f"{architecture}: line {line.name}", what)


def _grown_lines(subject: Subject, name: str, model: Costed) -> Iterator[Finding]:
    """Find products of a model that grow faster with the sequence than pairs of its tokens do."""
    if (ledger := model.ledger) is None:
        return
    given = {each.name: model.numbers[each.name] for each in ledger.dimensions}
    lengths = (dict.fromkeys(LENGTHS & given.keys(), length) for length in (LONG, 2 * LONG))
    short, long = (ledger.evaluate(given | each) for each in lengths)
    for line in subject.lines(ledger.architecture.name):
        if line.unit == "FLOP" and line.work in PRODUCTS and long[line.name] > MOST * short[line.name] > 0:
            what = f"twice the tokens cost {float(long[line.name] / short[line.name]):g} times as much"
            remedy = "name tokens or pairs once; what costs more than pairs do says work = 'other'"
            yield Finding(f"{name}: line {line.name}", what, remedy)
