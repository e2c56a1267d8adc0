"""GLM-5 Next: linear attention, latent attention that reads pools of tokens, and several residual streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture
from flopsheet_moe import checks
from flopsheet_moe.indexed import INDEXER_TRAINS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.glm5_next.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


GLM5_NEXT = Architecture(
    "glm5_next",
    "GLM-5 Next",
    "A mixture of experts of layers with linear attention and layers whose attention reads pools that an indexer chose",
    read=_read,
    on_paper={"mlp_matrices": 3},
    fields=checks.FIELDS,
    checks=checks.EXPERTS_FIT
    | checks.ADD_UP
    | {
        "1 if n_delta_layers + n_latent_layers == n_layers else 0": "linear and latent attention layers must add up to"
        " the layers",
        "1 if round_up(index_top_k, index_pool) == index_top_k else 0": "index_topk must be a multiple of index_kpool:"
        " whole pools are chosen",
    },
    notes={"n_index_layers": INDEXER_TRAINS},
)
