"""Which of some lines others need, directly or through each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.line import Line


def needed_lines(lines: Iterable[Line], targets: Iterable[str]) -> list[Line]:
    """Return the lines that have these names, or that one of them needs, in their order."""
    result, needs = [], set(targets)
    for line in reversed([*lines]):
        if line.name in needs:
            result.append(line)
            needs |= {*names(line.formula)}
    return result[::-1]
