"""Hold a count against what a checkpoint stores and what a publisher says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.accounting.line import Number
    from flopsheet.configs.model import Model, Published

HEADS = ("head_dim", "kv_channels")
"""Fields that say the width of a head."""


def mismatches(model: Model, parameters: Number) -> list[str]:
    """Return why the count cannot be called exact: the checkpoint disagrees, or nothing confirms a borrowed reading."""
    count = model.stored
    if count and count.parameters != parameters:
        difference = parameters - count.parameters
        return [f"{count.source} stores {count.parameters:,} parameters; counted {difference:+,} against it"]
    confirmation = count or (model.published and model.published.parameters == parameters)
    if model.read_as and not confirmation:
        doubt = "and no weights' index or published count confirms the count"
        return [f"model_type {model.model_type!r} is read as {model.read_as!r} {doubt}"]
    return []


def reconcile(model: Model, parameters: Number, tied_weights: Number) -> tuple[Published | None, list[str]]:
    """Return what a checkpoint stores without what no class counts, and a note on that.

    An index names tensors without shapes, so that only what fills the gap to the count exactly is left out: buffers of
    rotary frequencies, an output head that the class ties, and weights of 4 bytes under a config that names 2.
    """
    count = model.stored
    gap = count.parameters - int(parameters) if count else 0
    if not count or gap <= 0 or gap + parameters != count.parameters:
        return count, []
    if gap == parameters:
        reason = "its weights take twice the bytes of the config's dtype"
    elif not (reason := next((text for size, text in _extras(model, tied_weights) if size == gap), "")):
        return count, []
    return replace(count, parameters=count.parameters - gap), [f"{count.source}: {reason}"]


def _extras(model: Model, tied_weights: Number) -> Iterator[tuple[float, str]]:
    """Give the sizes of what the index may store besides, each with what to say of it.

    Rotary frequencies are one for two or four elements of a head, in the weights' type or in one of twice its bytes.
    """
    from flopsheet.configs.tensor_names import ROTARY, TIED  # noqa: PLC0415 - most checkpoints store what is counted

    counts = dict(model.stored.extras) if model.stored else {}
    width, heads = model.fields.get("hidden_size", 0), model.fields.get("num_attention_heads", 0)
    d_head = next(filter(None, map(model.fields.get, HEADS)), width / heads if heads else 0)
    head = model.fields.get("vocab_size", 0) * width if tied_weights and counts.get(TIED) else 0
    buffers = [counts.get(ROTARY, 0) * d_head / part for part in (4, 2, 1)]
    yield head, f"it also stores {TIED}, which the class ties to the token table"
    for size in buffers:
        yield size, f"it also stores {ROTARY}"
        yield size + head, f"it also stores {ROTARY} and {TIED}, which the class ties to the token table"


def byte_mismatch(model: Model, weights_bytes: Number) -> list[str]:
    """Return how the bytes of the weights differ from those that the checkpoint stores, nothing where they do not.

    A weight type that somebody sets is a plan, and no count of the checkpoint.
    """
    if not model.stored_bytes or model.given.get("weight_dtype_bytes") is not None:
        return []
    if weights_bytes == model.stored_bytes:
        return []
    ours = f"{float(weights_bytes):,.0f}"
    return [f"the checkpoint stores {model.stored_bytes:,} bytes of weights; weights_bytes is {ours}"]
