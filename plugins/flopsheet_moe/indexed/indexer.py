"""Sparse attention: an indexer chooses what the attention of a layer reads."""

from flopsheet import Dimension, Line, blocks
from flopsheet_moe.lines import matrix

DSA = "DeepSeek-V3.2, 2512.02556; transformers DeepseekV32Indexer, MiniMaxM3VLIndexer"


def _matrix(name: str, columns: str, rows: str, title: str, copies: str = "n_index_layers") -> blocks.Block:
    return matrix(f"index_{name}", columns, rows, "attention", title, copies=copies, source=DSA)


INDEX_KEYS = blocks.Block(
    parameters=(
        blocks.whole_weights(
            "index_norm",
            "2 * n_index_layers * d_index_head",
            "norm",
            "Norms of the indexer",
            about="A LayerNorm of the keys, weight and bias; in MiniMax-M3 and Qwen4-Exp an RMSNorm each of"
            " queries and keys",
            source=DSA,
        ),
    ),
    memory=(
        Line(
            "index_cache",
            "batch * kv_dtype_bytes * n_index_layers * d_index_head * context",
            "bytes",
            "kv_cache",
            title="Indexer keys",
            source=DSA,
        ),
    ),
    activations=(
        blocks.activation_line(
            "index_inputs_kept",
            "tokens * n_index_layers * (n_index_heads * d_index_head + 2 * d_index_head)",
            "attention",
            "Queries and keys of the indexer",
            "replicated",
        ),
    ),
)
"""What every indexer has: norms, and keys of all tokens."""

INDEXER = (
    blocks.Block(
        dimensions=(
            blocks.optional("n_index_layers", "Layers with an indexer"),
            blocks.optional("n_index_heads", "Indexer heads", keys=("index_n_heads",)),
            blocks.optional("d_index_head", "Indexer head size", keys=("index_head_dim",)),
            Dimension(
                "index_input",
                "Width of the indexer's input to queries",
                default="q_rank if n_index_layers else 0",
                minimum=0,
                about="The rank of latent queries, or the model's width",
            ),
            Dimension(
                "index_adds_heads",
                "Indexer adds its heads up",
                kind="flag",
                default="1 if n_index_layers else 0",
                about="1: one choice for all heads, by a weighted sum. 0: a choice for each indexer head",
            ),
        )
    )
    + _matrix("q", "index_input", "n_index_heads * d_index_head", "Indexer queries")
    + _matrix("k", "d_model", "d_index_head", "Indexer keys")
    + _matrix(
        "weights",
        "d_model",
        "n_index_heads",
        "Weights of the indexer's heads",
        "n_index_layers * index_adds_heads",
    )
    + blocks.Block(
        flops=(
            Line(
                "index_core_flops",
                "2 * batch * pairs * n_index_layers * (n_index_heads * d_index_head"
                " + index_adds_heads * (n_index_heads if n_index_heads > 1 else 0))",
                "FLOP",
                "attention",
                title="Indexer scores",
                about="Scores of each head, and their weighted sum where there are several; the layers' own"
                " attention is counted in full",
                source=DSA,
                work="attention_core",
            ),
        ),
    )
    + INDEX_KEYS
)
"""The indexer of sparse attention: it scores every token of the context to choose those that attention reads."""
