"""The lines of Inkling: local and global layers, experts, and its own parts."""

from flopsheet import blocks
from flopsheet_moe.inkling.lines import INKLING_PARTS
from flopsheet_moe.stack import ENDS, EXPERTS, LAYERS, TABLES
from flopsheet_moe.varied.shapes import SHAPES, SIDES

STACK = (
    blocks.Block(dimensions=(*LAYERS, *SIDES))
    + blocks.Block(dimensions=blocks.ATTENTION.dimensions)
    + SHAPES
    + EXPERTS
    + TABLES
    + ENDS
    + INKLING_PARTS
)
