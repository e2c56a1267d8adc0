"""What the sample row of a list says against its headers: a person who wrote it may expect something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.configs.words import flags
from flopsheet.export.binding.headers import Bound
from flopsheet.units.formats import shows_days
from flopsheet.units.named_values import DATE

if TYPE_CHECKING:
    from flopsheet.export.binding.lists import Header
    from livesheets import Table, Template, Value

WHOLE = 1.5
"""What no share is: a sample over it is in percent."""


def doubt(template: Template, table: Table, header: Header) -> str:
    """Return why a column may not show what its sample does, "" where nothing speaks against it."""
    meaning = header.meaning
    if not isinstance(meaning, Bound) or header.formula:
        return ""
    form = template.number_format(table.sheet, table.area.top + 1, header.column)
    if meaning.field.unit == DATE and not shows_days(form):
        return "it is not formatted for days, so it shows numbers such as 46,447"
    sample = template.value(table.sheet, table.area.top + 1, header.column)
    return _of_flag(sample) if meaning.field.kind == "flag" else _of_number(meaning, sample)


def _of_flag(sample: Value) -> str:
    is_known = not isinstance(sample, str) or any(sample.strip().casefold() in pair for pair in flags())
    return "" if is_known else f"the sample {sample!r} is not a known yes or no, so the column shows Yes and No"


def _of_number(meaning: Bound, sample: Value) -> str:
    field = meaning.field
    if field.kind == "number" and isinstance(sample, str) and sample.strip():
        unit = meaning.unit or field.unit
        return f"the sample {sample!r} is text, but it shows {f'numbers in {unit}' if unit else 'numbers'}"
    percent = isinstance(sample, int | float) and not meaning.unit and field.unit == "share" and abs(sample) > WHOLE
    return f"the sample is {sample}, but it shows shares such as 0.4; write '{field.title} (%)' for percent" * percent
