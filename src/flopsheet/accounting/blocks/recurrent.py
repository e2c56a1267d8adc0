"""Gated linear recurrences: the RG-LRU of Griffin and RecurrentGemma, and the mLSTM of xLSTM."""

from functools import partial

from flopsheet.accounting.blocks.block import (
    KERNEL,
    Block,
    activation_line,
    conv_flops,
    linear,
    matrix,
    scan_flops,
    state_line,
    stream_line,
)
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.line import Dimension, Line

GRIFFIN = "De et al. 2402.19427 (Griffin), section 2; transformers models/recurrent_gemma/modeling_recurrent_gemma.py"
XLSTM = "Beck et al. 2405.04517 (xLSTM), section 2.3; transformers models/xlstm/modeling_xlstm.py"

RGLRU = (
    Block(
        dimensions=(
            optional("n_recurrent_layers", "Recurrent layers", about="Layers with an RG-LRU"),
            Dimension("d_recurrent", "Recurrent width", keys=("lru_width",), default="d_model"),
            Dimension("d_conv", "Convolution width", default=4),
        )
    )
    + linear(
        "recurrent_in",
        "2 * d_model * d_recurrent",
        group="ssm",
        sides="2 * d_model + 2 * d_recurrent",
        rows="2 * d_recurrent",
        copies="n_recurrent_layers",
        bias="2 * d_recurrent",
        title="Recurrent input and gate",
        source=GRIFFIN,
    )
    + matrix(
        "recurrent_out",
        "d_recurrent",
        "d_model",
        group="ssm",
        copies="n_recurrent_layers",
        bias="d_model",
        row=True,
        title="Recurrent output",
        source=GRIFFIN,
    )
    + Block(
        parameters=(
            Line(
                "recurrent_gates",
                "2 * n_recurrent_layers * n_heads * floor(d_recurrent / n_heads) * (floor(d_recurrent / n_heads) + 1)",
                "parameters",
                "ssm",
                title="Gates of the RG-LRU",
                about="Input and recurrence gate: a square matrix and a bias per head",
                source=GRIFFIN,
            ),
            Line(
                "recurrent_decay",
                "n_recurrent_layers * d_recurrent",
                "parameters",
                "ssm",
                title="Decay of the RG-LRU",
                source=GRIFFIN,
            ),
            Line(
                "recurrent_conv",
                "n_recurrent_layers * d_recurrent * (d_conv + 1)",
                "parameters",
                "conv",
                title="Recurrent convolution",
                about="With a bias",
                source=GRIFFIN,
            ),
        ),
        flops=(
            Line(
                "recurrent_gates_flops",
                "2 * 2 * tokens * n_recurrent_layers * n_heads * floor(d_recurrent / n_heads)"
                " * floor(d_recurrent / n_heads)",
                "FLOP",
                "ssm",
                title="Gates of the RG-LRU",
                about="Products of one matrix per head, which are no linear layers of one weight",
                source=GRIFFIN,
                work="other",
            ),
            conv_flops(
                "recurrent_conv_flops",
                "2 * tokens * n_recurrent_layers * d_recurrent * d_conv",
                "Recurrent convolution",
            ),
            scan_flops(
                "recurrent_scan_flops",
                "2 * 2 * tokens * n_recurrent_layers * d_recurrent",
                "RG-LRU",
                "De et al. 2402.19427, equation 4",
                about="Convention: the recurrence, 4 FLOP per channel: the input gated and scaled, the state decayed"
                " and added to",
            ),
        ),
        memory=(
            state_line(
                "recurrent_state",
                "batch * state_dtype_bytes * n_recurrent_layers * d_recurrent",
                "Recurrent state",
                "Independent of the context",
                GRIFFIN,
            ),
            state_line(
                "recurrent_conv_state",
                "batch * conv_dtype_bytes * n_recurrent_layers * d_recurrent * (d_conv - 1)",
                "Recurrent convolution state",
                "The last `d_conv` - 1 columns, as transformers keeps them for this class",
                GRIFFIN,
            ),
        ),
        activations=(
            stream_line("recurrent_input_kept", "n_recurrent_layers", "ssm", "Inputs of recurrent layers"),
            activation_line(
                "recurrent_kept",
                "7 * tokens * n_recurrent_layers * d_recurrent",
                "ssm",
                "What recurrent layers keep: both branches, the convolution, two gates, the state and the gated output",
                source=KERNEL,
            ),
        ),
    )
)
"""The recurrent block of Griffin in `n_recurrent_layers`."""

_mlstm = partial(matrix, group="ssm", copies="n_mlstm_layers", source=XLSTM)

MLSTM = (
    Block(
        dimensions=(
            optional("n_mlstm_layers", "mLSTM layers"),
            Dimension("n_mlstm_heads", "mLSTM heads", keys=("num_heads",), default=1),
            Dimension("d_mlstm_key", "mLSTM query and key width", default="d_model", about="Of all heads together"),
            Dimension("d_mlstm_value", "mLSTM value width", default="d_model", about="Of all heads together"),
            flag("mlstm_bias", "mLSTM biases", about="The gates have biases anyway"),
        )
    )
    + _mlstm(
        "mlstm_qkv",
        "d_model",
        "2 * d_mlstm_key + d_mlstm_value",
        sides="3 * d_model + 2 * d_mlstm_key + d_mlstm_value",
        bias="mlstm_bias * (2 * d_mlstm_key + d_mlstm_value)",
        title="mLSTM queries, keys and values",
    )
    + _mlstm("mlstm_gate", "d_model", "d_mlstm_value", bias="mlstm_bias * d_mlstm_value", title="mLSTM output gate")
    + linear(
        "mlstm_forget",
        "2 * d_model * n_mlstm_heads",
        group="ssm",
        sides="2 * d_model + 2 * n_mlstm_heads",
        rows="2 * n_mlstm_heads",
        copies="n_mlstm_layers",
        bias="2 * n_mlstm_heads",
        title="mLSTM input and forget gates",
        about="One number each per head",
        source=XLSTM,
    )
    + _mlstm("mlstm_out", "d_mlstm_value", "d_model", bias="mlstm_bias * d_model", row=True, title="mLSTM output")
    + Block(
        parameters=(
            Line(
                "mlstm_norm",
                "n_mlstm_layers * (1 + mlstm_bias) * n_mlstm_heads * floor(d_mlstm_value / n_mlstm_heads)",
                "parameters",
                "norm",
                title="mLSTM norm of the heads",
                source=XLSTM,
            ),
        ),
        flops=(
            scan_flops(
                "mlstm_scan_flops",
                "5 * tokens * n_mlstm_layers * d_mlstm_key * d_mlstm_value / n_mlstm_heads",
                "mLSTM",
                "Beck et al. 2405.04517, equations 19 to 27",
                about="Convention: the recurrence, 5 FLOP per state element: decay, outer product, answer. Chunked"
                " kernels do more",
            ),
        ),
        memory=(
            state_line(
                "mlstm_state",
                "batch * state_dtype_bytes * n_mlstm_layers * (d_mlstm_key * (d_mlstm_value / n_mlstm_heads + 1)"
                " + n_mlstm_heads)",
                "mLSTM state",
                "A matrix, a normalizer and a maximum per head",
                "transformers xLSTMCache",
            ),
        ),
        activations=(
            stream_line("mlstm_input_kept", "n_mlstm_layers", "ssm", "Inputs of mLSTM layers"),
            activation_line(
                "mlstm_kept",
                "tokens * n_mlstm_layers * (2 * d_mlstm_key + 4 * d_mlstm_value + 2 * n_mlstm_heads)",
                "ssm",
                "What mLSTM layers keep: queries, keys, values, gates, and the output before and after its norm",
                source=KERNEL,
            ),
        ),
    )
)
"""The matrix LSTM of xLSTM in `n_mlstm_layers`."""
