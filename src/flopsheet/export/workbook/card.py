"""The card of an architecture: its lines downwards, three models across, chosen by number."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.line import spoken
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.shape import is_sum, without
from flopsheet.export.xlsx import Clone, Column, Formula, TableFill, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.totals import Entry
    from flopsheet.export.binding.template import Template
    from flopsheet.export.workbook.pieces import Piece
    from flopsheet.export.workbook.shape import Shape
    from flopsheet.export.xlsx.book import Table
    from flopsheet.planning.costing import Costed

SIDES = (("a", "E", "Model A"), ("b", "F", "Model B"), ("c", "G", "Model C"))
PICK, PLACE = 5, 8
"""The rows in which a model's number and its place in the workings stand."""
WHOLE = {"parameters": "parameters", "flops": "flops_forward", "memory": "memory_bytes"}
SECTIONS = {"flops": "FLOP"}
LIKE = {"subtotal": 1, "total": 2}


def card(shape: Shape, pieces: Sequence[Piece], sample: Table, checks: Formula) -> Clone:
    """Return the card of one architecture, with its first three models chosen; `sample` is the prototype's table.

    `pieces` are the columns of its workings, in which the card looks its numbers up.
    """
    numbers = [*list(shape.models)[:3], None, None, None][:3]
    chosen = [shape.models[number] if number else None for number in numbers]
    return Clone(
        sample.sheet,
        shape.card,
        {sample.name: (f"card_{shape.table}", _fill(shape, pieces, chosen))},
        {
            "title": f"{shape.ledger.architecture.title}, line by line",
            "about": shape.ledger.architecture.about,
            "left_out": _left_out(shape),
            "check": checks,
            **_picks(shape, numbers, chosen),
        },
    )


def rows_like(fill: TableFill, template: Template, sample: Table) -> TableFill:
    """Return the table of a card whose rows take after the sample's rows of their role."""
    column = sample.area.left + [header.casefold() for header in sample.columns].index("id")
    ids = [str(template.value(sample.sheet, row, column)) for row in range(sample.area.top + 1, sample.area.bottom + 1)]
    subtotal = next((place for place, found in enumerate(ids) if found.startswith("sum_")), 0)
    total = next((place for place, found in enumerate(ids) if found in WHOLE.values()), 0)
    places = {0: 0, LIKE["subtotal"]: subtotal, LIKE["total"]: total}
    return replace(fill, row_like=[places[like] for like in fill.row_like or ()])


def _left_out(shape: Shape) -> str:
    lines = {entry.line.name for entry in shape.ledger.entries} & shape.left_out
    said = f"{len(lines)} lines are 0 for every model of this batch and left out. " if lines else ""
    masks = "Money uses the forward FLOP under the chosen mask; both conventions stand below."
    return said + masks if "flops_forward_causal" in shape.names else said.rstrip()


def _picks(shape: Shape, numbers: list[int | None], chosen: list[Costed | None]) -> dict[str, Value | Formula]:
    """Return the cells above the table: the models' numbers, where they stand in the workings, names and status."""
    cells: dict[str, Value | Formula] = {}
    rows = list(shape.models)
    for (side, letter, _), number, model in zip(SIDES, numbers, chosen, strict=True):
        pick = f"{letter}{PICK}"
        place = f"MATCH({pick},{shape.table}[no],0)"
        cells[f"pick_{side}"] = number
        cells[f"place_{side}"] = Formula(f'IF({pick}="","",{place})', rows.index(number) + 1 if number else "")
        for what, value in (("model", model.name if model else ""), ("status", model.status if model else "")):
            found = f"INDEX({shape.table}[{what}],{letter}{PLACE})"
            cells[f"{what}_{side}"] = Formula(f'IF({pick}="","",{found})', value)
    return cells


def _fill(shape: Shape, pieces: Sequence[Piece], chosen: list[Costed | None]) -> TableFill:
    table = f"card_{shape.table}"
    entries = [entry for entry in shape.entries if entry.line.unit != "flag"]
    places = {piece.header: place for place, piece in enumerate(pieces, start=1)}
    columns = [
        *(Column(name) for name in ("Group", "Line", "In words", "Unit")),
        *(Column(title, _value(shape, table, letter)) for _, letter, title in SIDES),
        Column("Share of A", _share(table)),
        *(Column(name) for name in ("Source", "Id", "Of")),
        Column("Column", f"MATCH({here(table, 'Id')},{shape.table}[[#Headers],{_span(shape)}],0)"),
    ]
    rows = [[*_row(shape, entry, chosen), places[entry.line.name]] for entry in entries]
    likes = [LIKE.get(entry.role, 0) for entry in entries]
    return TableFill(rows, tuple(columns), likes, heights({1: (40, 10), 2: (62, 9), 8: (40, 8)}))


def _span(shape: Shape) -> str:
    return f"[no]:[{shape.last}]"


def _value(shape: Shape, table: str, letter: str) -> str:
    found = f"INDEX({shape.table}[{_span(shape)}],{letter}${PLACE},{here(table, 'Column')})"
    return f'IF({letter}${PICK}="","",{found})'


def _share(table: str) -> str:
    of, mine = here(table, "Of"), here(table, "Model A")
    whole = f"SUMIFS({table}[Model A],{table}[Id],{of})"
    return f'IF(OR({of}="",$E${PICK}=""),"",{mine}/{whole})'


def _row(shape: Shape, entry: Entry, chosen: list[Costed | None]) -> list[Value]:
    line, first = entry.line, chosen[0]
    whole = WHOLE[entry.section] if entry.role in ("line", "subtotal") else ""
    share: Value = ""
    if whole and first:
        share = float(first.numbers[line.name]) / float(first.numbers[whole])
    values: list[Value] = [plain(model.numbers[line.name]) if model else "" for model in chosen]
    group = spoken(line.group) if entry.role in ("line", "subtotal") else SECTIONS.get(entry.section, entry.section)
    source = line.about if entry.role == "total" and line.about else line.source
    return [group, line.label, _words(shape, entry), line.unit, *values, share, source, line.name, whole]


def _words(shape: Shape, entry: Entry) -> str:
    if entry.role == "subtotal":
        return "the lines above"
    titles = {d.name: d.title for d in shape.ledger.dimensions}
    titles |= {e.line.name: e.line.label for e in shape.ledger.entries}
    parsed = shape.ledger.formulas[entry.line.name]
    shown = formula.read(without(parsed, shape.left_out)) if is_sum(entry) else parsed
    return shown.markdown(lambda name: lowered(titles[name]))


def lowered(title: str) -> str:
    """Return a title as it stands inside a sentence: a word begins small, an acronym or sign stays."""
    return title[0].lower() + title[1:] if title[1:2].islower() else title
