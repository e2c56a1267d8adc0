"""The card of an architecture: its lines downwards, three models across, chosen by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.line import lower_title, write_group
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.workbook.architecture_table import without
from flopsheet.export.workbook.list_fill import fill_list
from livesheets import Clone, Formula, TableFill, Value, addresses
from livesheets.excel import call, cell, column, headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.totals import Entry
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from livesheets import Table, Template

SIDES = (("a", "E", "Model A"), ("b", "F", "Model B"), ("c", "G", "Model C"))
HEADERS = tuple(header for header, *_ in laid_out("card"))
ROWS = {"pick": 5, "model": 6, "status": 7, "place": 8}
"""The rows of a model's number, name and status, and of its place in the workings."""
WHOLE = {"parameters": "parameters", "flops": "flops_forward", "memory": "memory_bytes"}
SECTIONS = {"flops": "FLOP"}
LIKE = {"subtotal": 1, "total": 2}


def card(arch: ArchitectureTable, sample: Table, checks: Formula) -> Clone:
    """Return the card of one architecture, with its first three models chosen; `sample` is the prototype's table."""
    cells: dict[str, Value | Formula] = {
        "title": f"{arch.ledger.architecture.title}, line by line",
        "about": arch.ledger.architecture.about,
        "left_out": _left_out(arch),
        "check": checks,
        **_picks(arch, [*list(arch.models)[:3], None, None, None][:3]),
    }
    return Clone(sample.sheet, arch.card, {sample.name: (f"card_{arch.table}", _fill(arch))}, cells)


def card_cells(cells: Mapping[str, Value | Formula]) -> dict[tuple[int, int], Value | Formula]:
    """Return the cells that formulas of a card refer to by their address, by row and column."""
    columns = {side: addresses.number(letter) for side, letter, _ in SIDES}
    places = {f"{what}_{side}": (row, column) for what, row in ROWS.items() for side, column in columns.items()}
    return {places[name]: content for name, content in cells.items() if name in places}


def rows_like(fill: TableFill, template: Template, sample: Table) -> TableFill:
    """Return the table of a card whose rows take after the sample's rows of their role."""
    column = sample.area.left + [header.casefold() for header in sample.columns].index("id")
    ids = [str(template.value(sample.sheet, row, column)) for row in range(sample.area.top + 1, sample.area.bottom + 1)]
    subtotal = next((place for place, line_id in enumerate(ids) if line_id.startswith("sum_")), 0)
    total = next((place for place, line_id in enumerate(ids) if line_id in WHOLE.values()), 0)
    places = {0: 0, LIKE["subtotal"]: subtotal, LIKE["total"]: total}
    return replace(fill, row_like=[places[like] for like in fill.row_like or ()])


def _left_out(arch: ArchitectureTable) -> str:
    lines = {entry.line.name for entry in arch.ledger.entries} & arch.left_out
    text = f"{len(lines)} lines are 0 for every model in this workbook and are left out. " if lines else ""
    masks = "Costs use forward FLOP under the chosen mask; both conventions are shown below."
    return text + masks if "flops_forward_causal" in arch.names else text.rstrip()


def _picks(arch: ArchitectureTable, numbers: list[int | None]) -> dict[str, Value | Formula]:
    """Return the cells above the table: the models' numbers, where they are in the workings, names and status."""
    cells: dict[str, Value | Formula] = {}
    for (side, letter, _), number in zip(SIDES, numbers, strict=True):
        pick, place = (cell(f"{letter}{ROWS[what]}") for what in ("pick", "place"))
        row = call("MATCH", pick, column(arch.table, "no"), 0)
        cells[f"pick_{side}"] = number
        cells[f"place_{side}"] = Formula(call("IF", pick == "", "", row))
        for what in ("model", "status"):
            value = call("INDEX", column(arch.table, what), place)
            cells[f"{what}_{side}"] = Formula(call("IF", pick == "", "", value))
    return cells


def _fill(arch: ArchitectureTable) -> TableFill:
    table = f"card_{arch.table}"
    entries = [entry for entry in arch.entries if entry.line.unit != "flag"]
    span = "no", arch.last
    names = {"workings": column(arch.table, *span), "workings_headers": headers(arch.table, *span)}
    titles = {d.name: d.title for d in arch.ledger.dimensions}
    titles |= {e.line.name: e.line.label for e in arch.ledger.entries}
    rows = (_row(arch, entry, titles) for entry in entries)
    likes = [LIKE.get(entry.role, 0) for entry in entries]
    return replace(fill_list("card", rows, names, table=table), row_like=likes)


def _row(arch: ArchitectureTable, entry: Entry, titles: Mapping[str, str]) -> list[Value]:
    line = entry.line
    is_counted = entry.role in ("line", "subtotal")
    whole = WHOLE[entry.section] if is_counted else ""
    group = write_group(line.group) if is_counted else SECTIONS.get(entry.section, entry.section)
    source = line.about if entry.role == "total" and line.about else line.source
    return [group, line.label, _words(arch, entry, titles), line.unit, source, line.name, whole]


def _words(arch: ArchitectureTable, entry: Entry, titles: Mapping[str, str]) -> str:
    if entry.role == "subtotal":
        return "the lines above"
    line_formula = formula.read(without(arch.ledger.formulas[entry.line.name], arch.left_out))
    return line_formula.markdown(lambda name: lower_title(titles[name]))
