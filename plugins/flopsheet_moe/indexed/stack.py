"""The lines of a mixture whose attention reads what an indexer chose."""

from dataclasses import replace

from flopsheet import blocks
from flopsheet_moe.indexed.attention import CHOSEN, choosing
from flopsheet_moe.indexed.indexer import INDEXER
from flopsheet_moe.indexed.latent import LATENT_LAYERS, UNROTATED
from flopsheet_moe.indexed.sliding import GATE, SLIDING, SLIDING_LAYERS
from flopsheet_moe.indexed.streams import STREAMS
from flopsheet_moe.stack import BY_HEAD, ENDS, EXPERTS, LATENT, LAYERS, TABLES, by_head

STACK = (
    blocks.Block(
        dimensions=(
            *LAYERS,
            LATENT,
            UNROTATED,
            SLIDING,
            by_head("n_layers - n_latent_layers - n_unrotated_layers - n_sliding_layers"),
        )
    )
    + choosing(BY_HEAD)
    + blocks.Block(dimensions=(*blocks.LATENT_ATTENTION.dimensions, *INDEXER.dimensions))
    + CHOSEN
    + LATENT_LAYERS
    + GATE
    + SLIDING_LAYERS
    + STREAMS
    + replace(INDEXER, dimensions=())
    + EXPERTS
    + TABLES
    + ENDS
)
