"""The lines of an encoder."""

from flopsheet import blocks
from flopsheet_dense.encoder.adapters import ADAPTERS
from flopsheet_dense.encoder.embedding import EMBEDDING
from flopsheet_dense.encoder.heads import HEADS
from flopsheet_dense.encoder.lines import CORE, LAYERS, PASSED
from flopsheet_dense.encoder.relative import DISENTANGLED
from flopsheet_dense.encoder.sparse import SPARSE

STACK = (
    LAYERS
    + SPARSE
    + PASSED
    + ADAPTERS
    + EMBEDDING
    + CORE
    + DISENTANGLED
    + blocks.FINAL_NORM
    + HEADS
    + blocks.EXTRA_VECTORS
)
