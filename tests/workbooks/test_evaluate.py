"""The evaluator of sheet formulas gives what spreadsheets give."""

from __future__ import annotations

import math

import pytest

from livesheets.engine import Column, Formula, Rows, TableFill
from livesheets.evaluate.book import Book, Corner

COLUMNS = (Column("no"), Column("name"), Column("size"), Column("twice", "t[[#This Row],[size]]*2"))
ROWS = [[1, "One", 2.5, None], [2, "Two", 4, None], [3, "two", None, None], [4, "=x", -1, None]]


def given(formula, **cells):
    """Return what a formula gives beside a table and some named cells."""
    book = Book()
    book.add_table("t", TableFill(ROWS, COLUMNS), Corner("Data", 3, 2))
    book.add_named({**cells, "result": Formula(formula)})
    return book.evaluate_name("result")


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("2+3*4^2/8-1", 7),
        ("-2^2", 4),
        ("50%*4", 2),
        ("0.1+0.2-0.3", 0),
        ('1&"-"&2.5', "1-2.5"),
        ('"a"="A"', True),
        ('"b">2', True),
        ("1/0", "#DIV/0!"),
        ("IFERROR(1/0,7)", 7),
        ('IF(1>2,1/0,"no")', "no"),
        ("CHOOSE(2,1/0,5)", 5),
        ("SUM(t[size])", 5.5),
        ("SUM(t[[size]:[twice]])", 16.5),
        ("COUNT(t[name])", 0),
        ("MAX(0,t[size])", 4),
        ('SUMIFS(t[size],t[name],"TWO")', 4),
        ('SUMIFS(t[size],t[no],">=2",t[no],"<4")', 4),
        ('COUNTIF(t[name],"<>One")', 3),
        ('INDEX(t[no],MATCH("two",t[name],0))', 2),
        ("INDEX(t[[no]:[size]],2,3)", 4),
        ('MATCH("size",t[[#Headers],[no]:[size]],0)', 3),
        ('MATCH("none",t[name],0)', "#N/A"),
        ("MATCH(2.5,t[no],1)", 2),
        ('SUMPRODUCT((t[name]<>"")*(t[size]=0))', 1),
        ("SUMPRODUCT(ISERROR(1/t[size])*1)", 1),
        ("LARGE(t[size],2)", 2.5),
        ("RANK(4,t[size])", 1),
        ("ROWS(t[no])*COLUMNS(t[[no]:[size]])", 12),
        ("SUM(Data!$D$3:$D$1048576)", 5.5),
        ("Data!D4", 4),
        ("ROUND(2.675,2)", 2.68),
        ("INT(-1.5)", -2),
        ("CEILING(7,4)", 8),
        ('TEXT(8847360,"#,##0")', "8,847,360"),
        ('TEXT(1.0778E+25,"0.00E+00")', "1.08E+25"),
        ('TEXT(9996,"0.00E+00")', "1.00E+04"),
        ('TEXT(0.4567,"0.0%")', "45.7%"),
        ("FIXED(1234.5,-1)", "1,230"),
        ("FIXED(2.675,2)", "2.68"),
        ('MID("+-",1+(-3<0),1)', "-"),
        ('LEN(LEFT("abc",2))', 2),
        ('MATCH("causal",{"full","causal"},0)', 2),
        ("nothing+1", "#NAME?"),
        ("SUM(t[missing])", "#REF!"),
        ("result+1", None),
        ("NPV(0.1,t[size])", None),
    ],
)
def test_a_formula_gives_what_a_spreadsheet_gives(formula, value):
    """Numbers, texts, flags, error values; None where it is not known."""
    result = given(formula)
    if isinstance(value, float):
        assert math.isclose(result, value, rel_tol=1e-15)
    else:
        assert (result, type(result) is bool) == (value, type(value) is bool)


def test_named_cells_follow_each_other():
    """A formula finds the values of others, in whatever order they were given."""
    assert given("price*count", price=Formula("count/4"), count=8) == 16


def test_a_filled_table_has_the_value_of_every_formula():
    """A column's formula gives its value in each row; a value that is there already stays."""
    book = Book()
    book.add_table("t", TableFill([*ROWS, [5, Formula('UPPER("x")'), 3, 99]], COLUMNS), Corner("Data", 2, 1))
    rows = book.tables["t"].with_values().rows
    assert [row[3] for row in rows] == [5, 8, 0, -2, 99]
    assert rows[-1][1] == Formula('UPPER("x")', "X")


def test_rows_that_are_made_later_are_looked_through_by_columns():
    """A large table never stands as a whole: formulas ask for its columns."""
    asked = []

    def column(place):
        asked.append(place)
        return [row[place] for row in ROWS]

    book = Book()
    book.add_table("t", TableFill(Rows(len(ROWS), lambda: iter(ROWS), column), COLUMNS), Corner("Data", 2, 1))
    book.add_named({"total": Formula("SUM(t[size])+SUMIFS(t[size],t[no],2)")})
    assert book.evaluate_name("total") == 9.5
    assert sorted(asked) == [0, 2]


def test_what_a_formula_refers_to_in_vain_is_found():
    """Tables, columns and names, each with the formula that asks for it."""
    book = Book()
    book.add_table("t", TableFill([[1]], (Column("no", "t[[#This Row],[size]]+u[no]"),)), Corner("Data", 2, 1))
    book.add_named({"one": Formula("two")})
    assert list(book.missing()) == ["t[no]: the column size of t", "t[no]: the table u", "one: the name two"]
