"""The mixers of Mamba and Mamba-2, with their scans, convolutions and states."""

from functools import partial

from flopsheet.accounting.blocks.block import (
    KERNEL,
    Block,
    activation_line,
    conv_flops,
    conv_state,
    linear,
    matrix,
    scan_flops,
    state_line,
    stream_line,
)
from flopsheet.accounting.blocks.kinds import flag
from flopsheet.accounting.line import Dimension, Line

M1 = "Gu and Dao 2312.00752, section 3; mamba_simple.py"
M2 = "Dao and Gu 2405.21060, section 7; mamba2.py"

_COMMON = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",)),
    Dimension("d_model", "Model width", keys=("hidden_size",)),
)

_mamba1 = partial(matrix, group="ssm", source=M1)

MAMBA1 = (
    Block(
        dimensions=(
            *_COMMON,
            Dimension("d_inner", "Inner width", keys=("intermediate_size",), default="2 * d_model"),
            Dimension("d_state", "State size", keys=("state_size",)),
            Dimension("dt_rank", "Rank of the step size", keys=("time_step_rank",), default="ceil(d_model / 16)"),
            Dimension("d_conv", "Convolution width", keys=("conv_kernel",)),
            Dimension("conv_bias", "Convolution bias", kind="flag", keys=("use_conv_bias",), default=1),
            flag("proj_bias", "Biases on the projections", keys=("use_bias",)),
        )
    )
    + linear(
        "ssm_in",
        "2 * d_model * d_inner",
        group="ssm",
        sides="d_model + 2 * d_inner",
        rows="2 * d_inner",
        bias="2 * proj_bias * d_inner",
        title="Input and gate projection",
        source=M1,
    )
    + _mamba1(
        "ssm_x",
        "d_inner",
        "dt_rank + 2 * d_state",
        title="Step size, B and C",
        about="B, C and the low-rank step size, all from the input",
    )
    + _mamba1("ssm_dt", "dt_rank", "d_inner", bias="d_inner", title="Step size up")
    + _mamba1("ssm_out", "d_inner", "d_model", bias="proj_bias * d_model", row=True, title="Output projection")
    + Block(
        parameters=(
            Line(
                "ssm_a",
                "n_layers * d_inner * d_state",
                "parameters",
                "ssm",
                title="State matrix A",
                about="Diagonal: one number per channel and state",
                source=M1,
            ),
            Line("ssm_d", "n_layers * d_inner", "parameters", "ssm", title="Skip vector D", source=M1),
            Line(
                "conv",
                "n_layers * d_inner * (d_conv + conv_bias)",
                "parameters",
                "conv",
                title="Convolution",
                source=M1,
            ),
        ),
        flops=(
            conv_flops("conv_flops", "2 * tokens * n_layers * d_inner * d_conv", "Convolution"),
            scan_flops(
                "scan_flops",
                "9 * tokens * n_layers * d_inner * d_state",
                "Selective scan",
                "A. Gu, state-spaces/mamba issue 110",
                about="Convention: 9 FLOP per channel and state, as the authors count the recurrence",
            ),
            Line(
                "skip_flops",
                "2 * tokens * n_layers * d_inner",
                "FLOP",
                "ssm",
                title="Skip through D",
                source="A. Gu, state-spaces/mamba issue 110",
                work="other",
            ),
        ),
        memory=(
            state_line(
                "ssm_state",
                "batch * state_dtype_bytes * n_layers * d_inner * d_state",
                "Recurrent state",
                "Independent of the context",
                M1,
            ),
            conv_state(
                "conv_state",
                "batch * conv_dtype_bytes * n_layers * d_inner * d_conv",
                "Convolution state",
                "transformers MambaCache",
            ),
        ),
        activations=(
            stream_line("ssm_input_kept", "n_layers", "ssm", "Inputs of mixers"),
            activation_line(
                "ssm_kept",
                "tokens * n_layers * (4 * d_inner + dt_rank + 2 * d_state)",
                "ssm",
                "What mixers keep: both halves of the input, step size, B, C, and the output before and after its gate",
                source=KERNEL,
            ),
        ),
    )
)
"""The Mamba mixer: a diagonal state for each inner channel."""

MAMBA2 = (
    Block(
        dimensions=(
            *_COMMON,
            Dimension("d_inner", "Inner width", default="2 * d_model"),
            Dimension("n_ssm_heads", "State heads", keys=("num_heads",)),
            Dimension("d_ssm_head", "State head size", keys=("head_dim",), default="d_inner / n_ssm_heads"),
            Dimension("d_state", "State size", keys=("state_size",)),
            Dimension("n_groups", "Groups of B and C", keys=("n_groups",)),
            Dimension("d_conv", "Convolution width", keys=("conv_kernel",)),
            Dimension("chunk", "Chunk of the scan", unit="tokens", keys=("chunk_size",)),
            Dimension("conv_bias", "Convolution bias", kind="flag", keys=("use_conv_bias",), default=1),
            flag("proj_bias", "Biases on the projections", keys=("use_bias",)),
        )
    )
    + matrix(
        "ssm_in",
        "d_model",
        "2 * d_inner + 2 * n_groups * d_state + n_ssm_heads",
        group="ssm",
        bias="proj_bias * (2 * d_inner + 2 * n_groups * d_state + n_ssm_heads)",
        title="Input projection",
        about="Input, gate, B, C and the step size of each head",
        source=M2,
    )
    + matrix(
        "ssm_out",
        "d_inner",
        "d_model",
        group="ssm",
        bias="proj_bias * d_model",
        row=True,
        title="Output projection",
        source=M2,
    )
    + Block(
        parameters=(
            Line(
                "ssm_vectors",
                "3 * n_layers * n_ssm_heads",
                "parameters",
                "ssm",
                title="A, D and step bias",
                about="One number each per head",
                source=M2,
            ),
            Line(
                "conv",
                "n_layers * (d_inner + 2 * n_groups * d_state) * (d_conv + conv_bias)",
                "parameters",
                "conv",
                title="Convolution",
                about="Over the input, B and C",
                source=M2,
            ),
            Line(
                "ssm_norm",
                "n_layers * d_inner",
                "parameters",
                "norm",
                title="Gated norm",
                source=M2,
            ),
        ),
        flops=(
            conv_flops(
                "conv_flops", "2 * tokens * n_layers * (d_inner + 2 * n_groups * d_state) * d_conv", "Convolution"
            ),
            scan_flops(
                "scan_flops",
                "tokens * n_layers * (2 * chunk * n_groups * d_state + 2 * chunk * d_inner + 4 * d_inner * d_state)",
                "Chunked scan",
                "Dao and Gu 2405.21060, section 6",
                about="Convention: state-space duality in chunks, as matrix products; the recurrent form of decoding"
                " is 7 FLOP per channel and state",
                decode="7 * batch * n_layers * d_inner * d_state",
            ),
            scan_flops(
                "state_passing_flops",
                "2 * tokens * n_layers * d_inner * d_state / chunk",
                "State passing between chunks",
                "Dao and Gu 2405.21060, section 6",
                decode="0",
            ),
            Line(
                "skip_flops",
                "2 * tokens * n_layers * d_inner",
                "FLOP",
                "ssm",
                title="Skip through D",
                source=M2,
                work="other",
            ),
        ),
        memory=(
            state_line(
                "ssm_state",
                "batch * state_dtype_bytes * n_layers * n_ssm_heads * d_ssm_head * d_state",
                "Recurrent state",
                "Independent of the context",
                M2,
            ),
            conv_state(
                "conv_state",
                "batch * conv_dtype_bytes * n_layers * (d_inner + 2 * n_groups * d_state) * d_conv",
                "Convolution state",
                "transformers Mamba2Cache",
            ),
        ),
        activations=(
            stream_line("ssm_input_kept", "n_layers", "ssm", "Inputs of mixers"),
            activation_line(
                "ssm_kept",
                "tokens * n_layers * (4 * d_inner + 2 * n_groups * d_state + n_ssm_heads)",
                "ssm",
                "What mixers keep: the projected input, and the output before and after its gated norm",
                source=KERNEL,
            ),
        ),
    )
)
"""The Mamba-2 mixer: heads with one decay each, B and C shared by groups."""
