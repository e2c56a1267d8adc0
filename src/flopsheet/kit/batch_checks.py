"""Checks by doubling the batch: what is of each sequence doubles, weights stay."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.steps import needed_names
from flopsheet.accounting.line import OF_MEMORY
from flopsheet.accounting.totals import READ_BY_STEP
from flopsheet.errors import FlopsheetError
from flopsheet.kit.count_checks import models_of
from flopsheet.kit.findings import Finding
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Line
    from flopsheet.accounting.numbers import Numbers
    from flopsheet.kit.subject import Subject
    from flopsheet.planning.costed_model import Costed

PAIRS = frozenset({"pairs", "target_pairs", "full_pairs"})
"""What is of one sequence. A length may also be that of something which is made once for the whole batch."""
TOTALS = ("flops_forward", "flops_decode_step")
REMEDY = "multiply by batch, once: pairs and context are of one sequence, tokens are of the whole batch already"
OF_WEIGHTS = "leave batch, tokens and context out: weights do not follow the workload"


def batched(subject: Subject) -> Iterator[Finding]:
    """Find FLOP, caches and what is kept that do not double with the batch, and weights that change with it.

    FLOP may be computed once for the whole batch, in a forward pass as in a decode step: of no attention core or scan,
    and not by the names of pairs.
    """
    for name, model in models_of(subject):
        for ledger, one, two in _doubled(subject, model):
            for line, remedy in _wrong_lines(ledger, one, two):
                what = f"it is {float(one[line]):,.0f} with a batch of 1 and {float(two[line]):,.0f} with one of 2"
                yield Finding(f"{name}: line {line}", what, remedy)


def _doubled(subject: Subject, model: Costed) -> Iterator[tuple[Ledger, Numbers, Numbers]]:
    """Give a ledger and its numbers at both batches: that with what training keeps, if somebody says it, else its own.

    Nothing where a model has no numbers: `whole` and `examples` say so.
    """
    costed = [cost(subject.host, model.model, {"batch": batch}) for batch in (1, 2)]
    if any(one.ledger is None for one in costed):
        return
    for ask in (subject.host.training_ledger, subject.host.ledger):
        with suppress(FlopsheetError):  # `declared` says what is wrong with what training keeps
            ledger = ask(model.model.architecture)
            names = [dimension.name for dimension in ledger.dimensions]
            one, two = (ledger.evaluate(each.numbers.some(names)) for each in costed)
            yield ledger, one, two
            return


def _wrong_lines(ledger: Ledger, one: Numbers, two: Numbers) -> Iterator[tuple[str, str]]:
    """Give the name of each line that changes otherwise than it should, with what to do."""
    for entry in ledger.entries:
        line, counts = entry.line, entry.role == "line"
        if counts and entry.section == "parameters" and one[line.name] != two[line.name]:
            yield line.name, OF_WEIGHTS
        elif line.kept or (counts and (entry.section == "flops" or line.group in OF_MEMORY)):
            yield from ((name, REMEDY) for name in _unbatched(ledger, line, one, two))
        elif line.name in TOTALS and one[line.name] == two[line.name] != 0:
            yield line.name, REMEDY


def _unbatched(ledger: Ledger, line: Line, one: Numbers, two: Numbers) -> list[str]:
    """Return what does not double of a line and its decode step, unless both have a part that is there once."""
    step = f"{line.name}{READ_BY_STEP}"
    counted = [name for name in (line.name, step) if name in ledger.places and one[name]]
    result = [name for name in counted if two[name] != 2 * one[name]]
    shared = line.unit != "bytes" and line.work not in ("attention_core", "scan")
    shared = shared and PAIRS.isdisjoint(needed_names([line.name], ledger.formulas))
    is_once = shared and result == counted and all(one[name] <= two[name] < 2 * one[name] for name in result)
    return [] if is_once else result
