"""Blocks: the reusable parts of models, each a constant or function that gives its lines."""

from flopsheet.accounting.blocks.attention import (
    ATTENTION,
    ATTENTION_PROJECTIONS,
    CROSS_ATTENTION,
    HEADS_FIT,
    QUERY_KEY_NORMS,
    SELF_ATTENTION,
    SELF_PROJECTIONS,
    WINDOWS_FIT,
)
from flopsheet.accounting.blocks.block import Block, instance, linear
from flopsheet.accounting.blocks.delta import DELTA
from flopsheet.accounting.blocks.embedding import EMBEDDING, HEAD, POSITIONS, PROJECTIONS, RELATIVE_POSITIONS
from flopsheet.accounting.blocks.experts import EXPERTS
from flopsheet.accounting.blocks.latent import LATENT_ATTENTION
from flopsheet.accounting.blocks.lightning import LIGHTNING
from flopsheet.accounting.blocks.mamba import MAMBA1, MAMBA2
from flopsheet.accounting.blocks.mlp import MLP
from flopsheet.accounting.blocks.norm import FINAL_NORM, LAYER_NORMS
from flopsheet.accounting.blocks.other import OTHER
from flopsheet.accounting.blocks.recurrent import MLSTM, RGLRU
from flopsheet.accounting.blocks.shared import SHARED
from flopsheet.accounting.blocks.shortconv import SHORT_CONV

__all__ = [
    "ATTENTION",
    "ATTENTION_PROJECTIONS",
    "CROSS_ATTENTION",
    "DELTA",
    "EMBEDDING",
    "EXPERTS",
    "FINAL_NORM",
    "HEAD",
    "HEADS_FIT",
    "LATENT_ATTENTION",
    "LAYER_NORMS",
    "LIGHTNING",
    "MAMBA1",
    "MAMBA2",
    "MLP",
    "MLSTM",
    "OTHER",
    "POSITIONS",
    "PROJECTIONS",
    "QUERY_KEY_NORMS",
    "RELATIVE_POSITIONS",
    "RGLRU",
    "SELF_ATTENTION",
    "SELF_PROJECTIONS",
    "SHARED",
    "SHORT_CONV",
    "WINDOWS_FIT",
    "Block",
    "instance",
    "linear",
]
