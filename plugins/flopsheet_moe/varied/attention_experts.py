"""Attention whose queries and outputs come from experts, as in JetMoE."""

from flopsheet import Line, blocks
from flopsheet_moe.lines import matrix

MOA = "JetMoE, 2404.07413; transformers JetMoeMoA"

ATTENTION_EXPERTS = blocks.Block(
    dimensions=(
        blocks.flag(
            "has_attention_experts",
            "Attention by experts",
            "Queries and outputs come from experts: a token's top_k experts make up its query heads",
            source=MOA,
        ),
    ),
    parameters=(
        Line(
            "attention_experts",
            "2 * has_attention_experts * n_attention_layers * (n_experts - top_k) * d_model * n_kv_heads * d_head",
            "parameters",
            "attention",
            title="Attention experts that a token does not pass",
            about="Those that it passes are its queries and its attention output",
            source=MOA,
            active="0",
            shard="expert",
        ),
        blocks.whole_weights(
            "attention_experts_bias",
            "2 * has_attention_experts * n_attention_layers * d_model",
            "attention",
            "Biases on what both kinds of experts give",
            source=MOA,
        ),
    ),
) + matrix(
    "attention_router",
    "d_model",
    "n_experts",
    "router",
    "Router of the attention experts",
    copies="has_attention_experts * n_attention_layers",
    source=MOA,
)
