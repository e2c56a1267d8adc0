"""Encoders: a stack in which every token sees every other, with heads for masked words, classes, or none."""

from flopsheet import Architecture, blocks
from flopsheet_dense.encoder.heads import HEADS
from flopsheet_dense.encoder.lines import CORE, DISENTANGLED, EMBEDDING, LAYERS, STACK
from flopsheet_dense.encoder.reading import read

LINES = LAYERS + STACK + EMBEDDING + CORE + DISENTANGLED + blocks.FINAL_NORM + HEADS
ENCODER = Architecture(
    "encoder",
    "Encoder",
    "A stack of attention and feed-forward layers in which every token sees every other",
    LINES.dimensions,
    read=read,
    checks=blocks.HEADS_FIT | blocks.WINDOWS_FIT,
)
