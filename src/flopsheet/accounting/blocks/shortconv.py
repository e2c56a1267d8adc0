"""Gated short convolutions: the mixers of LFM2."""

from flopsheet.accounting.blocks.block import (
    KERNEL,
    Block,
    activation_line,
    conv_flops,
    conv_state,
    linear,
    matrix,
    stream_line,
)
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.line import Dimension, Line

LFM2 = "Liquid AI 2511.23404 (LFM2), section 2; transformers models/lfm2/modeling_lfm2.py"

SHORT_CONV = (
    Block(
        dimensions=(
            optional("n_conv_layers", "Convolution layers", about="Layers that mix by it alone"),
            Dimension("d_conv", "Convolution width", default=4),
            flag("conv_bias", "Convolution bias"),
        )
    )
    + linear(
        "short_conv_in",
        "3 * d_model * d_model",
        group="conv",
        sides="4 * d_model",
        rows="3 * d_model",
        copies="n_conv_layers",
        bias="3 * conv_bias * d_model",
        title="Convolution input and gates",
        source=LFM2,
    )
    + matrix(
        "short_conv_out",
        "d_model",
        "d_model",
        group="conv",
        sides="2 * d_model",
        copies="n_conv_layers",
        bias="conv_bias * d_model",
        row=True,
        title="Convolution output",
        source=LFM2,
    )
    + Block(
        parameters=(
            Line(
                "short_conv",
                "n_conv_layers * d_model * (d_conv + conv_bias)",
                "parameters",
                "conv",
                title="Short convolution",
                source=LFM2,
            ),
        ),
        flops=(conv_flops("short_conv_flops", "2 * tokens * n_conv_layers * d_model * d_conv", "Short convolution"),),
        memory=(
            conv_state(
                "short_conv_state",
                "batch * conv_dtype_bytes * n_conv_layers * d_model * d_conv",
                "Short convolution state",
                "transformers LinearAttentionLayer",
            ),
        ),
        activations=(
            stream_line("short_conv_input_kept", "n_conv_layers", "conv", "Inputs of short convolutions"),
            activation_line(
                "short_conv_kept",
                "6 * tokens * n_conv_layers * d_model",
                "conv",
                "What short convolutions keep: input, gates, and products with both gates",
                source=KERNEL,
            ),
        ),
    )
)
"""A gated short convolution in each of `n_conv_layers`."""
