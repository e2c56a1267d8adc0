"""Hybrids: stacks that mix attention, state-space layers, linear recurrences, convolutions, MLPs and experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Block, Family, Reading, Rule


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_hybrid.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


HYBRID = Architecture(
    "hybrid",
    "Hybrid",
    "A stack that mixes attention with state-space layers, linear recurrences, convolutions, MLPs and experts",
    read=_read,
    notes=blocks.WINDOW_NOTES,
    fields=blocks.FITTED_FIELDS,
    checks=blocks.HEADS_FIT
    | blocks.GROUPS_FIT
    | blocks.LATENT_FIT
    | blocks.DELTA_FIT
    | {
        "1 if n_attention_layers + n_latent_layers <= n_layers else 0": "there cannot be more attention layers"
        " than layers",
        "1 if n_window_layers <= n_attention_layers else 0": "there cannot be more window layers than attention layers",
        "1 if n_mlp_layers + n_moe_layers <= n_layers else 0": "there cannot be more MLPs and experts than layers",
        "1 if round_up(n_ssm_heads, max(n_groups, 1)) == n_ssm_heads else (0 if n_mamba2_layers else 1)": "heads of the"
        " state-space layers must be a multiple of their groups",
        "1 if top_k <= n_experts else (0 if n_moe_layers else 1)": "a token cannot use more experts than there are",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the hybrid."""
    return [HYBRID]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Jamba, Bamba, Nemotron-H, Granite 4, Falcon-H1, Zamba, RecurrentGemma, LFM2, Qwen3-Next and their like."""
    return families_from(__name__, "hybrid")


@hookimpl
def flopsheet_block() -> Block:
    """Give tables, mixers of every kind, MLPs, experts, norms and head; few starts need them."""
    from flopsheet_hybrid.shapes import STACK  # noqa: PLC0415 - few starts need it

    return STACK


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for hybrids."""
    return rules_from(__name__)
