"""Kinds of workbooks that other programs write, each small: checked and filled, or refused with a remedy."""

import pytest
from xlsx_templates import filled, part, patched, template

from flopsheet.audit.audit import audit
from flopsheet.errors import TemplateError
from flopsheet.host.loading import load

BOOK, TABLE = "xl/workbook.xml", "xl/tables/table1.xml"


def merged(ref):
    """Return the template with a merged range on the sheet of its table."""
    inside = f"<mergeCells><mergeCell{ref}/></mergeCells><pageMargins"
    return patched(template(), "xl/worksheets/sheet1.xml", ("<pageMargins", inside))


NARROW = patched(template(), TABLE, ('<tableColumn id="4" name="open"/>', ""))


@pytest.mark.parametrize("name", ["", "  "], ids=["empty", "blank"])
def test_a_sheet_without_a_name_is_checked_and_filled(name, tmp_path):
    """Excel writes none, other programs do."""
    data = patched(template(), BOOK, ('name="Notes"', f'name="{name}"'))
    (tmp_path / "book.xlsx").write_bytes(data)
    assert audit(load(), str(tmp_path / "book.xlsx")).verdicts
    assert 'name="' + name + '"' in part(filled(tmp_path, data, names={"in_price": 2}), BOOK)


def test_a_table_that_names_too_few_columns_is_checked(tmp_path):
    """The checklist looks at the columns that it names."""
    (tmp_path / "book.xlsx").write_bytes(NARROW)
    assert audit(load(), str(tmp_path / "book.xlsx")).verdicts


@pytest.mark.parametrize("ref", ["", ' ref="all"', ' ref="C3:XFD1048577"'], ids=["none", "words", "too far"])
def test_a_range_that_is_none_is_told_with_its_place(ref, tmp_path):
    """The message says which range of which sheet, and what to do."""
    (tmp_path / "book.xlsx").write_bytes(merged(ref))
    with pytest.raises(TemplateError, match=r"merged range on .*Models.*is not a range of cells.*save it again"):
        audit(load(), str(tmp_path / "book.xlsx"))
