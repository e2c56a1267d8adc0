"""The lines of GLM-5 Next: linear and latent attention, an indexer of pools, experts and streams."""

from flopsheet import blocks
from flopsheet_moe.compressed.dimensions import N_STREAMS, POSITIONS
from flopsheet_moe.compressed.streams import MIXED_STREAMS
from flopsheet_moe.glm5_next.attention import ATTENTION
from flopsheet_moe.stack import EXPERTS, LAYERS

STACK = (
    blocks.Block(dimensions=(*LAYERS, N_STREAMS))
    + ATTENTION
    + blocks.DELTA
    + EXPERTS
    + MIXED_STREAMS
    + blocks.Block(dimensions=POSITIONS)
    + blocks.EMBEDDING
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)
