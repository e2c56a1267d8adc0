"""A planner who edits a delivered workbook, and the program that takes the edits back."""

from contextlib import contextmanager
from datetime import date

import openpyxl
import pytest
from click.testing import CliRunner

from flopsheet.cli import main

PORTFOLIO = """\
# What we plan for next year.
name = "Next year"  # shown on the cover

[cluster]
accelerator = "h100-sxm"
accelerators = 512
days = 90  # one quarter

[drivers]
# from the last run
goodput = 0.9  # measured
tokens = { low = 10e12, base = 15e12, high = 15e12, source = "Ours" }  # mostly crawled

# The small one.
[[models]]
config = "llama/config.json"
name = "Ours 8B"
tokens = 15e12  # as much as theirs

# Only on paper.
[[models]]
name = "Paper"
architecture = "dense"
tokens = 2_000_000_000_000
dimensions = { n_layers = 40, d_model = 5_120, n_heads = 40, d_ff = 13824, mlp_matrices = 3, vocab_size = 128256 }
# the end
"""


TODAY = "2026-12-01"
"""The day on which a test imports, inside `today`."""


@contextmanager
def today():
    """Let it be a known day for whoever dates what a planner typed."""

    class Day(date):
        @classmethod
        def today(cls):
            """Return the known day."""
            return cls.fromisoformat(TODAY)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("flopsheet.export.roundtrip.edited_source.date", Day)
        yield


def run(*arguments):
    """Run the program, and return its status and outputs; a traceback fails the test."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def bring(folder, *options, workbook="plan.xlsx"):
    """Import the folder's workbook into its portfolio."""
    return run("import", folder / workbook, "-o", folder / "portfolio.toml", *options)


class Planner:
    """Somebody who edits a workbook, cell by cell."""

    def __init__(self, folder, name="plan.xlsx"):
        self.path = folder / name
        self.book = openpyxl.load_workbook(self.path)

    def table(self, name):
        """Return a table's sheet, its columns by header, and the number of its header row."""
        sheet = next(sheet for sheet in self.book if name in sheet.tables)
        top = sheet[sheet.tables[name].ref][0]
        return sheet, {cell.value: cell.column for cell in top}, top[0].row

    def cell(self, name, key, header):
        """Return a cell of a table by its row's key."""
        sheet, columns, top = self.table(name)
        keys = columns.get("Name") if name == "drivers" else columns.get("no") or columns.get("No") or columns["Place"]
        row = next(row for row in range(top + 1, sheet.max_row + 1) if sheet.cell(row, keys).value == key)
        return sheet.cell(row, columns[header])

    def add(self, name, key, like, **changes):
        """Type a row right under a table, as a copy of another one but for some cells; the table does not grow."""
        sheet, columns, top = self.table(name)
        first = next(iter(columns))
        source = self.cell(name, like, first).row
        row = next(row for row in range(top + 1, sheet.max_row + 2) if sheet.cell(row, columns[first]).value is None)
        for header, column in columns.items():
            sheet.cell(row, column).value = changes.get(header, sheet.cell(source, column).value)
        sheet.cell(row, columns[first]).value = key
        return sheet.cell(row, columns[first])

    def save(self):
        """Save the workbook in place."""
        self.book.save(self.path)


def edit(folder, name, key, header, value):
    """Change one cell of the folder's workbook, and return its address."""
    planner = Planner(folder)
    cell = planner.cell(name, key, header)
    cell.value = value
    planner.save()
    return cell.coordinate
