from fractions import Fraction

import pytest

from livesheets.engine import Formula
from livesheets.engine.cells import CellError, cell, unescape, xml_attribute


def plus_100(style):
    """Stand in for the styles: the quoted variant of a style is a hundred higher."""
    return style + 100


@pytest.mark.parametrize(
    ("value", "xml"),
    [
        (None, '<c r="A1" s="3"/>'),
        (7, '<c r="A1" s="3"><v>7</v></c>'),
        (2**53, '<c r="A1" s="3"><v>9007199254740992</v></c>'),
        (67 * 10**22, '<c r="A1" s="3"><v>6.7e+23</v></c>'),
        (0.1, '<c r="A1" s="3"><v>0.1</v></c>'),
        (Fraction(1, 4), '<c r="A1" s="3"><v>0.25</v></c>'),
        (Fraction(8, 4), '<c r="A1" s="3"><v>2</v></c>'),
        (True, '<c r="A1" s="3" t="b"><v>1</v></c>'),
        ("007", '<c r="A1" s="3" t="inlineStr"><is><t>007</t></is></c>'),
        ("a<b&c", '<c r="A1" s="3" t="inlineStr"><is><t>a&lt;b&amp;c</t></is></c>'),
        (" a\n", '<c r="A1" s="3" t="inlineStr"><is><t xml:space="preserve"> a\n</t></is></c>'),
        ("a\rb\x00", '<c r="A1" s="3" t="inlineStr"><is><t>a_x000D_b_x0000_</t></is></c>'),
        ("_x0041_", '<c r="A1" s="3" t="inlineStr"><is><t>_x005F_x0041_</t></is></c>'),
        ("\ud800", '<c r="A1" s="3" t="inlineStr"><is><t>_xD800_</t></is></c>'),
        (Formula("A2<1", value=True), '<c r="A1" s="3" t="b"><f>A2&lt;1</f><v>1</v></c>'),
        (Formula("A2", "=x"), '<c r="A1" s="3" t="str"><f>A2</f><v>=x</v></c>'),
        (Formula("A2", None), '<c r="A1" s="3"><f>A2</f></c>'),
        (Formula("", 5), '<c r="A1" s="3"><v>5</v></c>'),
    ],
)
def test_values_become_typed_cells(value, xml):
    """Every type of value has one spelling, and text is never taken for anything else."""
    assert cell("A1", 3, value, plus_100) == xml


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\ta", "\ra"])
def test_text_like_a_formula_takes_the_quoted_style(text):
    """Text that Excel would read as a formula once edited is marked as text for good."""
    assert 's="103"' in cell("A1", 3, text, plus_100)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "not a number"),
        (float("-inf"), "not a number"),
        (10**400, "beyond the largest"),
        (Fraction(10**400, 3), "beyond the largest"),
        ("x" * 32_768, "32,768 characters"),
        ("\U0001f600" * 16_384, "32,768 characters"),
        (Formula("x" * 8_193, 1), "8,193 characters"),
        (Formula("a\x01", 1), "control character"),
        (Formula("A1", "x" * 32_768), "32,768 characters"),
        ([], "list is not a type"),
    ],
)
def test_what_no_cell_can_hold_is_refused(value, message):
    """Values beyond Excel's limits are refused, not cut."""
    with pytest.raises(CellError, match=message):
        cell("A1", 0, value, plus_100)


def test_text_at_the_limit_is_written():
    """32,767 characters fit."""
    assert "x" * 32_767 in cell("A1", 0, "x" * 32_767, plus_100)


def test_column_names_escape_line_breaks():
    """A line break in a column's name survives the attribute that holds it."""
    assert xml_attribute("a\nb_x0041_<") == "a_x000a_b_x005F_x0041_<"
    assert unescape(xml_attribute("a\nb_x0041_")) == "a\nb_x0041_"
