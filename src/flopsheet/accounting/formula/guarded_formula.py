"""A formula with the condition on which it is a number; elsewhere its cell is blank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.formula.formula import Formula
    from flopsheet.accounting.line import Number


class Guarded(Struct, frozen=True):
    """A formula that is a number only where another one is not 0."""

    formula: Formula
    where: Formula

    def evaluate(self, values: Mapping[str, Number]) -> Number | None:
        """Compute the number, None where the condition is 0."""
        return self.formula.evaluate(values) if self.where.evaluate(values) else None
