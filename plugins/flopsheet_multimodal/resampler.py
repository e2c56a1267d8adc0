"""Resamplers: learned queries that attend to what a tower found, so that a picture or part has few outputs."""

from __future__ import annotations

from typing import Any

from flopsheet import Dimension, Line, blocks, compose
from flopsheet_multimodal.optional import optional
from flopsheet_multimodal.own import own

BLIP = "Li et al. 2301.12597, section 3.1; Alayrac et al. 2204.14198, section 3.1"
COUNTED = "torch.utils.flop_counter.bmm_flop"


def resampler(slot: str, name: str, what: str) -> blocks.Block:
    """Return a stack of queries that attend to a tower's output, and to each other."""
    queries, source = (compose.times(f"{slot}_pictures", f"{name}_{of}") for of in ("queries", "sees"))
    once = own("name_shares_first * (1 - 1 / max(1, slot_pictures))", name=name, slot=slot)
    self_layers = compose.minus(f"{name}_self_layers", once)
    each: dict[str, Any] = {"group": "projector", "tokens": f"{name}_tokens", "decode": "0", "source": BLIP}
    return (
        blocks.Block(
            dimensions=_resampler_dimensions(name, what),
            flops=(
                Line(f"{name}_tokens", queries, "queries", title=f"{what}: queries", source=BLIP, additive=False),
                Line(f"{name}_seen", source, "positions", title=f"{what}: what it sees", source=BLIP, additive=False),
            ),
        )
        + blocks.linear(
            f"{name}_self_attention",
            own("2 * name_d_model * name_d_head * (name_heads + name_kv_heads)", name=name),
            copies=f"{name}_self_layers",
            uses=self_layers,
            title=f"{what} self-attention",
            **each,
        )
        + blocks.linear(
            f"{name}_queries_and_out",
            own("2 * name_d_model * name_heads * name_d_head", name=name),
            copies=f"{name}_cross_layers",
            uses=compose.minus(f"{name}_cross_layers", compose.over(once, "2")),
            title=f"{what} queries and output",
            **each,
        )
        + blocks.linear(
            f"{name}_keys_and_values",
            own("2 * name_d_source * name_kv_heads * name_d_head", name=name),
            copies=f"{name}_cross_layers",
            title=f"{what} keys and values",
            **{**each, "tokens": f"{name}_seen"},
        )
        + blocks.linear(
            f"{name}_mlp",
            own("name_mlp_matrices * name_d_model * name_d_ff", name=name),
            copies=f"{name}_mlp_layers",
            title=f"{what} MLP",
            **each,
        )
        + blocks.linear(f"{name}_other", f"{name}_other_weights", copies="1", title=f"{what} other matrices", **each)
        + blocks.Block(
            parameters=(
                Line(
                    f"{name}_norms",
                    f"{name}_vectors",
                    "parameters",
                    "projector",
                    f"{what} learned queries, norms and biases",
                    source=BLIP,
                    shard="replicated",
                ),
            ),
            flops=(
                Line(
                    f"{name}_core_flops",
                    compose.times(
                        own("2 * 2 * name_tokens * name_heads * name_d_head", name=name),
                        compose.plus(
                            compose.times(self_layers, f"{name}_queries"),
                            own("name_cross_layers * name_sees", name=name),
                        ),
                    ),
                    "FLOP",
                    "projector",
                    f"{what} attention cores",
                    "Scores and their product with the values: 2 FLOP each for a pair and channel",
                    COUNTED,
                    work="attention_core",
                    decode="0",
                ),
            ),
        )
    )


def _resampler_dimensions(name: str, what: str) -> tuple[Dimension, ...]:
    return (
        optional(f"{name}_queries", f"{what}: queries", about="Learned vectors of a picture or part"),
        optional(
            f"{name}_sees",
            f"{what}: positions that a query sees",
            about="Of a picture or part, the queries themselves included where they are among the keys",
        ),
        optional(f"{name}_self_layers", f"{what}: self-attention layers"),
        Dimension(
            f"{name}_shares_first",
            f"{what}: first self-attention once for all",
            kind="flag",
            default=0,
            about="1: its queries are the same for every picture or part, and so is all before they first see one",
        ),
        optional(f"{name}_cross_layers", f"{what}: cross-attention layers"),
        optional(f"{name}_mlp_layers", f"{what}: MLP layers", default=f"{name}_self_layers"),
        optional(f"{name}_d_model", f"{what}: width"),
        optional(f"{name}_d_source", f"{what}: width of what it sees", default=f"{name}_d_model"),
        optional(f"{name}_heads", f"{what}: query heads"),
        optional(f"{name}_kv_heads", f"{what}: key/value heads", default=f"{name}_heads"),
        optional(f"{name}_d_head", f"{what}: head size", default=own("name_d_model / max(1, name_heads)", name=name)),
        optional(f"{name}_d_ff", f"{what}: MLP width"),
        optional(
            f"{name}_mlp_matrices", f"{what}: MLP matrices", default=own("2 if name_mlp_layers else 0", name=name)
        ),
        optional(f"{name}_other_weights", f"{what}: weights of other matrices"),
        optional(f"{name}_vectors", f"{what}: vectors", about="Learned queries, norms and biases, all of them"),
    )
