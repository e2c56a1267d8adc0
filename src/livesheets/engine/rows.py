"""The data rows of a table as text: compiled once for each mix of types and styles, then filled in by the thousand."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.addresses import letters
from livesheets.engine.cells import (
    CellError,
    content,
    escape,
    formula,
    looks_like_formula,
    number,
    real,
    style_attribute,
    whole,
)
from livesheets.engine.model import Formula
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import Mode, adapt
from livesheets.engine.row_above import in_first_row, reads_above
from livesheets.engine.row_template import VALUE, RowTemplate, loosen, row_template
from livesheets.engine.sheet import as_shown, style_of
from livesheets.errors import TemplateError
from livesheets.evaluate.scalars import Fault
from livesheets.references import relative_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from livesheets.engine.layout import SheetJob
    from livesheets.engine.model import Row
    from livesheets.engine.plan import TablePlan
    from livesheets.engine.styles import Styles

SHORT, MANY = 1000, 500
"""Texts of so many characters are remembered, so many of a column: rows often repeat them."""

_PLAIN = re.compile("[A-Za-z0-9](?:[A-Za-z0-9_ .,:/()-]{0,200}[A-Za-z0-9)])?").fullmatch
"""Finds texts that a cell holds as they are: no markup, no blanks at their ends, no sign that a formula begins with."""
_ESCAPE = "_x"
"""What an escaped character begins with, and a text that looks like one."""
_THIS_ROW = "\0" + "0\1"


class CellForm(Struct, frozen=True):
    """How the cells of one column look: column letters, style number, formula element ("" without one).

    `meta` is the attribute that makes an array formula a dynamic one.
    """

    letters: str
    style: int
    formula: str
    meta: str = ""


class TableRows(Struct, frozen=True):
    """A table's data rows, ready to be written: for each sample row of the template its cells and row attributes.

    `watch` sees each row with its number, from 0, as it is written.
    """

    plan: TablePlan
    forms: tuple[tuple[CellForm, ...], ...]
    attributes: tuple[str, ...]
    styles: Styles
    watch: Callable[[int, Row], None] | None
    templates: dict[tuple[int, tuple[type, ...]], RowTemplate] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Give each row's attributes and its cells, from the first data row on."""
        plan = self.plan
        likes = plan.fill.row_like or ()
        count = 0
        for at, row in enumerate(plan.fill.rows):
            like = likes[at] if likes else 0
            if self.watch:
                self.watch(at, row)
            yield self._attributes(row, like), self._text(at, like, row)
            count = at + 1
        if count != len(plan.fill.rows):
            raise TemplateError(f"the table {plan.name} announced {len(plan.fill.rows)} rows and gave {count}")
        if not count:
            yield self.attributes[0], "".join(_blank(form, plan.resize.first) for form in self.forms[0])

    def _attributes(self, row: Row, like: int) -> str:
        height = self.plan.fill.height(row) if self.plan.fill.height else None
        return self.attributes[like] if height is None else f' ht="{height:g}"'

    def _text(self, at: int, like: int, row: Row) -> str:
        kinds = tuple(map(type, row))
        form = self.templates.get((like, kinds)) or self._compile(like, kinds, at, row)
        number = self.plan.resize.first + at
        try:
            text = form.text(number, row)
            if text is None:
                form = self.templates[like, kinds] = loosen(form, row)
                text = form.text(number, row)
        except CellError:
            _blame(self.plan, form, at, row)
            raise
        return text or ""

    def _compile(self, like: int, kinds: tuple[type, ...], at: int, row: Row) -> RowTemplate:
        if len(kinds) != len(self.plan.columns):
            count = len(self.plan.columns)
            raise TemplateError(f"the table {self.plan.name}, row {at + 1}: {len(kinds)} values for {count} columns")
        pieces, writers = [], []
        for index, (cell, kind) in enumerate(zip(self.forms[like], kinds, strict=True)):
            with locate_errors(self.plan.where(index, at)):
                piece, write = _compile_cell(cell, kind, self.styles)
            pieces.append(piece)
            if write is not None:
                writers.append((index, write))
        self.templates[like, kinds] = row_template("".join(pieces), writers, row)
        return self.templates[like, kinds]


def table_rows(job: SheetJob, plan: TablePlan, watch: Callable[[int, Row], None] | None = None) -> TableRows:
    """Return a table's rows with the styles, row heights and formulas of the template's data rows."""
    resize, xml = plan.resize, job.plan.xml
    formulas = [_formula(job, plan, index) for index in range(len(plan.columns))]
    samples = range(resize.first, resize.last + 1)
    left, styles = resize.area.left, [_styles(job, plan, row) for row in samples]
    forms = tuple(
        tuple(CellForm(letters(left + index), style, *formulas[index]) for index, style in enumerate(own))
        for own in styles
    )
    attributes = tuple(as_shown(xml.attributes.get(row, "")) for row in samples)
    return TableRows(plan, forms, attributes, job.styles, watch)


def _styles(job: SheetJob, plan: TablePlan, row: int) -> list[int]:
    """Return the style of each column in a data row of the template.

    Values that are filled look like values: a formula that follows others among them has a color of its own.
    """
    resize, xml = plan.resize, job.plan.xml
    cells, samples, results = xml.cells.get(row, {}), range(resize.first, resize.last + 1), []
    for index, like in enumerate(plan.likes):
        column, own = resize.area.left + like, cells
        if plan.fill.columns is not None and plan.columns[index].formula is None and (row, column) in xml.formulas:
            shown = next((sample for sample in samples if (sample, column) not in xml.formulas), row)
            own = xml.cells.get(shown, {})
        results.append(style_of(own.get(column)))
    return results


def _formula(job: SheetJob, plan: TablePlan, index: int) -> tuple[str, str]:
    """Return a column's formula with slots for row numbers, the fill's or that of the first data row, and its meta."""
    resize, xml = plan.resize, job.plan.xml
    row, column = resize.first, resize.area.left + index
    with locate_errors(plan.where(index)):
        if plan.fill.columns is not None:
            text = plan.columns[index].text
            if text and reads_above(text):
                return _slotted_formula(in_first_row(text, plan), row), ""
            return (formula(text) if text else ""), ""
        text = adapt(xml.formula(row, column), job.scope, Mode.ROW)
        if not text:
            return "", ""
        element = _slotted_formula(text, row)
        if (row, column) not in xml.arrays:
            return element, ""
        meta = xml.cells[row][column].get("cm")
        array = element.replace("<f>", f'<f t="array" ref="{letters(column)}{_THIS_ROW}">', 1)
        return array, f' cm="{meta}"' if meta else ""


def _slotted_formula(text: str, row: int) -> str:
    """Return a formula element whose relative row numbers are slots."""
    parts = re.split("(\0-?[0-9]+\1)", relative_rows(text, row))
    whole = formula("".join(part for part in parts if not part.startswith("\0")))
    if len(parts) == 1:
        return whole
    inside = "".join(part if part.startswith("\0") else formula(part)[3:-4] for part in parts)
    return f"<f>{inside}</f>"


def _blank(form: CellForm, row: int) -> str:
    return f'<c r="{form.letters}{row}"{style_attribute(form.style)}/>'


def _compile_cell(form: CellForm, kind: type, styles: Styles) -> tuple[str, Callable[..., str] | None]:
    """Return a cell's pattern for values of one type, and what writes the value into it."""
    start = f'<c r="{form.letters}{_THIS_ROW}"'
    style = style_attribute(form.style) + form.meta
    if issubclass(kind, Formula):
        return f"{start}{VALUE}</c>", _formula_writer(form, styles)
    if issubclass(kind, str) and not form.formula:
        return f"{start}{VALUE}</c>", _text_writer(form.style, styles)
    if kind is type(None):
        return (f"{start}{style}>{form.formula}</c>" if form.formula else f"{start}{style}/>" if style else ""), None
    for base, type_xml, write in _WRITERS:
        if issubclass(kind, base):
            return f"{start}{style}{type_xml}>{form.formula}<v>{VALUE}</v></c>", write
    raise CellError(f"{kind.__name__} is not a type that a cell can hold")


_WRITERS: tuple[tuple[type, str, Callable[..., str]], ...] = (
    (bool, ' t="b"', lambda value: "1" if value else "0"),
    (Fault, ' t="e"', escape),
    (str, ' t="str"', escape),
    (float, "", real),
    (int, "", whole),
    (Fraction, "", number),
)
"""The types of values, the attribute of their cells, and what writes them; the first that fits."""


def _text_writer(style: int, styles: Styles) -> Callable[..., str]:
    """Write text with its style: text that looks like a formula takes the quoted variant."""
    plain = style_attribute(style)
    start, end = f'{plain} t="inlineStr"><is><t>', "</t></is>"
    cache: dict[str, str] = {}

    def write(value: str) -> str:
        if value in cache:
            return cache[value]
        if _PLAIN(value) and _ESCAPE not in value:
            return f"{start}{value}{end}"
        style_xml = style_attribute(styles.with_quote_prefix(style)) if looks_like_formula(value) else plain
        kind, inside = content(value)
        text = f"{style_xml}{kind}>{inside}"
        if len(value) <= SHORT and len(cache) < MANY:
            cache[value] = text
        return text

    return write


def _formula_writer(form: CellForm, styles: Styles) -> Callable[..., str]:
    """Write a cell whose formula is its own; an empty one is a plain value."""
    plain_text = _text_writer(form.style, styles)

    def write(own: Formula) -> str:
        if isinstance(own.value, str) and not own.text:
            return plain_text(own.value)
        kind, inside = content(own.value, formula(own.text) if own.text else "")
        style = styles.black(form.style) if own.follows else form.style
        return f"{style_attribute(style)}{kind}>{inside}"

    return write


def _blame(plan: TablePlan, form: RowTemplate, at: int, row: Row) -> None:
    """Find the value that could not be written and say where it is."""
    for index, write in form.writers:
        with locate_errors(plan.where(index, at)):
            write(row[index])
