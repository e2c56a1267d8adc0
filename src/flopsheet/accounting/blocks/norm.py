"""Normalization weights: RMSNorm has one vector, LayerNorm two, OLMo none."""

from flopsheet.accounting.blocks.block import Block, norm_line, stream_line
from flopsheet.accounting.line import Dimension

NORM = "Ba et al. 1607.06450 (LayerNorm); Zhang and Sennrich 1910.07467 (RMSNorm)"

LAYER_NORMS = Block(
    dimensions=(
        Dimension("norms_per_layer", "Norms per layer", default=2, minimum=0, about="4 where outputs are normed too"),
        Dimension("norm_vectors", "Vectors per norm", default=1, minimum=0, about="RMSNorm 1, LayerNorm 2"),
    ),
    parameters=(
        norm_line("layer_norms", "n_layers * norms_per_layer * norm_vectors * d_model", "Norms of the layers", NORM),
    ),
    activations=(
        stream_line("layer_norms_kept", "n_layers * norms_per_layer", "norm", "Inputs of norms"),
        stream_line("layers_kept", "n_layers", "other", "Inputs of the layers", "input"),
    ),
)
"""The norms inside each layer."""

FINAL_NORM = Block(
    dimensions=(Dimension("final_norms", "Norms outside the layers", default=1, minimum=0),),
    parameters=(
        norm_line(
            "final_norm",
            "final_norms * norm_vectors * d_model",
            "Norms outside the layers",
            NORM,
            "The final norm of a stack, and a norm of the embedding where there is one",
        ),
    ),
)
"""The norms outside the layers."""
