"""The lines of a dense decoder."""

from flopsheet import blocks
from flopsheet_dense.conditioning import CONDITIONING
from flopsheet_dense.differential import DIFFERENTIAL

STACK = (
    blocks.ATTENTION
    + DIFFERENTIAL
    + blocks.MLP
    + blocks.EMBEDDING
    + blocks.POSITIONS
    + blocks.PROJECTIONS
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
    + blocks.EXTRA_VECTORS
    + CONDITIONING
)
