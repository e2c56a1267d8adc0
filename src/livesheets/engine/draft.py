"""The output in the making: changed, new and removed parts, and how the package and the workbook list them."""

from __future__ import annotations

from copy import deepcopy
from itertools import count
from typing import TYPE_CHECKING

from lxml import etree
from msgspec import Struct, field

from livesheets.engine.book import WORKBOOK, relationship, relationships, rels_name
from livesheets.engine.markup import OFFICE, RELATIONSHIPS, TYPES, attribute, drop, parse, serialize, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from livesheets.engine.book import Book
    from livesheets.engine.markup import Element
    from livesheets.engine.package import Source
    from livesheets.package import Package

CONTENT_TYPES = "[Content_Types].xml"


class Draft(Struct, frozen=True):
    """What differs from the template. `types` and `arrows` are the package's and the workbook's lists, edited."""

    package: Package
    types: Element
    arrows: Element
    parts: dict[str, Source] = field(default_factory=dict)
    removed_parts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def new_draft(package: Package) -> Draft:
    """Return a draft in which nothing has changed yet."""
    rels = rels_name(WORKBOOK)
    types, arrows = parse(package.read(CONTENT_TYPES), CONTENT_TYPES), parse(package.read(rels), rels)
    return Draft(package, types, arrows, names={name.casefold() for name in package.entries})


def free_name(draft: Draft, pattern: str) -> str:
    """Return an entry name that nobody has, such as xl/tables/table7.xml for xl/tables/table%d.xml."""
    name = next(name for name in (pattern % number for number in count(1)) if name.casefold() not in draft.names)
    draft.names.add(name.casefold())
    return name


def content_type(draft: Draft, part: str) -> str:
    """Return the content type that a part is listed with, "" if only its suffix says it."""
    override = _override(draft, part)
    return "" if override is None else attribute(override, "ContentType")


def declare(draft: Draft, part: str, kind: str) -> None:
    """List a part with its content type; "" leaves it to its suffix."""
    if kind:
        override = _override(draft, part)
        if override is None:
            override = etree.SubElement(draft.types, tag("Override", TYPES), PartName=f"/{part}")
        override.set("ContentType", kind)


def _override(draft: Draft, part: str) -> Element | None:
    items = draft.types.findall(tag("Override", TYPES))
    return next((item for item in items if attribute(item, "PartName").casefold() == f"/{part}".casefold()), None)


def remove(draft: Draft, parts: Iterable[str]) -> None:
    """Take parts out, with the lists of where they point and their content types."""
    names = set(parts)
    draft.removed_parts.update(names, map(rels_name, names))
    for override in draft.types.findall(tag("Override", TYPES)):
        if attribute(override, "PartName").lstrip("/") in names:
            drop(override)
    for arrow in list(draft.arrows):
        if relationship(arrow, WORKBOOK).target in names:
            drop(arrow)


def point(draft: Draft, part: str, kind: str) -> str:
    """Add a relationship from the workbook to a part and return its id."""
    ids = {attribute(arrow, "Id") for arrow in draft.arrows}
    rid = next(rid for rid in (f"rId{number}" for number in count(1)) if rid not in ids)
    attributes = {"Id": rid, "Type": f"{OFFICE}/{kind}", "Target": f"/{part}"}
    etree.SubElement(draft.arrows, tag("Relationship", RELATIONSHIPS), attributes)
    return rid


def copy_arrows(draft: Draft, source: str, part: str, targets: dict[str, str]) -> None:
    """Give a copied part the relationships of its source, to other targets where named."""
    name = rels_name(source)
    if name not in draft.package:
        return
    root = deepcopy(parse(draft.package.read(name), name))
    for arrow in root:
        target = relationship(arrow, source).target
        if target:
            arrow.set("Target", f"/{targets.get(target, target)}")
    draft.parts[rels_name(part)] = serialize(root)


def only_reached_from(book: Book, parts: Iterable[str]) -> set[str]:
    """Return the parts that nothing but the given ones leads to, themselves included."""
    starts = set(parts)
    others = _reach(book.package, _arrows(book.package, ""), starts)
    return _reach(book.package, starts, others)


def _arrows(package: Package, part: str) -> list[str]:
    return [arrow.target for arrow in relationships(package, part) if arrow.target in package]


def _reach(package: Package, starts: Iterable[str], stop: set[str]) -> set[str]:
    results: set[str] = set()
    todo = list(starts)
    while todo:
        part = todo.pop()
        if part not in results and part not in stop:
            results.add(part)
            todo += _arrows(package, part)
    return results
