"""What the name of a stored tensor says: which are no parameters of the model, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = "lm_head.weight"
"""The name of a stored head."""
MATRIX = 2

BUFFERS = re.compile(
    r"inv_freq$|masked_bias$|position_ids$|token_type_ids$|num_batches_tracked$|running_(mean|var)$|final_logits_bias$"
    r"|(?<!moe_statics\.)e_score_correction_bias$"
)
MASK = re.compile(r"att(ention|n)\.bias$")
"""A causal mask where it has the dimensions of one; GPT-2 and GPT-NeoX checkpoints store theirs."""

SCALES = re.compile(r"(_scale|_scale_inv|\.scales?|_absmax|\.quant_map|\.nested_\w+|quant_state\.\w+|\.g_idx)$")
PACKED = re.compile(r"(qweight|qzeros|weight_packed|_blocks)$")
LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d+)\.")

ROTARY, TIED = "rotary frequencies", "an output head"
EXTRA = {ROTARY: re.compile(r"rotary(_pos)?_emb\.inv_freq$"), TIED: re.compile(rf"(^|\.){re.escape(HEAD)}$")}
"""Tensors that an index names without their shapes, and that a class may not count, by kind."""


def extras_in(names: Any) -> tuple[tuple[str, int], ...]:
    """Return how many tensors of each kind in `EXTRA` the map of an index names."""
    if not isinstance(names, dict):
        return ()
    result = ((kind, sum(map(bool, map(pattern.search, names)))) for kind, pattern in EXTRA.items())
    return tuple((kind, count) for kind, count in result if count)


def reason_aside(name: str, shape: Sequence[int], n_layers: int, copy: str) -> str:
    """Return why a stored tensor is no parameter of the model, or nothing; `copy` is the reason of a stored head.

    Layers beyond `n_layers` are those for multi-token prediction, which no model class has; 0 keeps every layer.
    """
    layer = LAYER.search(name)
    if BUFFERS.search(name) or (MASK.search(name) and len(shape) > MATRIX):
        return "a buffer"
    if SCALES.search(name):
        return "a scale of quantized weights"
    if name.startswith("mtp.") or (n_layers and layer and int(layer[1]) >= n_layers):
        return "multi-token prediction"
    return copy if name == HEAD else ""
