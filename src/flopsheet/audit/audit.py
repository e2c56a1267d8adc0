"""A template looked at as a whole: what its headers, names and markers mean to flopsheet, and the checklist."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.audit.formula_text import numbers
from flopsheet.audit.items import Verdict, check
from flopsheet.audit.view import WorkbookView
from flopsheet.errors import PluginError
from flopsheet.export.binding.bind import doubled_names, find_lists, place_of
from flopsheet.export.binding.fields import fields_of
from flopsheet.export.binding.headers import Bound, UnknownHeader
from flopsheet.export.binding.lists import doubt
from flopsheet.export.binding.names import PREFIXES, markers, named_values
from flopsheet.export.binding.periods import periods_of
from flopsheet.export.shipped_templates import DEFAULT
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.export.workbook.write import catalog_of, load_template
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import find_unasked, heads
from livesheets import marked_headers
from livesheets.engine import Formula
from livesheets.suggestions import names_like
from livesheets.template import read_template

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.export.binding.bind import Wrote
    from flopsheet.export.binding.fields import Field
    from flopsheet.export.binding.headers import Catalog
    from flopsheet.export.binding.lists import Header
    from flopsheet.export.binding.names import NamedValue
    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan
    from livesheets import Table, Template


class Audit(Struct, frozen=True):
    """What a template's headers, names and markers mean, and a verdict on every item of the checklist."""

    name: str
    resolutions: Sequence[Resolution]
    verdicts: Sequence[Verdict]

    @property
    def passed(self) -> bool:
        """Whether everything means something and every item passes."""
        failed = any(verdict.failures for verdict in self.verdicts)
        return not failed and all(resolution.ok for resolution in self.resolutions)


def audit(host: Host, template: str, plan: Plan | None = None) -> Audit:
    """Return what there is to say of a template, shipped or a file; a TemplateError if it cannot be read.

    With a plan it is what the names mean to that plan: its questions, and its currency.
    """
    filler = filler_of(host, template, plan)
    cells = cells_of(filler)
    every = [*cells, *asked_for(filler)]
    titles = {cell.name: f"{cell.title} ({cell.unit})" if cell.unit else cell.title for cell in every}
    result = describe(filler.template, catalog_of(filler.plan), filler.purposes, titles, filler.named.wrote)
    result += markers_of(filler.template, markers(filler.plan, filler.data, filler.name))
    return Audit(filler.name, result, check(view_of(host, filler, cells)))


def filler_of(host: Host, template: str, plan: Plan | None = None) -> PlanFiller:
    """Return what fills a template, without a plan with one of no models; a TemplateError if it cannot be read."""
    data, name = load_template(template)
    read = read_template(data)
    return PlanFiller(plan or make_plan(host, [], questions=_questions(host, read)), read, data, name)


def view_of(host: Host, filler: PlanFiller, cells: Sequence[NamedValue]) -> WorkbookView:
    """Return a template as the checklist looks at it; `cells` are the single values that it may have."""
    catalog = catalog_of(filler.plan)
    return WorkbookView(
        filler.template,
        {cell.name.casefold(): cell.unit for cell in cells},
        find_lists(filler.template, catalog, filler.purposes)[0],
        filler.filled_names,
        frozenset(filler.prototypes),
        {field.name: field.unit for field in catalog.fields},
        coefficients(host),
        written_names(filler),
        catalog.money,
    )


def _questions(host: Host, template: Template) -> list[str]:
    """Return the questions that a template has sheets for; none where it has no sheet but those of every plan."""
    names = {name.casefold() for name in template.names}
    return [name for name in heads(host) if f"chk_{name}".casefold() in names]


@cache
def coefficients(host: Host) -> dict[str, frozenset[float]]:
    """Return the numbers in the formulas of each line and of defaults, by name, in whatever architectures have them."""
    result: defaultdict[str, set[float]] = defaultdict(set)
    for name in host.every_ledger():
        for entry in _deepest(host, name).entries:
            result[entry.line.name] |= numbers(entry.line.formula)
        for dimension in host.ledger(name).dimensions:
            result[dimension.name] |= numbers(dimension.default) if isinstance(dimension.default, str) else set()
    return {name: frozenset(values) for name, values in result.items()}


def _deepest(host: Host, architecture: str) -> Ledger:
    """Return the ledger with every line that some question's workings have."""
    try:
        return host.serving_ledger(architecture)
    except PluginError:  # no question of training or serving can ask for it
        return host.ledger(architecture)


def written_names(filler: PlanFiller) -> dict[str, str]:
    """Return the names that are filled in the unit of their label, with their formula in its own unit, "" for none."""
    result = named_values(filler.plan, filler.data, filler.name)
    values = {name: entry.value for name, entry in result.items() if name not in filler.named.values}
    return {name.casefold(): value.text if isinstance(value, Formula) else "" for name, value in values.items()}


def cells_of(filler: PlanFiller) -> list[NamedValue]:
    """Return every single value that a cell may have by its name."""
    result = {**named_values(filler.plan, filler.data, filler.name), **filler.named.named_values}
    return [result[name] for name in sorted(result)]


def usable(host: Host) -> list[dict[str, str]]:
    """Return every name that a template may use: columns of lists, single cells, markers in texts."""
    data, name = load_template(DEFAULT)
    filler = PlanFiller(make_plan(host, []), read_template(data), data, name)
    every = PlanFiller(make_plan(host, [], questions=[*heads(host)]), filler.template, data, name)
    results = [_usable("column", field, ", ".join(field.where) or "every model") for field in fields_of(host)]
    months = periods_of(every.plan)
    results += [_usable("month", field, _asking(every.plan)) for field in (months.fields if months else ())]
    cells = [cell for cell in cells_of(every) if cell.name.startswith(PREFIXES)]
    results += [_usable("cell", cell, _where_filled(filler, cell.name)) for cell in cells]
    meta = named_values(filler.plan, data, name)
    texts = [replace(meta[f"meta_{key}"], name=key) for key in markers(filler.plan, data, name)]
    return results + [_usable("marker", text, "") for text in texts]


def _asking(plan: Plan) -> str:
    """Return where months are filled: in plans that ask the question that has them."""
    return next(f"where {question.name} is asked" for question in plan.program.questions if question.described.timeline)


def asked_for(filler: PlanFiller) -> list[NamedValue]:
    """Return the single values that a template names and that a plan has where it asks a further question."""
    names = [name for name in filler.template.names if name.startswith(PREFIXES)]
    places = {name.casefold(): where for name in names if (where := _where_filled(filler, name))}
    if not places:
        return []
    every = make_plan(filler.plan.host, [], questions=[*heads(filler.plan.host)])
    cells = cells_of(PlanFiller(every, filler.template, filler.data, filler.name))
    places_of = ((cell, places.get(cell.name.casefold())) for cell in cells)
    return [replace(cell, title=f"{cell.title}, {where}") for cell, where in places_of if where]


def _where_filled(filler: PlanFiller, name: str) -> str:
    """Return where a single value is filled: in plans that ask a question, "" in all of them."""
    question = find_unasked(filler.plan.host, filler.plan.program, name)
    return f"where {question} is asked" if question else ""


def _usable(kind: str, value: Field | NamedValue, where: str) -> dict[str, str]:
    facts = {"name": value.name, "title": value.title, "unit": value.unit, "about": value.about}
    return {"kind": kind, **facts, "where": where}


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
