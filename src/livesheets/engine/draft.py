"""The output in the making: changed, new and removed parts, and how the package and the workbook list them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from livesheets.engine.book import WORKBOOK, relationship, relationships, rels_name
from livesheets.engine.markup import OFFICE, RELATIONSHIPS, TYPES, attribute, drop, parse, serialize, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from livesheets.engine.book import Book
    from livesheets.engine.markup import Element
    from livesheets.engine.package import Source
    from livesheets.package import Package

CONTENT_TYPES = "[Content_Types].xml"


@dataclass(frozen=True, slots=True)
class Draft:
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
    number = 1
    while (pattern % number).casefold() in draft.names:
        number += 1
    draft.names.add((pattern % number).casefold())
    return pattern % number


def content_type(draft: Draft, part: str) -> str:
    """Return the content type that a part is listed with, "" if only its suffix says it."""
    for override in draft.types.findall(tag("Override", TYPES)):
        if attribute(override, "PartName").casefold() == f"/{part}".casefold():
            return attribute(override, "ContentType")
    return ""


def declare(draft: Draft, part: str, kind: str) -> None:
    """List a new part; "" leaves it to its suffix."""
    if kind:
        etree.SubElement(draft.types, tag("Override", TYPES), PartName=f"/{part}", ContentType=kind)


def remove(draft: Draft, parts: Iterable[str]) -> None:
    """Take parts out, with the lists of where they point and their content types."""
    names = set(parts)
    draft.removed_parts.update(names)
    draft.removed_parts.update(rels_name(part) for part in names)
    for override in draft.types.findall(tag("Override", TYPES)):
        if attribute(override, "PartName").lstrip("/") in names:
            drop(override)
    for arrow in list(draft.arrows):
        if relationship(arrow, WORKBOOK).target in names:
            drop(arrow)


def point(draft: Draft, part: str, kind: str) -> str:
    """Add a relationship from the workbook to a part and return its id."""
    ids = {attribute(arrow, "Id") for arrow in draft.arrows}
    number = 1
    while f"rId{number}" in ids:
        number += 1
    attributes = {"Id": f"rId{number}", "Type": f"{OFFICE}/{kind}", "Target": f"/{part}"}
    etree.SubElement(draft.arrows, tag("Relationship", RELATIONSHIPS), attributes)
    return f"rId{number}"


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
