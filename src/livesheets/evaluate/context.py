"""What a formula asks of where it stands, and what the cells of a reference are to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from livesheets.evaluate.grids import Result, make_grid
from livesheets.evaluate.scalars import Scalar, is_number

if TYPE_CHECKING:
    from livesheets.evaluate.targets import Target


class Context(Protocol):
    """Where a formula stands: what its references mean, and the largest number that was added up on the way."""

    largest: float

    def follow(self, target: Target) -> Result:
        """Return the cells that a reference means: a number as such, everything else as a grid."""

    def down_to_here(self, column: Result, first: int) -> Result:
        """Return the cells of a column of the formula's own table from a row, counted from 0, down to its own."""


def alone(value: Scalar) -> Result:
    """Return the value of one cell: functions of ranges pass over its text, and over a blank."""
    return value if is_number(value) else make_grid(1, 1, [value])
