"""The names in a formula text, found without reading it."""

import re
from collections.abc import Mapping

_WORD = re.compile(r"\b[a-z][a-z0-9_]*\b")


def words(text: str) -> set[str]:
    """Return every name in a formula text, functions and keywords included."""
    return set(_WORD.findall(text))


def times(name: str, text: str) -> int:
    """Return how often a name stands in a formula text."""
    return _WORD.findall(text).count(name)


def rename(text: str, names: Mapping[str, str]) -> str:
    """Return the text with each name of `names` replaced."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text) if len(text) > 1 else text
