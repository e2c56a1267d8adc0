"""A tower's stack: what turns patches or sound into vectors, and the layers that these pass."""

from __future__ import annotations

from typing import Any

from flopsheet import Group, Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own

VIT = "Dosovitskiy et al. 2010.11929, section 3.1; Radford et al. 2212.04356, section 2.2 for sound"
CONVNEXT = "Liu et al. 2201.03545, section 2.3"
CONFORMER = "Gulati et al. 2005.08100, section 2"
COUNTED = "torch.utils.flop_counter: bmm_flop; every position of a picture or clip sees every other"


def encoder(slot: str, group: Group, what: str, each: str) -> blocks.Block:
    """Return a stack whose dimensions and lines begin with `slot`; `each` is what one position holds."""
    return (
        blocks.Block(dimensions=dimensions_of("encoder", what, each, slot=slot))
        + _stem(slot, group, what, each)
        + _layers(slot, group, what)
        + _core(slot, group, what)
        + _pooling(slot, group, what)
    )


def _stem(slot: str, group: Group, what: str, each: str) -> blocks.Block:
    name, title = f"{slot}_stem", f"{what} embedding"
    about = f"What makes a vector of {each}"
    return blocks.Block(
        parameters=(
            Line(name, f"{name}_weights", "parameters", group, title, about, VIT),
            Line(
                f"{slot}_positions",
                own("slot_position_rows * slot_d_model", slot=slot),
                "parameters",
                group,
                f"{what} positions",
                source=VIT,
                shard="replicated",
            ),
        ),
        flops=(
            Line(
                f"{name}_flops",
                own("slot_stem_is_linear * 2 * slot_embedded * slot_stem_products", slot=slot),
                "FLOP",
                group,
                title,
                about,
                VIT,
                work="linear",
                decode="0",
            ),
            Line(
                f"{name}_conv_flops",
                own("(1 - slot_stem_is_linear) * 2 * slot_embedded * slot_stem_products", slot=slot),
                "FLOP",
                group,
                f"{title} by convolution",
                about,
                VIT,
                work="other",
                decode="0",
            ),
        ),
    )


FEWER = "slot_late_layers * (1 - 1 / max(1, slot_late_joined))"
"""Passes that late layers leave out: theirs are over joined positions."""
PAIRS = (
    "(slot_attention_layers - slot_window_layers"
    " - slot_late_layers * (1 - 1 / power(max(1, slot_late_joined), 2))) * slot_pairs"
    " + slot_window_layers * slot_window_pairs"
)
"""Late layers see fewer positions, of fewer."""


def count_passes(slot: str, layers: str) -> str:
    """Return the number of passes of all positions through layers: late ones see fewer."""
    return compose.minus(f"{slot}_{layers}", own(FEWER, slot=slot))


def pairs(slot: str) -> str:
    """Return the pairs of positions of all attention layers."""
    return own(PAIRS, slot=slot)


def _layers(slot: str, group: Group, what: str) -> blocks.Block:
    """Return the linear layers, convolutions and vectors of the stack."""
    each: dict[str, Any] = {
        "group": group,
        "copies": f"{slot}_layers",
        "tokens": f"{slot}_tokens",
        "decode": "0",
        "source": VIT,
    }
    return (
        blocks.linear(
            f"{slot}_attention",
            own("2 * slot_d_model * slot_d_head * (slot_heads + slot_kv_heads)", slot=slot),
            title=f"{what} attention",
            about="Queries, keys, values and output",
            **{**each, "copies": f"{slot}_attention_layers", "uses": count_passes(slot, "attention_layers")},
        )
        + blocks.linear(
            f"{slot}_mlp",
            own("slot_mlp_matrices * slot_d_model * slot_d_ff", slot=slot),
            title=f"{what} MLP",
            **{**each, "uses": count_passes(slot, "layers")},
        )
        + blocks.linear(
            f"{slot}_other",
            f"{slot}_layer_matrices",
            title=f"{what} other linear layers",
            **{**each, "uses": count_passes(slot, "layers")},
        )
        + blocks.linear(
            f"{slot}_entry", f"{slot}_entry_weights", title=f"{what} outer linear layers", **{**each, "copies": "1"}
        )
        + _convolution(slot, group, what)
        + _stages(slot, group, what)
        + blocks.Block(
            parameters=(
                Line(
                    f"{slot}_norms",
                    own("slot_layers * slot_layer_vectors + slot_vectors", slot=slot),
                    "parameters",
                    group,
                    f"{what} norms, biases and other vectors",
                    source=VIT,
                    shard="replicated",
                ),
            )
        )
    )


def _convolution(slot: str, group: Group, what: str) -> blocks.Block:
    weights, title = own("slot_conv_layers * slot_conv_weights", slot=slot), f"{what} convolutions"
    tail = own("slot_pictures * slot_conv_layers * slot_conv_tail", slot=slot)
    return blocks.Block(
        parameters=(Line(f"{slot}_conv", weights, "parameters", group, title, source=CONFORMER),),
        flops=(
            Line(
                f"{slot}_conv_flops",
                compose.times("2", compose.plus(compose.times(f"{slot}_tokens", weights), tail)),
                "FLOP",
                group,
                title,
                source=CONFORMER,
                work="other",
                decode="0",
            ),
        ),
    )


def _stages(slot: str, group: Group, what: str) -> blocks.Block:
    name, title, about = (
        f"{slot}_stages",
        f"{what} earlier stages",
        "Linear layers before positions are joined to fewer",
    )
    flops = compose.times("2", f"{slot}_embedded", f"{slot}_stage_products")
    return blocks.Block(
        parameters=(Line(name, f"{slot}_stage_weights", "parameters", group, title, about, CONVNEXT),),
        flops=(
            Line(f"{name}_flops", flops, "FLOP", group, title, about, CONVNEXT, work="linear", decode="0"),
            Line(
                f"{name}_core_flops",
                compose.times("2", f"{slot}_embedded", f"{slot}_stage_core_products"),
                "FLOP",
                group,
                f"{title}' attention core",
                "Scores and their product with the values, inside windows or groups of channels",
                COUNTED,
                work="attention_core",
                decode="0",
            ),
        ),
    )


def _core(slot: str, group: Group, what: str) -> blocks.Block:
    return blocks.Block(
        flops=(
            Line(
                f"{slot}_core_flops",
                compose.times("2", "2", f"{slot}_heads", f"{slot}_d_head", pairs(slot)),
                "FLOP",
                group,
                f"{what} attention core",
                "Scores and their product with the values: 2 FLOP each for a pair and channel",
                COUNTED,
                work="attention_core",
                decode="0",
            ),
        )
    )


def _pooling(slot: str, group: Group, what: str) -> blocks.Block:
    """Return the pooling head: one learned query that attends to all positions, and an MLP for what it gets."""
    source, title = "transformers models/siglip/modeling_siglip.py", f"{what} attention pooling"
    return blocks.Block(
        parameters=(
            Line(
                f"{slot}_pooling",
                own("slot_pooling_heads * (4 * slot_d_model * slot_d_model + 2 * slot_d_model * slot_d_ff)", slot=slot),
                "parameters",
                group,
                title,
                "Attention of one learned query, and an MLP",
                source,
            ),
        ),
        flops=(
            Line(
                f"{slot}_pooling_flops",
                own(
                    "2 * slot_pooling_heads * (slot_pictures"
                    " * (2 * slot_d_model * slot_d_model + 2 * slot_d_model * slot_d_ff)"
                    " + 2 * slot_tokens * slot_d_model * slot_d_model)",
                    slot=slot,
                ),
                "FLOP",
                group,
                title,
                "Keys and values of every position, the rest once per picture",
                source,
                work="linear",
                decode="0",
            ),
            Line(
                f"{slot}_pooling_core_flops",
                own("2 * 2 * slot_pooling_heads * slot_tokens * slot_d_model", slot=slot),
                "FLOP",
                group,
                f"{title} core",
                "Scores of one query, and their product with the values",
                source,
                work="attention_core",
                decode="0",
            ),
        ),
    )
