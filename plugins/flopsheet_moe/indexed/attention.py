"""What sparse attention reads: of all tokens before it, a token reads those that an indexer chose."""

from dataclasses import replace
from typing import Any

from flopsheet import Dimension, blocks, compose
from flopsheet_moe.indexed.indexer import DSA

COUNTED = "Counted: a token with i tokens to see, itself included, reads min(i, top_k), its own block in part"

DIMENSIONS = (
    Dimension(
        "n_chosen_latent_layers",
        "Latent layers that read what an indexer chose",
        default="n_latent_layers if n_index_layers else 0",
        minimum=0,
        about="Layers that share another's choice included",
        source=DSA,
    ),
    blocks.optional("n_chosen_layers", "Other layers that read what an indexer chose", source=DSA),
    Dimension(
        "index_top_k",
        "Tokens or blocks that an indexer chooses",
        keys=("index_topk",),
        default="1 if n_index_layers else 0",
        minimum=0,
        source=DSA,
    ),
    Dimension(
        "index_block", "Block that an indexer chooses", unit="tokens", default="1 if n_index_layers else 0", minimum=0
    ),
)

READ = "(context if context <= index_reach else index_reach + context - index_unit * ceil(context / index_unit))"
"""Tokens that a decode step reads: the context, or all chosen blocks, of which the newest is filled in part."""

HELPERS = (
    blocks.helper("index_unit", "max(index_block, 1)", "tokens", "Tokens chosen together"),
    blocks.helper("index_reach", "index_top_k * index_unit", "tokens", "Tokens that an indexer chooses"),
    blocks.helper("unchosen_tokens", "max(seq_len - index_reach, 0)", "tokens", "Tokens with a limited view"),
    blocks.helper(
        "unchosen_blocks", "floor(unchosen_tokens / index_unit)", "blocks", "Whole blocks of tokens with a limited view"
    ),
    blocks.helper(
        "unchosen_rest",
        "unchosen_tokens - unchosen_blocks * index_unit",
        "tokens",
        "Tokens with a limited view in a partial block",
    ),
    blocks.helper(
        "chosen_causal_pairs",
        "(seq_len - unchosen_tokens) * (seq_len - unchosen_tokens + 1) / 2"
        " + unchosen_tokens * (index_reach - index_unit)"
        " + unchosen_blocks * index_unit * (index_unit + 1) / 2 + unchosen_rest * (unchosen_rest + 1) / 2",
        "pairs",
        "Causal query-key pairs of a sparse layer",
        source=COUNTED,
    ),
    blocks.helper("chosen_context", READ, "tokens", "Cached tokens that a sparse layer reads", source=COUNTED),
    blocks.helper(
        "chosen_pairs",
        "full_pairs if mask_is_full else chosen_causal_pairs",
        "pairs",
        "Query-key pairs of a sparse layer",
        about="Under the full mask every pair, as transformers' eager attention computes and masks them",
        source=COUNTED,
        decode="chosen_context",
    ),
)

_LATENT = "2 * batch * ((n_latent_layers - n_chosen_latent_layers) * pairs + n_chosen_latent_layers * chosen_pairs)"
_STEP = {"pairs": "context", "chosen_pairs": "chosen_context"}
"""What a decode step reads in the place of pairs."""

CHANGES: dict[str, dict[str, Any]] = {
    "latent_core_flops": {
        "formula": compose.times(_LATENT, "n_heads", "d_head_nope + d_head_rope + d_head_v"),
        "decode": compose.times(compose.substitute(_LATENT, _STEP), "n_heads", "2 * kv_rank + d_head_rope"),
    },
    "attention_core_flops": {
        "formula": "2 * 2 * batch * n_heads * d_head"
        " * ((n_attention_layers - n_window_layers - n_chosen_layers) * pairs"
        " + n_window_layers * window_pairs + n_chosen_layers * chosen_pairs)",
        "decode": "2 * 2 * batch * n_heads * d_head"
        " * ((n_attention_layers - n_window_caches - n_chosen_layers) * context"
        " + n_window_caches * min(context, window) + n_chosen_layers * chosen_context)",
    },
    "latent_cache": {
        "decode": "batch * kv_dtype_bytes * (kv_rank + d_head_rope)"
        " * ((n_latent_layers - n_chosen_latent_layers) * context + n_chosen_latent_layers * chosen_context)",
    },
    "kv_cache": {
        "decode": "2 * batch * kv_dtype_bytes * n_kv_heads * d_head"
        " * ((n_attention_layers - n_window_caches - n_chosen_layers) * context"
        " + n_window_caches * min(context, max(window - 1, 0)) + n_chosen_layers * chosen_context)",
    },
}
"""What the choice changes in the cores and caches of the common blocks: all is cached, and what was chosen is read."""


def choosing(block: blocks.Block) -> blocks.Block:
    """Return a block whose attention reads what an indexer chose, where there is one."""
    flops, memory = (
        tuple(line._replace(**CHANGES.get(line.name, {})) for line in lines) for lines in (block.flops, block.memory)
    )
    return replace(block, flops=flops, memory=memory)


CHOSEN = blocks.Block(dimensions=DIMENSIONS, flops=HELPERS)
