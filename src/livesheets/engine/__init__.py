"""The template engine: fills an .xlsx in place of its sample data and copies everything else byte for byte."""

from livesheets.engine.fill import cell_of, fill
from livesheets.engine.model import Clone, Column, Fill, FillReport, Formula, Rows, TableFill, Value

__all__ = ["Clone", "Column", "Fill", "FillReport", "Formula", "Rows", "TableFill", "Value", "cell_of", "fill"]
