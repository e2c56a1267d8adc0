"""How headers are spelt, in a template as in a model list: what is no part of a name, and where the unit stands."""

from __future__ import annotations

import re

_NO_PART = re.compile(r"[\W_]+")
_WITH_UNIT = (
    re.compile(r"(.*\S)\s*[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*\W?", re.DOTALL),
    re.compile(r"(.+),\s*([^,]+)", re.DOTALL),
)
"""`Cost [USD m]`, `Cost (USD m)`, and `Cost, USD m`."""


def folded(text: str) -> str:
    """Return a name or title as headers are compared: without case, spaces and punctuation."""
    return _NO_PART.sub("", text.casefold())


def readings(header: str) -> list[tuple[str, str]]:
    """Return each name with the unit, "" for none, that a header may say: the first whose name is known is meant.

    A header without a unit goes first, since brackets may belong to a title; but a unit of signs, such as %, is no part
    of any name.
    """
    matches = [pattern.fullmatch(header.strip()) for pattern in _WITH_UNIT]
    found = [(header.strip(), ""), *((match[1], match[2]) for match in matches if match)]
    return sorted(found, key=lambda reading: not reading[1] or folded(reading[1]) != "")


def as_field(name: str) -> str:
    """Return a name as configs spell their fields: in lower case, with underscores between the words."""
    return re.sub(r"\W+", "_", name.strip().lower())
