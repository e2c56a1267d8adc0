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
    return [_row(item, question, section) for item, question, section in _inputs(host)]


def _inputs(host: Host) -> Iterator[tuple[Input, str, str]]:
    for item in WORKLOAD:
        yield item, "every model", WORKLOAD_SECTION
    for question in heads(host).values():
        for item in question.inputs:
            yield item, question.name, item.section or question.name


def _row(item: Input, question: str, section: str) -> dict[str, Any]:
    default = (
        item.labels[int(item.default) - 1] if item.labels and not isinstance(item.default, str | None) else item.default
    )
    return {
        "name": item.name,
        "title": item.title,
        "unit": item.unit,
        "kind": item.kind,
        "labels": list(item.labels),
        "low": default if item.low is None else item.low,
        "default": default,
        "high": default if item.high is None else item.high,
        "better": item.better,
        "question": question,
        "section": section,
        "source": item.source,
        "date": item.date,
        "about": item.about,
    }
