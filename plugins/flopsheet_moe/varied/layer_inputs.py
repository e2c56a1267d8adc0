"""Inputs that each layer looks up for itself, as in Gemma 3n and Gemma 4."""

from flopsheet import Dimension, Line, blocks
from flopsheet_moe.lines import matrix

PLE = "Gemma 3n and Gemma 4, per-layer embeddings: transformers Gemma4TextModel"

LAYER_INPUTS = (
    blocks.Block(
        dimensions=(
            blocks.optional("d_layer_input", "Width of the layers' own inputs", source=PLE),
            Dimension(
                "layer_vocab_size",
                "Vocabulary of the layers' own inputs",
                default="vocab_size if d_layer_input else 0",
                minimum=0,
            ),
        ),
        parameters=(
            Line(
                "layer_input_embedding",
                "layer_vocab_size * n_layers * d_layer_input",
                "parameters",
                "embedding",
                title="Table of the layers' own inputs",
                source=PLE,
            ),
            blocks.whole_weights(
                "layer_input_norm", "d_layer_input", "norm", "Norm of the layers' own inputs", source=PLE
            ),
        ),
    )
    + matrix(
        "layer_input_projection",
        "d_model",
        "d_layer_input",
        "other",
        "Projection of the layers' own inputs",
        source=PLE,
    )
    + matrix("layer_input_gate", "d_model", "d_layer_input", "other", "Gate of a layer's input", source=PLE)
    + matrix("layer_input_out", "d_layer_input", "d_model", "other", "Output of a layer's input", source=PLE)
    + blocks.Block(
        activations=(
            blocks.activation_line(
                "layer_inputs_kept_own",
                "tokens * n_layers * (4 * d_layer_input + min(d_layer_input, 1) * d_model)",
                "other",
                "The layers' own inputs, their gates and products",
                "replicated",
            ),
        )
    )
)
"""Inputs that each layer looks up for itself."""
