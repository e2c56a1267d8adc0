"""What stands around a sheet's rows and refers to them: used range, column widths, validations, formats."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from livesheets.addresses import quote
from livesheets.engine.dependent_parts import follow, formulas_in, put
from livesheets.engine.guards import offer
from livesheets.engine.markup import REVISION, attribute, child, drop, local, new, place, tag, unset, whole
from livesheets.engine.placeholders import Placeholders
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import MissingColumnError, Mode, adapt, carry_areas
from livesheets.engine.sheet import row_reach
from livesheets.engine.sparklines import XM, resize_sparklines
from livesheets.references import Area, areas_text, read_areas, shift, stack_areas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from livesheets.engine.layout import LaidOut, SheetJob
    from livesheets.engine.markup import Element
    from livesheets.engine.plan import TablePlan

_RANGED = ("{*}dataValidation", "{*}conditionalFormatting", "{*}ignoredError", "{*}protectedRange")
_FORMULAS = (tag("formula"), tag("formula1"), tag("formula2"), tag("f", XM))
_SQREF = tag("sqref", XM)
_POINT = tag("cfvo")
"""A point of a scale, such as its middle: its value may be a formula."""


def update_extras(job: SheetJob, laid_out: LaidOut) -> Placeholders:
    """Bring everything around the rows up to date, in the plan's XML; return placeholders for what is once per row."""
    root = job.plan.xml.root
    if job.plan.has_changes:
        _state_dimension(job, laid_out)
    for table in job.plan.plans:
        if table.resize.places is not None:
            _set_widths(root, table)
    for element in list(root.iter(*_RANGED)):
        _carry(job, element)
    for table in job.plan.plans:
        offer(root, table)
    for group in root.iter("{*}dataValidations"):
        _recount(group)
    _follow_formulas(job)
    placeholders = Placeholders()
    resize_sparklines(job, placeholders)
    return placeholders


def _follow_ref(job: SheetJob, element: Element) -> None:
    """Move an element to where its cells are now; it goes with a column that is gone."""
    try:
        after = adapt(attribute(element, "ref"), job.scope)
    except MissingColumnError:
        holder = element.getparent()
        drop(element)
        if holder is not None and local(holder) == "hyperlinks" and not len(holder):
            drop(holder)
        return
    if after:
        element.set("ref", after)


def _follow_formulas(job: SheetJob) -> None:
    """Bring controls, links and the sheet's own filter up to date."""
    root = job.plan.xml.root
    for element in list(root.iter(tag("autoFilter"), tag("hyperlink"))):
        _follow_ref(job, element)
    for watch in root.iter(tag("cellWatch")):
        watch.set("r", adapt(attribute(watch, "r"), job.scope))
    for source in root.iter(tag("dataRef")):
        if source.get("ref"):
            source.set("ref", adapt(_write_source(source), job.scope).rpartition("!")[2])
    with locate_errors(f"a control on the sheet {job.plan.name!r}"):
        for part in root:
            if local(part) != "sheetData":
                follow(part, job.scope)
    for link in root.iter(tag("hyperlink")):
        if link.get("location"):
            with locate_errors(f"{job.plan.name}!{attribute(link, 'ref')}, a link"):
                link.set("location", adapt(attribute(link, "location"), job.scope))


def _write_source(source: Element) -> str:
    """Return a source of a consolidation as a formula."""
    sheet = f"{quote(attribute(source, 'sheet'))}!" if source.get("sheet") else ""
    return f"{sheet}{attribute(source, 'ref')}"


def clone_extras(root: Element) -> None:
    """Take out what only one sheet of a workbook may have."""
    unset(root, f"{{{REVISION}}}uid")
    for element in root.iter(tag("sheetView"), tag("sheetPr")):
        unset(element, "tabSelected", "codeName")


def _state_dimension(job: SheetJob, laid_out: LaidOut) -> None:
    element = child(job.plan.xml.root, "dimension")
    if element is None:
        return
    areas = [table.resize.new_area for table in job.plan.plans]
    areas += [Area(row, min(line), row, max(line)) for row, line in laid_out.cells.items() if line]
    reaches = ((row, *row_reach(job.plan.xml, row)) for row in laid_out.standing)
    areas += [Area(row, left, row, right) for row, left, right in reaches]
    if areas:
        top, left = min(area.top for area in areas), min(area.left for area in areas)
        bottom, right = max(area.bottom for area in areas), max(area.right for area in areas)
        element.set("ref", str(Area(top, left, bottom, right)))


def _carry(job: SheetJob, element: Element) -> None:
    """Stretch one validation or format over all rows, and to all columns that take after its own."""
    areas = find_areas(element)
    if not areas:
        return
    after = carry_areas(areas, job.scope.of(""))
    if not after:
        drop(element)
        return
    if after != areas:
        holder = element.find(_SQREF)
        put(element if holder is None else holder, "sqref" if holder is None else "", areas_text(after))
    mode = Mode.ROW_RULE if any(resize.in_data(areas[0]) for resize in job.scope.of("")) else Mode.RULE
    for holder, name, text in list(rules_in(element)):
        formula = shift(text, 0, after[0].left - areas[0].left)
        try:
            with locate_errors(f"{job.plan.name}!{areas_text(areas)}, {local(element)}"):
                put(holder, name, adapt(formula, job.scope, mode))
        except MissingColumnError:
            _drop_rule(element, holder)


def find_areas(element: Element) -> list[Area]:
    """Return the cells that a validation, a format or the like is for; cells listed one by one are a range."""
    holder = element.find(_SQREF)
    text = attribute(element, "sqref") if holder is None else holder.text or ""
    return stack_areas(read_areas(text, f"<{local(element)}> in {element.base} of the template"))


def _drop_rule(element: Element, formula: Element) -> None:
    """Take out a format or validation that depends on a column which is gone."""
    rules = [rule for rule in formula.iterancestors() if local(rule) == "cfRule"]
    drop(rules[0] if rules else element)
    if not any(local(inner) == "cfRule" for inner in element) and element.getparent() is not None:
        drop(element)


def rules_in(root: Element) -> Iterator[tuple[Element, str, str]]:
    """Give each formula of validations, formats and sparklines: its element, its attribute ("" for none), its text."""
    for element in root.iter(*_FORMULAS, _POINT):
        if element.tag != _POINT:
            yield element, "", element.text or ""
        elif element.get("val") is not None:
            yield element, "val", attribute(element, "val")


def formulas_around(root: Element) -> list[str]:
    """Return the formulas of a sheet's validations, formats, sparklines, controls and consolidation."""
    sources = [_write_source(source) for source in root.iter(tag("dataRef"))]
    return [*(text for formulas in (rules_in(root), formulas_in(root)) for _, _, text in formulas), *sources]


def _recount(group: Element) -> None:
    count = len(group.findall("{*}dataValidation"))
    if count:
        group.set("count", str(count))
    else:
        drop(group)


def _set_widths(root: Element, table: TablePlan) -> None:
    """Give each column of the table the width of the one it takes after; columns that are gone lose theirs."""
    resize, cols = table.resize, child(root, "cols")
    old = [] if cols is None else list(cols)
    spans = [(whole(col, "min"), whole(col, "max"), col) for col in old]
    last = max(resize.right, resize.area.right)
    results = [piece for col in old for piece in _outside(col, resize.area.left, last)]
    for index, column in enumerate(table.columns):
        like_at = resize.area.left + table.likes[index]
        like = next((col for first, last, col in spans if first <= like_at <= last), None)
        if like is not None or column.width is not None:
            results.append(_width(root, like, resize.area.left + index, column.width))
    if cols is not None:
        drop(cols)
    if results:
        holder = new(root, "cols")
        holder.extend(_merge_columns(sorted(results, key=lambda col: whole(col, "min"))))
        place(root, holder, ("sheetData",))


def _outside(col: Element, left: int, right: int) -> list[Element]:
    """Return the parts of a width that are left and right of a range of columns."""
    first, last = whole(col, "min"), whole(col, "max")
    parts = [(first, min(last, left - 1)), (max(first, right + 1), last)]
    return [_spanning(col, start, end) for start, end in parts if start <= end]


def _spanning(col: Element, first: int, last: int) -> Element:
    copy = deepcopy(col)
    copy.set("min", str(first))
    copy.set("max", str(last))
    return copy


def _width(root: Element, like: Element | None, column: int, width: float | None) -> Element:
    col = _spanning(root.makeelement(tag("col")) if like is None else like, column, column)
    if width is not None:
        col.set("width", repr(float(width)))
        col.set("customWidth", "1")
    return col


def _merge_columns(cols: list[Element]) -> list[Element]:
    """Join neighbors that are alike."""
    results: list[Element] = []
    for col in cols:
        if results and _alike(results[-1], col) and whole(results[-1], "max") + 1 == whole(col, "min"):
            results[-1].set("max", attribute(col, "max"))
        else:
            results.append(col)
    return results


def _alike(one: Element, other: Element) -> bool:
    ours, theirs = ({**dict(col.items()), "min": "", "max": ""} for col in (one, other))
    return ours == theirs
