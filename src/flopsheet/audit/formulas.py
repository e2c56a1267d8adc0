"""Items about formulas."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from flopsheet.audit.formula_text import computes, depth, fault, functions, normalize, pieces, spill, typed_numbers
from flopsheet.audit.precedents import cycle, ranges, unknown
from flopsheet.audit.view import Cell, words
from livesheets.engine.active import formula_words
from livesheets.engine.markup import attribute, tag
from livesheets.excel import MOST_NESTED
from livesheets.references import references
from livesheets.tokens import as_in_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.audit.view import WorkbookView
    from livesheets.engine.book import Table

MAX_SHOWN, MAX_STORED = 255, 8_192
RULES, SCENARIOS, TIMELINES = "rules", "scenario_figures", ("_timeline", "_timeline_steps")
ELSEWHERE = ("name 'chk_master'", "name 'in_scenario'")
"""What has an item of its own, which says that it is missing."""


def one_formula(view: WorkbookView) -> Iterator[str]:
    """Find columns of tables whose cells hold different formulas, or formulas and constants.

    A cell for typing may hold what it is until then.

    A list of checks has a formula of its own in every row, its verdicts are for `checks`; so has the list of rules,
    that of figures in every scenario, and a timeline, whose rows are lines.
    """
    for table in view.tables:
        each = "check" in view.places(table) or (table.name in view.filled_tables and table.name == RULES)
        each |= table.name == SCENARIOS or table.name.endswith(TIMELINES)
        for header in () if each else table.columns:
            cells = view.own_formulas(view.column(table, header))
            odd = next((cell for cell in cells if view.originals.get(cell) != view.originals.get(cells[0])), None)
            if odd:
                yield f"{odd}: the column {header!r} of {table.name} holds something else than in its first row"


def constants(view: WorkbookView) -> Iterator[str]:
    """Find numbers in formulas that should be named inputs.

    Published rules are quoted as they are, and a line may have the numbers that its architecture defines it with.
    """
    for cell, text, numbers in view.judge_formulas(_constants):
        if (cell.sheet, cell.column) not in view.rule_columns:
            own = view.column_numbers.get((cell.sheet, cell.column), frozenset())
            yield from _find_misplaced(str(cell), text, numbers, own)
    for name, text in view.targets.items():
        yield from _find_misplaced(f"the name {name}", text, _constants(text), frozenset())


def _constants(text: str) -> list[tuple[str, str]]:
    """Return the numbers of a formula that are not allowed, each with how it is there if it is not plain."""
    plain = (part for part in pieces(text) if part.kind == "number")
    apart = (part.text for part in plain if not (part.alone and part.inside in words()["positions"]))
    results = [*((number, " as a text") for number in typed_numbers(text)), *((number, "") for number in apart)]
    return [(number, how) for number, how in results if not _is_allowed(float(number))]


def _find_misplaced(where: str, text: str, numbers: Sequence[tuple[str, str]], own: frozenset[float]) -> Iterator[str]:
    """Tell of the first number of each way in which they are in a formula, but for a line's own."""
    first: dict[str, str] = {}
    for number, how in numbers:
        if how or float(number) not in own:
            first.setdefault(how, number)
    for how, number in first.items():
        yield f"{where}: the constant {number}{how} in ={text}; name it as an input of its own"


def _is_allowed(number: float) -> bool:
    if number in words()["allowed"]:
        return True
    powers = (math.log(number, base) for base in (10, 1024))
    return math.isfinite(number) and any(math.isclose(power, round(power), abs_tol=1e-12) for power in powers)


def length(view: WorkbookView) -> Iterator[str]:
    """Find formulas that are too long to read or to store."""
    for cell, text in view.formulas.items():
        if len(text) > MAX_STORED:
            yield f"{cell}: {len(text):,} characters as stored; Excel reads at most {MAX_STORED:,}"
        # it is shown with a sign before it, and seldom longer
        elif len(text) >= MAX_SHOWN and len(as_in_table(text)) > MAX_SHOWN:
            yield f"{cell}: {len(as_in_table(text))} characters; give parts of it cells of their own"


def nesting(view: WorkbookView) -> Iterator[str]:
    """Find formulas with too many functions inside each other."""
    for cell, text, deep in view.judge_formulas(lambda text: depth(text) if depth(text) > MOST_NESTED else 0):
        yield f"{cell}: {deep} functions inside each other; compute inner ones in their own cells: ={text}"


def nested_if(view: WorkbookView) -> Iterator[str]:
    """Find an IF inside an IF."""
    for cell, text, _ in view.judge_formulas(_nests_if):
        yield f"{cell}: an IF inside an IF; use a lookup, MIN and MAX, or a cell of its own: ={text}"


def _nests_if(text: str) -> bool:
    return any(piece.text == "IF" and "IF" in piece.around for piece in functions(text))


def volatile(view: WorkbookView) -> Iterator[str]:
    """Find functions that change without an input."""
    yield from _using(view, lambda name: name in words()["volatile"])


def safe(view: WorkbookView) -> Iterator[str]:
    """Find functions that not every spreadsheet has; volatile ones, and those that reach out, are other items'."""
    elsewhere = {*words()["safe"], *words()["volatile"]}
    yield from _using(view, lambda name: name not in elsewhere and not formula_words(f"{name}("))
    for cell, text, sign in view.judge_formulas(spill):
        yield f"{cell}: {sign} is a dynamic-array function, which not every spreadsheet has: ={text}"


def _using(view: WorkbookView, bad: Callable[[str], bool]) -> Iterator[str]:
    def first(text: str) -> str:
        return next((piece.text for piece in functions(text) if bad(piece.text)), "")

    yield from (f"{where}: {name} in ={text}" for where, text, name in _everywhere(view, first))


def _everywhere(view: WorkbookView, judge: Callable[[str], str]) -> Iterator[tuple[object, str, str]]:
    """Give the formulas in cells and rules of which something is said, with where they are and that."""
    yield from view.judge_formulas(judge)
    yield from ((where, text, judge(text)) for where, text in view.rules if judge(text))


def twice(view: WorkbookView) -> Iterator[str]:
    """Find columns of a table, or cells outside of tables, that compute the same.

    Plain products of a row may be the same for two things, such as keys and values; so may lines, and published rules.
    """
    for table in view.tables:
        line_names = view.units.keys() if table.sheet in view.prototypes else ()
        # a broken table names fewer columns than it has
        row = zip(_first_row(view, table), table.columns, strict=False)
        cells = [cell for cell, header in row if header not in line_names]
        own = (cell for cell in cells if (cell.sheet, cell.column) not in view.rule_columns)
        result = ((cell, view.formulas.get(cell, "")) for cell in own)
        yield from _same(view, [(cell, text) for cell, text in result if functions(text)])
    yield from _same(view, [(cell, text) for cell, text, _ in view.judge_formulas(computes) if not view.in_table(cell)])


def _first_row(view: WorkbookView, table: Table) -> list[Cell]:
    top = view.body(table).start
    return [Cell(table.sheet, top, column) for column in range(table.area.left, table.area.right + 1)]


def _same(view: WorkbookView, formulas: Sequence[tuple[Cell, str]]) -> Iterator[str]:
    """Give the cells whose formula is in an earlier cell already.

    A formula with references that name no sheet means other cells on every sheet. Copies of one formula compute the
    same where they mean the same cells; others can where they differ in nothing but in what moves along with them.
    """
    originals = {view.originals[cell] for cell, _ in formulas}
    bare = {original.text: normalize(original.text, cells=False) for original in originals}
    alike = Counter(bare[original.text] for original in originals)
    own = {text for text in bare if any(not reference.sheet and reference.first for reference in references(text))}
    first_cells: dict[tuple[str, object], Cell] = {}
    for cell, text in formulas:
        original = view.originals[cell]
        is_alike = alike[bare[original.text]] > 1
        key = normalize(text) if is_alike else (original, original.distance(cell.row, cell.column))
        first = first_cells.setdefault((cell.sheet if original.text in own else "", key), cell)
        if first != cell:
            yield f"{cell}: computes the same as {first}, so refer to that: ={text}"


def chains(view: WorkbookView) -> Iterator[str]:
    """Find references to a cell that does nothing but refer to another."""
    bare = {cell: target for cell, _, text in view.judge_formulas(_bare) if (target := _target(view, cell, text))}
    for cell, target in bare.items():
        if target in bare:
            yield f"{cell}: refers to {target}, which refers to {bare[target]}; refer to that"


def _bare(text: str) -> str:
    """Return a formula that may bring a cell as it is, without the signs around it; "" for others."""
    bare = text.strip().lstrip("+")
    bare = bare[1:-1] if bare.startswith("(") and bare.endswith(")") else bare
    return "" if computes(bare) or any(sign in bare for sign in "(,;") else bare


def _target(view: WorkbookView, cell: Cell, bare: str) -> Cell | None:
    """Return the one cell that a formula brings as it is."""
    result = list(ranges(view, cell, bare, view.originals[cell]))
    if len(result) != 1 or result[0][1].size != 1:
        return None
    sheet = view.template.book.sheets.get(result[0][0])
    return Cell(sheet.name, result[0][1].top, result[0][1].left) if sheet else None


def circles(view: WorkbookView) -> Iterator[str]:
    """Find a circular reference."""
    root = view.template.book.root
    if any(attribute(settings, "iterate") in ("1", "true") for settings in root.iter(tag("calcPr"))):
        yield "iterative calculation is on, which hides circles; switch it off in the options"
    result = cycle(view)
    if result:
        yield " → ".join(map(str, [*result, result[0]]))


def errors(view: WorkbookView) -> Iterator[str]:
    """Find error values, and formulas and names that refer to what is gone or nowhere."""
    for place, value in view.survey.errors:
        yield f"{Cell(*place)}: {value}"
    for where, text, error in _everywhere(view, fault):
        if not str(where).startswith("the name"):
            yield f"{where}: {error} in ={text}"
    for cell, text, missing in view.judge_formulas(lambda text: next(iter(unknown(view, text)), "")):
        if missing not in ELSEWHERE and not fault(view.originals[cell].text):
            yield f"{cell}: there is no {missing}: ={text}"
