"""Linear attention whose state forgets, corrects itself or both: Qwen3-Next, Kimi Linear, DeltaNet, GLA, RetNet."""

from functools import partial

from flopsheet.accounting.blocks.block import (
    KERNEL,
    Block,
    activation_line,
    conv_flops,
    conv_state,
    linear,
    matrix,
    norm_line,
    scan_flops,
    state_line,
    stream_line,
)
from flopsheet.accounting.blocks.kinds import optional
from flopsheet.accounting.line import Dimension, Line, read_only

GDN = "Yang et al. 2412.06464 (Gated DeltaNet), section 3"
KDA = "Kimi Team 2510.26692 (Kimi Linear), section 3; without a rank: Yang et al. 2412.06464 (Gated DeltaNet)"

_delta = partial(matrix, group="ssm", copies="n_delta_layers", source=GDN)

DELTA = (
    Block(
        dimensions=(
            optional("n_delta_layers", "Delta layers", about="Layers with a gated delta rule"),
            Dimension("n_delta_key_heads", "Delta key heads", keys=("linear_num_key_heads",), default=1),
            Dimension("n_delta_value_heads", "Delta value heads", keys=("linear_num_value_heads",), default=1),
            Dimension("d_delta_key", "Delta key head size", keys=("linear_key_head_dim",), default=1),
            Dimension("d_delta_value", "Delta value head size", keys=("linear_value_head_dim",), default=1),
            optional(
                "delta_rank",
                "Rank of the delta gates",
                about="Of output gate and decay; 0: both come from the model's width at once",
            ),
            Dimension(
                "delta_gate_rank",
                "Rank of the delta output gate",
                default="delta_rank",
                minimum=0,
                about="Where it is another than the decay's, as in Kimi K3",
            ),
            Dimension("has_delta_gate", "Delta output gate", kind="flag", default=1),
            Dimension(
                "n_delta_decays",
                "Delta decays",
                default="n_delta_key_heads * d_delta_key if delta_rank else n_delta_value_heads",
                minimum=0,
                about="Numbers per token that say how fast the state forgets: one per head, or one per key channel;"
                " 0: it forgets nothing, or always as fast",
            ),
            Dimension(
                "n_delta_betas",
                "Delta writing strengths",
                default="n_delta_value_heads",
                minimum=0,
                about="Numbers per token that say how much the state corrects itself; 0: it only adds",
            ),
            Dimension(
                "n_delta_vectors",
                "Delta vectors",
                default="n_delta_value_heads + n_delta_decays",
                minimum=0,
                about="Numbers of a layer besides matrices, convolution and norm: A per head, a bias per decay",
            ),
            Dimension(
                "n_delta_channels",
                "Delta convolved channels",
                default="2 * n_delta_key_heads * d_delta_key + n_delta_value_heads * d_delta_value",
                minimum=0,
                about="Queries, keys and values pass the convolution; 0: there is none",
            ),
            Dimension(
                "delta_norm_width",
                "Delta norm weights",
                default="d_delta_value",
                minimum=0,
                about="Per layer; the heads share them",
            ),
            Dimension(
                "delta_step",
                "Delta FLOP per state element",
                default=8,
                about="Of the recurrence: with decay and correction 8, without decay 7, without correction 5, with"
                " neither 4",
            ),
            Dimension("d_conv", "Convolution width", default=4),
            Dimension(
                "delta_chunk",
                "Delta chunk that torch counts",
                unit="tokens",
                default=64,
                minimum=0,
                about="Of transformers' own code, whose products torch's counter sees; 0: a kernel, which it does not",
            ),
        )
    )
    + _delta(
        "delta_qkv",
        "d_model",
        "2 * n_delta_key_heads * d_delta_key + n_delta_value_heads * d_delta_value",
        title="Delta queries, keys and values",
    )
    + linear(
        "delta_gate",
        "((d_model + n_delta_value_heads * d_delta_value) * delta_gate_rank if delta_gate_rank"
        " else d_model * n_delta_value_heads * d_delta_value)",
        group="ssm",
        sides="d_model + 2 * delta_gate_rank + n_delta_value_heads * d_delta_value",
        rows="delta_gate_rank + n_delta_value_heads * d_delta_value",
        copies="n_delta_layers * has_delta_gate",
        title="Delta output gate",
        source=KDA,
    )
    + linear(
        "delta_decay",
        "((d_model + n_delta_decays) * delta_rank if delta_rank else d_model * n_delta_decays)",
        group="ssm",
        sides="d_model + 2 * delta_rank + n_delta_decays",
        rows="delta_rank + n_delta_decays",
        copies="n_delta_layers",
        title="Delta decay",
        about="How fast the state forgets",
        source=KDA,
    )
    + _delta("delta_beta", "d_model", "n_delta_betas", title="Delta writing strength")
    + _delta("delta_out", "n_delta_value_heads * d_delta_value", "d_model", title="Delta output projection")
    + Block(
        parameters=(
            Line(
                "delta_vectors",
                "n_delta_layers * n_delta_vectors",
                "parameters",
                "ssm",
                title="Delta A and step bias",
                about="A has one number per head, the bias one per decay",
                source=KDA,
            ),
            Line(
                "delta_conv",
                "n_delta_layers * n_delta_channels * d_conv",
                "parameters",
                "conv",
                title="Delta convolution",
                about="Over queries, keys and values",
                source=GDN,
            ),
            norm_line("delta_norm", "n_delta_layers * delta_norm_width", "Delta norm", GDN, "Shared by the heads"),
        ),
        flops=(
            conv_flops(
                "delta_conv_flops", "2 * tokens * n_delta_layers * n_delta_channels * d_conv", "Delta convolution"
            ),
            scan_flops(
                "delta_scan_flops",
                "delta_step * tokens * n_delta_layers * n_delta_value_heads * d_delta_key * d_delta_value",
                "Gated delta rule",
                "Yang et al. 2412.06464, equation 10",
                about="Convention: the recurrence, with decay, reading, correction and answer 8 FLOP per state"
                " element. Chunked kernels do more",
            ),
            Line(
                "delta_scan_flops_torch",
                "round_up(seq_len, delta_chunk) * batch * n_delta_layers * n_delta_value_heads"
                " * (4 * delta_chunk * d_delta_key + 2 * delta_chunk * d_delta_value + 6 * d_delta_key * d_delta_value)"
                " if delta_chunk else 0",
                "FLOP",
                title="Gated delta rule as torch's counter sees it",
                about="Products of chunks that are filled up: two with keys and one with values inside each, three with"
                " the state; what solves a triangular system is not counted",
                source="transformers models/qwen3_next/modeling_qwen3_next.py, torch_chunk_gated_delta_rule",
                additive=False,
                decode="0",
            ),
        ),
        memory=(
            state_line(
                "delta_state",
                "batch * state_dtype_bytes * n_delta_layers * n_delta_value_heads * d_delta_key * d_delta_value",
                "Delta state",
                "A matrix per head, independent of the context",
                GDN,
            ),
            conv_state(
                "delta_conv_state",
                "batch * conv_dtype_bytes * n_delta_layers * n_delta_channels * d_conv",
                "Delta convolution state",
                "transformers LinearAttentionLayer",
            ),
        ),
        activations=(
            stream_line("delta_input_kept", "n_delta_layers", "ssm", "Inputs of delta layers"),
            activation_line(
                "delta_kept",
                "tokens * n_delta_layers * (4 * n_delta_key_heads * d_delta_key"
                " + 5 * n_delta_value_heads * d_delta_value + n_delta_value_heads + n_delta_decays)",
                "ssm",
                "What delta layers keep: queries, keys and values before and after their convolution, gates, outputs",
                source=KERNEL,
            ),
        ),
    )
)
"""Gated DeltaNet in `n_delta_layers`, and Kimi Delta Attention where the gates have a rank."""

DELTA_FIT = read_only(
    {
        "1 if round_up(n_delta_value_heads, max(n_delta_key_heads, 1)) == n_delta_value_heads"
        " else (0 if n_delta_layers else 1)": "value heads of linear attention must be a multiple of its key heads",
    }
)
"""What delta layers of a model that can exist hold to."""
