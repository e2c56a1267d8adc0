"""Differential attention: the difference of two softmaxes over values that are twice as wide."""

from flopsheet import Dimension, Line, blocks

SOURCE = (
    "Ye et al. 2410.05258 (Differential Transformer), section 2; transformers models/diffllama/modeling_diffllama.py"
)

DIFFERENTIAL = blocks.Block(
    dimensions=(
        Dimension("n_differential_layers", "Layers with differential attention", default=0, minimum=0, source=SOURCE),
    ),
    flops=(
        Line(
            "differential_core_flops",
            "2 * 2 * batch * pairs * n_differential_layers * n_heads * d_head",
            "FLOP",
            "attention",
            title="Second half of differential attention",
            about="transformers computes the scores again for the other half of the values",
            source=SOURCE,
            work="attention_core",
        ),
    ),
)
