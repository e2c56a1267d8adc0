"""Everything that flopsheet raises on purpose.

FlopsheetError
├── FormulaError      a formula that cannot be read, or whose values give no number
│   └── LineError     a line whose values give no number
├── ConfigError       a model config that cannot be read or makes no model
├── PortfolioError    a portfolio with problems, all of them in one message
├── PluginError       a plugin that cannot be loaded, or contradicts another
├── TemplateError     a workbook that cannot be read, or a template that cannot be filled
├── CalculationError  another program that is missing, or could not calculate a workbook
└── UsageError        a request that makes no sense: exit status 2
"""


class FlopsheetError(Exception):
    """The base of all errors that flopsheet raises on purpose; its text is meant for people."""


class FormulaError(FlopsheetError):
    """A formula that cannot be read, or whose values give no number."""


class LineError(FormulaError):
    """A line whose values give no number; `line` is its name."""

    def __init__(self, line: str, message: str) -> None:
        """Keep the line's name beside the message."""
        super().__init__(message)
        self.line = line


class ConfigError(FlopsheetError):
    """A model config that cannot be read or makes no model."""


class PortfolioError(FlopsheetError):
    """A portfolio with problems, all of them in one message."""


class PluginError(FlopsheetError):
    """A plugin that cannot be loaded, or contradicts another."""


class TemplateError(FlopsheetError):
    """A workbook that cannot be read, or a template that cannot be filled."""


class UsageError(FlopsheetError):
    """A request that makes no sense: exit status 2."""


class CalculationError(FlopsheetError):
    """Another program that is missing, or could not calculate a workbook."""
