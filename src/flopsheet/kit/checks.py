"""Every check of a plugin with its name and what it asks, and how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.kit import asked, configured, counted, declared, elsewhere, exported, planned
from flopsheet.kit.findings import AbsentError, Finding, Remark, SkippedError, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.kit.subject import Subject


class Check(NamedTuple):
    """One check: `find` gives what is wrong; `slow` ones start other programs or build models."""

    name: str
    asks: str
    find: Callable[[Subject], Iterable[Finding | Remark]]
    slow: bool = False


CHECKS = (
    Check(
        "declared", "Imports, hooks, words, formulas, families, rules and questions are sound", declared.find_refused
    ),
    Check("names", "Every name can be used in a workbook", declared.names),
    Check("told", "Every line says what it is and where that can be checked", declared.find_undescribed),
    Check("used", "Every dimension and helper line is read by a formula", declared.find_unused),
    Check("examples", "Configs of its types are counted as ok", configured.examples),
    Check("repeated", "Reading a config twice gives the same", configured.find_unrepeatable),
    Check("nonsense", "Sizes that cannot be, and unknown fields, are never ok", configured.nonsense),
    Check("whole", "Counts are whole and not negative", counted.whole),
    Check("reads", "A decode step reads no more of a cache than it holds", counted.reads),
    Check("causal", "Totals by mask are the cost under that mask", counted.causal),
    Check("products", "FLOP are at least 2 × active weights × tokens", counted.products),
    Check("monotone", "More layers and more width never cost less", counted.monotone),
    Check("columns", "NumPy computes what exact arithmetic does", counted.columns),
    Check("answers", "Questions are answered, by NumPy as by exact arithmetic in every case", planned.answers),
    Check("questions", "A model of each architecture is planned with every question", asked.questions_asked),
    Check("inputs", "Each input of its questions can be at its ends, and 0 where it may be", asked.inputs_tried),
    Check("formats", "A plan of its questions or models is written in every format", asked.formats_written),
    Check("exports", "Exporters write a report, alike each time, of parts too, and nothing else", exported.exports),
    Check("workbooks", "A workbook of every question is written with its models", asked.workbooks_written, slow=True),
    Check("workbook", "LibreOffice calculates what the workbook holds", elsewhere.workbook, slow=True),
    Check("transformers", "The class in transformers has the same weights and FLOP", elsewhere.transformers, slow=True),
)


SOURCES = Check("sources", "Every source can be looked up", declared.find_unsourced)
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
