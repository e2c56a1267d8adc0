"""Tell what a template's headers, names and markers mean, and every name that a template may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.export.binding.bind import doubled_names, find_lists, place_of
from flopsheet.export.binding.headers import Bound, UnknownHeader
from flopsheet.export.binding.lists import doubt
from flopsheet.export.binding.names import PREFIXES
from livesheets import marked_headers
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.export.binding.bind import Wrote
    from flopsheet.export.binding.headers import Catalog
    from flopsheet.export.binding.lists import Header
    from livesheets import Table, Template


class Resolution(Struct, frozen=True):
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
    results += [_header(template, item.table, header, catalog) for item in lists for header in item.headers]
    results += [Resolution("table", "", "", remark) for remark in left]
    filled_tables = [*tables.values(), *(item.table for item in lists)]
    names = [name for name, own in template.clear_names.items() if own.startswith(PREFIXES)]
    results += [_name(template, name, meanings, filled_tables, wrote) for name in names]
    doubled = doubled_names(template, meanings)
    return results + [Resolution("name", "", name, why, ok=False) for name, why in doubled.items()]


def markers_of(template: Template, names: Collection[str]) -> list[Resolution]:
    """Return what the `{{ name }}` markers of a template mean."""
    results = [
        Resolution("marker", "", f"{{{{ {name} }}}}", name if name in names else f"nothing{hint}", name in names)
        for name, hint in ((name, names_like(name, names)) for name in template.markers)
    ]
    headers = marked_headers(template.book, names)
    return results + [Resolution("marker", "", header, meaning, ok=False) for header, meaning in headers]


def _header(template: Template, table: Table, header: Header, catalog: Catalog) -> Resolution:
    meaning, against = header.meaning, doubt(template, table, header)
    if header.formula:
        what = "a formula of the template, kept in every row"
    elif isinstance(meaning, Bound):
        what = f"{meaning.content}; {against}" if against else meaning.content
    elif isinstance(meaning, UnknownHeader):
        what = "; ".join(filter(None, ("nothing", catalog.hint(meaning))))
    else:
        what = meaning.reason
    ok = header.formula or (isinstance(meaning, Bound) and not against)
    return Resolution("header", header.where, " ".join(meaning.header.split()), what, ok)


def _name(
    template: Template, name: str, meanings: Mapping[str, str], tables: Collection[Table], wrote: Wrote
) -> Resolution:
    """Return what a defined name means; a planner's own is one that nothing known is like."""
    spellings = {spelling.casefold(): spelling for spelling in meanings}
    where = template.all_names[name].replace("$", "").replace("'", "")
    own = template.clear_names[name].casefold()
    if own not in spellings:
        hint = names_like(name, meanings)
        return Resolution("name", where, name, f"the template's own{hint}", ok=not hint)
    place = place_of(template, name, spellings[own], tables, (), wrote)
    if isinstance(place, str):
        return Resolution("name", where, name, place, ok=False)
    what = meanings[spellings[own]]
    return Resolution("name", where, name, what if place else f"{what}; filled with its list, or kept")
