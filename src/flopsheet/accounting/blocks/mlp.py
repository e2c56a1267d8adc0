"""The feed-forward layer: two matrices, or three where a gate multiplies."""

from flopsheet.accounting.blocks.block import Block, activation_line, linear, matrix, stream_line
from flopsheet.accounting.blocks.kinds import flag
from flopsheet.accounting.line import Dimension

FFN = "Vaswani et al. 1706.03762, section 3.3; Shazeer 2002.05202 for gated forms"

FUSED_IN = flag("fused_mlp_in", "Up and gate in one matrix", about="As in Phi-3: one adapter serves both")
"""Of feed-forward layers and of shared experts."""
MLP = (
    Block(
        dimensions=(
            Dimension("d_ff", "MLP width", keys=("intermediate_size",), default="4 * d_model"),
            Dimension("mlp_matrices", "MLP matrices", default=2, minimum=2, about="2 plain, 3 gated"),
            FUSED_IN,
            flag("mlp_bias", "MLP biases"),
        )
    )
    + linear(
        "mlp_in",
        "(mlp_matrices - 1) * d_model * d_ff",
        group="mlp",
        sides="(1 if fused_mlp_in else mlp_matrices - 1) * d_model + (mlp_matrices - 1) * d_ff",
        rows="(mlp_matrices - 1) * d_ff",
        bias="mlp_bias * (mlp_matrices - 1) * d_ff",
        title="MLP in",
        about="Up, and gate where there is one",
        source=FFN,
    )
    + matrix(
        "mlp_out", "d_ff", "d_model", group="mlp", bias="mlp_bias * d_model", row=True, title="MLP out", source=FFN
    )
    + Block(
        activations=(
            stream_line("mlp_input_kept", "n_layers", "mlp", "Inputs of MLPs"),
            activation_line(
                "mlp_hidden_kept",
                "tokens * n_layers * mlp_matrices * d_ff",
                "mlp",
                "Inputs and outputs of the activation, and gates",
            ),
            stream_line("mlp_mask_kept", "n_layers", "mlp", "Dropout of MLPs", "mask"),
        )
    )
)
"""A feed-forward layer in each of `n_layers`."""
