"""Everything that flopsheet raises on purpose.

FlopsheetError
├── FormulaError      a formula that cannot be read, or whose values give no number
├── ConfigError       a model config that cannot be read or makes no model
├── PortfolioError    a portfolio with problems, all of them in one message
├── PluginError       a plugin that cannot be loaded, or contradicts another; several at once are a SeveralPluginError
├── TemplateError     a workbook that cannot be read, or a template that cannot be filled
├── CalculationError  another program that is missing, or could not calculate a workbook
└── UsageError        a request that makes no sense: exit status 2
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


class FlopsheetError(Exception):
    """The base of all errors that flopsheet raises on purpose; its text is meant for people.

    `of` is the name of the line or other thing that it is about, or its place in a TOML file, where it is about one.
    """

    def __init__(self, message: str = "", of: str = "") -> None:
        """Keep what it is about next to the message."""
        super().__init__(message)
        self.of = of


class FormulaError(FlopsheetError):
    """A formula that cannot be read, or whose values give no number."""


class ConfigError(FlopsheetError):
    """A model config that cannot be read or makes no model."""


class PortfolioError(FlopsheetError):
    """A portfolio with problems, all of them in one message."""


class PluginError(FlopsheetError):
    """A plugin that cannot be loaded, or contradicts another."""


class SeveralPluginError(PluginError):
    """Several things that are wrong with a plugin, each an error with its place."""

    def __init__(self, each: Sequence[PluginError]) -> None:
        """Keep them; the text has a line for each."""
        super().__init__("\n".join(map(str, each)), each[0].of)
        self.each = each


class TemplateError(FlopsheetError):
    """A workbook that cannot be read, or a template that cannot be filled."""


class UsageError(FlopsheetError):
    """A request that makes no sense: exit status 2."""


class CalculationError(FlopsheetError):
    """Another program that is missing, or could not calculate a workbook."""
