"""Which of some lines others need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.line import Line


def needed_lines(lines: Iterable[Line], wanted: Iterable[str]) -> list[Line]:
    """Return the lines that have these names, or that one of them needs, in their order."""
    result, known = [], set(wanted)
    for line in reversed([*lines]):
        if line.name in known:
            result.append(line)
            known |= {*names(line.formula)}
    return result[::-1]
