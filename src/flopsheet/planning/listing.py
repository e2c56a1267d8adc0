"""Every input that a portfolio may set, as rows for lists, the portfolio reference and a new portfolio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.planning.registry import heads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.accounting.line import Input
    from flopsheet.host.host import Host

WORKLOAD_SECTION = "workload"


def list_inputs(host: Host) -> list[dict[str, Any]]:
    """Return each input with name, title, unit, kind, range, question, section, source and explanation."""
    return [_row(one, question, section) for one, question, section in _inputs(host)]


def _inputs(host: Host) -> Iterator[tuple[Input, str, str]]:
    for one in WORKLOAD:
        yield one, "every model", WORKLOAD_SECTION
    for question in heads(host).values():
        for one in question.inputs:
            yield one, question.name, one.section or question.name


def _row(one: Input, question: str, section: str) -> dict[str, Any]:
    default = (
        one.labels[int(one.default) - 1] if one.labels and not isinstance(one.default, str | None) else one.default
    )
    return {
        "name": one.name,
        "title": one.title,
        "unit": one.unit,
        "kind": one.kind,
        "labels": list(one.labels),
        "low": default if one.low is None else one.low,
        "default": default,
        "high": default if one.high is None else one.high,
        "better": one.better,
        "question": question,
        "section": section,
        "source": one.source,
        "date": one.date,
        "about": one.about,
    }
