"""The part of an Excel table: its range, its columns and their formulas."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from livesheets.engine.cells import literal, xml_attribute
from livesheets.engine.layout import SUBTOTALS
from livesheets.engine.markup import attribute, child, drop, parse, place, serialize, tag, unset
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import Mode, adapt
from livesheets.engine.row_above import reads_above
from livesheets.errors import TemplateError
from livesheets.references import Area

if TYPE_CHECKING:
    from livesheets.engine.book import Book
    from livesheets.engine.layout import SheetJob
    from livesheets.engine.markup import Element
    from livesheets.engine.plan import TablePlan


def table_part(book: Book, job: SheetJob, plan: TablePlan, number: int | None) -> bytes:
    """Return the XML of a filled table; `number` is the id of a cloned one, None for the template's own."""
    root = parse(book.package.read(plan.table.part), plan.table.part)
    if attribute(root, "tableType", "worksheet") != "worksheet":
        raise TemplateError(f"the table {plan.name} is filled by a query or an XML map; it cannot be filled")
    area = plan.resize.new_area
    root.set("ref", str(area))
    if number is not None:
        _rename(root, plan, number)
    for element in root.findall(tag("sortState")):
        drop(element)
    unset(root, "insertRow", "insertRowShift")  # they say that the table is empty
    _set_filter(root, Area(area.top, area.left, plan.resize.bottom, area.right), same=plan.fill.columns is None)
    if plan.fill.columns is not None:
        _replace_columns(root, plan)
    for formula in root.iter(tag("calculatedColumnFormula"), tag("totalsRowFormula")):
        with locate_errors(f"the table {plan.name}"):
            mode = Mode.ROW if formula.tag == tag("calculatedColumnFormula") else Mode.EXACT
            formula.text = adapt(formula.text or "", job.scope, mode)
    return serialize(root)


def _rename(root: Element, plan: TablePlan, number: int) -> None:
    root.set("id", str(number))
    root.set("name", plan.name)
    root.set("displayName", plan.name)
    for element in root.iter():
        _drop_uid(element)


def _drop_uid(element: Element) -> None:
    for key in [key for key in element.attrib if str(key).endswith("}uid")]:
        del element.attrib[key]


def _set_filter(root: Element, area: Area, *, same: bool) -> None:
    """State the filter's range; what it let through of the sample means nothing now, so all rows are shown.

    Where the columns are the same, those without a filter button have none.
    """
    element = child(root, "autoFilter")
    if element is None:
        return
    element.set("ref", str(area))
    for inner in list(element):
        if same and inner.tag == tag("filterColumn") and {"hiddenButton", "showButton"} & set(inner.attrib):
            inner[:] = []
        elif inner.tag in {tag("sortState"), tag("filterColumn")}:
            drop(inner)


def _replace_columns(root: Element, plan: TablePlan) -> None:
    holder = child(root, "tableColumns")
    if holder is None:
        raise TemplateError(f"the table {plan.name} has no columns")
    samples = list(holder.findall(tag("tableColumn")))
    for sample in list(holder):
        holder.remove(sample)
    for index, like in enumerate(plan.likes):
        holder.append(_column(samples[like], plan, index))
    holder.set("count", str(len(plan.columns)))


def _column(sample: Element, plan: TablePlan, index: int) -> Element:
    column, like = plan.columns[index], plan.table.columns[plan.likes[index]]
    element = deepcopy(sample)
    element.set("id", str(index + 1))
    element.set("name", xml_attribute(column.header))
    unset(element, "uniqueName")
    _drop_uid(element)
    if column.header.casefold() != like.casefold():
        _forget_totals(element)
    for old in element.findall(tag("calculatedColumnFormula")):
        drop(old)
    text = column.text
    if text and not reads_above(text):
        formula = element.makeelement(tag("calculatedColumnFormula"))
        formula.text = literal(text)
        place(element, formula, ("totalsRowFormula", "xmlColumnPr", "extLst"))
    return element


def _forget_totals(element: Element) -> None:
    """Leave a column that takes after another its kind of total, but not its label or its own formula."""
    unset(element, "totalsRowLabel")
    if attribute(element, "totalsRowFunction") not in SUBTOTALS:
        unset(element, "totalsRowFunction")
        for formula in element.findall(tag("totalsRowFormula")):
            drop(formula)
