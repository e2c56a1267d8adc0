"""Fingerprints of lines: short digests that tell whether a formula moved, or one that it reads.

A fingerprint is two digests with a dot between them: that of the line's own formula and unit, then that of the line
with all lines that it reads. Reports hold them, so that a comparison can say why a number moved.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Line
    from flopsheet.planning.program import Program

DIGITS = 8
BETWEEN = "."


def own_of(fingerprint: str) -> str:
    """Return the digest of a line's own formula."""
    return fingerprint.partition(BETWEEN)[0]


def of_ledger(ledger: Ledger) -> dict[str, str]:
    """Return the fingerprint of each line, subtotal and total of an architecture."""
    result: dict[str, str] = {}
    for entry in ledger.entries:
        read = [result[name] for name in ledger.formulas[entry.line.name].names if name in result]
        result[entry.line.name] = _fingerprint(entry.line, read)
    return result


def of_program(program: Program) -> dict[str, dict[str, str]]:
    """Return the fingerprint of each line of a plan, by table; constants of listed rows are part of it."""
    result: dict[tuple[str, str], str] = {}
    lines = {(table, line.name): line for table, one in program.tables.items() for line in one.lines}
    for node in program.order:
        rows = [f"{one.key}{one.until}{one.values}" for one in program.tables[node[0]].rows]
        group, reads = _read_with(program, node)
        together = [_own(lines[one]) for one in group if one != node]
        result[node] = _fingerprint(lines[node], [*rows, *(result[read] for read in reads), *together])
    return {table: {line.name: result[table, line.name] for line in one.lines} for table, one in program.tables.items()}


def facts_of(program: Program) -> dict[str, dict[str, list[str]]]:
    """Return the totals of a model's ledger that each line of a plan reads, directly or through others, by table."""
    result: dict[tuple[str, str], set[str]] = {}
    for node in program.order:
        group, reads = _read_with(program, node)
        result[node] = set().union(*map(program.own_facts, group), *(result[read] for read in reads))
    tables: dict[str, dict[str, list[str]]] = {}
    for (table, line), facts in result.items():
        if facts:
            tables.setdefault(table, {})[line] = sorted(facts)
    return tables


def of_all(fingerprints: Mapping[str, str]) -> str:
    """Return one digest of all lines of a table."""
    return _digest(f"{name} {fingerprint}" for name, fingerprint in sorted(fingerprints.items()))


def _fingerprint(line: Line, read: Iterable[str]) -> str:
    own = _own(line)
    return f"{own}{BETWEEN}{_digest((own, *read))}"


def _own(line: Line) -> str:
    return _digest((line.name, line.formula, line.unit))


def _read_with(program: Program, node: tuple[str, str]) -> tuple[tuple[tuple[str, str], ...], list[tuple[str, str]]]:
    """Return a line with those of its recurrence, and the lines that these read besides each other, in one order."""
    group = program.recurrence(node)
    return group, sorted(set().union(*map(program.needs, group)) - {*group})


def _digest(parts: Iterable[str]) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:DIGITS]
