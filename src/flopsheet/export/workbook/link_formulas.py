"""Links and figures as Excel formulas that Excel 2016 and LibreOffice 7.4 know: one number of another table's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.formula_names import KEYS, LIVE_ROW, input_cell, key_header, table_name
from flopsheet.export.workbook.model_columns import in_case
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASE_KEY, CASES_TABLE, MODELS, OTHERS, SAME_TO, ranked_within
from flopsheet.spreadsheet.engine.row_above import above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Link, Rows, Table


def link_formula(program: Program, table: Table, link: Link, *, has_gaps: bool) -> str:
    """Return the formula of a link in a row of a table; in a plan with gaps, unknown places make no number."""
    other = program.tables[link.table]
    if link.how == "previous":
        return _previous(table, link.line, recurs=program.recurs((table.name, link.line)))
    within = {"running": _running, "below": _below}
    if link.how in within:
        return within[link.how](table, link.line)
    if link.how == "other":
        return _looked_up(other, link.line, here(table_name(table.name), OTHERS.key))
    if link.case and link.table == CASES_TABLE:
        return f"INDEX({CASES_TABLE}[{link.line}],{CASES.index(link.case) + 1})"
    shared = [rows for rows in other.rows if rows.key in table.keys]
    if link.how == "same":
        return _same(table, other, in_case(link.line, link.case) if link.case else link.line, shared)
    equal = [_equal(table, other, rows) for rows in shared]
    meant = [*equal, (_place(link), _counted(table, link))] if link.where else equal
    found = gathered(link.how, other, link.line, meant, shared)
    return _known_places(link, equal, meant, found) if link.where and has_gaps else found


def _place(link: Link) -> str:
    return f"{table_name(link.table)}[{link.where[0] if link.where else ''}]"


def _known_places(link: Link, equal: Sequence[tuple[str, str]], meant: Sequence[tuple[str, str]], found: str) -> str:
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


def _same(table: Table, other: Table, line: str, shared: Sequence[Rows]) -> str:
    column = f"{table_name(other.name)}[{line}]"
    if other.name == CASES_TABLE:
        return f"INDEX({column},{LIVE_ROW})"
    if not shared:
        return f"INDEX({column},1)"
    pairs = [_equal(table, other, rows) for rows in shared]
    if len(pairs) > 1:
        return gathered("sum", other, line, pairs)
    return _looked_up(other, line, pairs[0][1])


def _looked_up(other: Table, line: str, number: str) -> str:
    """Return the formula of a line in the row of a table whose only key is a number; an error there stays one."""
    return f"SUMIFS({table_name(other.name)}[{line}],{_column(other, other.rows[0])},{number})"


def _equal(table: Table, other: Table, rows: Rows) -> tuple[str, str]:
    """Return the column of a key in another table, and this row's key."""
    return _column(other, rows), here(table_name(table.name), key_header(table, rows))


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


def _below(table: Table, line: str) -> str:
    """Return how many rows with this row's first key, if it has several, have a number clearly smaller than its own."""
    name = table_name(table.name)
    same = "".join(f"{_column(table, rows)},{here(name, key_header(table, rows))}," for rows in ranked_within(table))
    return f'COUNTIFS({same}{name}[{line}],"<"&({here(name, line)}-ABS({here(name, line)})/{SAME_TO}))'


def _running(table: Table, line: str) -> str:
    """Return the sum of the line from the first row of this row's earlier keys down to this row."""
    name = table_name(table.name)
    own = [(_column(table, rows), here(name, key_header(table, rows))) for rows in table.rows[:-1]]
    start = "1"
    if len(own) == 1:
        start = f"MATCH({own[0][1]},{own[0][0]},0)"
    elif own:
        start = f"MATCH(1,INDEX({'*'.join(f'({keys}={key})' for keys, key in own)},0),0)"
    return f"SUM(INDEX({name}[{line}],{start}):{here(name, line)})"
