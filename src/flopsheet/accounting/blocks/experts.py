"""Mixtures of experts: the router, the routed experts, and the experts that every token passes."""

from flopsheet.accounting.blocks.block import Block, linear
from flopsheet.accounting.line import Dimension

MOE = "Shazeer et al. 1701.06538; Jiang et al. 2401.04088 for Mixtral"
SHARED = "DeepSeekMoE, 2401.06066, section 3.2"

EXPERTS = (
    Block(
        dimensions=(
            Dimension("n_moe_layers", "Expert layers", default="n_layers", minimum=0),
            Dimension("n_experts", "Routed experts", keys=("num_local_experts",)),
            Dimension("top_k", "Experts a token", keys=("num_experts_per_tok",)),
            Dimension("d_expert", "Expert width", keys=("moe_intermediate_size",), default="d_ff"),
            Dimension("expert_matrices", "Expert matrices", default=3, minimum=2, about="2 plain, 3 gated"),
            Dimension("has_router_bias", "Router bias", kind="flag", default=0),
            Dimension("n_shared_experts", "Shared experts", keys=("n_shared_experts",), default=0, minimum=0),
            Dimension("d_shared_expert", "Shared expert width", default="d_expert", minimum=0),
        )
    )
    + linear(
        "router",
        "d_model * n_experts",
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
        copies="n_moe_layers * n_experts",
        uses="n_moe_layers * top_k",
        title="Experts in",
        source=MOE,
        active="top_k / n_experts",
        shard="expert",
    )
    + linear(
        "experts_out",
        "d_expert * d_model",
        group="experts",
        copies="n_moe_layers * n_experts",
        uses="n_moe_layers * top_k",
        title="Experts out",
        source=MOE,
        active="top_k / n_experts",
        shard="expert",
    )
    + linear(
        "shared_experts_in",
        "n_shared_experts * (expert_matrices - 1) * d_model * d_shared_expert",
        group="shared_experts",
        copies="n_moe_layers",
        title="Shared experts in",
        source=SHARED,
    )
    + linear(
        "shared_experts_out",
        "n_shared_experts * d_shared_expert * d_model",
        group="shared_experts",
        copies="n_moe_layers",
        title="Shared experts out",
        source=SHARED,
    )
)
"""Routed and shared experts in `n_moe_layers`."""
