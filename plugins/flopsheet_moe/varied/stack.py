"""The lines of a mixture whose layers differ: each kind has a count of its own."""

from flopsheet import Dimension, blocks
from flopsheet_moe.stack import BY_HEAD, ENDS, EXPERTS, LAYERS, PARALLEL, TABLES, by_head
from flopsheet_moe.varied.altup import ALTUP
from flopsheet_moe.varied.attention_experts import ATTENTION_EXPERTS
from flopsheet_moe.varied.layer_inputs import LAYER_INPUTS
from flopsheet_moe.varied.shapes import SHAPES, SIDES

COUNTS = (
    *LAYERS,
    PARALLEL,
    blocks.optional("n_wide_layers", "Layers with another MLP of another width"),
    *SIDES,
    by_head("n_layers - n_local_layers - n_global_layers"),
)
WIDTH = Dimension("d_ff_wide", "MLP width of wide layers", default="2 * d_ff if n_wide_layers else 0", minimum=0)
WIDE_MLP = blocks.Block(dimensions=(*blocks.MLP.dimensions, WIDTH)) + blocks.instance(
    blocks.MLP, "wide_", {"n_layers": "n_wide_layers", "d_ff": "d_ff_wide"}
)
STACK = (
    blocks.Block(dimensions=COUNTS)
    + BY_HEAD
    + SHAPES
    + WIDE_MLP
    + EXPERTS
    + ATTENTION_EXPERTS
    + TABLES
    + LAYER_INPUTS
    + ALTUP
    + ENDS
)
