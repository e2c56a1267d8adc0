"""Gated attention that reads the pools of tokens that an indexer chose by their average keys."""

from dataclasses import replace

from flopsheet import Line, blocks
from flopsheet_moe.extras import ATTENTION_GATE
from flopsheet_moe.glm5_next.attention import HELPERS, POOLS, read_chosen
from flopsheet_moe.indexed.indexer import INDEX_KEYS
from flopsheet_moe.lines import matrix
from flopsheet_moe.qwen4.dimensions import QWEN4


def _whatever_the_mask(line: Line) -> Line:
    """Return the pairs that the indexer scores: those behind a token alone, under every mask."""
    about = "A token sees the pools whose tokens are all behind it or itself, whatever the mask"
    return line._replace(formula="index_seen_pairs", about=about) if line.name == "index_pairs" else line


CHOICE = blocks.instance(
    blocks.Block(flops=(*map(_whatever_the_mask, POOLS.flops), *HELPERS.flops)), "", {"reads_rest": "1"}
)
"""Pools and what is read of them as in GLM-5 Next; tokens after the last whole pool always are."""

_HEADS = blocks.instance(
    blocks.SELF_ATTENTION + blocks.QUERY_KEY_NORMS,
    "",
    {"n_layers": "n_attention_layers", "k_bias": "qkv_bias", "pairs": "chosen_pairs"},
)
HEADS = replace(_HEADS, memory=tuple(map(read_chosen, _HEADS.memory)))

ATTENTION = (
    CHOICE
    + HEADS
    + ATTENTION_GATE
    + matrix(
        "index_qk",
        "d_model",
        "(n_index_heads + 1) * d_index_head",
        "attention",
        "Indexer queries and keys",
        copies="n_attention_layers",
        source=QWEN4,
    )
    + blocks.instance(INDEX_KEYS, "", {"n_index_layers": "n_attention_layers"})
    + blocks.Block(
        flops=(
            Line(
                "index_core_flops",
                "2 * batch * index_pairs * n_attention_layers * n_index_heads * d_index_head",
                "FLOP",
                "attention",
                title="Indexer scores",
                about="Scores of each head for the average key of each whole pool",
                source=QWEN4,
                work="attention_core",
            ),
        ),
        memory=(
            Line(
                "index_token_positions",
                "24 * batch * context * min(n_attention_layers, 1)",
                "bytes",
                "state",
                title="Positions of the indexer's keys",
                about="Three whole numbers of 8 bytes for each token, which all layers share: average keys are turned"
                " anew in each step",
                source="transformers DynamicIndexedLayer",
            ),
        ),
    )
)
