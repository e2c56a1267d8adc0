"""Blocks: the reusable parts of models, each a constant or function that gives its lines."""

from flopsheet.accounting.blocks.attention import (
    ATTENTION,
    CROSS_ATTENTION,
    HEADS_FIT,
    SELF_ATTENTION,
    WINDOWS_FIT,
)
from flopsheet.accounting.blocks.block import Block, instance, linear
from flopsheet.accounting.blocks.embedding import EMBEDDING, HEAD, POSITIONS, PROJECTIONS, RELATIVE_POSITIONS
from flopsheet.accounting.blocks.experts import EXPERTS
from flopsheet.accounting.blocks.latent import LATENT_ATTENTION
from flopsheet.accounting.blocks.mamba import MAMBA1, MAMBA2
from flopsheet.accounting.blocks.mlp import MLP
from flopsheet.accounting.blocks.norm import FINAL_NORM, LAYER_NORMS

__all__ = [
    "ATTENTION",
    "CROSS_ATTENTION",
    "EMBEDDING",
    "EXPERTS",
    "FINAL_NORM",
    "HEAD",
    "HEADS_FIT",
    "LATENT_ATTENTION",
    "LAYER_NORMS",
    "MAMBA1",
    "MAMBA2",
    "MLP",
    "POSITIONS",
    "PROJECTIONS",
    "RELATIVE_POSITIONS",
    "SELF_ATTENTION",
    "WINDOWS_FIT",
    "Block",
    "instance",
    "linear",
]
