"""What GLM-5 Next's configs say of the layers: which have linear attention, and which an indexer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.indexed.reading import indexer_kinds
from flopsheet_moe.layers import FULL, of_length
from flopsheet_moe.reading import OLD_KINDS, read_mixture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Family, Reading

    Config = Mapping[str, Any]

LINEAR, INDEXED = "linear_attention", "indexed_attention"
FOURTH = 4
OLDER = {"head_dim": "linear_head_dim", "num_heads": "linear_num_heads"}
OLDER |= {"short_conv_kernel_size": "linear_conv_kernel_dim"}
"""Fields of the table of older configs, which win over those of the config."""


def read(config: Config, family: Family) -> Reading:
    """Count layers by their attention, and those with experts."""
    return read_mixture(config, family, {"glm5_next": _read_layers})


def _read_layers(config: Config, reading: Reading) -> None:
    depth, indexers = config["num_hidden_layers"], indexer_kinds(config, reading)
    kinds = of_length(_kinds(config, depth), depth, "layer_types", {LINEAR, INDEXED})
    latent = [indexer for kind, indexer in zip(kinds, indexers, strict=True) if kind == INDEXED]
    reading.keys.update(("layer_types", "linear_attn_config", *OLDER.values()))
    reading.values |= {
        "n_delta_layers": depth - len(latent),
        "n_latent_layers": len(latent),
        "n_index_layers": latent.count("full"),
    }
    _read_heads(config, reading)
    _note_shared(kinds, indexers, reading)


def _kinds(config: Config, depth: int) -> Sequence[str]:
    """Return the kind of each layer, by its present name."""
    if config.get("layer_types") is None:
        return [LINEAR if (i + 1) % FOURTH else INDEXED for i in range(depth)]
    return [INDEXED if kind == FULL else OLD_KINDS.get(kind, kind) for kind in config["layer_types"]]


def _read_heads(config: Config, reading: Reading) -> None:
    """Read heads, sizes and convolution of linear attention, which older configs keep in a table."""
    table = config.get("linear_attn_config") or {}
    size, heads, width = (table.get(older, config[field]) for older, field in OLDER.items())
    reading.values |= dict.fromkeys(("d_delta_key", "d_delta_value", "delta_rank"), size)
    reading.values |= dict.fromkeys(("n_delta_key_heads", "n_delta_value_heads"), heads)
    reading.values["d_conv"] = width


def _note_shared(kinds: Sequence[str], indexers: Sequence[str], reading: Reading) -> None:
    """Say where a layer without an indexer finds no choice: only the layer before it passes one on, if it made it."""
    made = [False, *(kind == INDEXED and indexer == "full" for kind, indexer in zip(kinds, indexers, strict=True))]
    layers = enumerate(zip(kinds, indexers, made, strict=False))
    if lost := [i for i, (kind, indexer, before) in layers if kind == INDEXED and indexer == "shared" and not before]:
        reading.notes.append(
            f"indexer_types: the layer before layer {lost[0]} makes no choice that it could share: the class can be"
            " built but not run"
        )
