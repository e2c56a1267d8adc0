"""The lines of Inkling: local and global layers, experts, and its own parts."""

from flopsheet import blocks
from flopsheet_moe.inkling.lines import INKLING_PARTS
from flopsheet_moe.stack import ENDS, EXPERTS, LAYERS, TABLES
from flopsheet_moe.varied.shapes import SHAPES, SIDES

READ = ("d_model", "n_heads", "n_kv_heads", "d_head", "qkv_bias", "out_bias")
"""What local and global layers read of attention by head."""
STACK = (
    blocks.Block(dimensions=(*LAYERS, *SIDES))
    + blocks.Block(dimensions=tuple(each for each in blocks.ATTENTION.dimensions if each.name in READ))
    + SHAPES
    + EXPERTS
    + TABLES
    + ENDS
    + INKLING_PARTS
)
