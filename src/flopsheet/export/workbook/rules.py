"""Rules of thumb: columns of the workings, live beside the exact numbers, and a row a rule on the sheet Rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.workbook.cells import here, listed, lookup
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.pieces import Piece, in_parts, live
from flopsheet.spreadsheet.engine import Column, Formula, TableFill, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.export.workbook.applied import RuleOf
    from flopsheet.export.workbook.shape import Shape

TABLE = "rules"


@dataclass(frozen=True)
class Names:
    """The columns of the workings that hold a rule: published, corrected ("" without), exact, and what each is off."""

    published: str
    corrected: str
    exact: str
    off: str
    corrected_off: str


def names(one: RuleOf, shape: Shape) -> Names:
    """Return the columns of a rule; where the exact number is a line that has a column, that one."""
    name = f"rule_{one.rule.name}"
    corrected = f"{name}_corrected" if one.rule.corrected else ""
    exact = one.rule.compares if one.rule.compares in shape.names else f"rule_{_first(one, shape).rule.name}_exact"
    return Names(name, corrected, exact, f"{name}_off", f"{corrected}_off" if corrected else "")


def _first(one: RuleOf, shape: Shape) -> RuleOf:
    """Return the first rule that compares with the same exact number: its column serves them all."""
    return next(other for other in shape.rules if other.rule.compares == one.rule.compares)


def rule_pieces(shape: Shape) -> list[Piece]:
    """Return the columns of an architecture's rules; they are blank for models that a rule does not mean."""
    return [piece for one in shape.rules for piece in _pieces(shape, one)]


def _pieces(shape: Shape, one: RuleOf) -> list[Piece]:
    rule, columns = one.rule, names(one, shape)
    pieces: list[Piece] = []
    if columns.exact not in shape.names and _first(one, shape) is one:
        pieces += _exact(shape, one, columns.exact)
    pieces += _form(shape, one, columns, columns.published, rule.formula)
    if columns.corrected:
        pieces += _form(shape, one, columns, columns.corrected, rule.corrected)
    return pieces


def _band(one: RuleOf) -> str:
    return f"Rule of thumb: {one.rule.title}"


def _exact(shape: Shape, one: RuleOf, header: str) -> list[Piece]:
    piece = Piece(header, "helper", _band(one), "Exact number", one.rule.unit, formula.read(one.rule.compares))
    parts, whole = in_parts(shape, piece, one.rule.compares)
    return [*parts, replace(piece, formula=whole)]


def _form(shape: Shape, one: RuleOf, columns: Names, header: str, text: str) -> list[Piece]:
    """Return the columns of the published or corrected form, its parts before it and what it is off after it."""
    corrected = header == columns.corrected
    title = "Corrected" if corrected else "As published"
    numbers = one.corrected if corrected else one.published
    form = Piece(header, "helper", _band(one), title, one.rule.unit, lambda models: one.shown(numbers, models))
    parts, whole = in_parts(shape, form, text)
    exact = here(shape.table, columns.exact)
    means = exact if one.rule.applies == "1" else f"({live(shape, one.rule.applies)})*{exact}"
    form = replace(form, formula=f'IF({means}=0,"",{whole})')
    value = here(shape.table, header)
    off_header = columns.corrected_off if corrected else columns.off
    difference = f'IF({value}="","",{value}/{exact}-1)'
    differences = Piece(
        off_header,
        "difference",
        _band(one),
        f"{title}, off",
        "ratio",
        lambda models: one.differences(numbers, models),
        difference,
    )
    return [*parts, form, differences]


def rules_table(shapes: Sequence[Shape]) -> TableFill:
    """Return a row for each rule of an architecture: how far it is off over the batch, and one model as example."""
    example = {"Published off": _off("Published"), "Corrected off": _off("Corrected")}
    columns = tuple(Column(header, example.get(header)) for header in HEADERS)
    wrapped = {1: (30, 10), 2: (38, 9), 9: (46, 8), 10: (34, 8)}
    rows = listed(columns, [_row(shape, one) for shape in shapes for one in shape.rules])
    return TableFill(rows, columns, height=heights(wrapped))


HEADERS = (
    "Architecture",
    "Rule",
    "Formula as published",
    "Unit",
    "Models",
    "Off from",
    "Off to",
    "Corrected from",
    "Corrected to",
    "Erratum",
    "Source",
    "Example no",
    "Example",
    "Published",
    "Corrected",
    "Exact",
    "Published off",
    "Corrected off",
)


def _off(column: str) -> str:
    value, exact = here(TABLE, column), here(TABLE, "Exact")
    return f'IF(OR({value}="",{exact}=0),"",{value}/{exact}-1)'


def _row(shape: Shape, one: RuleOf) -> list[Value | Formula]:
    rule, columns = one.rule, names(one, shape)
    return [
        shape.table,
        rule.title,
        formula.read(rule.formula).markdown(lambda name: name),
        rule.unit,
        *_spread(shape, columns),
        rule.erratum,
        rule.source,
        *_example(shape, one, columns),
    ]


def _spread(shape: Shape, columns: Names) -> list[Value | Formula]:
    """Return how many models a rule means, and from what to what it is off."""
    cells: list[Value | Formula] = [Formula(f"COUNT({shape.table}[{columns.off}])")]
    for header in (columns.off, columns.corrected_off):
        column = f"{shape.table}[{header}]"
        cells += [_extreme("MIN", column), _extreme("MAX", column)] if header else ["", ""]
    return cells


def _extreme(function: str, column: str) -> Formula:
    return Formula(f'IF({here(TABLE, "Models")}=0,"",{function}({column}))')


def _example(shape: Shape, one: RuleOf, columns: Names) -> list[Value | Formula]:
    """Return the numbers of one model, by default the first one that the rule means."""
    chosen = here(TABLE, "Example no")
    return [
        next(one.meant),
        Formula(f"INDEX({shape.table}[model],MATCH({chosen},{shape.table}[no],0))"),
        Formula(lookup(shape.table, columns.published, chosen)),
        Formula(lookup(shape.table, columns.corrected, chosen)) if columns.corrected else "",
        Formula(lookup(shape.table, columns.exact, chosen)),
    ]
