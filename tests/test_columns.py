"""Aligned columns of plain text: what wraps, what goes below, and which side a cell is on."""

from flopsheet.export.columns import align_rows

HEADERS = ["Model", "Output tokens per second", "Cost", "Days"]
ROWS = [["Large", "1,024", "USD 1.2m", "12"], ["Wide 模型", "9", "USD 9.0k", "3"]]


def test_a_long_header_wraps_and_short_ones_are_at_the_bottom():
    """No header is wider than twelve characters or its widest cell; numbers are on the right."""
    assert list(align_rows(HEADERS, ROWS, 1, 100)) == [
        "               Output",
        "           tokens per",
        "Model          second      Cost  Days",
        "Large           1,024  USD 1.2m    12",
        "Wide 模型           9  USD 9.0k     3",
    ]


def test_columns_without_room_go_below_behind_the_leading_ones():
    """Each block begins with what a row is."""
    result = list(align_rows(HEADERS, ROWS, 1, 25))
    assert result[result.index("") + 1 :] == [
        "Model          Cost  Days",
        "Large      USD 1.2m    12",
        "Wide 模型  USD 9.0k     3",
    ]


def test_a_column_that_is_too_wide_alone_is_shown_whole():
    """A block holds at least one column behind the leading ones."""
    result = list(align_rows(["Model", "Text"], [["A", "x" * 50]], 1, 20))
    assert result[1] == f"A      {'x' * 50}"


def test_leading_numbers_are_on_the_right():
    """A month or a batch is a number, and where no row is there are headers alone."""
    assert list(align_rows(["Month", "Cost"], [["1", "USD 5"], ["12", "USD 10"]], 1, 100))[1] == "    1   USD 5"
    assert list(align_rows(["Month", "Cost"], [], 1, 100)) == ["Month  Cost"]
