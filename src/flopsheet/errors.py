"""Everything that flopsheet raises on purpose.

FlopsheetError
├── FormulaError      a formula that cannot be read, or whose values give no number
├── ConfigError       a model config that cannot be read or makes no model
├── PortfolioError    a portfolio with problems, all of them in one message
├── PluginError       a plugin that cannot be loaded, or contradicts another; several at once are a SeveralPluginError
├── TemplateError     a workbook that cannot be read, or a template that cannot be filled
├── CalculationError  another program that is missing, or could not calculate a workbook
└── UsageError        a request that makes no sense: exit status 2

Those of workbooks are of `livesheets`, and so is the base, so that one name catches all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livesheets.errors import MAX_PROBLEMS, CalculationError, TemplateError, UsageError, list_problems
from livesheets.errors import SheetError as FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "MAX_PROBLEMS",
    "CalculationError",
    "ConfigError",
    "FlopsheetError",
    "FormulaError",
    "PluginError",
    "PortfolioError",
    "SeveralPluginError",
    "TemplateError",
    "UsageError",
    "list_problems",
]


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
