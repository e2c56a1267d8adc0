"""Encoders: a stack in which every token sees every other, with heads for masked words, classes, or none."""

from flopsheet import Architecture, blocks
from flopsheet_dense.encoder.adapters import ADAPTERS
from flopsheet_dense.encoder.embedding import EMBEDDING
from flopsheet_dense.encoder.heads import HEADS
from flopsheet_dense.encoder.lines import CORE, LAYERS, STACK
from flopsheet_dense.encoder.reading import read
from flopsheet_dense.encoder.relative import DISENTANGLED
from flopsheet_dense.encoder.sparse import SPARSE

LINES = LAYERS + SPARSE + STACK + ADAPTERS + EMBEDDING + CORE + DISENTANGLED + blocks.FINAL_NORM + HEADS + blocks.OTHER
ENCODER = Architecture(
    "encoder",
    "Encoder",
    "A stack of attention and feed-forward layers in which every token sees every other",
    LINES.dimensions,
    decodes="is_causal",
    read=read,
    checks=blocks.HEADS_FIT
    | blocks.WINDOWS_FIT
    | {
        "0 if has_head * tied_head * (d_transform - d_embedding) else 1": "a tied head must be as wide as the token"
        " table",
    },
)
