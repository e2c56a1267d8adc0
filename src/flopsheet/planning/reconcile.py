"""Hold a count against what a checkpoint stores and what a publisher says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flopsheet.accounting.line import Number
    from flopsheet.configs.model import Model


def mismatches(model: Model, parameters: Number) -> list[str]:
    """Return why the count cannot be called exact: the checkpoint disagrees, or nothing confirms a borrowed reading."""
    stored = model.stored
    if stored and stored.parameters != parameters:
        difference = parameters - stored.parameters
        return [f"{stored.source} stores {stored.parameters:,} parameters; counted {difference:+,} against it"]
    confirmed = stored or (model.published and model.published.parameters == parameters)
    if model.read_as and not confirmed:
        doubt = "and no weights' index or published count confirms the count"
        return [f"model_type {model.model_type!r} is read as {model.read_as!r} {doubt}"]
    return []
