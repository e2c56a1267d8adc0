"""The lines of a mixture of experts: layers by kind, each with a count of its own, then what all models have."""

from dataclasses import replace

from flopsheet import Dimension, blocks
from flopsheet_moe.altup import ALTUP
from flopsheet_moe.extras import ATTENTION_EXPERTS, ATTENTION_GATE, ATTENTION_SINKS, EXPERT_NORMS, LAYER_INPUTS
from flopsheet_moe.indexer import INDEXER
from flopsheet_moe.inkling import INKLING_PARTS
from flopsheet_moe.latent import LATENT_LAYERS
from flopsheet_moe.shapes import SHAPES
from flopsheet_moe.sparse_attention import CHOSEN, choosing

COUNTS = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    blocks.optional("n_dense_layers", "Dense layers", "Layers with one MLP in place of experts"),
    blocks.optional("n_parallel_layers", "Layers with an MLP next to experts", "Gemma 4 adds both up"),
    blocks.optional("n_wide_layers", "Layers with another MLP of another width"),
    blocks.optional("n_latent_layers", "Latent attention layers"),
    blocks.optional(
        "n_unrotated_layers", "Latent attention layers without positions", "All of their keys passes the latent"
    ),
    blocks.optional("n_local_layers", "Local attention layers of their own shape"),
    blocks.optional("n_global_layers", "Global attention layers of their own shape"),
    Dimension(
        "n_attention_layers",
        "Attention layers",
        default="n_layers - n_latent_layers - n_unrotated_layers - n_local_layers - n_global_layers",
        minimum=0,
        about="Layers whose keys and values are cached by head",
    ),
)
ATTENTION = blocks.instance(blocks.ATTENTION, "", {"n_layers": "n_attention_layers"})
MLP = blocks.instance(blocks.MLP, "", {"n_layers": "n_dense_layers"})
WIDE_MLP = blocks.instance(blocks.MLP, "wide_", {"n_layers": "n_wide_layers", "d_ff": "d_ff_wide"})
WIDTH = Dimension("d_ff_wide", "MLP width of wide layers", default="2 * d_ff if n_wide_layers else 0", minimum=0)
STACK = (
    blocks.Block(dimensions=COUNTS)
    + blocks.Block(dimensions=blocks.ATTENTION.dimensions)
    + blocks.Block(dimensions=(*blocks.LATENT_ATTENTION.dimensions, *INDEXER.dimensions))
    + CHOSEN
    + choosing(ATTENTION)
    + SHAPES
    + ATTENTION_SINKS
    + ATTENTION_GATE
    + LATENT_LAYERS
    + INDEXER
    + replace(MLP, dimensions=blocks.MLP.dimensions)
    + replace(WIDE_MLP, dimensions=(WIDTH,))
    + blocks.EXPERTS
    + ATTENTION_EXPERTS
    + blocks.EMBEDDING
    + LAYER_INPUTS
    + ALTUP
    + blocks.POSITIONS
    + blocks.LAYER_NORMS
    + EXPERT_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
    + INKLING_PARTS
    + blocks.EXTRA_VECTORS
)
