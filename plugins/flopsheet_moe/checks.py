"""What mixtures of experts have in common: fields, adapters, and what must hold of them."""

from functools import partial

from flopsheet import Architecture, blocks

FIELDS = (*blocks.FITTED_FIELDS, "balances_routers", "output_router_logits", "first_k_dense_replace")
mixture = partial(
    Architecture, adapters=("attention", "mlp", "shared_experts"), on_paper={"mlp_matrices": 3}, fields=FIELDS
)
"""What mixtures with attention by head or latent attention, MLPs and experts have in common."""
ROUTED = {"1 if top_k <= n_experts else 0": "a token cannot use more experts than there are"}
EXPERTS_FIT = (
    blocks.GROUPS_FIT
    | ROUTED
    | {
        "1 if n_moe_layers else (0 if balances_routers * output_router_logits * has_head else 1)": "no layer has the"
        " routers that output_router_logits asks for",
    }
)
FIT = blocks.HEADS_FIT | EXPERTS_FIT
ADAPTED = {
    "1 if n_other_matrices * (lora_attention + lora_mlp + lora_shared_experts) == 0 else 0": "adapters of its other"
    " linear layers are unknown",
}
ADD_UP = {
    "1 if n_dense_layers + n_moe_layers == n_layers else 0": "dense and expert layers must add up to the layers",
}
PARALLEL_ADD_UP = {
    "1 if n_dense_layers + n_moe_layers - n_parallel_layers == n_layers else 0": "dense and expert layers must add up"
    " to the layers",
}
WINDOWS_FIT = {"1 if n_window_layers <= n_attention_layers else 0": "there cannot be more window layers than layers"}
LOCAL_FIT = {
    "1 if floor(local_heads / max(local_kv_heads, 1)) * local_kv_heads == local_heads else 0": "local query heads must"
    " be a multiple of local key/value heads",
}
DENSE_FRONT = {
    "max(first_k_dense_replace - n_layers, 0)": "first_k_dense_replace is beyond the layers: all of them are dense, as"
    " transformers builds them",
}
LOCAL_CACHE = {"n_local_layers * max(context - local_window + 1, 0)": blocks.WINDOW_CACHE}
