"""Attention: multi-head, grouped and multi-query, with windows."""

from functools import partial

from flopsheet.accounting.blocks.block import Block, activation_line, matrix, norm_line, stream_line
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Dimension, Line, read_only

GQA = "Vaswani et al. 1706.03762, section 3.2.2; Ainslie et al. 2305.13245 for grouped heads"
KEYS_AND_VALUES = "Shazeer 1911.02150, section 2.4"
COUNTED = "Full square: torch.utils.flop_counter.bmm_flop. Causal and window pairs counted one by one."


def scores(elements: str, name: str = "attention_scores_kept") -> Line:
    """Return the attention weights that are kept unless they are recomputed: the full square, whatever the mask."""
    return activation_line(name, elements, "attention", "Attention weights", when="core")


_attention = partial(matrix, group="attention", source=GQA)


def projections(k_bias: str) -> Block:
    """Return queries, keys, values and output; `k_bias` is the flag of a bias on the keys."""
    return (
        _attention("attention_q", "d_model", "n_heads * d_head", bias="qkv_bias * n_heads * d_head", title="Queries")
        + _attention(
            "attention_k",
            "d_model",
            "n_kv_heads * d_head",
            sides="(1 - fused_qkv) * d_model + n_kv_heads * d_head",
            bias=times(k_bias, "n_kv_heads * d_head"),
            title="Keys",
        )
        + _attention(
            "attention_v",
            "d_model",
            "n_kv_heads * d_head",
            sides="(1 - fused_qkv) * d_model + n_kv_heads * d_head",
            bias="qkv_bias * n_kv_heads * d_head",
            title="Values",
        )
        + _attention(
            "attention_out",
            "n_heads * d_head",
            "d_model",
            bias="out_bias * d_model",
            row=True,
            title="Attention output",
        )
        + Block(
            activations=(
                stream_line("attention_input_kept", "n_layers", "attention", "Inputs of attention"),
                activation_line(
                    "attention_heads_kept",
                    "2 * tokens * n_layers * (n_heads + n_kv_heads) * d_head",
                    "attention",
                    "Queries, keys, values and what the heads give",
                ),
                stream_line("attention_mask_kept", "n_layers", "attention", "Dropout of the attention output", "mask"),
            )
        )
    )


ATTENTION_PROJECTIONS = projections("qkv_bias")
"""Queries, keys, values and output of any number of key/value heads."""

QUERY_KEY_NORMS = Block(
    parameters=(
        norm_line(
            "qk_norm", "n_layers * (q_norm_width + k_norm_width)", "Query and key norms", "Henry et al. 2010.04245"
        ),
    ),
    activations=(
        activation_line(
            "qk_norm_kept",
            "tokens * n_layers * (min(q_norm_width, 1) * n_heads + min(k_norm_width, 1) * n_kv_heads) * d_head",
            "norm",
            "Inputs of query and key norms",
        ),
    ),
)
"""Norms of queries and keys, by head or over all heads."""

ATTENTION = (
    Block(
        dimensions=(
            Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
            Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of the residual stream"),
            Dimension("n_heads", "Query heads", keys=("num_attention_heads",)),
            Dimension(
                "n_kv_heads",
                "Key/value heads",
                keys=("num_key_value_heads",),
                default="n_heads",
                about="Fewer than query heads where queries share keys and values",
            ),
            Dimension("d_head", "Head size", keys=("head_dim",), default="d_model / n_heads"),
            flag(
                "fused_qkv", "Queries, keys and values in one matrix", about="As in GPT-2: one adapter serves all three"
            ),
            flag("qkv_bias", "Biases on queries, keys, values"),
            flag("out_bias", "Bias on the attention output"),
            optional("q_norm_width", "Query norm weights", about="Per layer; 0: no norm"),
            optional("k_norm_width", "Key norm weights", about="Per layer; 0: no norm"),
            optional("n_window_layers", "Window layers", about="Layers that look back `window` tokens"),
            optional("window", "Window", unit="tokens"),
            Dimension(
                "n_window_caches",
                "Layers with a window in the cache",
                default="0 if window == 1 else n_window_layers",
                minimum=0,
                about="Window layers that keep no more than the next token sees; those of a window of one keep all",
            ),
        )
    )
    + ATTENTION_PROJECTIONS
    + QUERY_KEY_NORMS
    + Block(
        flops=(
            Line(
                "window_tokens",
                "min(seq_len, window)",
                "tokens",
                title="Tokens inside the window",
                about="What a window layer can see at most",
                additive=False,
            ),
            Line(
                "window_pairs",
                "seq_len * window_tokens - window_tokens * (window_tokens - 1) / 2 if mask_is_window else pairs",
                "pairs",
                title="Query-key pairs of a window layer",
                about="Each token sees itself and at most `window` - 1 before it",
                source="Counted: sW - W(W-1)/2 for s of at least W",
                additive=False,
            ),
            Line(
                "attention_core_flops",
                "2 * 2 * batch * n_heads * d_head * ((n_layers - n_window_layers) * pairs"
                " + n_window_layers * window_pairs)",
                "FLOP",
                "attention",
                title="Attention core",
                about="Scores and their product with the values: 2 FLOP each for a pair and channel. A decode step"
                " reads what the cache holds",
                source=COUNTED,
                work="attention_core",
                decode="2 * 2 * batch * n_heads * d_head * ((n_layers - n_window_caches) * context"
                " + n_window_caches * min(context, window))",
            ),
        ),
        memory=(
            Line(
                "kv_cache",
                "2 * batch * kv_dtype_bytes * n_kv_heads * d_head * ((n_layers - n_window_caches) * context"
                " + n_window_caches * min(context, max(window - 1, 0)))",
                "bytes",
                "kv_cache",
                title="Key/value cache",
                about="Keys and values of each token of the context; a window layer keeps the last `window` - 1,"
                " which the next token still sees",
                source=KEYS_AND_VALUES,
            ),
        ),
        activations=(scores("batch * seq_len * seq_len * n_layers * n_heads"),),
    )
)
"""Self-attention with any number of key/value heads."""

HEADS_FIT = read_only(
    {
        "1 if floor(n_heads / n_kv_heads) * n_kv_heads == n_heads else 0": "query heads must be a multiple of"
        " key/value heads",
    }
)
LATENT_FIT = read_only(
    {
        "((1 if num_key_value_heads == n_heads else 0) if n_latent_layers else 1)": "num_key_value_heads must be"
        " num_attention_heads: latent attention makes keys and values for each head"
    }
)
"""A check of latent attention, for configs that have the field `num_key_value_heads`."""
GROUPS_FIT = read_only(
    {
        substitute("test if n_moe_layers else 1", {"test": test}): sentence
        for test, sentence in {
            "1 if n_group >= 1 else 0": "n_group must be at least 1: experts are chosen from groups",
            "1 if topk_group <= n_group else 0": "topk_group must not be more than n_group",
            "1 if round_up(n_experts, max(n_group, 1)) == n_experts else 0": "the experts must divide into n_group"
            " groups",
            "1 if n_experts >= 2 * n_group else 0": "a group must have two experts: their best two scores choose it",
            "1 if top_k * n_group <= topk_group * n_experts else 0": "a token cannot use more experts than groups"
            " offer",
        }.items()
    }
)
"""Checks of routers that choose groups first, for configs that have the fields `n_group` and `topk_group`."""
FITTED_FIELDS = ("n_group", "topk_group", "num_key_value_heads")
"""The fields of configs that these checks read, for the `fields` of an architecture."""
WINDOW_CACHE = (
    "window layers cache one token fewer than their window, which is all the next token can see, as in transformers;"
    " engines that keep whole windows cache one more"
)
DEFAULT_WINDOW = "sliding_window is not in the config: the class default {} is taken"
"""What is to be said of a window that the class alone names."""
WINDOW_NOTES = read_only(
    {
        "n_window_caches * max(context - window + 1, 0)": WINDOW_CACHE,
        "n_window_layers if window == 1 else 0": "transformers keeps every token in the cache of layers whose window is"
        " one token",
    }
)
"""What is to be said of a cache that windows bound: a formula that is then more than 0, and the sentence."""
WINDOWS_FIT = read_only({"1 if n_window_layers <= n_layers else 0": "there cannot be more window layers than layers"})
"""What attention of a model that can exist holds to."""
