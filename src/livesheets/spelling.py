"""How headers are spelled, in a template as in a model list: what is no part of a name, and where the unit is."""

from __future__ import annotations

import re
from functools import lru_cache

_SIGNS = "%‰$¢£¤¥\u20a0-\u20cf"
"""Signs that say a unit wherever they stand: percent and money."""
_NO_PART = re.compile(rf"(?:[^\w{_SIGNS}]|_)+")
_WITH_UNIT = (
    re.compile(r"(.*\S)\s*[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*\W?", re.DOTALL),
    re.compile(r"(.+),\s*([^,]+)", re.DOTALL),
)
"""`Cost [USD m]`, `Cost (USD m)`, and `Cost, USD m`."""
_ENDING = re.compile(rf"\s+(?:in\s+)?|(?=[{_SIGNS}])", re.IGNORECASE)


@lru_cache(maxsize=2**14)
def fold(text: str) -> str:
    """Return a name or title as headers are compared: without case, spaces and punctuation, units' signs excepted."""
    return _NO_PART.sub("", text.casefold())


def readings(header: str) -> list[tuple[str, str]]:
    """Return each name with the unit, "" for none, that a header may say: the first whose name is known is meant.

    A header without a unit goes first, since brackets may belong to a title; but a unit of signs, such as %, is no part
    of any name.
    """
    matches = [pattern.fullmatch(header.strip()) for pattern in _WITH_UNIT]
    results = [(header.strip(), ""), *((match[1], match[2]) for match in matches if match)]
    return sorted(results, key=lambda reading: not reading[1] or fold(reading[1]) != "")


def endings(header: str) -> list[tuple[str, str]]:
    """Return each beginning and end of a header, the shortest end first: `Weights GB`, `Cost in USD m`, `MFU %`."""
    text = header.strip()
    splits = [(text[: match.start()], text[match.end() :]) for match in _ENDING.finditer(text) if match.start()]
    return splits[::-1]


def is_sign(unit: str) -> bool:
    """Whether a text begins with a sign that says a unit."""
    return re.match(f"[{_SIGNS}]", unit) is not None


def as_field(name: str) -> str:
    """Return a name as configs spell their fields: in lower case, with underscores between the words."""
    return re.sub(r"\W+", "_", name.strip().lower())
