"""Rows of headers that are in no table: lists of models that Excel does not know as lists."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from flopsheet.export.binding.lists import make_list
from livesheets.addresses import address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.binding.headers import Catalog
    from livesheets import Template

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
