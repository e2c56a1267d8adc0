"""Bind a template: which tables are lists of models, what its names get, and what a person should know of both."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.errors import TemplateError
from flopsheet.export.binding.fields import GENERIC
from flopsheet.export.binding.headers import Bound, UnknownHeader
from flopsheet.export.binding.lists import Header, ModelList, doubt, make_list, read_headers
from flopsheet.export.binding.names import PREFIXES
from flopsheet.export.binding.periods import PeriodList, period_list
from livesheets import table_named, wrong_width
from livesheets.addresses import address
from livesheets.references import references
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from flopsheet.export.binding.headers import Catalog
    from flopsheet.planning.plan import Plan
    from livesheets import Table, Template

    Wrote = Callable[[str, str], bool]

RESULT = "out_"
"""How the names of results begin."""


class FillableCell(Struct, frozen=True):
    """A defined name that flopsheet can fill: as the template spells it, as flopsheet does, and where its cell is."""

    name: str
    key: str
    sheet: str
    row: int
    column: int


def find_lists(template: Template, catalog: Catalog, own_tables: Collection[str]) -> tuple[list[ModelList], list[str]]:
    """Return the lists of models among the tables that are not taken (lower case), and remarks on the others.

    A template without any list is told how one is made.
    """
    lists: list[ModelList] = []
    remarks: list[str] = []
    for name, table in template.book.tables.items():
        if name not in own_tables:
            if periods := period_list(template, table, catalog):
                lists.append(periods)
                continue
            headers = read_headers(template, table, catalog)
            reason = _unfit(template, table, headers)
            if reason is None:
                lists.append(ModelList(table, headers))
            elif reason:
                remarks.append(f"the table {table.name} on the sheet {table.sheet!r} is left as it is: {reason}")
    if not lists and not any(name in own_tables for name in template.book.tables):
        remarks.append(no_list(template, catalog))
    return lists, remarks


def _unfit(template: Template, table: Table, headers: Sequence[Header]) -> str | None:
    """Return why a table is no list of models, "" where nobody would take it for one; None if it is one."""
    if not make_list(header.meaning for header in headers):
        chance = [h.meaning for h in headers if isinstance(h.meaning, Bound) and h.meaning.field.name not in GENERIC]
        return f"of its headers only {chance[0].header!r} means something" if chance else ""
    try:
        table_named(template.book, table.name)
    except TemplateError:
        return wrong_width(table) or "it has no header row, or no data row"
    return None


def remarks_on(model_list: ModelList, template: Template, plan: Plan, catalog: Catalog) -> Iterator[str]:
    """Say which columns of a list stay blank or differ from their sample, and which models have no row."""
    catalog = catalog.of_periods if isinstance(model_list, PeriodList) else catalog
    for header in model_list.headers:
        against = doubt(template, model_list.table, header)
        if against:
            yield f"{header.where}: the column {header.meaning.header!r}: {against}"
        is_drawn = template.has_sparkline(model_list.table.sheet, model_list.table.area.top + 1, header.column)
        if isinstance(header.meaning, UnknownHeader) and not header.formula and not is_drawn:
            text = "; ".join(filter(None, ("this name is not recognized", catalog.hint(header.meaning))))
            yield f"{header.where}: the column {header.meaning.header!r} stays blank: {header.meaning.reason or text}"
    count = sum(model.ledger is None for model in plan.models)
    if count and not model_list.tells_errors and not isinstance(model_list, PeriodList):
        has = "model in error has" if count == 1 else "models in error have"
        yield f"the table {model_list.table.name}: {count} {has} no row; add a column Status or Problems to list them"


def find_names(
    template: Template,
    names: Collection[str],
    tables: Collection[Table],
    sheets_left_out: Collection[str],
    wrote: Wrote,
    question_of: Callable[[str], str],
) -> tuple[list[FillableCell], list[str]]:
    """Return the known names (of any case) that point to a cell to fill, and remarks on names that look like them.

    A cell inside a filled table, on a sheet that goes, or with a formula of the author's is left alone; `wrote` says
    whether a formula in a named cell is flopsheet's own, `question_of` which question would answer a name.
    """
    places, remarks = [], []
    spellings = {name.casefold(): name for name in names}
    for name, own in template.clear_names.items():
        if own.casefold() not in spellings:
            if name.startswith(PREFIXES) and not sample_of(template, name, tables):
                question = question_of(name)
                kept = f"is the template's own{names_like(name, names)}"
                remarks.append(f"the name {name} {elsewhere(question) if question else kept}")
            continue
        place = place_of(template, name, spellings[own.casefold()], tables, sheets_left_out, wrote)
        if isinstance(place, str):
            remarks.append(place)
        elif place:
            places.append(place)
    others = doubled_names(template, names)
    return places, remarks + [why for name, why in others.items() if not sample_of(template, name, tables)]


def elsewhere(question: str) -> str:
    """Say of a name which question has it."""
    return f"belongs to the question {question!r}, which the plan does not ask"


def doubled_names(template: Template, names: Collection[str]) -> dict[str, str]:
    """Return the known names of sheets that something else has too, each with why its cell is not filled."""
    known_names = {name.casefold() for name in names}
    result = {name: name.rpartition("!")[2] for name in template.local_names if name not in template.clear_names}
    text = "the name {0} is not filled: another sheet, or the workbook, has a name {1} too; delete one of them"
    return {name: text.format(name, own) for name, own in result.items() if own.casefold() in known_names}


def several_cells(template: Template, name: str) -> str:
    """Return why a result's sample is not replaced, "" if it is: its name points to cells that are not merged."""
    target = references(template.all_names[name])
    area = target[0].area if target and target[0].sheet.casefold() in template.book.sheets else None
    if area is None or area.size == 1 or not name.rpartition("!")[2].casefold().startswith(RESULT):
        return ""
    place = place_of(template, name, name, (), (), lambda *_: False)
    sample = template.value(target[0].sheet, area.top, area.left)
    return place if isinstance(place, str) and isinstance(sample, int | float) else ""


def sample_of(template: Template, name: str, tables: Collection[Table]) -> FillableCell | None:
    """Return the cell of a name that says it is a result, where a number is in it: a sample, if nothing fills it."""
    is_result = name.rpartition("!")[2].startswith(RESULT)
    place = place_of(template, name, name, tables, (), lambda *_: False) if is_result else None
    if not isinstance(place, FillableCell):
        return None
    sample = template.value(place.sheet, place.row, place.column)
    return place if isinstance(sample, int | float) else None


def unknown_markers(template: Template, names: Collection[str]) -> list[str]:
    """Say which markers stay as they are."""
    text = "the marker {{{{ {} }}}} stays: this name is not recognized{}"
    return [text.format(name, names_like(name, names)) for name in template.markers if name not in names]


def place_of(
    template: Template, name: str, key: str, tables: Collection[Table], sheets_left_out: Collection[str], wrote: Wrote
) -> FillableCell | str | None:
    """Return where a name's cell is; what is wrong with the name; or None for a cell that is left alone."""
    try:
        result = template.place(name)
    except TemplateError as error:
        return f"{error}, so it is not filled: let it refer to one cell of its own"
    if result is None or result[0].casefold() not in template.book.sheets:
        target = template.all_names[name]
        return f"the name {name} points to {target}, which is not there: let it refer to a cell, or delete it"
    place = FillableCell(name, key, *result)
    if place.sheet in sheets_left_out or any(_inside(table, place) for table in tables):
        return None
    formula = template.formula_text(place.sheet, place.row, place.column)
    return None if formula is not None and not wrote(key, formula) else place


def _inside(table: Table, place: FillableCell) -> bool:
    return table.sheet.casefold() == place.sheet.casefold() and table.area.has(place.row, place.column)


SEARCHED = 50
"""How many rows of a sheet are looked at."""


def no_list(template: Template, catalog: Catalog) -> str:
    """Say that no table is a list of models, and what to do: where headers of one stand, or how they may look."""
    result = next(_headers(template, catalog), "")
    select = f"select {result} with the rows below it and " if result else ""
    headers = "" if result else ", with headers such as Model and Parameters (B)"
    return f"no table of the template is a list of models: {select}choose Insert > Table in Excel{headers}"


def _headers(template: Template, catalog: Catalog) -> Iterator[str]:
    """Give each row of texts that would head a list of models, as Sheet!A3:F3."""
    for sheet in template.book.sheets.values():
        if sheet.kind == "worksheet":
            cells = template.sheet(sheet.name).cells
            for row in islice(sorted(cells), SEARCHED):
                texts = {column: template.value(sheet.name, row, column) for column in cells[row]}
                headers = {column: text for column, text in texts.items() if isinstance(text, str) and text.strip()}
                if make_list(map(catalog.meaning, headers.values())):
                    yield f"{sheet.name}!{address(row, min(headers))}:{address(row, max(headers))}"
