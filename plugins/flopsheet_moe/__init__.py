"""Mixtures of experts: decoders in which a router sends each token to a few of many feed-forward experts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet import (
    Architecture,
    Dimension,
    Family,
    Line,
    Rule,
    blocks,
    families_from,
    hookimpl,
    rules_from,
)
from flopsheet_moe.altup import ALTUP
from flopsheet_moe.extras import ATTENTION_EXPERTS, ATTENTION_GATE, ATTENTION_SINKS, EXPERT_NORMS, LAYER_INPUTS
from flopsheet_moe.indexer import INDEXER
from flopsheet_moe.reading import read
from flopsheet_moe.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

COUNTS = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    Dimension("n_dense_layers", "Dense layers", default=0, minimum=0, about="Layers with one MLP in place of experts"),
    Dimension(
        "n_parallel_layers", "Layers with an MLP beside experts", default=0, minimum=0, about="Gemma 4 adds both up"
    ),
    Dimension("n_wide_layers", "Layers with another MLP of another width", default=0, minimum=0),
    Dimension("n_latent_layers", "Latent attention layers", default=0, minimum=0),
    Dimension("n_local_layers", "Local attention layers of their own shape", default=0, minimum=0),
    Dimension("n_global_layers", "Global attention layers of their own shape", default=0, minimum=0),
    Dimension(
        "n_attention_layers",
        "Attention layers",
        default="n_layers - n_latent_layers - n_local_layers - n_global_layers",
        minimum=0,
        about="Layers whose keys and values are cached by head",
    ),
)
ATTENTION = blocks.instance(blocks.ATTENTION, "", {"n_layers": "n_attention_layers"})
MLP = blocks.instance(blocks.MLP, "", {"n_layers": "n_dense_layers"})
WIDE_MLP = blocks.instance(blocks.MLP, "wide_", {"n_layers": "n_wide_layers", "d_ff": "d_ff_wide"})
WIDTH = Dimension("d_ff_wide", "MLP width of wide layers", default="2 * d_ff if n_wide_layers else 0", minimum=0)
STACK = (
    blocks.Block(dimensions=COUNTS)
    + replace(ATTENTION, dimensions=blocks.ATTENTION.dimensions)
    + SHAPES
    + ATTENTION_SINKS
    + ATTENTION_GATE
    + blocks.LATENT_ATTENTION
    + INDEXER
    + replace(MLP, dimensions=blocks.MLP.dimensions)
    + replace(WIDE_MLP, dimensions=(WIDTH,))
    + blocks.EXPERTS
    + ATTENTION_EXPERTS
    + blocks.EMBEDDING
    + LAYER_INPUTS
    + ALTUP
    + blocks.POSITIONS
    + blocks.LAYER_NORMS
    + EXPERT_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
    + blocks.OTHER
)


MOE = Architecture(
    "moe",
    "Mixture of experts",
    "A decoder in which a router sends each token to a few of many feed-forward experts",
    STACK.dimensions,
    adapters=("attention", "mlp", "shared_experts"),
    read=read,
    checks=blocks.HEADS_FIT
    | {
        "1 if top_k <= n_experts else 0": "a token cannot use more experts than there are",
        "1 if n_dense_layers + n_wide_layers + n_moe_layers - n_parallel_layers == n_layers else 0": "dense and expert"
        " layers must add up to the layers",
        "1 if has_attention_experts * lora_attention == 0 else 0": "adapters of attention by experts are unknown",
        "1 if (n_other_matrices + laurel_rank) * (lora_attention + lora_mlp + lora_shared_experts) == 0"
        " else 0": "adapters of its other linear layers are unknown",
        "1 if n_window_layers <= n_attention_layers else 0": "there cannot be more window layers than layers",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the mixture of experts."""
    return [MOE]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mixtral, Qwen, DeepSeek, gpt-oss and the other types of `families.toml`."""
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
