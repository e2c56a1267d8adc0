"""What the name of a stored tensor says: which are no parameters of the model, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
