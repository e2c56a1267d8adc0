"""Optimizer recipes: named values of the dimensions that say what a trained parameter takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_table
from flopsheet.accounting.values import show_value
from flopsheet.errors import UsageError
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.line import Number


@dataclass(frozen=True, kw_only=True)
class Optimizer:
    """An optimizer as people run it: bytes of a parameter's weight, gradient and optimizer state while training."""

    name: str
    title: str
    training_dtype_bytes: float
    gradient_dtype_bytes: float
    optimizer_bytes: float
    about: str
    source: str

    @property
    def values(self) -> dict[str, float]:
        """The dimensions that the recipe sets."""
        return {name: getattr(self, name) for name in BYTES}

    @property
    def parts(self) -> str:
        """The bytes as people add them up: of weight, gradient and optimizer state."""
        return _sum(self.values.values())


BYTES = ("training_dtype_bytes", "gradient_dtype_bytes", "optimizer_bytes")
SAID = "optimizer "
"""How the note on a recipe begins."""
OF = "weight, gradient and optimizer state"


@cache
def recipes() -> Mapping[str, Optimizer]:
    """Return every recipe by name."""
    tables = read_table("flopsheet.accounting", "optimizers.toml")
    return {name: Optimizer(name=name, **table) for name, table in tables.items()}


def wrong(optimizer: Optimizer) -> str:
    """Say which bytes of an optimizer no training has, "" where there are none."""
    if not optimizer.training_dtype_bytes > 0:
        return f"training_dtype_bytes = {optimizer.training_dtype_bytes:g}; a number above 0 is expected"
    below = (f"{name} = {number:g}; 0 or more is expected" for name, number in optimizer.values.items() if number < 0)
    return next(below, "")


def recipe(name: Any, choices: Mapping[str, Optimizer]) -> Optimizer:
    """Return the recipe of a name; UsageError says which there are."""
    if isinstance(name, str) and name in choices:
        return choices[name]
    hint = names_like(str(name), choices) or f"; expected one of {', '.join(choices)}"
    raise UsageError(f"unknown optimizer recipe {show_value(name)}{hint}")


def describe_recipe(optimizer: Optimizer, values: Mapping[str, Number]) -> str:
    """Return the note on a model that trains by a recipe: its bytes per parameter, and whether some are its own."""
    total = _sum(values[part] for part in BYTES)
    remark = "" if all(values[part] == value for part, value in optimizer.values.items()) else ", not all the recipe's"
    return f"{SAID}{optimizer.name} ({optimizer.title}): {total} bytes per parameter, of {OF}{remark}"


def _sum(parts: Iterable[Number]) -> str:
    numbers = [float(part) for part in parts]
    return f"{' + '.join(f'{number:g}' for number in numbers)} = {sum(numbers):g}"
