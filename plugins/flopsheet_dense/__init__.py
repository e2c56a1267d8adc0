"""Dense decoders: one stack of attention and feed-forward layers, and every token passes every weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, Family, Line, Rule, blocks, families_from, hookimpl, rules_from
from flopsheet_dense import encoder
from flopsheet_dense.differential import DIFFERENTIAL
from flopsheet_dense.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterable

STACK = (
    blocks.ATTENTION
    + DIFFERENTIAL
    + blocks.MLP
    + blocks.EMBEDDING
    + blocks.POSITIONS
    + blocks.PROJECTIONS
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
    + blocks.OTHER
)
DENSE = Architecture(
    "dense",
    "Dense decoder",
    "A stack of attention and feed-forward layers in which every token passes every weight",
    STACK.dimensions,
    adapters=("attention", "mlp"),
    read=read,
    checks=blocks.HEADS_FIT
    | blocks.WINDOWS_FIT
    | {
        "1 if n_other_matrices * (lora_attention + lora_mlp) == 0 else 0": "adapters of its other linear layers are"
        " unknown",
    },
)


STACKS = {"dense": STACK, "encoder": encoder.LINES}


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe dense decoders and encoders."""
    return [DENSE, encoder.ENCODER]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Llama, GPT, Mistral, Qwen, Gemma, Phi and their like; BERT and its like."""
    return [*families_from(__name__, "dense"), *families_from(encoder.__name__, "encoder")]


@hookimpl
def flopsheet_parameters(architecture: Architecture) -> Iterable[Line]:
    """Give tables, attention, MLP, norms and heads."""
    return STACKS[architecture.name].parameters


@hookimpl
def flopsheet_flops(architecture: Architecture) -> Iterable[Line]:
    """Give the matrix products of one forward pass."""
    return STACKS[architecture.name].flops


@hookimpl
def flopsheet_memory(architecture: Architecture) -> Iterable[Line]:
    """Give the key/value cache."""
    return STACKS[architecture.name].memory


@hookimpl
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:
    """Give the rules of thumb for dense decoders or encoders."""
    return rules_from(__name__ if architecture.name == DENSE.name else encoder.__name__)
