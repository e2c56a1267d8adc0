"""Experts that only positions of pictures pass, next to those of the text, as in ERNIE 4.5 VL."""

from __future__ import annotations

from flopsheet import Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of

ERNIE = "transformers models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py"

PASSED = "min(vision_outputs, batch * seq_len) * picture_expert_layers * picture_top_k"
"""Times that a token of a picture passes an expert."""
WIDER = "3 * (picture_d_expert - picture_d_text_expert)"
"""Hidden elements of its own expert, with gates, beyond those of the text's expert that it would pass else."""

PICTURE_EXPERTS = blocks.Block(
    dimensions=dimensions_of("picture_experts"),
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
    flops=(
        Line(
            "picture_experts_flops",
            compose.times("2", PASSED, WIDER, "picture_d_model"),
            "FLOP",
            "experts",
            "Experts for pictures, in place of those for text",
            "Lines of experts count every token; those of pictures pass others: below 0 where these are narrower",
            ERNIE,
            work="linear",
            decode="0",
            signed=True,
        ),
    ),
    activations=(
        blocks.activation_line(
            "picture_experts_kept",
            compose.times(PASSED, WIDER),
            "experts",
            "Inputs and outputs of the activation of experts for pictures, beyond those of the text's",
            "expert",
        ),
    ),
)
"""Experts of the same number and router as the text's, and of another width."""
