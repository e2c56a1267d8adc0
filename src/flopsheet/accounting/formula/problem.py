"""Errors that show the formula with a caret under the place."""

from __future__ import annotations

from flopsheet.errors import FormulaError

BEFORE, AFTER, CLIP = 60, 50, 40


def problem(text: str, place: int, what: str) -> FormulaError:
    """Make the error that shows the text around the place, a caret under it, and what is wrong there."""
    start = max(0, place - BEFORE) if place > BEFORE + AFTER else 0
    end = place + AFTER
    excerpt = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    excerpt = "".join(character if character.isprintable() else "\ufffd" for character in excerpt)
    indent = " " * (place - start + bool(start))
    return FormulaError(f"{excerpt}\n{indent}^ {what}")


def clip(word: str) -> str:
    """Quote a word, cut short if it is too long for a message."""
    return repr(word if len(word) <= CLIP else word[:CLIP] + "…")
