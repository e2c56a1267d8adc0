"""Attention layers whose shape differs from the others': local layers with a window or chunk, and global ones."""

from flopsheet import Dimension, Line, blocks, compose

GQA = "Ainslie et al. 2305.13245"
SINKS = "gpt-oss, 2508.10925; transformers GptOssAttention"
GEMMA = "transformers models/gemma4/modeling_gemma4.py, Gemma4TextAttention"
STEP = "transformers models/step3p7/modeling_step3p7.py, Step3p7Attention"
CHUNKS = "transformers models/llama4/modeling_llama4.py; masking_utils.chunked_overlay"


SIDES = (
    blocks.optional("n_local_layers", "Local attention layers of their own shape"),
    blocks.optional("n_global_layers", "Global attention layers of their own shape"),
)


def dimensions(side: str) -> tuple[Dimension, ...]:
    """Return what describes the layers of one side; all of it stays silent while there are no such layers."""
    title, exist = side.capitalize(), {"exist": f"n_{side}_layers"}
    queries, heads, width = (
        compose.substitute(text, exist)
        for text in ("n_heads if exist else 0", "n_kv_heads if exist else 0", "d_head if exist else 0")
    )
    return (
        Dimension(
            f"{side}_kv_layers",
            f"{title} layers with keys and values",
            default=f"n_{side}_layers",
            minimum=0,
            about="The others reuse those of an earlier layer",
            source=GEMMA,
        ),
        Dimension(f"{side}_heads", f"{title} query heads", default=queries, minimum=0),
        Dimension(f"{side}_kv_heads", f"{title} key/value heads", default=heads, minimum=0),
        Dimension(f"{side}_d_head", f"{title} head size", default=width, minimum=0),
        Dimension(f"{side}_d_value", f"{title} value head size", default=f"{side}_d_head", minimum=0),
        Dimension(
            f"{side}_v_layers",
            f"{title} layers with a value projection",
            default=f"{side}_kv_layers",
            minimum=0,
            about="In the others keys serve as values",
            source=GEMMA,
        ),
        blocks.optional(
            f"{side}_gate_width",
            f"Gates on the {side} attention output",
            "Numbers that scale what the heads give: one per head or one per channel; 0: no gate",
            source=STEP,
        ),
        blocks.flag(f"{side}_qk_norm", f"Query and key norms of {side} layers"),
        blocks.flag(f"{side}_sinks", f"Sinks of {side} layers", "One number per head", source=SINKS),
    )


LOCAL_REACH = (
    blocks.optional("local_window", "Local window", unit="tokens"),
    blocks.flag(
        "local_is_chunked",
        "Local layers see chunks",
        "1: a token sees its own chunk up to itself. 0: it sees the last `local_window` tokens",
        source=CHUNKS,
    ),
)


def _projection(name: str, width: str, copies: str, title: str) -> blocks.Block:
    return blocks.linear(
        name,
        compose.times("d_model", width),
        group="attention",
        sides=compose.plus("d_model", width),
        rows=width,
        copies=copies,
        bias=compose.times("qkv_bias", width),
        title=title,
        source=GQA,
    )


LAYERS = (
    _projection("q", "n_heads * d_head", "n_layers", "Queries")
    + _projection("k", "kv_heads * d_head", "kv_layers", "Keys")
    + _projection("v", "kv_heads * d_value", "v_layers", "Values")
    + blocks.linear(
        "out",
        "n_heads * d_value * d_model",
        group="attention",
        sides="n_heads * d_value + d_model",
        rows="d_model",
        bias="has_out_bias * d_model",
        row=True,
        title="Attention output",
        source=GQA,
    )
    + blocks.linear(
        "gate",
        "d_model * gate_width",
        group="attention",
        sides="min(gate_width, 1) * (d_model + gate_width)",
        rows="gate_width",
        title="Gate on the attention output",
        source=STEP,
    )
    + blocks.Block(
        parameters=(
            blocks.whole_weights(
                "norm",
                "qk_norm * (n_layers + kv_layers) * d_head",
                "norm",
                "Query and key norms",
                source="Henry et al. 2010.04245",
            ),
            Line("sink", "sinks * n_layers * n_heads", "parameters", "attention", title="Sinks", source=SINKS),
        ),
        flops=(
            Line(
                "core_flops",
                "2 * batch * seen_pairs * n_layers * n_heads * (d_head + d_value)",
                "FLOP",
                "attention",
                title="Attention core",
                about="Scores and their product with the values: 2 FLOP each for a pair and channel",
                source="Full square: torch.utils.flop_counter.bmm_flop. Causal and window pairs counted one by one.",
                work="attention_core",
            ),
        ),
        memory=(
            Line(
                "cache",
                "batch * kv_dtype_bytes * kv_layers * kv_heads * (d_head + d_value) * cached",
                "bytes",
                "kv_cache",
                title="Key/value cache",
                about="Keys and values of the tokens that these layers can still see",
                source="Shazeer 1911.02150, section 2.4",
            ),
        ),
        activations=(
            blocks.activation_line(
                "input_kept", "tokens * n_layers * d_model", "attention", "Inputs of attention", "replicated"
            ),
            blocks.activation_line(
                "heads_kept",
                "tokens * (n_layers * (n_heads * (d_head + d_value) + gate_width)"
                " + kv_layers * kv_heads * (d_head + d_value))",
                "attention",
                "Queries, keys, values, gates and what the heads give",
            ),
            blocks.activation_line(
                "norm_kept",
                "tokens * qk_norm * (n_layers * n_heads + kv_layers * kv_heads) * d_head",
                "norm",
                "Inputs of query and key norms",
            ),
            blocks.activation_line(
                "scores_kept",
                "batch * seq_len * seq_len * n_layers * n_heads",
                "attention",
                "Attention weights",
                when="core",
            ),
        ),
    )
)
OWN = ("kv_layers", "v_layers", "kv_heads", "d_head", "d_value", "gate_width", "qk_norm", "sinks")


def layers(side: str, pairs: str, cache_length: str) -> blocks.Block:
    """Return the lines of one side; `pairs` and `cached` are what a sequence's queries see and its cache keeps."""
    own = {name: f"{side}_{name}" for name in OWN}
    own |= {
        "n_layers": f"n_{side}_layers",
        "n_heads": f"{side}_heads",
        "seen_pairs": pairs,
        "cached": cache_length,
        "has_out_bias": "out_bias",
    }
    return blocks.instance(LAYERS, f"{side}_", own)


REACH = blocks.Block(
    flops=(
        blocks.helper("local_tokens", "min(seq_len, local_window)", "tokens", "Tokens inside the local window"),
        blocks.helper("local_chunks", "floor(seq_len / max(local_window, 1))", "chunks", "Whole chunks of a sequence"),
        blocks.helper(
            "sliding_pairs",
            "seq_len * local_tokens - local_tokens * (local_tokens - 1) / 2",
            "pairs",
            "Pairs inside a sliding window",
            source="Counted: sW - W(W-1)/2 for s of at least W",
        ),
        blocks.helper(
            "chunk_rest", "seq_len - local_chunks * local_window", "tokens", "Tokens of the last, partial chunk"
        ),
        blocks.helper(
            "chunk_pairs",
            "local_chunks * local_window * (local_window + 1) / 2 + chunk_rest * (chunk_rest + 1) / 2",
            "pairs",
            "Pairs inside chunks",
            source=CHUNKS,
        ),
        blocks.helper(
            "local_window_pairs",
            "chunk_pairs if local_is_chunked else sliding_pairs",
            "pairs",
            "Pairs inside a local layer's reach",
        ),
        blocks.helper(
            "local_pairs",
            "local_window_pairs if mask_is_window else pairs",
            "pairs",
            "Query-key pairs of a local layer",
            about="In decoding a whole window or chunk",
            decode="min(context, local_window)",
        ),
    )
)

SHAPES = (
    blocks.Block(dimensions=(*dimensions("local"), *LOCAL_REACH, *dimensions("global")))
    + REACH
    + layers("local", "local_pairs", "min(context, max(local_window - 1, 0))")
    + layers("global", "pairs", "context")
)
"""Local layers, whose tokens see a window or a chunk, and global ones, which see all."""
