"""Mixtures of experts whose layers differ in what they see and in width, as in Gemma 4, Llama 4 and Step 3.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import blocks
from flopsheet_moe import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.varied.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


VARIED = checks.mixture(
    "varied_moe",
    "Varied mixture of experts",
    "A mixture of experts whose layers differ in attention or width",
    read=_read,
    checks=checks.FIT
    | checks.WINDOWS_FIT
    | checks.LOCAL_FIT
    | {
        "1 if n_dense_layers + n_wide_layers + n_moe_layers - n_parallel_layers == n_layers else 0": "dense and expert"
        " layers must add up to the layers",
        "1 if has_attention_experts * lora_attention == 0 else 0": "adapters of attention by experts are unknown",
        "1 if (n_other_matrices + laurel_rank) * (lora_attention + lora_mlp + lora_shared_experts) == 0"
        " else 0": "adapters of its other linear layers are unknown",
    },
    notes=blocks.WINDOW_NOTES | checks.DENSE_FRONT | checks.LOCAL_CACHE,
)
