"""Qwen4-Exp: delta layers and attention to chosen pools, gated residual streams, and tables of n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks
from flopsheet_moe import checks
from flopsheet_moe.indexed import INDEXER_TRAINS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.qwen4.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


QWEN4 = Architecture(
    "qwen4",
    "Qwen4-Exp",
    "A mixture of experts of linear attention and of attention to pools that an indexer chose, with several residual"
    " streams and tables of n-grams",
    read=_read,
    checks=blocks.HEADS_FIT | blocks.DELTA_FIT | checks.ROUTED,
    notes={"n_attention_layers": INDEXER_TRAINS},
)
