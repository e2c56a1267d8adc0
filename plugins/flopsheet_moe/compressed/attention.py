"""Attention over a window and over pooled entries: projections, pooling, the indexer, the core and the caches."""

from flopsheet import Line, blocks, compose
from flopsheet_moe.compressed.dimensions import V4

COUNTED = "Full square: torch.utils.flop_counter.bmm_flop. Causal and window pairs counted one by one."


def _linear(
    name: str, columns: str, rows: str, title: str, copies: str = "n_layers", shard: str = "replicated"
) -> blocks.Block:
    weights, sides = compose.times(columns, rows), compose.plus(columns, rows)
    return blocks.linear(
        name, weights, group="attention", sides=sides, rows=rows, copies=copies, title=title, source=V4, shard=shard
    )


PROJECTIONS = (
    _linear("attention_q_down", "d_model", "q_rank", "Queries down to their rank")
    + _linear("attention_q_up", "q_rank", "n_heads * d_head", "Queries", shard="tensor")
    + _linear("attention_kv", "d_model", "d_head", "Keys, which are values too")
    + _linear("attention_out_groups", "n_heads * d_head", "out_rank", "Output of the groups of heads", shard="tensor")
    + _linear("attention_out", "n_out_groups * out_rank", "d_model", "Attention output", shard="tensor")
)

POOLING = (
    _linear("sparse_pool", "2 * d_model", "2 * d_head", "Pooling of the sparse layers", "n_sparse_layers")
    + _linear("heavy_pool", "2 * d_model", "d_head", "Pooling of the heavily compressed layers", "n_pooled_layers")
    + _linear("index_pool", "2 * d_model", "2 * d_index_head", "Pooling of the indexer", "n_sparse_layers")
    + _linear("index_q", "q_rank", "n_index_heads * d_index_head", "Indexer queries", "n_sparse_layers")
    + _linear("index_weights", "d_model", "n_index_heads", "Weights of the indexer's heads", "n_sparse_layers")
)

VECTORS = blocks.Block(
    parameters=(
        Line(
            "attention_sinks",
            "n_layers * n_heads",
            "parameters",
            "attention",
            title="Attention sinks",
            about="One number per head, to which attention can go instead of to a token",
            source=V4,
        ),
        blocks.whole_weights(
            "pool_positions",
            "2 * n_sparse_layers * sparse_rate * (d_head + d_index_head) + n_pooled_layers * pooled_rate * d_head",
            "positional",
            "Position biases of the pooling",
            source=V4,
        ),
        blocks.whole_weights(
            "attention_norms",
            "n_layers * (q_rank + d_head) + n_sparse_layers * (d_head + d_index_head) + n_pooled_layers * d_head",
            "norm",
            "Norms of queries, keys and pooled entries",
            about="The norm of each query head has no weights",
            source=V4,
        ),
    )
)


SEEN = "rate * entries * (entries - 1) / 2 + entries * (seq_len - rate * entries + 1)"
"""The pairs of tokens and entries where a token sees those whose tokens are all behind it.

Entry n can be seen from token m·n on, m tokens per entry: of s tokens the last s - m·n + 1 see all n entries, and those
before them m·n(n - 1)/2 together.
"""


def _entries(name: str, title: str, number: str) -> Line:
    return blocks.helper(f"{name}_entries", number, "entries", title, decode=_step(number))


def _step(number: str) -> str:
    """Return a number of entries as a decode step sees it."""
    return compose.substitute(number, {"seq_len": "context"})


def _seen_line(name: str, title: str, read: str) -> Line:
    """Return the pairs of tokens and `read` entries that a causal mask leaves."""
    rate = "pooled_rate" if name == "pooled" else "sparse_rate"
    pairs = compose.substitute(SEEN, {"rate": rate, "entries": read})
    return blocks.helper(f"{name}_seen_pairs", pairs, "pairs", f"{title}, causal", source=COUNTED)


def _pairs(name: str, title: str, number: str) -> Line:
    """Return the pairs of tokens and entries, of which a decode step sees `number`."""
    every = "pooled_entries" if name == "pooled" else "sparse_entries"
    names = {"every": every, "seen": f"{name}_seen_pairs"}
    return blocks.helper(
        f"{name}_pairs",
        compose.substitute("seq_len * every if mask_is_full else seen", names),
        "pairs",
        title,
        about="A token sees the entries whose tokens are all behind it; a full mask counts all",
        source=COUNTED,
        decode=_step(number),
    )


EVERY, CHOSEN = "floor(seq_len / sparse_rate)", "min(floor(seq_len / sparse_rate), index_top_k)"
POOLED = "floor(seq_len / pooled_rate)"
PAIRS = (
    blocks.helper("window_tokens", "min(seq_len, window)", "tokens", "Tokens inside the window"),
    blocks.helper(
        "window_pairs",
        "seq_len * window_tokens - window_tokens * (window_tokens - 1) / 2 if mask_is_window else pairs",
        "pairs",
        "Query-key pairs of the windows",
        about="Each token sees itself and at most `window` - 1 before it",
        source="Counted: sW - W(W-1)/2 for s of at least W",
        decode="min(context, window)",
    ),
    _entries("sparse", "Entries of a sparse layer", EVERY),
    _entries("chosen", "Entries that a token of a sparse layer reads", CHOSEN),
    _entries("pooled", "Heavily compressed entries", POOLED),
    _seen_line("index", "Pairs that the indexer scores", "sparse_entries"),
    _pairs("index", "Pairs that the indexer scores", EVERY),
    _seen_line("chosen", "Pairs of a sparse layer", "chosen_entries"),
    _pairs("chosen", "Pairs of a sparse layer", CHOSEN),
    _seen_line("pooled", "Pairs of a heavily compressed layer", "pooled_entries"),
    _pairs("pooled", "Pairs of a heavily compressed layer", POOLED),
)

CORE = blocks.Block(
    flops=(
        *PAIRS,
        Line(
            "attention_core_flops",
            "2 * 2 * batch * n_heads * d_head * (n_layers * window_pairs + n_sparse_layers * chosen_pairs"
            " + n_pooled_layers * pooled_pairs)",
            "FLOP",
            "attention",
            title="Attention core",
            about="Scores and their product with the values: 2 FLOP each for a pair and channel. Of the entries of a"
            " sparse layer a token reads `index_top_k`; transformers computes them all and masks the rest",
            source=COUNTED,
            work="attention_core",
        ),
        Line(
            "index_core_flops",
            "2 * batch * n_sparse_layers * n_index_heads * d_index_head * index_pairs",
            "FLOP",
            "attention",
            title="Indexer scores",
            about="The indexer scores every entry, however few are read afterwards",
            source=V4,
            work="attention_core",
        ),
    ),
    memory=(
        Line(
            "window_cache",
            "batch * kv_dtype_bytes * n_layers * d_head * min(context, max(window - 1, 0))",
            "bytes",
            "kv_cache",
            title="Keys of the windows",
            about="They serve as values too: one vector per token and layer",
            source=V4,
        ),
        Line(
            "pooled_cache",
            "batch * kv_dtype_bytes * (n_sparse_layers * (d_head + d_index_head) * floor(context / sparse_rate)"
            " + n_pooled_layers * d_head * floor(context / pooled_rate))",
            "bytes",
            "kv_cache",
            title="Pooled entries",
            about="With those of the indexer, which a decode step reads whole; of a sparse layer's others it reads"
            " `index_top_k`",
            source=V4,
            decode=compose.substitute(
                "batch * kv_dtype_bytes * (n_sparse_layers * (d_head * chosen + d_index_head * every)"
                " + n_pooled_layers * d_head * pooled)",
                {"chosen": _step(CHOSEN), "every": _step(EVERY), "pooled": _step(POOLED)},
            ),
        ),
        Line(
            "sparse_pool_state",
            "2 * batch * state_dtype_bytes * n_sparse_layers * (d_head + d_index_head)"
            " * (2 * (context - sparse_rate * floor(context / sparse_rate))"
            " + (sparse_rate if context >= sparse_rate else 0))",
            "bytes",
            "state",
            title="Tokens of sparse layers that wait to be pooled",
            about="Keys and gates of the tokens after the last whole group, and half of those of the group before",
            source="transformers DeepseekV4CSACache",
        ),
        Line(
            "pooled_state",
            "2 * batch * state_dtype_bytes * n_pooled_layers * d_head"
            " * (context - pooled_rate * floor(context / pooled_rate))",
            "bytes",
            "state",
            title="Tokens of heavily compressed layers that wait to be pooled",
            about="Keys and gates of the tokens after the last whole group",
            source="transformers DeepseekV4HCACache",
        ),
    ),
    activations=(
        blocks.activation_line(
            "attention_input_kept",
            "tokens * (n_layers * (d_model + 2 * q_rank + 2 * d_head)"
            " + n_sparse_layers * (4 * (d_head + d_index_head) + n_index_heads * d_index_head)"
            " + 2 * n_pooled_layers * d_head)",
            "attention",
            "Inputs of attention, latents, keys, and what is pooled",
            "replicated",
        ),
        blocks.activation_line(
            "attention_heads_kept",
            "tokens * n_layers * (3 * n_heads * d_head + n_out_groups * out_rank)",
            "attention",
            "Queries before and after their norm, and what the heads give",
        ),
        blocks.activation_line(
            "attention_scores_kept",
            "batch * n_heads * (n_layers * window_pairs + n_sparse_layers * chosen_pairs"
            " + n_pooled_layers * pooled_pairs)",
            "attention",
            "Attention weights",
            when="core",
        ),
    ),
)
