"""The parts of RWKV-4: token shift, time mixing with its recurrence, and channel mixing."""

from flopsheet import Dimension, Group, Line, blocks, compose

PAPER = "Peng et al. 2305.13048 (RWKV); transformers models/rwkv/modeling_rwkv.py"

SHAPE = blocks.Block(
    dimensions=(
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",)),
        Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of the residual stream"),
        Dimension("d_mixer", "Time mixing width", keys=("attention_hidden_size",), default="d_model"),
        Dimension("d_ff", "Channel mixing width", keys=("intermediate_size",), default="4 * d_model"),
        Dimension(
            "max_positions",
            "Longest sequence",
            unit="tokens",
            keys=("context_length",),
            default=0,
            minimum=0,
            about="What training passes at once; token by token there is no limit",
        ),
    )
)

TOKEN_SHIFT = blocks.Block(
    parameters=(
        Line(
            "token_shift",
            "5 * n_layers * d_model",
            "parameters",
            "ssm",
            title="Token shift",
            about="Ratios that mix a token with the one before it: three in time mixing, two in channel mixing",
            source=PAPER,
            shard="replicated",
        ),
    ),
    memory=(
        Line(
            "shift_state",
            "2 * batch * conv_dtype_bytes * n_layers * d_model",
            "bytes",
            "state",
            title="Token shift state",
            about="The last input of time mixing and of channel mixing; a token shift is a convolution over two tokens",
            source="transformers models/rwkv/modeling_rwkv.py, states 0 and 1, in the model's type",
        ),
    ),
)

RECURRENCE = blocks.Block(
    parameters=(
        Line(
            "decay_and_bonus",
            "2 * n_layers * d_mixer",
            "parameters",
            "ssm",
            title="Decay and bonus",
            about="How fast a channel forgets, and what the current token counts more",
            source=PAPER,
        ),
    ),
    flops=(
        Line(
            "recurrence_flops",
            "10 * tokens * n_layers * d_mixer",
            "FLOP",
            "ssm",
            title="Recurrence",
            about="Convention: multiplies and adds of numerator and denominator, for the output 3 + 2 per channel and"
            " for the next state 3 + 2; the division and exponentials are not counted",
            source=PAPER,
            work="scan",
        ),
    ),
    memory=(
        Line(
            "wkv_state",
            "3 * batch * state_dtype_bytes * n_layers * d_mixer",
            "bytes",
            "state",
            title="Recurrent state",
            about="Numerator, denominator and largest exponent; independent of the context",
            source="transformers models/rwkv/modeling_rwkv.py, states 2 to 4, in fp32",
        ),
    ),
)


def _matrix(name: str, columns: str, rows: str, title: str, group: Group) -> blocks.Block:
    weights, sides = compose.times(columns, rows), compose.plus(columns, rows)
    return blocks.linear(name, weights, group=group, sides=sides, rows=rows, title=title, source=PAPER)


TIME_MIXING = (
    blocks.linear(
        "time_mixing_in",
        "3 * d_model * d_mixer",
        group="ssm",
        sides="3 * d_model + 3 * d_mixer",
        rows="3 * d_mixer",
        title="Receptance, key and value of time mixing",
        source=PAPER,
    )
    + _matrix("time_mixing_out", "d_mixer", "d_model", "Time mixing output", "ssm")
    + RECURRENCE
)

CHANNEL_MIXING = (
    _matrix("channel_mixing_in", "d_model", "d_ff", "Channel mixing in", "mlp")
    + _matrix("channel_mixing_out", "d_ff", "d_model", "Channel mixing out", "mlp")
    + blocks.linear(
        "channel_mixing_gate",
        "d_model * d_model",
        group="mlp",
        sides="2 * d_model",
        rows="d_model",
        title="Channel mixing gate",
        about="The receptance, which multiplies the output",
        source=PAPER,
    )
)

ACTIVATIONS = blocks.Block(
    activations=(
        blocks.activation_line(
            "mixing_input_kept",
            "5 * tokens * n_layers * d_model",
            "ssm",
            "Shifted inputs of both mixings",
            "replicated",
        ),
        blocks.activation_line(
            "time_mixing_kept", "5 * tokens * n_layers * d_mixer", "ssm", "What time mixing keeps", source=blocks.KERNEL
        ),
        blocks.activation_line(
            "channel_mixing_kept",
            "tokens * n_layers * 2 * (d_ff + d_model)",
            "mlp",
            "What channel mixing keeps",
            source=blocks.KERNEL,
        ),
    )
)
STACK = (
    SHAPE
    + ACTIVATIONS
    + TOKEN_SHIFT
    + TIME_MIXING
    + CHANNEL_MIXING
    + blocks.EMBEDDING
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)
"""The first layer has a norm of the embedding: with the one before the head it is a norm outside the layers."""
