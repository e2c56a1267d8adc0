"""What Qwen4-Exp is described by, besides what its blocks declare."""

from flopsheet import Dimension, blocks
from flopsheet_moe.compressed.dimensions import POSITIONS

QWEN4 = "transformers models/qwen4_exp/modeling_qwen4_exp.py"

STACK = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    blocks.optional("n_attention_layers", "Attention layers", "Each with an indexer; the others are delta layers"),
    Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of each residual stream"),
    Dimension("n_streams", "Residual streams", keys=("hc_count",), minimum=2, source=QWEN4),
    Dimension("d_stream_mix", "Rank of the streams' gates", keys=("hc_lowrank",), source=QWEN4),
)

INDEXER = (
    blocks.optional("n_index_heads", "Indexer heads", keys=("indexer_n_heads",)),
    blocks.optional("d_index_head", "Indexer head size", keys=("indexer_head_dim",)),
    Dimension(
        "index_pool",
        "Tokens pooled for the indexer",
        unit="tokens",
        keys=("indexer_compress_ratio",),
        default=1,
        about="Their keys are averaged; tokens after the last whole pool are always read",
        source=QWEN4,
    ),
    blocks.optional(
        "index_top_k", "Tokens that an indexer chooses", "In whole pools", unit="tokens", keys=("indexer_budget",)
    ),
)

EXPERTS = (
    Dimension("n_experts", "Routed experts", keys=("num_experts",)),
    Dimension("d_expert", "Expert width", keys=("moe_intermediate_size",)),
    Dimension("n_shared_experts", "Shared experts", default=1, about="The class builds one"),
    Dimension("d_shared_expert", "Shared expert width", keys=("shared_expert_intermediate_size",)),
    Dimension("has_shared_gate", "Gate on the shared expert", kind="flag", default=1),
)

NGRAMS = (
    blocks.optional("n_ngram_layers", "Layers with a table of n-grams", source=QWEN4),
    blocks.optional(
        "n_ngram_rows",
        "Rows of the tables of n-grams",
        "Of all layers: a prime number of rows for each hash of an n-gram, all different, padded in each layer",
        source=QWEN4,
    ),
    blocks.optional("d_ngram", "Width of a row of n-grams", "One hash's part of what a layer looks up"),
    blocks.optional("d_ngram_input", "Width of what a layer looks up", "Of all hashes together"),
    Dimension("ngram_size", "Longest n-gram", unit="tokens", keys=("ngram_size",), default=3, minimum=0),
    Dimension("d_ngram_conv", "Convolution width of n-grams", keys=("ple_conv_kernel_size",), default=4, minimum=0),
)

_WINDOWS = ("n_window_layers", "window", "n_window_caches")
_ATTENTION = tuple(dimension for dimension in blocks.ATTENTION.dimensions if dimension.name not in _WINDOWS)
DIMENSIONS = blocks.Block(dimensions=STACK) + blocks.Block(
    dimensions=(*_ATTENTION, *INDEXER, *EXPERTS, *NGRAMS, *POSITIONS)
)
