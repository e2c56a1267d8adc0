"""What a plan answers: a figure in every case, and how a result moves with its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.question import Figure, Question


class Answer(Struct, frozen=True):
    """A figure in every case of a plan."""

    question: Question
    figure: Figure
    line: Line
    unit: str
    numbers: Mapping[str, Number]


class Variation(Struct, frozen=True):
    """A result under changed inputs, as a table: headers, and rows of texts first and then numbers in one unit.

    `base` is the result in the case that is shown, `words` how many columns hold texts.
    """

    name: str
    title: str
    unit: str
    base: int | float
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    words: int
