"""Everything that is raised on purpose about a workbook; each text is meant for people.

SheetError
├── TemplateError     a workbook that cannot be read, or a template that cannot be filled
├── CalculationError  another program that is missing, or could not calculate a workbook
└── UsageError        a request that makes no sense
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_PROBLEMS = 1_000
"""Problems of one file that are listed one by one."""


def list_problems(heading: str, problems: Sequence[str]) -> str:
    """Return a message with a line for each problem; of more than a thousand it says how many more there are."""
    more = len(problems) - MAX_PROBLEMS
    rest = [f"and {more:,} more"] if more > 0 else []
    return "\n  ".join([heading, *problems[:MAX_PROBLEMS], *rest])


class SheetError(Exception):
    """The base of all errors that are raised on purpose.

    `of` is the name of the thing that it is about, or its place in a file, where it is about one.
    """

    def __init__(self, message: str = "", of: str = "") -> None:
        """Keep what it is about next to the message."""
        super().__init__(message)
        self.of = of


class TemplateError(SheetError):
    """A workbook that cannot be read, or a template that cannot be filled."""


class UsageError(SheetError):
    """A request that makes no sense: exit status 2."""


class CalculationError(SheetError):
    """Another program that is missing, or could not calculate a workbook."""
