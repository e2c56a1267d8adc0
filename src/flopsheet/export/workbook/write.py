"""Fill a template with a plan: the lists and prototypes of the shipped one where it has them, its own lists, names."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import TemplateError
from flopsheet.export.binding.bind import find_lists, find_names, remarks_on, unknown_markers
from flopsheet.export.binding.fields import fields_of
from flopsheet.export.binding.headers import Catalogue
from flopsheet.export.binding.lists import fill_list
from flopsheet.export.binding.names import markers, singles
from flopsheet.export.binding.standing import standing
from flopsheet.export.binding.template import read_template
from flopsheet.export.workbook.shipped import Shipped
from flopsheet.export.xlsx import Fill, fill

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flopsheet.export.binding.lists import ModelList
    from flopsheet.export.binding.standing import Standing
    from flopsheet.export.xlsx import FillReport, Formula, Value
    from flopsheet.planning.plan import Plan

DEFAULT = "plan"


def write_workbook(
    plan: Plan, output: Path, template: str = DEFAULT, allow: Collection[str] = (), *, protect: bool = False
) -> FillReport:
    """Write the planning workbook of a plan; return what a person should know of how the template was filled.

    `template` is the name of a shipped template or the path of one; `allow` has the words of the active content that it
    may bring along; `protect` locks every sheet but its open cells. The output is written aside and renamed, so that
    an error, a TemplateError, leaves what stood there.
    """
    data, name = load_template(template)
    shipped = Shipped(plan, read_template(data), data, name, allow)
    catalogue = Catalogue(fields_of(plan.host))
    lists, remarks = find_lists(shipped.template, catalogue, shipped.taken | shipped.own)
    known = {**singles(plan, data, name), **shipped.named.singles}
    tables = [*shipped.filled, *(found.table for found in lists)]
    places, said = find_names(shipped.template, known, tables, shipped.prototypes, shipped.named.wrote)
    stands = _standing(shipped)
    texts = markers(plan, data, name)
    if not (tables or places or shipped.clones or any(marker in texts for marker in shipped.template.markers)):
        raise TemplateError("\n  ".join(["nothing in the template can be filled:", *remarks, *said]))
    asked = _fill(shipped, lists, {place.name: known[place.key].value() for place in places}, stands)
    report = fill(data, replace(asked, texts=texts, allow=allow, protect=protect), output)
    remarks += [*shipped.unlike, *said, *unknown_markers(shipped.template, texts)]
    remarks += stands.remarks if shipped.filled else []
    remarks += [remark for found in lists for remark in remarks_on(found, shipped.template, plan, catalogue)]
    return replace(report, unbound=tuple(remarks))


def _fill(shipped: Shipped, lists: Sequence[ModelList], names: Mapping[str, Value | Formula], stands: Standing) -> Fill:
    tables = {name: stands.table(table) for name, table in shipped.tables().items()}
    tables |= {found.table.name: fill_list(shipped.plan, found, shipped.template) for found in lists}
    return Fill(
        tables=tables,
        names=stands.values(names),
        clones=[stands.clone(clone) for clone in shipped.clones],
        new_names=shipped.named.new_names(),
        properties={"title": shipped.plan.name} if shipped.filled else {},
        prototypes=shipped.prototypes,
    )


def _standing(shipped: Shipped) -> Standing:
    """Return the tables and names of the output."""
    book = shipped.template.book
    tables = [table.name for table in book.tables.values() if table.sheet not in shipped.prototypes]
    tables += [name for clone in shipped.clones for name, _ in clone.tables.values()]
    return standing([*tables, *shipped.template.standing_names, *shipped.named.new_names()])


def load_template(name: str) -> tuple[bytes, str]:
    """Return the bytes and the file name of a shipped template or of a file; a TemplateError if it is neither."""
    shipped = files("flopsheet_templates") / f"{name}.xlsx"
    if shipped.is_file():
        return shipped.read_bytes(), f"{name}.xlsx"
    path = Path(name)
    if not path.is_file():
        raise TemplateError(f"no template {name!r}: neither a shipped one (plan) nor a file")
    try:
        return path.read_bytes(), path.name
    except OSError as error:
        raise TemplateError(f"{path}: the template cannot be read: {error.strerror or error}") from None
