"""The lines of a mixture of experts: attention by head and latent attention, MLPs and experts, what all models have."""

from flopsheet import Dimension, blocks
from flopsheet_moe.extras import ATTENTION_GATE, ATTENTION_SINKS, EXPERT_NORMS

LAYERS = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    blocks.optional("n_dense_layers", "Dense layers", "Layers with one MLP in place of experts"),
)
LATENT = blocks.optional("n_latent_layers", "Latent attention layers")
PARALLEL = blocks.optional("n_parallel_layers", "Layers with an MLP next to experts", "Gemma 4 adds both up")


def by_head(default: str) -> Dimension:
    """Return the layers with attention by head: all layers but those of other kinds."""
    return Dimension(
        "n_attention_layers",
        "Attention layers",
        default=default,
        minimum=0,
        about="Layers whose keys and values are cached by head",
    )


BY_HEAD = (
    blocks.Block(dimensions=blocks.ATTENTION.dimensions)
    + blocks.instance(blocks.ATTENTION, "", {"n_layers": "n_attention_layers"})
    + ATTENTION_SINKS
    + ATTENTION_GATE
)
EXPERTS = (
    blocks.Block(dimensions=blocks.MLP.dimensions)
    + blocks.instance(blocks.MLP, "", {"n_layers": "n_dense_layers"})
    + blocks.EXPERTS
)
TABLES = blocks.EMBEDDING + blocks.POSITIONS
ENDS = blocks.LAYER_NORMS + EXPERT_NORMS + blocks.FINAL_NORM + blocks.HEAD + blocks.EXTRA_VECTORS
"""Norms, heads and further vectors of all mixtures."""
STACK = (
    blocks.Block(dimensions=(*LAYERS, PARALLEL, LATENT, by_head("n_layers - n_latent_layers")))
    + BY_HEAD
    + blocks.LATENT_ATTENTION
    + EXPERTS
    + TABLES
    + ENDS
)
