"""Links and figures as Excel formulas that Excel 2016 and LibreOffice 7.4 know: one number of another table's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.formula_names import KEYS, LIVE_ROW, input_cell, key_header, table_name
from flopsheet.export.workbook.model_columns import in_case
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASE_KEY, CASES_TABLE, MODELS, SAME_TO
from flopsheet.spreadsheet.engine.row_above import above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.compiled.references import Linked
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Link, Rows, Table


def link_formula(program: Program, table: Table, link: Link, *, has_gaps: bool) -> str:
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
    if ref.case and ref.table == CASES_TABLE:
        return f"INDEX({CASES_TABLE}[{ref.line}],{CASES.index(ref.case) + 1})"
    if ref.reduce == "one":
        return _one(other, in_case(ref.line, ref.case) if ref.case else ref.line, equal)
    meant = [*equal, (_place(ref), _counted(table, link))] if ref.where else equal
    found = gathered(ref.reduce, other, ref.line, meant, [_rows(other, there) for _, there in ref.on])
    return _known_places(ref, equal, meant, found) if ref.where and has_gaps else found


def _place(link: Linked) -> str:
    return f"{table_name(link.table)}[{link.where[0] if link.where else ''}]"


def _known_places(link: Linked, equal: Sequence[tuple[str, str]], meant: Sequence[tuple[str, str]], found: str) -> str:
    """Return a formula of the rows in one place that has no number where none is in it and some place is unknown."""
    pairs = ",".join(f"{keys},{own}" for keys, own in meant)
    return f"IF(COUNTIFS({pairs})=0,0*{_sum(_place(link), equal)},{found})"


def gathered(
    how: str,
    other: Table,
    line: str,
    equal: Sequence[tuple[str, str]] = (),
    shared: Sequence[Rows] = (),
) -> str:
    """Return the sum, minimum, maximum or first of a line; `equal` are columns and what they hold in the rows meant."""
    column = f"{table_name(other.name)}[{line}]"
    if other.name == CASES_TABLE:
        return f"INDEX({column},{LIVE_ROW})"
    if how == "sum":
        return f"{_sum(column, equal)}{_known_rows(other)}"
    counted = [(_column(other, rows), _count(rows)) for rows in other.rows if rows.until and rows not in shared]
    tests = [f"({keys}={own})" for keys, own in equal] + [f"({keys}<={count})" for keys, count in counted]
    if how == "first":
        return f"{_first(other, column, tests)}+0*{_sum(column, equal)}"
    rows_surely = bool(shared) and all(rows.key == CASE_KEY for rows in shared)
    return f"{_end(how, column, tests, sure=rows_surely)}{_known_rows(other)}"


def _sum(column: str, equal: Sequence[tuple[str, str]]) -> str:
    pairs = ",".join(f"{keys},{own}" for keys, own in equal)
    return f"SUMIFS({column},{pairs})" if equal else f"SUM({column})"


def _known_rows(other: Table) -> str:
    """Return what adds nothing, and makes an error where the count of a table's rows is one: no row would say so."""
    counted = [formula.read(rows.until) for rows in other.rows if rows.until]
    return "".join(f"+0*({one.excel(input_cell)})" for one in counted if one.names != (one.text.strip(),))


def _end(how: str, column: str, tests: Sequence[str], *, sure: bool) -> str:
    """Return the least or greatest number of the rows meant, 0 without any unless there are `sure` to be some.

    Numbers are counted from the other end of the column, so that rows that are not meant are 0 and never win.
    """
    if not tests:
        return f"{how.upper()}({column})"
    meant = "*".join(tests)
    one = "MIN" if how == "max" else "MAX"
    above = f"{column}-{one}({column})" if how == "max" else f"{one}({column})-{column}"
    sign = "+" if how == "max" else "-"
    found = f"{one}({column}){sign}SUMPRODUCT(MAX({meant}*({above})))"
    return f"({found})" if sure else f"(SUMPRODUCT({meant}*1)>0)*({found})"


def _first(other: Table, column: str, tests: Sequence[str]) -> str:
    last = other.rows[-1]
    meant = "*".join([f"({column}<>0)", *tests])
    found = f"INDEX({_column(other, last)},MATCH(1,INDEX({meant}*1,0),0))"
    return f"IFERROR({f'MATCH({found},{KEYS},0)-1' if last == MODELS else found},0)"


def _one(other: Table, line: str, equal: Sequence[tuple[str, str]]) -> str:
    """Return the formula of a line in the only row that agrees; an error there stays one."""
    column = f"{table_name(other.name)}[{line}]"
    if other.name == CASES_TABLE:
        return f"INDEX({column},{LIVE_ROW})"
    if not equal:
        return f"INDEX({column},1)"
    return gathered("sum", other, line, equal) if len(equal) > 1 else _sum(column, equal)


def _equal(table: Table, other: Table, own: str, there: str) -> tuple[str, str]:
    """Return the column of a key in another table, and the key of this row that agrees with it."""
    return _column(other, _rows(other, there)), here(table_name(table.name), key_header(table, _rows(table, own)))


def _rows(table: Table, key: str) -> Rows:
    return next(rows for rows in table.rows if rows.key == key)


def _column(table: Table, rows: Rows) -> str:
    return f"{table_name(table.name)}[{key_header(table, rows)}]"


def _count(rows: Rows) -> str:
    return formula.read(rows.until).excel(input_cell)


def _counted(table: Table, link: Link) -> str:
    """Return the number of a link's `where`: as many columns as there are from the first link of its kind to it."""
    kind, number = link._replace(name="", title="", where=None), link.where[1] if link.where else 0
    kin = [one.name for one in table.links if one.where and one._replace(name="", title="", where=None) == kind]
    return f"COLUMNS({table_name(table.name)}[[#Headers],[{kin[0]}]:[{kin[number - 1]}]])"


def _previous(table: Table, line: str, *, recurs: bool) -> str:
    """Return the line in the row before; 0 in the first row, and where the last key begins again.

    Of a line that reads it in the end, the cell above: a reference to the column would be circular.
    """
    name, last = table_name(table.name), table.rows[-1]
    place = f"ROW()-ROW({name}[[#Headers],[{line}]])"
    before = above(name, line) if recurs else f"INDEX({name}[{line}],MAX(1,{place}-1))"
    if len(table.rows) == 1:
        return f"IF({place}=1,0,{before})"
    first = f"INDEX({_column(table, last)},1)"
    return f"IF({here(name, key_header(table, last))}={first},0,{before})"


def _below(table: Table, line: str, equal: Sequence[tuple[str, str]]) -> str:
    """Return how many rows with this row's first key, if it has several, have a number clearly smaller than its own."""
    name = table_name(table.name)
    same = "".join(f"{keys},{own}," for keys, own in equal)
    return f'COUNTIFS({same}{name}[{line}],"<"&({here(name, line)}-ABS({here(name, line)})/{SAME_TO}))'


def _running(table: Table, line: str, equal: Sequence[tuple[str, str]]) -> str:
    """Return the sum of the line from the first row of this row's earlier keys down to this row."""
    name, start = table_name(table.name), "1"
    if len(equal) == 1:
        start = f"MATCH({equal[0][1]},{equal[0][0]},0)"
    elif equal:
        start = f"MATCH(1,INDEX({'*'.join(f'({keys}={key})' for keys, key in equal)},0),0)"
    return f"SUM(INDEX({name}[{line}],{start}):{here(name, line)})"
