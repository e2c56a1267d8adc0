"""One formula, one number: Python, NumPy and LibreOffice agree on random formulas and on every boundary."""

import math
import random

import judges
import numpy as np
import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st
from random_formulas import NAMES, formula, values, whole

from flopsheet.accounting.formula import read
from flopsheet.errors import FormulaError
from flopsheet.export.workbook.excel_form import excel_form
from livesheets.excel import cell

COLUMNS = dict(zip(NAMES, "BCDEFG", strict=True))
CLOSE = 1e-12


def exact(text, row):
    """Evaluate exactly; None where that is refused."""
    try:
        return read(text).evaluate(row)
    except FormulaError:
        return None


@settings(deadline=None)  # a busy machine is no error
@given(st.randoms(use_true_random=False))
def test_numpy_agrees_with_exact_evaluation(rng):
    """On random formulas and values, columns are what exact evaluation gives row by row."""
    text = formula(rng)
    rows = [values(rng) for _ in range(4)]
    columns = {name: np.array([row[name] for row in rows]) for name in NAMES}
    computed = np.broadcast_to(read(text).columns(columns), len(rows))
    for row, column in zip(rows, computed, strict=True):
        expected = exact(text, row)
        assert expected is None or math.isclose(column, expected, rel_tol=CLOSE)


@settings(deadline=None)  # a busy machine is no error
@given(st.randoms(use_true_random=False))
def test_a_formula_written_for_excel_reads_back_as_itself(rng):
    """Read as a formula again, what Excel gets has the same tree: no parentheses lost, none too many."""
    text, row = whole(rng, 4), values(rng)
    written = str(excel_form(read(text), cell))
    assert str(excel_form(read(written), cell)) == written
    assert exact(text, row) == exact(written, row)


def steps_around(number):
    """List the floats next to a number, on both sides of where rounding to 15 digits reaches it."""
    distances = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 100, 1000)
    floats = [number + sign * count * math.ulp(number) for count in distances for sign in (-1, 1)]
    return [float(f"{value:.16g}") for value in floats]  # openpyxl writes 16 digits


def boundary_cases():
    """List formulas with values on, next to and around whole numbers and each other."""
    for number in (1.0, 2.0, 3.0, 7.0, 9.0, 10.0, 99.0, 100.0, 1000.0, 12345.0, 1e9, 2.0**40, 2.0**41, 2.0**42, 1e15):
        for value in steps_around(number):
            yield "ceil(a)", {"a": value}
            yield "floor(a)", {"a": value}
            yield "floor(-a)", {"a": value}
    for number in (1.0, 1.9, 3.0, 0.3, 1e15, 2.0**50, 2.0**53, 1e20, 1e-9):
        for value in steps_around(number):
            for sign in ("<", "<=", "=="):
                yield f"1 if a {sign} b else 0", {"a": value, "b": number}
    for value, multiple in ((0.3, 0.1), (0.7, 0.1), (1.1, 1.1), (4.35, 0.01), (7.0, 3.0), (6.0, 3.0), (0.0, 5.0)):
        yield "round_up(a, b)", {"a": value, "b": multiple}
    yield from (("power(a, b)", {"a": a, "b": b}) for a in (2, 10, 0.5) for b in (-3, 0, 0.5, 300))
    yield from (("power(a, b)", {"a": a, "b": b}) for a, b in ((0, 2), (-2, 3), (-2, -3), (3, 600)))
    for day, months in ((61, 0), (46_357.9, 1), (46_080, -2.5), (45_351, 12), (73_110, 0), (36_584, 0), (46_357, 48)):
        yield "month_end(a, b)", {"a": day, "b": months}
    yield "1 if a else 2", {"a": 1e-300}


def random_cases():
    """List 300 random formulas with random values, the same in every run."""
    rng = random.Random(20)  # noqa: S311  the same formulas in every run, no secrets
    return [(formula(rng), values(rng)) for _ in range(300)]


def recalculate(cases, folder):
    """Let LibreOffice compute each case, in one workbook, and return its numbers."""
    book = openpyxl.Workbook()
    for row, (text, named) in enumerate(cases, 1):
        book.active.cell(row, 1, f"={excel_form(read(text), lambda found, row=row: cell(f'{COLUMNS[found]}{row}'))}")
        for name, value in named.items():
            book.active[f"{COLUMNS[name]}{row}"] = value
    book.save(folder / "cases.xlsx")
    done = judges.recalculate(folder / "cases.xlsx", folder / "out")
    sheet = openpyxl.load_workbook(done, data_only=True, read_only=True).active
    return [cell.value for (cell,) in sheet.iter_rows(max_col=1)]


@judges.needs_soffice
def test_libreoffice_agrees_with_exact_evaluation(tmp_path):
    """The number that Python computes is the number that LibreOffice computes from the Excel form."""
    cases = [*random_cases(), *boundary_cases()]
    accepted = [(text, row, value) for text, row in cases if (value := exact(text, row)) is not None]
    computed = recalculate([(text, row) for text, row, _ in accepted], tmp_path)
    differ = [
        (text, row, value, number)
        for (text, row, value), number in zip(accepted, computed, strict=True)
        if not isinstance(number, int | float) or not math.isclose(number, value, rel_tol=CLOSE)
    ]
    assert len(accepted) > 500
    assert differ == []
