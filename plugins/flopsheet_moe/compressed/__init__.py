"""Compressed attention: windows next to pooled keys and values, of which an indexer may choose, as in DeepSeek-V4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks
from flopsheet_moe import checks
from flopsheet_moe.indexed import INDEXER_TRAINS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.compressed.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


COMPRESSED = Architecture(
    "compressed",
    "Compressed attention",
    "A mixture of experts whose layers see a window of tokens and pooled keys and values of all earlier ones",
    read=_read,
    checks=checks.ROUTED
    | {
        "1 if n_sparse_layers + n_pooled_layers <= n_layers else 0": "there cannot be more compressed layers than"
        " layers",
        "1 if floor(n_heads * d_head / n_out_groups) * n_out_groups == n_heads * d_head else 0": "the heads' channels"
        " must divide into o_groups",
    },
    notes={"n_layers * max(context - window + 1, 0)": blocks.WINDOW_CACHE, "n_sparse_layers": INDEXER_TRAINS},
)
