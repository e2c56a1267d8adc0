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


def byte_mismatch(model: Model, weights_bytes: Number) -> list[str]:
    """Return how the bytes of the weights differ from those that the checkpoint stores, nothing where they do not.

    A weight type that somebody sets is a plan, and no count of the checkpoint.
    """
    if not model.stored_bytes or model.given.get("weight_dtype_bytes") is not None:
        return []
    if weights_bytes == model.stored_bytes:
        return []
    counted = f"{float(weights_bytes):,.0f}"
    return [f"the checkpoint stores {model.stored_bytes:,} bytes of weights; weights_bytes is {counted}"]
