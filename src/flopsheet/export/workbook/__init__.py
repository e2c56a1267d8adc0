"""The planning workbook: what goes into the shipped template, every formula with the value that Python computed."""

from flopsheet.export.workbook.write import write_workbook

__all__ = ["write_workbook"]
