"""Attention in an encoder-decoder: of one side to itself, and of the decoder to the encoder's output."""

from functools import partial

from flopsheet.accounting.blocks.attention import COUNTED, GQA, KEYS_AND_VALUES, projections, scores
from flopsheet.accounting.blocks.block import Block, activation_line, linear, matrix
from flopsheet.accounting.line import Line

SELF_PROJECTIONS = projections("k_bias")
"""Queries, keys, values and output, where the flag `k_bias` says whether keys have a bias as queries and values do."""

SELF_ATTENTION = SELF_PROJECTIONS + Block(
    flops=(
        Line(
            "attention_core_flops",
            "2 * 2 * batch * pairs * n_layers * n_heads * d_head",
            "FLOP",
            "attention",
            title="Attention core",
            about="Scores and their product with the values: 2 FLOP each for a pair and channel",
            source=COUNTED,
            work="attention_core",
        ),
    ),
    memory=(
        Line(
            "kv_cache",
            "2 * batch * kv_dtype_bytes * n_layers * n_kv_heads * d_head * context",
            "bytes",
            "kv_cache",
            title="Key/value cache",
            about="Keys and values of each token of the context",
            source=KEYS_AND_VALUES,
        ),
    ),
    activations=(scores("batch * seq_len * seq_len * n_layers * n_heads"),),
)
"""Self-attention without windows, for one side of an encoder-decoder; Whisper's keys have no bias (`k_bias`)."""

_cross = partial(matrix, group="cross_attention", source=GQA)

CROSS_ATTENTION = (
    _cross(
        "attention_q",
        "d_model",
        "n_heads * d_head",
        bias="qkv_bias * n_heads * d_head",
        tokens="target_tokens",
        title="Queries",
    )
    + linear(
        "attention_kv",
        "2 * d_source * n_kv_heads * d_head",
        group="cross_attention",
        sides="2 * d_source + 2 * n_kv_heads * d_head",
        rows="2 * n_kv_heads * d_head",
        bias="(qkv_bias + k_bias) * n_kv_heads * d_head",
        decode="0",
        title="Keys and values",
        source=GQA,
    )
    + _cross(
        "attention_out",
        "n_heads * d_head",
        "d_model",
        bias="out_bias * d_model",
        row=True,
        tokens="target_tokens",
        title="Attention output",
    )
    + Block(
        flops=(
            Line(
                "attention_core_flops",
                "2 * 2 * batch * target_len * seq_len * n_layers * n_heads * d_head",
                "FLOP",
                "cross_attention",
                title="Attention core",
                about="Every target token sees every source token",
                source=COUNTED,
                work="attention_core",
                decode="2 * 2 * batch * seq_len * n_layers * n_heads * d_head",
            ),
        ),
        memory=(
            Line(
                "kv_cache",
                "2 * batch * kv_dtype_bytes * n_layers * n_kv_heads * d_head * seq_len",
                "bytes",
                "kv_cache",
                title="Key/value cache",
                about="Keys and values of the source, computed once",
                source=KEYS_AND_VALUES,
            ),
        ),
        activations=(
            activation_line(
                "attention_input_kept",
                "n_layers * (target_tokens * d_model + tokens * d_source)",
                "cross_attention",
                "Inputs of cross attention",
                "replicated",
            ),
            activation_line(
                "attention_heads_kept",
                "2 * n_layers * d_head * (target_tokens * n_heads + tokens * n_kv_heads)",
                "cross_attention",
                "Queries, keys, values and what the heads give",
            ),
            activation_line(
                "attention_mask_kept",
                "target_tokens * n_layers * d_model",
                "cross_attention",
                "Dropout of cross attention",
                "replicated",
                "mask",
            ),
            scores("batch * target_len * seq_len * n_layers * n_heads"),
        ),
    )
)
"""A decoder's attention over the encoder's output; queries come from the target, keys and values from the source.

`d_source` is the width of that output.
"""
