"""The lines of a model with compressed attention."""

from flopsheet import blocks
from flopsheet_moe.compressed.attention import CORE, POOLING, PROJECTIONS, VECTORS
from flopsheet_moe.compressed.dimensions import DIMENSIONS
from flopsheet_moe.compressed.streams import STREAMS

STACK = (
    blocks.Block(dimensions=DIMENSIONS)
    + PROJECTIONS
    + POOLING
    + VECTORS
    + CORE
    + STREAMS
    + blocks.EXPERTS
    + blocks.EMBEDDING
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)
