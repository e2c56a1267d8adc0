"""What a planner's workbook was found to say: inputs that were edited, rows that were added, and what is only told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping

Where = tuple[str | int, ...]
"""Where a value is in a portfolio: `("drivers", "mfu", "base")`, `("models", 3, "d_model")`."""


class Edit(Struct, frozen=True):
    """An input that was changed: its cell, what was and is there, where it belongs, and what it becomes there."""

    address: str
    what: str
    old: Any
    new: Any
    path: Where
    value: Any


class AddedModel(Struct, frozen=True):
    """A model that was typed under the table of an architecture: its number, name, dimensions, and own inputs."""

    address: str
    number: int
    name: str
    architecture: str
    values: Mapping[str, Any]
    columns: frozenset[str]
    tokens: int | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    follows: frozenset[str] = frozenset()


class IgnoredChange(Struct, frozen=True):
    """A cell that was changed and is not imported."""

    address: str
    expected: str
    found: str


class Findings(Struct):
    """All that differs: what can be imported, what is refused, and what is only told."""

    edits: list[Edit] = field(default_factory=list)
    added: list[AddedModel] = field(default_factory=list)
    formulas: list[IgnoredChange] = field(default_factory=list)
    follows: dict[int, set[str]] = field(default_factory=dict)
    like_base: set[tuple[str, str]] = field(default_factory=set)
    others: list[IgnoredChange] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
