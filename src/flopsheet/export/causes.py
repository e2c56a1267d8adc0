"""Why a number moved between two reports: its formula did, or an input; their fingerprints tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.totals import subtotal_name
from flopsheet.planning.fingerprints import own_of
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FINGERPRINTS, ARCHITECTURES, TABLES, FACTS = "fingerprints", "architectures", "tables", "facts"
FORMULA, INPUT, BOTH = "formula", "input", "formula and input"
"""Why a number moved."""
INPUTS = ("inputs", "dimensions", "tokens", "published")
"""How the paths of what is given begin."""


class Causes:
    """What the fingerprints of two reports say of the lines of both."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Keep the fingerprints; a report without any gives no cause."""
        self._old, self._new = (report.get(FINGERPRINTS, {}) for report in (old, new))

    @property
    def formulas(self) -> list[str]:
        """The lines whose own formula moved, came or went, in tables and architectures that both reports have."""
        return [
            f"{table}.{line}"
            for kind in (ARCHITECTURES, TABLES)
            for table, lines in self._old.get(kind, {}).items()
            if (other := self._new.get(kind, {}).get(table)) is not None
            for line in dict.fromkeys((*lines, *other))
            if own_of(lines.get(line, "")) != own_of(other.get(line, ""))
        ]

    def is_input(self, path: str) -> bool:
        """Tell whether the number at a path is given, and not calculated."""
        parts = path.split(".")
        return parts[0] in INPUTS or (parts[0] == "scenarios" and "inputs" in parts)

    def of(self, path: str, architecture: str, *, input_moved: bool) -> str:
        """Return why a number moved; `input_moved` says that something which is given to its model or plan did.

        Nothing for what is given itself, where a report has no fingerprints, and where neither a formula nor anything
        given explains the move.
        """
        lines = list(self._lines(path, architecture))
        if self.is_input(path) or not lines or not self._old or not self._new:
            return ""
        formula_moved = any(_at(self._old, *line) != _at(self._new, *line) for line in lines)
        return (BOTH if input_moved else FORMULA) if formula_moved else INPUT if input_moved else ""

    def _lines(self, path: str, architecture: str) -> Iterator[tuple[str, str, str]]:
        """Give the kind, table and name of the lines behind a number: its own, and the totals that it reads."""
        parts = path.split(".")
        if parts[0] == "totals":
            yield ARCHITECTURES, architecture, parts[1]
        elif parts[0] == "groups":
            yield ARCHITECTURES, architecture, subtotal_name(parts[1], parts[2])  # type: ignore[arg-type]
        elif parts[0] == "scenarios":
            table = MODELS_TABLE if architecture else CASES_TABLE
            yield TABLES, table, parts[-1]
            facts = self._new.get(FACTS, {}).get(table, {}).get(parts[-1], [])
            owners = [architecture] if architecture else self._new.get(ARCHITECTURES, {})
            yield from ((ARCHITECTURES, owner, fact) for owner in owners for fact in facts)


def _at(fingerprints: Mapping[str, Any], kind: str, table: str, line: str) -> str:
    result: str = fingerprints.get(kind, {}).get(table, {}).get(line, "")
    return result
