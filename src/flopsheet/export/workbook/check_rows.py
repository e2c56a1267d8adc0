"""The rows of the sheet Checks, as checks.toml states them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.data import read_table
from flopsheet.planning.inputs import TITLES
from livesheets.excel import read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from livesheets.excel import Expression, Operand


class CheckRow(Struct, frozen=True):
    """A row of the sheet Checks: the formula of how much is off, why that matters, and whether it only warns.

    `more` is the formula of a text behind the reason.
    """

    title: str
    off: Expression
    why: str
    warning: bool = False
    more: Expression | None = None


def stated_check(name: str, names: Mapping[str, Operand] | None = None, **words: str) -> CheckRow:
    """Return a check of checks.toml: `names` are what names in its formula mean, `words` those in its texts."""
    entry = read_table("flopsheet.export.workbook", "checks.toml")[name]
    all_words = {**TITLES, **words}
    title, why = (entry[text].format(**all_words) for text in ("title", "why"))
    return CheckRow(title, read(entry["off"].format(**TITLES), names=names), why, entry.get("warning", False))
