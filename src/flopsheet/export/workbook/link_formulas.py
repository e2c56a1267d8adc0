"""Links and figures as Excel formulas that Excel 2016 and LibreOffice 7.4 know: one number of another table's rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.workbook.assumptions import case_number
from flopsheet.export.workbook.excel_form import excel_form
from flopsheet.export.workbook.formula_names import KEYS, LIVE_ROW, input_cell, key_header, table_name
from flopsheet.export.workbook.model_columns import in_case, linked_in_cases
from flopsheet.export.workbook.question_rows import row_count
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASE_KEY, CASES_TABLE, MODELS, SAME_TO
from livesheets.excel import above, add_all, call, cells, column, headers, here, literal, multiply_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.compiled.references import Linked
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Link, Rows, Table
    from livesheets.excel import Expression

    Pair = tuple[Expression, Expression]
    """A column, and what it holds in the rows that are meant."""


def link_formula(program: Program, table: Table, link: Link, *, has_gaps: bool) -> Expression:
    """Return the formula of a link in a row of a table; in a plan with gaps, unknown places make no number."""
    ref = program.links[table.name][link.name]
    other = program.tables[ref.table]
    equal = [_equal(table, other, *keys) for keys in ref.on]
    if ref.reduce == "previous":
        return _previous(table, ref.line, recurs=program.recurs((table.name, ref.line)))
    if ref.reduce == "running":
        return _running(table, ref.line, equal)
    if ref.reduce == "below":
        return _below(table, ref.line, equal)
    if ref.case:
        return _of_case(program, ref, equal)
    if ref.reduce == "one":
        return _one(other, ref.line, equal)
    conditions = [*equal, (_place(ref), _count_equal(table, link))] if ref.where else equal
    result = gather_line(ref.reduce, other, ref.line, conditions, [_rows(other, there) for _, there in ref.on])
    return _known_places(ref, equal, conditions, result) if ref.where and has_gaps else result


def _of_case(program: Program, link: Linked, equal: Sequence[Pair]) -> Expression:
    """Return the formula of a line in a case: in the rows of that case, where it reads other tables than Models."""
    number, other = CASES.index(link.case) + 1, program.tables[link.table]
    if link.table == CASES_TABLE:
        return call("INDEX", column(CASES_TABLE, link.line), number)
    if link.line not in linked_in_cases(program):
        return _one(other, in_case(link.line, link.case), equal)
    each = other._replace(name=name_by_case(other.name))
    keys = [(_column(each, MODELS), key) for _, key in equal]
    return _sum(column(each.name, link.line), [*keys, (column(each.name, CASE_KEY), literal(case_number(number)))])


def kind_of(link: Link) -> Link:
    """Return a link without its place, the same for all of which each is in another place."""
    return link._replace(name="", title="", where=None)


def name_by_case(table: str) -> str:
    """Return the name of the table with a row for each case."""
    return f"each_{table}"


def _place(link: Linked) -> Expression:
    return column(table_name(link.table), link.where[0] if link.where else "")


def _known_places(link: Linked, equal: Sequence[Pair], conditions: Sequence[Pair], number: Expression) -> Expression:
    """Return a formula of the rows in one place that has no number where none is in it and some place is unknown."""
    count = call("COUNTIFS", *chain(*conditions))
    return call("IF", count == 0, 0 * _sum(_place(link), equal), number)


def gather_line(
    how: str,
    other: Table,
    line: str,
    equal: Sequence[Pair] = (),
    shared_rows: Sequence[Rows] = (),
) -> Expression:
    """Return the sum, minimum, maximum or first of a line; `equal` are columns and what they hold in the rows meant."""
    numbers = column(table_name(other.name), line)
    if other.name == CASES_TABLE:
        return call("INDEX", numbers, LIVE_ROW)
    if how == "sum":
        return _of_known_rows(_sum(numbers, equal), other)
    counts = [(_column(other, rows), row_count(rows)) for rows in other.rows if rows.until and rows not in shared_rows]
    tests = [keys == own for keys, own in equal] + [keys <= count for keys, count in counts]
    if how == "first":
        return _first(other, numbers, tests) + 0 * _sum(numbers, equal)
    rows_surely = bool(shared_rows) and all(rows.key == CASE_KEY for rows in shared_rows)
    return _of_known_rows(_end(how, numbers, tests, sure=rows_surely), other)


def _sum(numbers: Expression, equal: Sequence[Pair]) -> Expression:
    return call("SUMIFS", numbers, *chain(*equal)) if equal else call("SUM", numbers)


def _of_known_rows(number: Expression, other: Table) -> Expression:
    """Return a number with what makes an error where the count of a table's rows is one: no row would say so."""
    counts = [formula.read(rows.until) for rows in other.rows if rows.until]
    computed_counts = [count for count in counts if count.names != (count.text.strip(),)]
    return add_all([number, *(0 * excel_form(count, input_cell) for count in computed_counts)])


def _end(how: str, numbers: Expression, tests: Sequence[Expression], *, sure: bool) -> Expression:
    """Return the least or greatest number of the rows meant, 0 without any unless there are `sure` to be some.

    Numbers are counted from the other end of the column, so that rows that are not meant are 0 and never win.
    """
    if not tests:
        return call(how.upper(), numbers)
    condition, is_most = multiply_all(tests), how == "max"
    far = call("MIN" if is_most else "MAX", numbers)
    away = call("SUMPRODUCT", call("MAX", condition * (numbers - far if is_most else far - numbers)))
    result = far + away if is_most else far - away
    return result if sure else (call("SUMPRODUCT", condition * 1) > 0) * result


def _first(other: Table, numbers: Expression, tests: Sequence[Expression]) -> Expression:
    last = other.rows[-1]
    matches = call("INDEX", multiply_all([numbers != 0, *tests]) * 1, 0)
    result = call("INDEX", _column(other, last), call("MATCH", 1, matches, 0))
    return call("IFERROR", call("MATCH", result, KEYS, 0) - 1 if last == MODELS else result, 0)


def _one(other: Table, line: str, equal: Sequence[Pair]) -> Expression:
    """Return the formula of a line in the only row that agrees; an error there stays one."""
    if other.name == CASES_TABLE or len(equal) > 1:
        return gather_line("sum", other, line, equal)
    numbers = column(table_name(other.name), line)
    return _sum(numbers, equal) if equal else call("INDEX", numbers, 1)


def _equal(table: Table, other: Table, own: str, there: str) -> Pair:
    """Return the column of a key in another table, and the key of this row that agrees with it."""
    return _column(other, _rows(other, there)), _key(table, _rows(table, own))


def _rows(table: Table, key: str) -> Rows:
    return next(rows for rows in table.rows if rows.key == key)


def _column(table: Table, rows: Rows) -> Expression:
    return column(table_name(table.name), key_header(table, rows))


def _key(table: Table, rows: Rows) -> Expression:
    return here(table_name(table.name), key_header(table, rows))


def _count_equal(table: Table, link: Link) -> Expression:
    """Return the number of a link's `where`: as many columns as there are from the first link of its kind to it."""
    number = link.where[1] if link.where else 0
    kin = [other.name for other in table.links if other.where and kind_of(other) == kind_of(link)]
    return call("COLUMNS", headers(table_name(table.name), kin[0], kin[number - 1]))


def _previous(table: Table, line: str, *, recurs: bool) -> Expression:
    """Return the line in the row before; 0 in the first row, and where the last key begins again.

    Of a line that reads it in the end, the cell above: a reference to the column would be circular.
    """
    name, last = table_name(table.name), table.rows[-1]
    place = call("ROW") - call("ROW", headers(name, line))
    before = above(name, line) if recurs else call("INDEX", column(name, line), call("MAX", 1, place - 1))
    if len(table.rows) == 1:
        return call("IF", place == 1, 0, before)
    return call("IF", _key(table, last) == call("INDEX", _column(table, last), 1), 0, before)


def _below(table: Table, line: str, equal: Sequence[Pair]) -> Expression:
    """Return how many rows with this row's first key, if it has several, have a number clearly smaller than its own."""
    name = table_name(table.name)
    own = here(name, line)
    return call("COUNTIFS", *chain(*equal), column(name, line), "<" & (own - call("ABS", own) / SAME_TO))


def _running(table: Table, line: str, equal: Sequence[Pair]) -> Expression:
    """Return the sum of the line from the first row of this row's earlier keys down to this row."""
    name = table_name(table.name)
    start = literal(1)
    if len(equal) == 1:
        start = call("MATCH", equal[0][1], equal[0][0], 0)
    elif equal:
        start = call("MATCH", 1, call("INDEX", multiply_all(keys == key for keys, key in equal), 0), 0)
    return call("SUM", cells(call("INDEX", column(name, line), start), here(name, line)))
