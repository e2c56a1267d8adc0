"""What some mixtures of experts have next to attention and experts: sinks, gates, norms, layer inputs."""

from flopsheet import Dimension, Line, blocks
from flopsheet_moe.lines import matrix

SINKS = "gpt-oss, 2508.10925; transformers GptOssAttention"
GATE = "Qiu et al. 2505.06708; transformers models/afmoe/modeling_afmoe.py"
MOA = "JetMoE, 2404.07413; transformers JetMoeMoA"
PLE = "Gemma 3n and Gemma 4, per-layer embeddings: transformers Gemma4TextModel"

ATTENTION_SINKS = blocks.Block(
    dimensions=(
        blocks.flag(
            "has_sinks",
            "Attention sinks",
            "One number per head and layer, to which attention can go instead of to a token",
            source=SINKS,
        ),
    ),
    parameters=(
        Line(
            "attention_sinks",
            "has_sinks * n_attention_layers * n_heads",
            "parameters",
            "attention",
            title="Attention sinks",
            source=SINKS,
        ),
    ),
)

ATTENTION_GATE = blocks.Block(
    dimensions=(
        blocks.optional(
            "gate_width",
            "Gates on the attention output",
            "Numbers that scale what the heads give: one per head or one per channel; 0: no gate",
            source=GATE,
        ),
        blocks.optional("gate_biases", "Biases of the gates", "Numbers per layer; 0: none"),
    ),
) + blocks.linear(
    "attention_gate",
    "d_model * gate_width",
    group="attention",
    sides="min(gate_width, 1) * (d_model + gate_width)",
    rows="gate_width",
    copies="n_attention_layers",
    bias="gate_biases",
    title="Gate on the attention output",
    source=GATE,
)
ATTENTION_GATE += blocks.Block(
    activations=(
        blocks.activation_line(
            "attention_gate_kept", "2 * tokens * n_attention_layers * gate_width", "attention", "Gates"
        ),
    )
)

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

EXPERT_NORMS = blocks.Block(
    dimensions=(blocks.optional("expert_norms", "Further norms of expert layers", "Around the experts"),),
    parameters=(
        blocks.whole_weights(
            "expert_norm",
            "n_moe_layers * expert_norms * norm_vectors * d_model",
            "norm",
            "Further norms of expert layers",
            source="transformers models/gemma4/modeling_gemma4.py, models/axk1/modeling_axk1.py",
        ),
    ),
    activations=(
        blocks.activation_line(
            "expert_norm_kept",
            "tokens * n_moe_layers * expert_norms * d_model",
            "norm",
            "Inputs of further norms of expert layers",
            "replicated",
        ),
    ),
)

LAYER_INPUTS = (
    blocks.Block(
        dimensions=(
            blocks.optional("d_layer_input", "Width of the layers' own inputs", source=PLE),
            Dimension(
                "layer_vocab_size",
                "Vocabulary of the layers' own inputs",
                default="vocab_size if d_layer_input else 0",
                minimum=0,
            ),
        ),
        parameters=(
            Line(
                "layer_input_embedding",
                "layer_vocab_size * n_layers * d_layer_input",
                "parameters",
                "embedding",
                title="Table of the layers' own inputs",
                source=PLE,
            ),
            blocks.whole_weights(
                "layer_input_norm", "d_layer_input", "norm", "Norm of the layers' own inputs", source=PLE
            ),
        ),
    )
    + matrix(
        "layer_input_projection",
        "d_model",
        "d_layer_input",
        "other",
        "Projection of the layers' own inputs",
        source=PLE,
    )
    + matrix("layer_input_gate", "d_model", "d_layer_input", "other", "Gate of a layer's input", source=PLE)
    + matrix("layer_input_out", "d_layer_input", "d_model", "other", "Output of a layer's input", source=PLE)
    + blocks.Block(
        activations=(
            blocks.activation_line(
                "layer_inputs_kept_own",
                "tokens * n_layers * (4 * d_layer_input + min(d_layer_input, 1) * d_model)",
                "other",
                "The layers' own inputs, their gates and products",
                "replicated",
            ),
        )
    )
)
"""Inputs that each layer looks up for itself."""
