"""Large sheets of templates: what a fill does not touch costs little, and stays as it was."""

import time

from openpyxl import Workbook, load_workbook
from xlsx_templates import filled, save


def large(rows):
    """Return a template with one name to fill, and so many rows of ten numbers that nobody touches."""
    from openpyxl.workbook.defined_name import DefinedName  # noqa: PLC0415 - only here

    book = Workbook()
    book.defined_names["rate"] = DefinedName("rate", attr_text="Sheet!$B$2")
    for row in range(rows):
        book.active.append([row + column for column in range(10)])
    return save(book)


def test_untouched_rows_stay_as_they_are(tmp_path):
    """A value goes into one row; all other rows hold what they held, and the sheet's dimension is as before."""
    data = large(50)
    (tmp_path / "before.xlsx").write_bytes(data)
    before, after = (
        load_workbook(path).active for path in (tmp_path / "before.xlsx", filled(tmp_path, data, names={"rate": 0.5}))
    )
    assert before.dimensions == after.dimensions == "A1:J50"
    differing = [
        cell.coordinate for row in after.iter_rows() for cell in row if cell.value != before[cell.coordinate].value
    ]
    assert differing == ["B2"]


def test_time_grows_with_the_rows(tmp_path):
    """Four times the rows take at most eight times the processor's time."""
    times = []
    for rows in (4_000, 16_000):
        data = large(rows)
        start = time.process_time()
        filled(tmp_path, data, names={"rate": 0.5})
        times.append(time.process_time() - start)
    assert times[1] < 8 * times[0], times
