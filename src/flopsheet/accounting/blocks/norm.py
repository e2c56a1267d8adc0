"""Normalization weights: RMSNorm has one vector, LayerNorm two, OLMo none."""

from flopsheet.accounting.blocks.block import Block, activation_line, stream_line
from flopsheet.accounting.line import Dimension, Line, Shard

NORM = "Ba et al. 1607.06450 (LayerNorm); Zhang and Sennrich 1910.07467 (RMSNorm)"

WHOLE: Shard = "replicated"
LAYER_NORMS = Block(
    dimensions=(
        Dimension("norms_per_layer", "Norms per layer", default=2, minimum=0, about="4 where outputs are normed too"),
        Dimension("norm_vectors", "Vectors per norm", default=1, minimum=0, about="RMSNorm 1, LayerNorm 2"),
    ),
    parameters=(
        Line(
            "layer_norms",
            "n_layers * norms_per_layer * norm_vectors * d_model",
            "parameters",
            "norm",
            title="Norms of the layers",
            source=NORM,
            shard="replicated",
        ),
    ),
    activations=(
        activation_line(
            "layer_norms_kept", "tokens * n_layers * norms_per_layer * d_model", "norm", "Inputs of norms", WHOLE
        ),
        stream_line("layers_kept", "n_layers", "other", "Inputs of the layers", "input"),
    ),
)
"""The norms inside each layer."""

FINAL_NORM = Block(
    dimensions=(Dimension("final_norms", "Norms outside the layers", default=1, minimum=0),),
    parameters=(
        Line(
            "final_norm",
            "final_norms * norm_vectors * d_model",
            "parameters",
            "norm",
            title="Norms outside the layers",
            about="The final norm of a stack, and a norm of the embedding where there is one",
            source=NORM,
            shard="replicated",
        ),
    ),
)
"""The norms outside the layers."""
