"""Sparse attention: an indexer scores what attention may read, and chooses, as in DeepSeek-V3.2 and GLM-5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import blocks
from flopsheet_moe import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.indexed.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


INDEXER_TRAINS = (
    "flops_training_step counts 3 x the forward pass, the indexer's scores included; transformers gives the indexer no"
    " gradient of the language model's loss, so its backward pass is that of its own loss"
)
"""What is to be said of a training step where an indexer chooses."""

INDEXED = checks.mixture(
    "indexed",
    "Indexed attention",
    "A mixture of experts whose attention reads the tokens that an indexer chose",
    read=_read,
    checks=checks.FIT
    | checks.ADD_UP
    | checks.WINDOWS_FIT
    | blocks.LATENT_FIT
    | checks.ADAPTED
    | {
        "1 if d_index_head >= d_head_rope else (0 if n_index_layers else 1)": "heads of the indexer must have the"
        " qk_rope_head_dim channels that positions turn",
    },
    notes=blocks.WINDOW_NOTES
    | checks.DENSE_FRONT
    | {
        "n_index_layers": INDEXER_TRAINS,
        "n_sliding_layers * max(context - window + 1, 0)": blocks.WINDOW_CACHE,
    },
)
