"""Experts that only positions of pictures pass, next to those of the text, as in ERNIE 4.5 VL."""

from __future__ import annotations

from flopsheet import Line, blocks
from flopsheet_multimodal.optional import optional

ERNIE = "transformers models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py"

PICTURE_EXPERTS = blocks.Block(
    dimensions=(
        optional("picture_expert_layers", "Layers with experts for pictures"),
        optional("picture_experts", "Experts for pictures", about="A layer has as many, and a router for them"),
        optional("picture_d_model", "Experts for pictures: width of the language model"),
        optional("picture_d_expert", "Experts for pictures: their own width"),
    ),
    parameters=(
        Line(
            "picture_experts_weights",
            "3 * picture_expert_layers * picture_experts * picture_d_model * picture_d_expert",
            "parameters",
            "experts",
            "Experts for pictures",
            "Gated, as those of the text. A token of text passes none of them",
            ERNIE,
            active="0",
            shard="expert",
        ),
        Line(
            "picture_router",
            "picture_expert_layers * picture_experts * (picture_d_model + 1)",
            "parameters",
            "router",
            "Router of the experts for pictures",
            "With its correction",
            ERNIE,
            active="0",
            shard="replicated",
        ),
    ),
)
"""Parameters alone: what pictures cost is refused for a model that has them."""
