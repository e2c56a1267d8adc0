"""Experts of one side: some of its layers have a router and experts in place of the MLP."""

from flopsheet import blocks

SPARSE = "Switch Transformers, 2101.03961, section 2; NLLB, 2207.04672, section 6.2 (top 2, every fourth layer)"

EXPERTS = (
    blocks.linear(
        "router",
        "d_model * n_experts",
        group="router",
        sides="d_model + n_experts",
        rows="n_experts",
        copies="n_moe_layers",
        bias="has_router_bias * n_experts",
        title="Router",
        source=SPARSE,
        shard="replicated",
    )
    + blocks.linear(
        "experts_in",
        "(mlp_matrices - 1) * d_model * d_ff",
        group="experts",
        sides="(mlp_matrices - 1) * (d_model + d_ff)",
        rows="(mlp_matrices - 1) * d_ff",
        copies="n_moe_layers * n_experts",
        uses="n_moe_layers * top_k",
        bias="mlp_bias * (mlp_matrices - 1) * d_ff",
        title="Experts in",
        source=SPARSE,
        active="top_k / max(n_experts, 1)",
        shard="expert",
    )
    + blocks.linear(
        "experts_out",
        "d_ff * d_model",
        group="experts",
        sides="d_ff + d_model",
        rows="d_model",
        copies="n_moe_layers * n_experts",
        uses="n_moe_layers * top_k",
        bias="mlp_bias * d_model",
        title="Experts out",
        source=SPARSE,
        active="top_k / max(n_experts, 1)",
        shard="expert",
    )
    + blocks.Block(
        activations=(
            blocks.activation_line(
                "experts_input_kept", "tokens * n_moe_layers * d_model", "experts", "Inputs of routers", "replicated"
            ),
            blocks.activation_line(
                "experts_routed_kept",
                "tokens * n_moe_layers * top_k * d_model",
                "experts",
                "Inputs of routed experts",
                "expert",
                "routed",
            ),
            blocks.activation_line(
                "experts_hidden_kept",
                "tokens * n_moe_layers * top_k * mlp_matrices * d_ff",
                "experts",
                "Inputs and outputs of the experts' activation, and gates",
                "expert",
            ),
        )
    )
)
"""As large as the MLP that they stand for."""
