"""Resamplers: learned queries that attend to what a tower found, so that a picture or part has few outputs."""

from __future__ import annotations

from typing import Any

from flopsheet import Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own_block, product

BLIP = "Li et al. 2301.12597, section 3.1; Alayrac et al. 2204.14198, section 3.1"
COUNTED = "torch.utils.flop_counter.bmm_flop"


ONCE = "name_shares_first * (1 - 1 / max(1, slot_pictures))"
"""Passes that the first layers leave out where all pictures share them."""
SELF_LAYERS = compose.minus("name_self_layers", ONCE)
CROSS_LAYERS = compose.minus("name_cross_layers", compose.over(ONCE, "2"))


def _linear(name: str, weights: str, title: str, layers: str, **more: Any) -> blocks.Block:
    usual = {"group": "other", "tokens": "name_tokens", "decode": "0", "source": BLIP}
    return blocks.linear(f"name_{name}", weights, copies=layers, title=f"{{what}} {title}", **{**usual, **more})


LAYERS = (
    _linear(
        "self_attention",
        "2 * name_d_model * name_d_head * (name_heads + name_kv_heads)",
        "self-attention",
        "name_self_layers",
        uses=SELF_LAYERS,
    )
    + _linear(
        "queries_and_out",
        "2 * name_d_model * name_heads * name_d_head",
        "queries and output",
        "name_cross_layers",
        uses=CROSS_LAYERS,
    )
    + _linear(
        "keys_and_values",
        "2 * name_d_source * name_kv_heads * name_d_head",
        "keys and values",
        "name_cross_layers",
        tokens="name_seen",
    )
    + _linear("mlp", "name_mlp_matrices * name_d_model * name_d_ff", "MLP", "name_mlp_layers")
    + _linear("other", "name_other_weights", "other matrices", "1")
)
"""Linear layers; of the first self-attention and what it gives, the passes that are left."""

RESAMPLER = (
    blocks.Block(
        flops=(
            blocks.helper("name_tokens", "slot_pictures * name_queries", "queries", "{what}: queries", source=BLIP),
            blocks.helper("name_seen", "slot_pictures * name_sees", "positions", "{what}: what it sees", source=BLIP),
        )
    )
    + LAYERS
    + blocks.Block(
        parameters=(
            Line(
                "name_norms",
                "name_vectors",
                "parameters",
                title="{what} learned queries, norms and biases",
                source=BLIP,
                shard="replicated",
            ),
        ),
        flops=(
            product(
                "name_core_flops",
                compose.times(
                    "2 * 2 * name_tokens * name_heads * name_d_head",
                    compose.plus(compose.times(SELF_LAYERS, "name_queries"), "name_cross_layers * name_sees"),
                ),
                "{what} attention cores",
                "Scores and their product with the values: 2 FLOP each for a pair and channel",
                COUNTED,
                work="attention_core",
            ),
        ),
    )
)


def resampler(slot: str, name: str, what: str) -> blocks.Block:
    """Return a stack of queries that attend to a tower's output, and to each other."""
    dimensions = blocks.Block(dimensions_of("resampler", what, name=name))
    return dimensions + own_block(RESAMPLER, "projector", {"what": what}, slot=slot, name=name)
