"""Mixtures of experts: the router, the routed experts, and the experts that every token passes."""

from flopsheet.accounting.blocks.block import Block, activation_line, linear, matrix, stream_line
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.blocks.mlp import FUSED_IN
from flopsheet.accounting.line import Dimension, Line

MOE = "Shazeer et al. 1701.06538; Jiang et al. 2401.04088 for Mixtral"
SHARED = "DeepSeekMoE, 2401.06066, section 3.2"
QWEN = "Qwen2, 2407.10671, section 2.2.2; transformers Qwen2MoeSparseMoeBlock"

EXPERTS = (
    Block(
        dimensions=(
            Dimension("n_moe_layers", "Expert layers", default="n_layers", minimum=0),
            Dimension("n_experts", "Routed experts", keys=("num_local_experts",)),
            Dimension("top_k", "Experts per token", keys=("num_experts_per_tok",)),
            Dimension("d_expert", "Expert width", keys=("moe_intermediate_size",), default="d_ff"),
            Dimension("expert_matrices", "Expert matrices", default=3, minimum=2, about="2 plain, 3 gated"),
            flag(
                "has_router_bias", "Router bias", about="One number per expert, where it is a parameter, not a buffer"
            ),
            optional("router_vectors", "Router scales", about="Numbers of a router besides its matrix"),
            flag("expert_bias", "Biases in experts"),
            optional("n_shared_experts", "Shared experts", keys=("n_shared_experts",)),
            Dimension("d_shared_expert", "Shared expert width", default="d_expert", minimum=0),
            FUSED_IN,
            flag("shared_bias", "Biases in shared experts"),
            flag(
                "has_shared_gate",
                "Gate on the shared expert",
                about="One number per token that scales what the shared expert adds",
            ),
        )
    )
    + matrix(
        "router",
        "d_model",
        "n_experts",
        group="router",
        copies="n_moe_layers",
        bias="has_router_bias * n_experts",
        title="Router",
        source=MOE,
        shard="replicated",
    )
    + linear(
        "experts_in",
        "(expert_matrices - 1) * d_model * d_expert",
        group="experts",
        sides="(expert_matrices - 1) * (d_model + d_expert)",
        rows="(expert_matrices - 1) * d_expert",
        copies="n_moe_layers * n_experts",
        uses="n_moe_layers * top_k",
        bias="expert_bias * (expert_matrices - 1) * d_expert",
        title="Experts in",
        source=MOE,
        active="top_k / n_experts",
        shard="expert",
    )
    + matrix(
        "experts_out",
        "d_expert",
        "d_model",
        group="experts",
        copies="n_moe_layers * n_experts",
        uses="n_moe_layers * top_k",
        bias="expert_bias * d_model",
        title="Experts out",
        source=MOE,
        active="top_k / n_experts",
        shard="expert",
    )
    + linear(
        "shared_experts_in",
        "n_shared_experts * (expert_matrices - 1) * d_model * d_shared_expert",
        group="shared_experts",
        sides="(1 if fused_mlp_in else expert_matrices - 1) * min(n_shared_experts, 1) * d_model"
        " + (expert_matrices - 1) * n_shared_experts * d_shared_expert",
        rows="(expert_matrices - 1) * n_shared_experts * d_shared_expert",
        copies="n_moe_layers",
        bias="shared_bias * n_shared_experts * (expert_matrices - 1) * d_shared_expert",
        title="Shared experts in",
        source=SHARED,
    )
    + linear(
        "shared_experts_out",
        "n_shared_experts * d_shared_expert * d_model",
        group="shared_experts",
        sides="n_shared_experts * d_shared_expert + min(n_shared_experts, 1) * d_model",
        rows="min(n_shared_experts, 1) * d_model",
        copies="n_moe_layers",
        bias="shared_bias * min(n_shared_experts, 1) * d_model",
        row=True,
        title="Shared experts out",
        source=SHARED,
    )
    + linear(
        "shared_gate",
        "d_model",
        group="router",
        sides="d_model + 1",
        rows="1",
        copies="n_moe_layers * has_shared_gate",
        title="Gate on the shared expert",
        source=QWEN,
        shard="replicated",
    )
    + Block(
        parameters=(
            Line(
                "router_scales",
                "n_moe_layers * router_vectors",
                "parameters",
                "router",
                title="Router scales",
                source="transformers models/gemma4/modeling_gemma4.py, Gemma4TextRouter",
                shard="replicated",
            ),
        ),
        activations=(
            stream_line("experts_input_kept", "n_moe_layers", "experts", "Inputs of routers and shared experts"),
            activation_line(
                "experts_routed_kept",
                "tokens * n_moe_layers * top_k * d_model",
                "experts",
                "Inputs of routed experts",
                "expert",
                "routed",
            ),
            activation_line(
                "experts_hidden_kept",
                "tokens * n_moe_layers * top_k * expert_matrices * d_expert",
                "experts",
                "Inputs and outputs of the experts' activation, and gates",
                "expert",
            ),
            activation_line(
                "shared_experts_kept",
                "tokens * n_moe_layers * n_shared_experts * expert_matrices * d_shared_expert",
                "shared_experts",
                "Inputs and outputs of the shared experts' activation, and gates",
            ),
            activation_line(
                "router_kept",
                "2 * tokens * n_moe_layers * n_experts",
                "router",
                "Choice of the experts, in fp32",
                "replicated",
            ),
        ),
    )
)
"""Routed and shared experts in `n_moe_layers`."""
