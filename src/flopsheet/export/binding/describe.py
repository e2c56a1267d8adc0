"""Tell what a template's headers, names and markers mean, and every name that a template may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.export.binding.bind import find_lists, local_names, place_of
from flopsheet.export.binding.headers import Bound, UnknownHeader
from flopsheet.export.binding.names import PREFIXES
from flopsheet.export.binding.samples import doubt
from livesheets import marked_headers
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.export.binding.bind import Wrote
    from flopsheet.export.binding.headers import Catalog
    from flopsheet.export.binding.lists import Header
    from livesheets import Table, Template


@dataclass(frozen=True)
class Resolution:
    """A header, name or marker of a template: where it is and what it means; not `ok` if that is nothing."""

    kind: str
    where: str
    text: str
    means: str
    ok: bool = True


def describe(
    template: Template, catalog: Catalog, purposes: Mapping[str, str], meanings: Mapping[str, str], wrote: Wrote
) -> list[Resolution]:
    """Return what everything in a template means, markers left out.

    `purposes` says of tables, in lower case, as what the shipped template's own are filled; `meanings` says of every
    name that gets a value what it is; `wrote` whether a formula in a named cell is flopsheet's own.
    """
    lists, left = find_lists(template, catalog, purposes)
    tables = {name: table for name, table in template.book.tables.items() if name in purposes}
    results = [Resolution("table", f"{t.sheet}!{t.area}", t.name, purposes[name]) for name, t in tables.items()]
    results += [
        _header(template, model_list.table, header, catalog) for model_list in lists for header in model_list.headers
    ]
    results += [Resolution("table", "", "", remark) for remark in left]
    filled_tables = [*tables.values(), *(model_list.table for model_list in lists)]
    names = [name for name in template.names if name.startswith(PREFIXES)]
    results += [_name(template, name, meanings, filled_tables, wrote) for name in names]
    local = local_names(template, meanings)
    return results + [Resolution("name", sheet, name, remark, ok=False) for name, sheet, remark in local]


def markers_of(template: Template, names: Collection[str]) -> list[Resolution]:
    """Return what the `{{ name }}` markers of a template mean."""
    meanings = {name: name if name in names else f"nothing{names_like(name, names)}" for name in template.markers}
    results = [
        Resolution("marker", "", f"{{{{ {name} }}}}", meaning, name in names) for name, meaning in meanings.items()
    ]
    return results + [
        Resolution("marker", "", header, meaning, ok=False) for header, meaning in marked_headers(template.book, names)
    ]


def _header(template: Template, table: Table, header: Header, catalog: Catalog) -> Resolution:
    meaning = header.meaning
    text = " ".join(meaning.header.split())
    if header.formula:
        return Resolution("header", header.where, text, "a formula of the template, kept in every row")
    if isinstance(meaning, Bound):
        against = doubt(template, table, header)
        return Resolution(
            "header", header.where, text, "; ".join(filter(None, (meaning.content, against))), not against
        )
    if isinstance(meaning, UnknownHeader):
        hint = catalog.hint(meaning)
        return Resolution("header", header.where, text, f"nothing; {hint}" if hint else "nothing", ok=False)
    return Resolution("header", header.where, text, meaning.reason, ok=False)


def _name(
    template: Template, name: str, meanings: Mapping[str, str], tables: Collection[Table], wrote: Wrote
) -> Resolution:
    """Return what a defined name means; a planner's own is one that nothing known is like."""
    spellings = {spelling.casefold(): spelling for spelling in meanings}
    where = template.names[name].replace("$", "").replace("'", "")
    if name.casefold() not in spellings:
        hint = names_like(name, meanings)
        return Resolution("name", where, name, f"the template's own{hint}", ok=not hint)
    place = place_of(template, name, spellings[name.casefold()], tables, (), wrote)
    if isinstance(place, str):
        return Resolution("name", where, name, place, ok=False)
    what = meanings[spellings[name.casefold()]]
    return Resolution("name", where, name, what if place else f"{what}; filled with its list, or kept")
