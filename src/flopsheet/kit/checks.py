"""Every check of a plugin with its name and what it asks, and how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.kit import (
    batch_checks,
    config_checks,
    count_checks,
    declaration_checks,
    elsewhere,
    format_checks,
    plan_checks,
    question_checks,
    workload_checks,
)
from flopsheet.kit.findings import AbsentError, Finding, Remark, SkippedError, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.kit.subject import Subject


class Check(Struct, frozen=True):
    """One check: `find` gives what is wrong; `slow` ones start other programs or build models."""

    name: str
    asks: str
    find: Callable[[Subject], Iterable[Finding | Remark]]
    slow: bool = False


CHECKS = (
    Check(
        "declared",
        "Imports, hooks, words, formulas, families, rules and questions are sound",
        declaration_checks.find_refused,
    ),
    Check("names", "Every name can be used in a workbook", declaration_checks.names),
    Check("told", "Every line says what it is and where that can be checked", declaration_checks.find_undescribed),
    Check("used", "Every dimension and helper line is read by a formula", declaration_checks.find_unused),
    Check("examples", "Configs of its types are counted as ok", config_checks.examples),
    Check("repeated", "Reading a config twice gives the same", config_checks.find_unrepeatable),
    Check("nonsense", "Sizes that cannot be, and unknown fields, are never ok", config_checks.nonsense),
    Check("whole", "Counts are whole and not negative", count_checks.whole),
    Check("reads", "A decode step reads no more of a cache than it holds", count_checks.reads),
    Check("causal", "Totals by mask are the cost under that mask", count_checks.causal),
    Check("products", "FLOP are at least 2 × active weights × tokens", count_checks.products),
    Check("batch", "FLOP and caches double with the batch, weights stay", batch_checks.batched),
    Check(
        "workload",
        "Weights follow no workload, caches the context, FLOP at most pairs of tokens",
        workload_checks.followed,
    ),
    Check("monotone", "More layers and more width never cost less", count_checks.monotone),
    Check("columns", "NumPy computes what exact arithmetic does", count_checks.columns),
    Check("answers", "Questions are answered, by NumPy as by exact arithmetic in every case", plan_checks.answers),
    Check("questions", "A model of each architecture is planned with every question", question_checks.questions_asked),
    Check(
        "inputs", "Each input of its questions can be at its ends, and 0 where it may be", question_checks.inputs_tried
    ),
    Check("formats", "A plan of its questions or models is written in every format", question_checks.formats_written),
    Check(
        "exports", "Exporters write a report, alike each time, of parts too, and nothing else", format_checks.exports
    ),
    Check(
        "workbooks",
        "A workbook of every question is written with its models",
        question_checks.workbooks_written,
        slow=True,
    ),
    Check("workbook", "LibreOffice calculates what the workbook holds", elsewhere.workbook, slow=True),
    Check("transformers", "The class in transformers has the same weights and FLOP", elsewhere.transformers, slow=True),
)


SOURCES = Check("sources", "Every source can be looked up", declaration_checks.find_unsourced)
"""What is checked where somebody asks for strict sources."""


def verdicts(subject: Subject, *, quick: bool = False, strict_sources: bool = False) -> Iterator[Verdict]:
    """Give the verdict of each check; `quick` leaves out those that start other programs or build models."""
    for check in (*CHECKS, *([SOURCES] if strict_sources else ())):
        if quick and check.slow:
            yield Verdict(check.name, check.asks, skipped="left out by --quick")
        else:
            yield verdict_of(check, subject)


def verdict_of(check: Check, subject: Subject) -> Verdict:
    """Return what one check finds."""
    try:
        result = list(check.find(subject))
    except SkippedError as reason:
        return Verdict(check.name, check.asks, skipped=str(reason), absent=isinstance(reason, AbsentError))
    faults = tuple(item for item in result if isinstance(item, Finding))
    remarks = tuple(item for item in result if isinstance(item, Remark))
    return Verdict(check.name, check.asks, faults, remarks=remarks)
