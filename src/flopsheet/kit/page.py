"""The verdicts of a check, for people and for programs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.host.candidate import Plugin
    from flopsheet.kit.findings import Verdict

MARKS = {"passed": "pass", "failed": "FAIL", "skipped": "skip"}
MOST = 8
"""Findings of one check that are shown; --json has all."""
WIDTH = 110


def page(plugin: Plugin, verdicts: Sequence[Verdict]) -> str:
    """Return a plugin's verdicts: what failed with where, what and what to do, then a line that counts."""
    lines = [str(plugin)]
    for verdict in verdicts:
        reason = f": {verdict.skipped}" if verdict.skipped else ""
        lines += [f"  {MARKS[verdict.outcome]}  {verdict.asks}{reason}", *_findings(verdict)]
    return "\n".join([*lines, f"  {count_verdicts(verdicts)}"])


def count_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Return how many checks passed, failed and were skipped."""
    outcomes = [verdict.outcome for verdict in verdicts]
    return ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in MARKS)


def _findings(verdict: Verdict) -> Iterator[str]:
    for finding in verdict.findings[:MOST]:
        yield from _wrap_text(f"{finding.where}: {' '.join(finding.what.split())}")
        yield from _wrap_text(f"→ {finding.remedy}")
    if len(verdict.findings) > MOST:
        yield f"        and {len(verdict.findings) - MOST} more"
    for remark in verdict.remarks[:MOST]:
        yield from _wrap_text(f"note: {' '.join(str(remark).split())}")
    if len(verdict.remarks) > MOST:
        yield f"        and {len(verdict.remarks) - MOST} more notes"


def _wrap_text(text: str) -> list[str]:
    lines = textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)
    return [("        " if place == 0 else "          ") + line for place, line in enumerate(lines)]


def document(plugin: Plugin, verdicts: Sequence[Verdict]) -> Mapping[str, Any]:
    """Return a plugin's verdicts as JSON holds them."""
    return {
        **plugin._asdict(),
        "passed": not any(verdict.findings for verdict in verdicts),
        "checks": [
            {
                "name": verdict.name,
                "asks": verdict.asks,
                "outcome": verdict.outcome,
                "skipped": verdict.skipped,
                "findings": [asdict(finding) for finding in verdict.findings],
                "remarks": [asdict(remark) for remark in verdict.remarks],
            }
            for verdict in verdicts
        ],
    }
