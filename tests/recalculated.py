"""A workbook after edits, as LibreOffice computes it, beside the workbook of a plan with the same inputs."""

import math

import judges
import openpyxl
from msgspec.structs import replace
from openpyxl.utils import range_boundaries
from planner import Planner

from flopsheet.export.workbook import write_workbook
from flopsheet.export.workbook.formula_names import table_name
from flopsheet.planning.inputs import write_value
from flopsheet.planning.question import CASES_TABLE


def moved(plan, ends):
    """Return a plan with inputs at one of their ends in every case; its layouts stay."""
    drivers = {one.name: one for one in plan.drivers}
    for name, end in ends.items():
        value = getattr(drivers[name], end)
        named = (value,) * len(drivers[name].named)
        drivers[name] = replace(drivers[name], low=value, base=value, high=value, named=named)
    return replace(plan, drivers=tuple(drivers.values()))


def type_in(folder, plan, ends):
    """Type the same into a delivered workbook, in the units that it shows."""
    planner = Planner(folder)
    for one in (driver for driver in plan.drivers if driver.name in ends):
        value, times = (
            write_value(one.input, getattr(one, ends[one.name])),
            planner.cell("drivers", one.name, "Times").value,
        )
        for title in plan.titles.values():
            planner.cell("drivers", one.name, title).value = value if isinstance(value, str) else float(value) / times
    planner.save()


def line_cells(path, plan):
    """Give each line's cells in the tables of a plan's workbook: sheet, address, and the cached value."""
    book = openpyxl.load_workbook(path, data_only=True)
    for table in plan.program.tables.values():
        sheet = next((one for one in book if table_name(table.name) in one.tables), None)
        if sheet is None:
            continue
        left, top, right, bottom = range_boundaries(sheet.tables[table_name(table.name)].ref)
        last = top + len(plan.cases) + 1 if table.name == CASES_TABLE else bottom
        lines = {line.name for line in table.lines}
        for column in (at for at in range(left, right + 1) if sheet.cell(top, at).value in lines):
            for row in range(top + 1, last + 1):
                yield sheet.title, sheet.cell(row, column).coordinate, sheet.cell(row, column).value


def differing(plan, ends, folder):
    """Return the cells of lines that LibreOffice computes otherwise after an edit than a plan does, and how many are.

    Rows of Sensitivity are left out: other inputs have a range where some are at their ends.
    """
    other, delivered, remade = moved(plan, ends), folder / "delivered", folder / "remade"
    for one, where in ((plan, delivered), (other, remade)):
        where.mkdir()
        write_workbook(one, where / "plan.xlsx")
    type_in(delivered, plan, ends)
    (result,) = judges.calculated([delivered / "plan.xlsx"], folder / "calculated")
    cells = list(line_cells(remade / "plan.xlsx", other))
    return [(sheet, at, value) for sheet, at, value in cells if not same(value, result.get((sheet, at)))], len(cells)


def same(value, text):
    """Return whether LibreOffice shows a cell's value, numbers to twelve digits."""
    if isinstance(value, int | float):
        number = None if text is None else judges.number(text)
        return number is not None and math.isclose(value, number, rel_tol=1e-12)
    return value is None or text == str(judges.as_typed(value))
