"""A tower's stack: what turns patches or sound into vectors, and the layers that these pass."""

from __future__ import annotations

from typing import Any

from flopsheet import Group, Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own_block, product

VIT = "Dosovitskiy et al. 2010.11929, section 3.1; Radford et al. 2212.04356, section 2.2 for sound"
CONVNEXT = "Liu et al. 2201.03545, section 2.3"
CONFORMER = "Gulati et al. 2005.08100, section 2"
DOTS = "transformers models/dots3_note/modeling_dots3_note.py, Dots3NoteVisionMoE"
COUNTED = "torch.utils.flop_counter: bmm_flop; every position of a picture or clip sees every other"


FEWER = "slot_late_layers * (1 - 1 / max(1, slot_late_joined))"
"""Passes that late layers leave out: theirs are over joined positions."""
PASSES = compose.minus("slot_layers", FEWER)
MLP_PASSES = compose.minus("slot_mlp_layers", FEWER)
ATTENTION_PASSES = compose.minus("slot_attention_layers", FEWER)
"""Passes of all positions through layers: late ones see fewer."""
PAIRS = (
    "(slot_attention_layers - slot_window_layers"
    " - slot_late_layers * (1 - 1 / power(max(1, slot_late_joined), 2))) * slot_pairs"
    " + slot_window_layers * slot_window_pairs"
)
"""Pairs of positions of all attention layers: late ones see fewer positions, of fewer."""

STEM = blocks.Block(
    parameters=(
        Line(
            "slot_stem",
            "slot_stem_weights",
            "parameters",
            title="{what} embedding",
            about="What makes a vector of {each}",
            source=VIT,
        ),
        Line(
            "slot_positions",
            "slot_position_rows * slot_d_model",
            "parameters",
            title="{what} positions",
            source=VIT,
            shard="replicated",
        ),
    ),
    flops=(
        product(
            "slot_stem_flops",
            "slot_stem_is_linear * 2 * slot_embedded * slot_stem_products",
            "{what} embedding",
            "What makes a vector of {each}",
            VIT,
            work="linear",
        ),
        product(
            "slot_stem_conv_flops",
            "(1 - slot_stem_is_linear) * 2 * slot_embedded * slot_stem_products",
            "{what} embedding by convolution",
            "What makes a vector of {each}",
            VIT,
            work="other",
        ),
    ),
)


def _linear(name: str, weights: str, title: str, **more: Any) -> blocks.Block:
    """Return a linear layer of the tower's layers, by default one in each."""
    usual = {"group": "other", "copies": "slot_layers", "tokens": "slot_tokens", "decode": "0", "source": VIT}
    return blocks.linear(name, weights, title=title, **{**usual, **more})


LAYERS = (
    _linear(
        "slot_attention",
        "2 * slot_d_model * slot_d_head * (slot_heads + slot_kv_heads)",
        "{what} attention",
        about="Queries, keys, values and output",
        copies="slot_attention_layers",
        uses=ATTENTION_PASSES,
    )
    + _linear(
        "slot_mlp",
        "slot_mlp_matrices * slot_d_model * slot_d_ff",
        "{what} MLP",
        copies="slot_mlp_layers",
        uses=MLP_PASSES,
    )
    + _linear("slot_other", "slot_layer_matrices", "{what} other linear layers", uses=PASSES)
    + _linear("slot_entry", "slot_entry_weights", "{what} outer linear layers", copies="1")
)

EXPERTS_ABOUT = "Each position passes the routers, and the experts that these choose"
EXPERTS = blocks.Block(
    parameters=(
        Line(
            "slot_experts",
            "slot_expert_weights",
            "parameters",
            title="{what} experts and routers",
            about=EXPERTS_ABOUT,
            source=DOTS,
            active="slot_expert_products / max(1, slot_expert_weights)",
        ),
    ),
    flops=(
        product(
            "slot_experts_flops",
            "2 * slot_tokens * slot_expert_products",
            "{what} experts and routers",
            EXPERTS_ABOUT,
            DOTS,
            work="linear",
        ),
    ),
)

CONVOLUTION = blocks.Block(
    parameters=(
        Line(
            "slot_conv",
            "slot_conv_layers * slot_conv_weights",
            "parameters",
            title="{what} convolutions",
            source=CONFORMER,
        ),
    ),
    flops=(
        product(
            "slot_conv_flops",
            "2 * (slot_tokens * slot_conv_layers * slot_conv_weights"
            " + slot_pictures * slot_conv_layers * slot_conv_tail)",
            "{what} convolutions",
            "",
            CONFORMER,
            work="other",
        ),
    ),
)

STAGES_ABOUT = "Linear layers before positions are joined to fewer"
STAGES = blocks.Block(
    parameters=(
        Line(
            "slot_stages",
            "slot_stage_weights",
            "parameters",
            title="{what} earlier stages",
            about=STAGES_ABOUT,
            source=CONVNEXT,
        ),
    ),
    flops=(
        product(
            "slot_stages_flops",
            "2 * slot_embedded * slot_stage_products",
            "{what} earlier stages",
            STAGES_ABOUT,
            CONVNEXT,
            work="linear",
        ),
        product(
            "slot_stages_core_flops",
            "2 * slot_embedded * slot_stage_core_products",
            "{what} earlier stages' attention core",
            "Scores and their product with the values, inside windows or groups of channels",
            COUNTED,
            work="attention_core",
        ),
    ),
)

NORMS = blocks.Block(
    parameters=(
        Line(
            "slot_norms",
            "slot_layers * slot_layer_vectors + slot_vectors",
            "parameters",
            title="{what} norms, biases and other vectors",
            source=VIT,
            shard="replicated",
        ),
    )
)

CORE = blocks.Block(
    flops=(
        product(
            "slot_core_flops",
            compose.times("2", "2", "slot_heads", "slot_d_head", PAIRS),
            "{what} attention core",
            "Scores and their product with the values: 2 FLOP each for a pair and channel",
            COUNTED,
            work="attention_core",
        ),
    )
)

SIGLIP = "transformers models/siglip/modeling_siglip.py"
POOLING = blocks.Block(
    parameters=(
        Line(
            "slot_pooling",
            "slot_pooling_heads * (4 * slot_d_model * slot_d_model + 2 * slot_d_model * slot_d_ff)",
            "parameters",
            title="{what} attention pooling",
            about="Attention of one learned query, and an MLP",
            source=SIGLIP,
        ),
    ),
    flops=(
        product(
            "slot_pooling_flops",
            "2 * slot_pooling_heads * (slot_pictures * (2 * slot_d_model * slot_d_model + 2 * slot_d_model * slot_d_ff)"
            " + 2 * slot_tokens * slot_d_model * slot_d_model)",
            "{what} attention pooling",
            "Keys and values of every position, the rest once per picture",
            SIGLIP,
            work="linear",
        ),
        product(
            "slot_pooling_core_flops",
            "2 * 2 * slot_pooling_heads * slot_tokens * slot_d_model",
            "{what} attention pooling core",
            "Scores of one query, and their product with the values",
            SIGLIP,
            work="attention_core",
        ),
    ),
)
"""The pooling head: one learned query that attends to all positions, and an MLP for what it gets."""


def encoder(slot: str, group: Group, what: str, each: str) -> blocks.Block:
    """Return a stack whose dimensions and lines begin with `slot`; `each` is what one position holds."""
    stack = STEM + LAYERS + EXPERTS + CONVOLUTION + STAGES + NORMS + CORE + POOLING
    dimensions = blocks.Block(dimensions_of("encoder", what, each, slot=slot))
    return dimensions + own_block(stack, group, {"what": what, "each": each}, slot=slot)
