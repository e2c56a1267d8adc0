"""Mixtures of experts: decoders in which a router sends each token to a few of many feed-forward experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks, families_from, hookimpl, rules_from
from flopsheet_moe import compressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Block, Family, Reading, Rule


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


MOE = Architecture(
    "moe",
    "Mixture of experts",
    "A decoder in which a router sends each token to a few of many feed-forward experts",
    adapters=("attention", "mlp", "shared_experts"),
    read=_read,
    on_paper={"mlp_matrices": 3},
    fields=(*blocks.FITTED_FIELDS, "balances_routers", "output_router_logits", "first_k_dense_replace"),
    checks=blocks.HEADS_FIT
    | blocks.GROUPS_FIT
    | blocks.LATENT_FIT
    | {
        "1 if top_k <= n_experts else 0": "a token cannot use more experts than there are",
        "1 if n_dense_layers + n_wide_layers + n_moe_layers - n_parallel_layers == n_layers else 0": "dense and expert"
        " layers must add up to the layers",
        "1 if has_attention_experts * lora_attention == 0 else 0": "adapters of attention by experts are unknown",
        "1 if n_router_sinks * lora_shared_experts == 0 else 0": "adapters of shared experts in one tensor are unknown",
        "1 if (n_other_matrices + laurel_rank) * (lora_attention + lora_mlp + lora_shared_experts) == 0"
        " else 0": "adapters of its other linear layers are unknown",
        "1 if floor(local_heads / max(local_kv_heads, 1)) * local_kv_heads == local_heads else 0": "local query heads"
        " must be a multiple of local key/value heads",
        "1 if n_moe_layers else (0 if balances_routers * output_router_logits * has_head else 1)": "no layer has the"
        " routers that output_router_logits asks for",
        "1 if d_index_head >= d_head_rope else (0 if n_index_layers else 1)": "heads of the indexer must have the"
        " qk_rope_head_dim channels that positions turn",
        "1 if n_window_layers <= n_attention_layers else 0": "there cannot be more window layers than layers",
    },
    notes=blocks.WINDOW_NOTES
    | {
        "max(first_k_dense_replace - n_layers, 0)": "first_k_dense_replace is beyond the layers: all of them are dense,"
        " as transformers builds them",
        "n_local_layers * max(context - local_window + 1, 0)": blocks.WINDOW_CACHE,
        "n_index_layers": compressed.INDEXER_TRAINS,
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe mixtures of experts, and those with compressed attention."""
    return [MOE, compressed.COMPRESSED]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mixtral, Qwen, DeepSeek, gpt-oss and the other types of `families.toml`."""
    return [*families_from(__name__, "moe"), *families_from(compressed.__name__, "compressed")]


@hookimpl
def flopsheet_block(architecture: Architecture) -> Block:
    """Give a decoder's lines with routed and shared experts; few starts need them."""
    if architecture.name == MOE.name:
        from flopsheet_moe.stack import STACK  # noqa: PLC0415 - few starts need it
    else:
        from flopsheet_moe.compressed.stack import STACK  # noqa: PLC0415 - few starts need it
    return STACK


@hookimpl
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:
    """Give the rules of thumb for mixtures of experts."""
    return rules_from(__name__ if architecture.name == MOE.name else compressed.__name__)
