"""Values as a program gives them: numbers of NumPy become Python's own, and names of fields what JSON makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flopsheet.configs.plain import MAX_LEVELS, read_tagged


def from_python(value: Any, levels: int = MAX_LEVELS) -> Any:
    """Return a value with numbers and text of Python alone, in its tables and lists too.

    Numbers of NumPy and torch would overflow where Python's are exact. A name that is a whole number, as in `id2label`
    of transformers, is text in JSON, and so is a member of an enumeration of texts, as its `quant_method` is.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping) and levels:
        table = {str(key) if type(key) is int else key: from_python(own, levels - 1) for key, own in value.items()}
        return read_tagged(table)
    if type(value) in (list, tuple) and levels:
        return type(value)(from_python(own, levels - 1) for own in value)
    return value.item() if getattr(value, "ndim", None) == 0 else value
