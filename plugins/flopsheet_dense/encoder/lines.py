"""The layers of encoders: they may share their weights, and their attention sees both directions."""

from flopsheet import Dimension, Line, blocks

COUNTED = "Full square: torch.utils.flop_counter.bmm_flop. Causal and window pairs counted one by one."

LAYERS = blocks.Block(
    dimensions=(
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Layers that a token passes"),
        Dimension(
            "n_stored_layers",
            "Stored layers",
            default="n_layers",
            about="Layers with weights of their own; fewer where ALBERT passes one layer many times",
        ),
        blocks.flag("is_causal", "Used as a decoder", "1: tokens see those before them"),
    )
)
_PER_LAYER = blocks.SELF_PROJECTIONS + blocks.MLP + blocks.LAYER_NORMS + blocks.QUERY_KEY_NORMS
_STORED = blocks.instance(_PER_LAYER, "", {"n_layers": "n_stored_layers"})
_RUN = blocks.instance(_PER_LAYER, "", {"tokens": "layer_tokens"})
_ATTENTION = [dimension for dimension in blocks.ATTENTION.dimensions if dimension.name != "n_window_caches"]
"""Encoders keep no cache."""
K_BIAS = Dimension("k_bias", "Biases on keys", kind="flag", default="qkv_bias")
PASSED = blocks.Block(
    (*_ATTENTION, K_BIAS, *blocks.MLP.dimensions, *blocks.LAYER_NORMS.dimensions),
    parameters=_STORED.parameters,
    flops=_RUN.flops,
    activations=_RUN.activations,
)

CORE = blocks.Block(
    flops=(
        blocks.helper(
            "reach",
            "min(window, seq_len - 1)",
            "tokens",
            "Reach of a window",
            about="Tokens that a window layer sees on each side",
        ),
        blocks.helper(
            "window_pairs",
            "seq_len * (2 * reach + 1) - reach * (reach + 1) if mask_is_window else full_pairs",
            "pairs",
            "Query-key pairs of a window layer",
            about="Each token sees itself and at most `window` on each side",
            source="Counted: s(2w+1) - w(w+1) for s above w",
        ),
        Line(
            "attention_core_flops",
            "2 * 2 * batch * n_heads * d_head * (1 - is_causal) * (long_pairs if long_pairs"
            " else (n_layers - n_window_layers) * full_pairs + n_window_layers * window_pairs)",
            "FLOP",
            "attention",
            title="Attention core",
            about="Every token sees every other, whatever the mask of the workload; 2 FLOP per pair and channel, twice",
            source=COUNTED,
            work="attention_core",
            decode="0",
        ),
        Line(
            "causal_core_flops",
            "2 * 2 * batch * pairs * is_causal * n_layers * n_heads * d_head",
            "FLOP",
            "attention",
            title="Attention core of a decoder",
            about="Where the stack is used as a decoder",
            source=COUNTED,
            work="attention_core",
        ),
    ),
    memory=(
        Line(
            "kv_cache",
            "2 * batch * kv_dtype_bytes * is_causal * n_layers * n_kv_heads * d_head * context",
            "bytes",
            "kv_cache",
            title="Key/value cache",
            about="Only where the encoder is used as a decoder",
            source="Shazeer 1911.02150, section 2.4",
        ),
    ),
    activations=(
        blocks.activation_line(
            "attention_scores_kept",
            "batch * seq_len * seq_len * n_layers * n_heads",
            "attention",
            "Attention weights",
            when="core",
        ),
    ),
)
