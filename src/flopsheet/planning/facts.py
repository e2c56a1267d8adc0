"""What a model is, next to its numbers: columns of Models that no line computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.units.readable import size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.planning.costed_model import Costed

    Value = int | float | str | None


class Fact(Struct, frozen=True):
    """A property of a model, with what gives it for a model and its number in the batch; "" where it is unknown."""

    title: str
    value: Callable[[int, Costed], Value]
    unit: str = ""

    @property
    def header(self) -> str:
        """What heads its column."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


TOKENS, COUNT = "T", "B"
"""The units in which planners type tokens and published counts, whatever units a batch has."""


def own_tokens(model: Costed) -> float | None:
    """Return the training tokens that a model states for itself, in trillions."""
    own = model.model.drivers.get("tokens")
    return own / size(TOKENS) if own else None


def published_count(model: Costed) -> float | None:
    """Return the published count of a model's parameters, or that of its weights' index, in billions."""
    count = model.model.published or model.model.stored
    return count.parameters / size(COUNT) if count else None


OFF_PUBLISHED = formula.Guarded(
    formula.read("parameters / count_unit / published - 1"), where=formula.read("published")
)
"""By which share a model's parameters differ from the published count, where there is one."""


def off_published(model: Costed) -> float | str:
    """Return by which share a model's parameters differ from the published count, "" where there is none."""
    scope = {
        "parameters": float(model.numbers["parameters"]),
        "count_unit": size(COUNT),
        "published": published_count(model) or 0,
    }
    off = OFF_PUBLISHED.evaluate(scope)
    return "" if off is None else float(off)


FACTS: Mapping[str, Fact] = {
    "no": Fact("No", lambda number, _: number),
    "name": Fact("Model", lambda _, model: model.name),
    "status": Fact("Status", lambda _, model: model.status),
    "architecture": Fact("Architecture", lambda _, model: model.model.architecture),
    "own_tokens": Fact("Token override", lambda _, model: own_tokens(model), TOKENS),
    "published": Fact("Published", lambda _, model: published_count(model), COUNT),
    "off_published": Fact("vs. published", lambda _, model: off_published(model)),
}
"""By the name that columns of `sheet.toml` have for them."""
OWN_TOKENS, PUBLISHED = (FACTS[name].header for name in ("own_tokens", "published"))
"""The headers of what people type."""
