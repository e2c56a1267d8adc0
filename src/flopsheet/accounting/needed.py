"""Which of some lines others need, directly or through each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Line


def needed_names(targets: Iterable[str], formulas: Mapping[str, Formula]) -> set[str]:
    """Return these names and all that their formulas read, of formulas in the order of their evaluation."""
    results = set(targets)
    for name in reversed([*formulas]):
        if name in results:
            results.update(formulas[name].names)
    return results


def needed_lines(lines: Iterable[Line], targets: Iterable[str]) -> list[Line]:
    """Return the lines that have these names, or that one of them needs, in their order."""
    result, needs = [], set(targets)
    for line in reversed([*lines]):
        if line.name in needs:
            result.append(line)
            needs |= {*names(line.formula)}
    return result[::-1]
