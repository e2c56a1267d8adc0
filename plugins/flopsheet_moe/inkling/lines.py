"""Inkling: learned relative positions, short convolutions, and residuals that attend to earlier blocks."""

from flopsheet import Line, blocks, compose
from flopsheet_moe.lines import matrix

INKLING = "transformers models/inkling/modeling_inkling.py"
INKLING2 = "transformers models/inkling2/modeling_inkling2.py"

DIMENSIONS = (
    blocks.optional("d_rel", "Width of relative states", "Per head: what mixes biases by distance", source=INKLING),
    blocks.optional("local_extent", "Distances with a bias in local layers", unit="tokens", source=INKLING),
    blocks.optional("global_extent", "Distances with a bias in global layers", unit="tokens", source=INKLING),
    blocks.flag("has_query_scales", "Scales of queries and relative states", "One per channel", source=INKLING2),
    blocks.flag("has_token_sinks", "Sinks computed of each token", "One number per head and token", source=INKLING2),
    blocks.optional(
        "d_short_conv", "Width of short convolutions", "Of keys, values, and what attention and MLP add", source=INKLING
    ),
    blocks.flag("has_dynamic_conv", "Convolutions of global keys and values vary by token", source=INKLING2),
    blocks.optional(
        "global_norms", "Further norms of global layers", "Keys and values have their own", source=INKLING2
    ),
    blocks.optional("n_router_sinks", "Shared experts that the router weighs", source=INKLING),
    blocks.optional("n_residual_queries", "Queries over residuals", "Learned vectors of all layers", source=INKLING2),
    blocks.optional(
        "n_residual_sources",
        "Residuals that are read",
        "Sums of earlier blocks and of the current one",
        source=INKLING2,
    ),
    blocks.optional("n_residual_pairs", "Pairs of queries and residuals", "Per token", source=INKLING2),
)

HEADS = blocks.Block(
    parameters=(
        blocks.helper(
            "relative_heads",
            "n_local_layers * local_heads + n_global_layers * global_heads",
            "heads",
            "Query heads of all local and global layers",
        ),
        Line(
            "query_scales",
            "has_query_scales * (n_local_layers * local_heads * local_d_head"
            " + n_global_layers * global_heads * global_d_head + relative_heads * d_rel)",
            "parameters",
            "norm",
            title="Scales of queries and relative states",
            source=INKLING2,
        ),
    ),
    activations=(
        blocks.activation_line(
            "relative_kept",
            "tokens * relative_heads * (d_rel + has_token_sinks)",
            "attention",
            "Relative states and sinks",
        ),
        blocks.activation_line(
            "clips_kept",
            "tokens * has_query_scales * (relative_heads * d_rel"
            " + n_local_layers * (local_heads * local_d_head + local_kv_heads * (local_d_head + local_d_value))"
            " + n_global_layers * (global_heads * global_d_head + global_kv_heads * (global_d_head + global_d_value)))",
            "norm",
            "Inputs of clips and norms of queries, relative states, keys and values",
        ),
    ),
) + blocks.linear(
    "relative_states",
    "d_model * relative_heads * (d_rel + has_token_sinks)",
    group="attention",
    copies="1",
    sides="(min(d_rel, 1) + has_token_sinks) * n_layers * d_model + relative_heads * (d_rel + has_token_sinks)",
    rows="relative_heads * (d_rel + has_token_sinks)",
    title="Relative states and sinks",
    source=INKLING,
)


def _biases(side: str) -> blocks.Block:
    """Return the products of relative states with what they mix, where the distances are those of one side."""
    layers = f"n_{side}_layers"
    return blocks.linear(
        f"{side}_distance_biases",
        compose.times("d_rel", f"{side}_extent"),
        group="positional",
        copies=layers,
        uses=compose.times(layers, f"{side}_heads"),
        title=f"Biases by distance of {side} layers",
        source=INKLING,
        shard="replicated",
    )


CHANNELS = (
    "(2 * n_layers * d_model + n_local_layers * local_kv_heads * (local_d_head + local_d_value)"
    " + n_global_layers * global_kv_heads * (global_d_head + global_d_value))"
)
"""Channels of all short convolutions."""

SHORT_CONVS = blocks.Block(
    parameters=(
        Line(
            "short_conv",
            compose.times("d_short_conv", CHANNELS),
            "parameters",
            "conv",
            title="Short convolutions",
            source=INKLING,
        ),
    ),
    flops=(
        Line(
            "short_conv_flops",
            compose.times("2", "tokens", "d_short_conv", CHANNELS),
            "FLOP",
            "conv",
            title="Short convolutions",
            about="A multiply and an add for each tap; torch's counter misses those whose weights vary by token",
            source="torch.utils.flop_counter.conv_flop",
            work="other",
        ),
    ),
    memory=(
        Line(
            "short_conv_state",
            compose.times("4", "batch", "d_short_conv", CHANNELS),
            "bytes",
            "state",
            title="Short convolution states",
            about="The last `d_short_conv` columns, in the fp32 of the convolutions, as transformers keeps them",
            source="transformers LinearAttentionLayer",
        ),
    ),
    activations=(
        blocks.activation_line(
            "short_conv_kept",
            compose.times("2", "tokens", "min(d_short_conv, 1)", CHANNELS),
            "conv",
            "Inputs of short convolutions, in fp32",
            source=INKLING,
        ),
    ),
) + blocks.linear(
    "dynamic_conv",
    "d_model * global_kv_heads * d_short_conv",
    group="attention",
    sides="d_model + global_kv_heads * d_short_conv",
    rows="global_kv_heads * d_short_conv",
    copies="2 * has_dynamic_conv * n_global_layers",
    title="Weights of convolutions by token",
    source=INKLING2,
)

RESIDUALS = blocks.Block(
    parameters=(
        blocks.whole_weights(
            "residual_queries", "n_residual_queries * d_model", "other", "Queries over residuals", source=INKLING2
        ),
    ),
    flops=(
        Line(
            "residual_flops",
            "2 * 2 * tokens * n_residual_pairs * d_model",
            "FLOP",
            "other",
            title="Attention to residuals",
            about="Scores and their product with the residuals",
            source=INKLING2,
            work="attention_core",
        ),
    ),
    activations=(
        blocks.activation_line(
            "residuals_kept",
            "4 * tokens * n_residual_sources * d_model",
            "other",
            "Residuals that are read, before and after their norm, in fp32",
            "replicated",
            source=INKLING2,
        ),
    ),
)

OTHERS = matrix(
    "router_sinks",
    "d_model",
    "n_router_sinks",
    "router",
    "Weights of the shared experts",
    copies="n_moe_layers",
    source=INKLING,
) + blocks.Block(
    parameters=(
        blocks.whole_weights(
            "global_layer_norm",
            "n_global_layers * global_norms * norm_vectors * d_model",
            "norm",
            "Further norms of global layers",
            source=INKLING2,
        ),
    ),
    activations=(
        blocks.activation_line(
            "global_layer_norm_kept",
            "tokens * n_global_layers * global_norms * d_model",
            "norm",
            "Inputs of further norms of global layers",
            "replicated",
        ),
    ),
)

INKLING_PARTS = (
    blocks.Block(dimensions=DIMENSIONS)
    + HEADS
    + _biases("local")
    + _biases("global")
    + SHORT_CONVS
    + RESIDUALS
    + OTHERS
)
