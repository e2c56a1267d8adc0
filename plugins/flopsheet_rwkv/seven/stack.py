"""The parts of RWKV-7: token shift, low-rank decays, gates and value mixing, its recurrence, and channel mixing."""

from __future__ import annotations

from typing import Any

from flopsheet import Dimension, Line, blocks

PAPER = "Peng et al. 2503.14456 (RWKV-7), section 4; flash-linear-attention, fla/layers/rwkv7.py"

SHAPE = blocks.Block(
    dimensions=(
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",)),
        Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of the residual stream"),
        Dimension("n_heads", "Heads"),
        Dimension("d_head", "Head size"),
        Dimension("d_value", "Value width", default="d_model", about="Of all heads together"),
        Dimension("decay_rank", "Rank of the decay"),
        Dimension("a_rank", "Rank of the in-context learning rate"),
        Dimension("v_rank", "Rank of the value mixing", about="In all layers but the first, whose values are mixed in"),
        Dimension("gate_rank", "Rank of the output gate"),
        Dimension("d_ff", "Channel mixing width", keys=("intermediate_size",), default="4 * d_model"),
        Dimension(
            "max_positions",
            "Longest sequence",
            unit="tokens",
            keys=("max_position_embeddings",),
            default=0,
            minimum=0,
            about="What training passes at once; token by token there is no limit",
        ),
    )
)


def _linear(name: str, weights: str, title: str, **more: Any) -> blocks.Block:
    return blocks.linear(name, weights, title=title, source=PAPER, **{"group": "ssm", **more})


PROJECTIONS = (
    _linear("time_mixing_in", "d_model * (2 * d_model + d_value)", "Receptance, key and value")
    + _linear("time_mixing_out", "d_value * d_model", "Time mixing output", row=True)
    + _linear("decay_lora", "2 * d_model * decay_rank", "Decay", bias="d_model", about="How fast a channel forgets")
    + _linear("rate_lora", "2 * d_model * a_rank", "In-context learning rate", bias="d_model")
    + _linear(
        "value_lora",
        "(d_model + d_value) * v_rank",
        "Value mixing",
        copies="n_layers - 1",
        bias="d_value",
        about="How much of the first layer's values is mixed in",
    )
    + _linear("gate_lora", "(d_model + d_value) * gate_rank", "Output gate")
)

VECTORS = blocks.Block(
    parameters=(
        Line(
            "token_shift",
            "7 * n_layers * d_model",
            "parameters",
            "ssm",
            title="Token shift",
            about="Ratios that mix a token with the one before it: six in time mixing, one in channel mixing",
            source=PAPER,
            shard="replicated",
        ),
        Line(
            "key_vectors",
            "3 * n_layers * d_model",
            "parameters",
            "ssm",
            title="Removal key, replacement key and bonus",
            source=PAPER,
        ),
        Line(
            "head_norms",
            "2 * n_layers * d_value",
            "parameters",
            "norm",
            title="Norms of the heads",
            source=PAPER,
        ),
    ),
    flops=(
        Line(
            "recurrence_flops",
            "9 * tokens * n_layers * d_model * d_value / n_heads",
            "FLOP",
            "ssm",
            title="Recurrence",
            about="Convention: 9 FLOP per state element: decay, reading, correction, outer product, answer. Chunked"
            " kernels do more",
            source="Peng et al. 2503.14456, equations 15 to 17",
            work="scan",
        ),
    ),
    memory=(
        Line(
            "wkv_state",
            "batch * state_dtype_bytes * n_layers * d_model * d_value / n_heads",
            "bytes",
            "state",
            title="Recurrent state",
            about="A matrix per head, independent of the context",
            source=PAPER,
        ),
        Line(
            "shift_state",
            "2 * batch * conv_dtype_bytes * n_layers * d_model",
            "bytes",
            "state",
            title="Token shift state",
            about="The last input of time mixing and of channel mixing; a token shift is a convolution over two tokens",
            source=PAPER,
        ),
    ),
)

CHANNEL_MIXING = _linear("channel_mixing_in", "d_model * d_ff", "Channel mixing in", group="mlp") + _linear(
    "channel_mixing_out", "d_ff * d_model", "Channel mixing out", group="mlp", row=True
)

ACTIVATIONS = blocks.Block(
    activations=(
        blocks.activation_line(
            "mixing_input_kept",
            "7 * tokens * n_layers * d_model",
            "ssm",
            "Shifted inputs of both mixings",
            "replicated",
        ),
        blocks.activation_line(
            "time_mixing_kept",
            "tokens * n_layers * (6 * d_model + 4 * d_value + decay_rank + a_rank + v_rank + gate_rank)",
            "ssm",
            "What time mixing keeps",
            source=blocks.KERNEL,
        ),
        blocks.activation_line(
            "channel_mixing_kept",
            "2 * tokens * n_layers * d_ff",
            "mlp",
            "What channel mixing keeps",
            source=blocks.KERNEL,
        ),
    )
)
STACK = (
    SHAPE
    + ACTIVATIONS
    + PROJECTIONS
    + VECTORS
    + CHANNEL_MIXING
    + blocks.EMBEDDING
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)
"""The first layer has a norm of the embedding: with the one before the head it is a norm outside the layers."""
