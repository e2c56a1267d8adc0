"""Latent attention without positions, whose indexer pools the tokens before it chooses."""

from dataclasses import replace

from flopsheet import Dimension, Line, blocks, compose
from flopsheet_moe.compressed.attention import PAIRS
from flopsheet_moe.indexed.indexer import INDEXER

GLM = "transformers models/glm5_next/modeling_glm5_next.py, Glm5NextTextIndexer"

DIMENSIONS = (
    Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of each residual stream"),
    Dimension("n_heads", "Query heads", keys=("num_attention_heads",), about="Of latent attention"),
    *(dimension for dimension in blocks.LATENT_ATTENTION.dimensions if dimension.name != "d_head_rope"),
    *INDEXER.dimensions,
    Dimension("index_pool", "Tokens pooled for the indexer", unit="tokens", keys=("index_kpool",), source=GLM),
    Dimension(
        "index_top_k",
        "Tokens that an indexer chooses",
        unit="tokens",
        keys=("index_topk",),
        about="In whole pools",
        source=GLM,
    ),
    blocks.flag(
        "reads_rest",
        "Tokens after the last whole pool are read",
        keys=("index_kpool_always_select_tail",),
        source=GLM,
    ),
)

POOLS = blocks.instance(
    blocks.Block(
        flops=tuple(
            line
            for line in PAIRS
            if line.name in ("sparse_entries", "chosen_entries", "index_seen_pairs", "index_pairs", "chosen_seen_pairs")
        )
    ),
    "",
    {"sparse_rate": "index_pool", "index_top_k": "index_top_k / index_pool"},
)
"""Pools as compressed attention counts its entries."""

REST = "seq_len - index_pool * floor(seq_len / index_pool)"
READ = "index_pool * min(floor(context / index_pool), index_top_k / index_pool) + reads_rest * rest"
HELPERS = blocks.Block(
    flops=(
        blocks.helper("rest_tokens", REST, "tokens", "Tokens after the last whole pool"),
        blocks.helper(
            "rest_pairs",
            "sparse_entries * index_pool * (index_pool - 1) / 2 + rest_tokens * (rest_tokens + 1) / 2",
            "pairs",
            "Pairs of tokens and those of their own pool, causal",
            about="The last of a pool reads it as a pool",
            source="Counted one by one",
        ),
        blocks.helper(
            "chosen_context",
            compose.substitute(READ, {"rest": compose.substitute(REST, {"seq_len": "context"})}),
            "tokens",
            "Cached tokens that a layer with an indexer reads",
        ),
        blocks.helper(
            "chosen_pairs",
            "full_pairs if mask_is_full else index_pool * chosen_seen_pairs + reads_rest * rest_pairs",
            "pairs",
            "Query-key pairs of a layer with an indexer",
            about="Under the full mask every pair, as transformers' eager attention computes and masks them",
            source="Counted one by one",
            decode="chosen_context",
        ),
    )
)


def _reading_chosen(block: blocks.Block) -> blocks.Block:
    """Return latent attention without positions that reads what was chosen, and caches all."""
    named = blocks.instance(block, "", {"pairs": "chosen_pairs", "d_head_rope": "0"})
    flops, memory = (tuple(map(read_chosen, lines)) for lines in (named.flops, named.memory))
    return replace(named, flops=flops, memory=memory)


def read_chosen(line: Line) -> Line:
    """Return a line whose decode step reads the chosen tokens of the context, if it reads any."""
    names = {"context": "chosen_context"}
    step = compose.substitute(line.decode or line.formula, names)
    return line if step == (line.decode or line.formula) else line._replace(decode=step)


INDEXER_OF_POOLS = (
    replace(blocks.instance(INDEXER, "", {"pairs": "index_pairs"}), memory=())
    + blocks.linear(
        "index_gate",
        "d_model * d_index_head",
        group="other",
        copies="n_index_layers",
        title="Weights of a pool's tokens",
        source=GLM,
        shard="replicated",
    )
    + blocks.Block(
        parameters=(
            blocks.whole_weights(
                "index_positions",
                "n_index_layers * index_pool * d_index_head",
                "positional",
                "Position biases of the pools",
                source=GLM,
            ),
        ),
        memory=(
            Line(
                "index_cache",
                "batch * kv_dtype_bytes * n_index_layers * (2 * d_index_head + 1) * context",
                "bytes",
                "kv_cache",
                title="Indexer keys",
                about="With the weights that each has in its pool and a mark of padding: transformers pools them anew"
                " in each step",
                source=GLM,
            ),
        ),
        activations=(
            blocks.activation_line(
                "index_gates_kept",
                "tokens * n_index_layers * d_index_head",
                "attention",
                "Weights of a pool's tokens",
                "replicated",
            ),
        ),
    )
)
ATTENTION = (
    blocks.Block(dimensions=DIMENSIONS) + POOLS + HELPERS + _reading_chosen(blocks.LATENT_ATTENTION) + INDEXER_OF_POOLS
)
