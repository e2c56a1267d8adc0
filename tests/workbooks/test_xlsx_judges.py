import itertools
import time

import pytest
from judges import needs_soffice, needs_validator, recalculate, validate
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.table import Table
from python_calamine import CalamineWorkbook
from xlsx_templates import ROWS, filled, prototype_template, save, template

from livesheets.engine import Clone, Column, Formula, TableFill

FILLED = {
    "tables": {"models": TableFill([*ROWS, ("=b", 2.5, 5.0, "yes")], totals={"size": 15.5}, row_like=[0, 1, 0, 0])},
    "names": {"in_price": 2, "out_total": 31.0, "meta_label": "-x"},
    "texts": {"purpose": "R&D"},
    "properties": {"title": "t", "created": "2024-05-06T07:08:09Z"},
    "new_names": {"in_new": "Models!$F$7"},
}
EMPTY = {"tables": {"models": TableFill([])}}
CLONED = {
    "clones": [
        Clone(
            "Proto",
            "dense",
            {
                "proto": (
                    "dense",
                    TableFill(
                        [("a", 4, 8, 1), ("_x0041_", 5, 10, 0)],
                        columns=(
                            Column("name", above=("Name", "")),
                            Column("d_model", like="size", above=("Model width", "count"), width=30),
                            Column("size", formula="dense[[#This Row],[d_model]]*2", above=("Size", "parameters")),
                            Column("is\nopen", like="flag", above=("Open?", "flag")),
                        ),
                    ),
                )
            },
            {"title": 18, "A2": "name", "sub": Formula('SUMIFS(dense[size],dense[name],"a")', 8)},
        ),
        Clone("Proto", "it's moe", {"proto": ("moe", TableFill([("x", 7, 0)]))}, {"title": 7}),
    ]
}
CASES = [(template, FILLED), (template, EMPTY), (prototype_template, CLONED), (prototype_template, {})]
IDS = ["filled", "empty", "cloned", "nothing asked"]


@needs_validator
@pytest.mark.parametrize(("make", "asked"), CASES, ids=IDS)
def test_the_open_xml_sdk_finds_no_error(make, asked, tmp_path):
    """What is written follows the schema of the format."""
    assert validate(filled(tmp_path, make(), **asked)) == []


@needs_soffice
@pytest.mark.parametrize(("make", "asked"), [CASES[0], CASES[2]], ids=["filled", "cloned"])
def test_libreoffice_calculates_the_cached_values(make, asked, tmp_path):
    """Every formula with a cached value gives that value when another program calculates it."""
    output = filled(tmp_path, make(), **asked)
    formulas, cached = load_workbook(output), load_workbook(output, data_only=True)
    fresh = load_workbook(recalculate(output, tmp_path / "fresh"), data_only=True)
    compared = 0
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                value = cached[sheet.title][cell.coordinate].value
                if cell.data_type == "f" and value is not None:
                    assert fresh[sheet.title][cell.coordinate].value == pytest.approx(value), cell.coordinate
                    compared += 1
    assert compared == {"Models": 6, "About": 6}[formulas.sheetnames[0]]


@needs_soffice
def test_libreoffice_sees_no_error_in_an_empty_table(tmp_path):
    """A template filled with nothing shows no error value."""
    fresh = load_workbook(recalculate(filled(tmp_path, template(), **EMPTY), tmp_path / "fresh"), data_only=True)
    values = [cell.value for sheet in fresh for row in sheet.iter_rows() for cell in row]
    assert not [value for value in values if isinstance(value, str) and value.startswith(("#", "Err"))]


class Rows:
    """20,000 rows of 40 columns, made as they are asked for: numbers, texts, blanks, and a formula in every other."""

    count, width = 20_000, 40

    def __len__(self) -> int:
        return self.count

    def __iter__(self):
        return (self.row(number) for number in range(self.count))

    def row(self, number: int) -> list:
        """Return a row: the second half are formulas over the first, so that every value is known."""
        plain = [number, number / 7, f"=row {number} <&>", None, -number, number * 1e12, "", 1.5e-300] * 3
        plain = plain[: self.width // 2]
        return [*plain, *(number + place for place in range(self.width // 2))]


def plain_template() -> bytes:
    """Return a template of one table with a row of each kind of cell."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Models"
    for row in (("name", "size", "cost"), ("alpha", 1, "=models[[#This Row],[size]]")):
        sheet.append(row)
    sheet.add_table(Table(displayName="models", ref="A1:C2"))
    return save(book)


@pytest.mark.slow
def test_calamine_reads_back_twenty_thousand_rows(tmp_path):
    """Every one of eight hundred thousand cells is read by another program as it was given, in bounded time."""
    rows = Rows()
    columns = [Column(f"c{place}", like="name" if place % 8 == 2 else "size") for place in range(rows.width // 2)]
    columns += [
        Column(f"f{place}", formula=f"models[[#This Row],[c0]]+{place}", like="cost")
        for place in range(rows.width // 2)
    ]
    began = time.process_time()
    output = filled(tmp_path, plain_template(), tables={"models": TableFill(rows, tuple(columns))})
    sheet = CalamineWorkbook.from_path(output).get_sheet_by_name("Models")
    read = itertools.islice(sheet.iter_rows(), 1, 1 + rows.count)
    bad = [number for number, row in enumerate(read) if not same_row(row[: rows.width], rows.row(number))]
    assert bad == []
    assert sheet.height >= 1 + rows.count
    assert time.process_time() - began < 15


def same_row(found: list, given: list) -> bool:
    """Tell whether a row reads as it was given; a blank and an empty text read alike."""
    return all(one == ("" if other is None else other) for one, other in zip(found, given, strict=True))
