"""Lines of one model under layouts that are tried, in floating point: what a search chooses rows by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.nonumber import no_number
from flopsheet.planning.run import with_flags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.planning.program import Program
    from flopsheet.planning.run import PlannedModel


class Trial(Struct, frozen=True):
    """A table's lines of one model, and all that they read next to what is tried."""

    program: Program
    table: str
    known: Mapping[str, Number]

    def known_or(self, name: str, other: Number) -> Number:
        """Return a number that is read, another one where it is missing."""
        return other if no_number(self.known[name]) is not None else self.known[name]

    def lines(self, names: tuple[str, ...], numbers: Mapping[str, Number]) -> Mapping[str, Number]:
        """Return lines of the table with some numbers tried in place of the known ones; FormulaError without one."""
        result = {**self.known, **numbers}
        for segment in self.program.segments_for(tuple((self.table, name) for name in names)):
            result = segment.steps.evaluate(result)
        return result


def trial(program: Program, table: str, scope: Mapping[str, Number], model: PlannedModel) -> Trial:
    """Return what tries a table's lines for a model under the inputs of a case."""
    facts = {name: model.totals.get(name, 0) for name in program.facts(table)}
    values = with_flags(program.inputs.values(), {**scope, **facts, **model.inputs})
    return Trial(program, table, {name: _float(value) for name, value in values.items()})


def _float(value: Number) -> Number:
    return float(value) if no_number(value) is None else value
