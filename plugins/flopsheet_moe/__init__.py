"""Mixtures of experts: decoders in which a router sends each token to a few of many feed-forward experts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet import (
    Architecture,
    Dimension,
    Family,
    Line,
    Reading,
    Rule,
    blocks,
    families_from,
    hookimpl,
    read_windows,
    rules_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COUNTS = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    Dimension("n_dense_layers", "Dense layers", default=0, minimum=0, about="Layers with one MLP in place of experts"),
    Dimension("n_latent_layers", "Latent attention layers", default=0, minimum=0),
    Dimension(
        "n_attention_layers",
        "Attention layers",
        default="n_layers - n_latent_layers",
        minimum=0,
        about="Layers whose keys and values are cached by head",
    ),
)
ATTENTION = blocks.instance(blocks.ATTENTION, "", {"n_layers": "n_attention_layers"})
MLP = blocks.instance(blocks.MLP, "", {"n_layers": "n_dense_layers"})
STACK = (
    blocks.Block(dimensions=COUNTS)
    + replace(ATTENTION, dimensions=blocks.ATTENTION.dimensions)
    + blocks.LATENT_ATTENTION
    + replace(MLP, dimensions=blocks.MLP.dimensions)
    + blocks.EXPERTS
    + blocks.EMBEDDING
    + blocks.POSITIONS
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Read the windows, and note the layers for multi-token prediction that no class counts."""
    reading = read_windows(config, family)
    extra = config.get("num_nextn_predict_layers")
    reading.keys.add("num_nextn_predict_layers")
    if extra:
        reading.notes.append(f"{extra} multi-token prediction layers are not counted: they are in no model class")
    return reading


MOE = Architecture(
    "moe",
    "Mixture of experts",
    "A decoder in which a router sends each token to a few of many feed-forward experts",
    STACK.dimensions,
    read=read,
    checks=blocks.HEADS_FIT
    | {
        "1 if top_k <= n_experts else 0": "a token cannot use more experts than there are",
        "1 if n_dense_layers + n_moe_layers == n_layers else 0": "dense and expert layers must add up to the layers",
        "1 if n_window_layers <= n_attention_layers else 0": "there cannot be more window layers than layers",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the mixture of experts."""
    return [MOE]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mixtral and DeepSeek-V3."""
    return families_from(__name__, "moe")


@hookimpl
def flopsheet_parameters() -> Iterable[Line]:
    """Give a decoder's lines with routed and shared experts."""
    return STACK.parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give the matrix products of one forward pass, routed experts as active."""
    return STACK.flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give the key/value and latent caches."""
    return STACK.memory


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for mixtures of experts."""
    return rules_from(__name__)
