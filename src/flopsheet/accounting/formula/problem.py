"""Errors that show the formula with a caret under the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Iterable

BEFORE, AFTER, CLIP = 60, 50, 40


def problem(text: str, place: int, what: str) -> FormulaError:
    """Make the error that shows the text around the place, a caret under it, and what is wrong there."""
    start = max(0, place - BEFORE) if place > BEFORE + AFTER else 0
    end = place + AFTER
    shown = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)
    indent = " " * (place - start + bool(start))
    return FormulaError(f"{shown}\n{indent}^ {what}")


def clip(word: str) -> str:
    """Quote a word, cut short if it is too long for a message."""
    return repr(word if len(word) <= CLIP else word[:CLIP] + "…")


def suggest(word: str, known: Iterable[str]) -> str:
    """Say which known word may have been meant, or nothing."""
    import difflib  # noqa: PLC0415  only a mistake needs it, and every start of the program would pay for it

    close = difflib.get_close_matches(word[:CLIP], list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
