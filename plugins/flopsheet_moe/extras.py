"""What some mixtures of experts have next to attention and experts: sinks, gates, further norms."""

from flopsheet import Line, blocks

SINKS = "gpt-oss, 2508.10925; transformers GptOssAttention"
GATE = "Qiu et al. 2505.06708; transformers models/afmoe/modeling_afmoe.py"

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
