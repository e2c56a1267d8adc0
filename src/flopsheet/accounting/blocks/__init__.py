"""Blocks: the reusable parts of models, each a constant or function that gives its lines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flopsheet.accounting.blocks.attention import (
        ATTENTION,
        ATTENTION_PROJECTIONS,
        DEFAULT_WINDOW,
        FITTED_FIELDS,
        GROUPS_FIT,
        HEADS_FIT,
        LATENT_FIT,
        QUERY_KEY_NORMS,
        WINDOW_CACHE,
        WINDOW_NOTES,
        WINDOWS_FIT,
    )
    from flopsheet.accounting.blocks.block import KERNEL, Block, activation_line, instance, linear
    from flopsheet.accounting.blocks.delta import DELTA
    from flopsheet.accounting.blocks.embedding import EMBEDDING, HEAD, POSITIONS, PROJECTIONS, RELATIVE_POSITIONS
    from flopsheet.accounting.blocks.experts import EXPERTS
    from flopsheet.accounting.blocks.extra_vectors import EXTRA_VECTORS
    from flopsheet.accounting.blocks.latent import LATENT_ATTENTION
    from flopsheet.accounting.blocks.lightning import LIGHTNING
    from flopsheet.accounting.blocks.mamba import MAMBA1, MAMBA2
    from flopsheet.accounting.blocks.mlp import MLP
    from flopsheet.accounting.blocks.norm import FINAL_NORM, LAYER_NORMS
    from flopsheet.accounting.blocks.recurrent import MLSTM, RGLRU
    from flopsheet.accounting.blocks.shared_transformer import SHARED_TRANSFORMER
    from flopsheet.accounting.blocks.shortconv import SHORT_CONV
    from flopsheet.accounting.blocks.sides import CROSS_ATTENTION, SELF_ATTENTION, SELF_PROJECTIONS

__all__ = [
    "ATTENTION",
    "ATTENTION_PROJECTIONS",
    "CROSS_ATTENTION",
    "DEFAULT_WINDOW",
    "DELTA",
    "EMBEDDING",
    "EXPERTS",
    "EXTRA_VECTORS",
    "FINAL_NORM",
    "FITTED_FIELDS",
    "GROUPS_FIT",
    "HEAD",
    "HEADS_FIT",
    "KERNEL",
    "LATENT_ATTENTION",
    "LATENT_FIT",
    "LAYER_NORMS",
    "LIGHTNING",
    "MAMBA1",
    "MAMBA2",
    "MLP",
    "MLSTM",
    "POSITIONS",
    "PROJECTIONS",
    "QUERY_KEY_NORMS",
    "RELATIVE_POSITIONS",
    "RGLRU",
    "SELF_ATTENTION",
    "SELF_PROJECTIONS",
    "SHARED_TRANSFORMER",
    "SHORT_CONV",
    "WINDOWS_FIT",
    "WINDOW_CACHE",
    "WINDOW_NOTES",
    "Block",
    "activation_line",
    "instance",
    "linear",
]

_HOMES = {
    "ATTENTION": "attention",
    "ATTENTION_PROJECTIONS": "attention",
    "FITTED_FIELDS": "attention",
    "GROUPS_FIT": "attention",
    "LATENT_FIT": "attention",
    "HEADS_FIT": "attention",
    "QUERY_KEY_NORMS": "attention",
    "WINDOWS_FIT": "attention",
    "DEFAULT_WINDOW": "attention",
    "WINDOW_CACHE": "attention",
    "WINDOW_NOTES": "attention",
    "Block": "block",
    "KERNEL": "block",
    "instance": "block",
    "activation_line": "block",
    "linear": "block",
    "DELTA": "delta",
    "EMBEDDING": "embedding",
    "HEAD": "embedding",
    "POSITIONS": "embedding",
    "PROJECTIONS": "embedding",
    "RELATIVE_POSITIONS": "embedding",
    "EXPERTS": "experts",
    "LATENT_ATTENTION": "latent",
    "LIGHTNING": "lightning",
    "MAMBA1": "mamba",
    "MAMBA2": "mamba",
    "MLP": "mlp",
    "FINAL_NORM": "norm",
    "LAYER_NORMS": "norm",
    "EXTRA_VECTORS": "extra_vectors",
    "MLSTM": "recurrent",
    "RGLRU": "recurrent",
    "SHARED_TRANSFORMER": "shared_transformer",
    "SHORT_CONV": "shortconv",
    "CROSS_ATTENTION": "sides",
    "SELF_ATTENTION": "sides",
    "SELF_PROJECTIONS": "sides",
}
"""Where each stands: its lines are composed when a plugin first asks for it, and few starts need all of them."""


def __getattr__(name: str) -> Any:
    """Return a block from the module that it is in."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
