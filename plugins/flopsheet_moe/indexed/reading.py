"""Which layers have an indexer, which reuse another's choice, latents or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.indexed.dots import read_dots
from flopsheet_moe.layers import FULL, layers_with_positions, of_length
from flopsheet_moe.reading import read_mixture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet import Family, Reading

    Config = Mapping[str, Any]


def read(config: Config, family: Family) -> Reading:
    """Count layers with an indexer, and whatever else the family's hints ask for."""
    return read_mixture(config, family, SPECIAL)


def _minimax_blocks(config: Config, reading: Reading) -> None:
    """MiniMax-M3: some layers choose blocks by an indexer, said in fields or in a table of older configs."""
    depth, older = config["num_hidden_layers"], config.get("sparse_attention_config") or {}
    kinds = config.get("layer_types")
    if kinds is None:
        choices = older.get("sparse_attention_freq") or [0] * depth
        kinds = [_BLOCKS if choice else FULL for choice in choices]
    n_index_layers = of_length(kinds, depth, "layer_types", {_BLOCKS, FULL}).count(_BLOCKS)
    reading.keys.update(("layer_types", "sparse_attention_config"))
    reading.values |= {"n_index_layers": n_index_layers, "index_input": config["hidden_size"]}
    reading.values["n_chosen_layers"] = n_index_layers
    reading.values |= {name: older[field] for field, name in _OLDER.items() if field in older}
    if not older.get("sparse_local_block", config.get("index_local_blocks", 1)):
        reading.notes.append(
            "a token is counted as reading its own block, which index_local_blocks = 0 leaves to chance"
        )


_BLOCKS = "minimax_m3_sparse"


_OLDER = {
    "sparse_num_index_heads": "n_index_heads",
    "sparse_index_dim": "d_index_head",
    "sparse_topk_blocks": "index_top_k",
    "sparse_block_size": "index_block",
}
"""Fields of the table of older configs, and the dimensions that they give."""


def _read_indexers(config: Config, reading: Reading) -> None:
    """GLM-5: layers that share an indexer's choice have none of their own."""
    reading.values["n_index_layers"] = indexer_kinds(config, reading).count("full")


def indexer_kinds(config: Config, reading: Reading) -> Sequence[str]:
    """Tell of each layer whether it has an indexer of its own: `full`, or `shared`."""
    depth = config["num_hidden_layers"]
    kinds = config.get("indexer_types") or _index_pattern(config, depth)
    reading.keys.update(("indexer_types", "index_topk_pattern", "index_topk_freq", "index_skip_topk_offset"))
    return of_length(kinds, depth, "indexer_types", {"full", "shared"})


def _hy_v4(config: Config, reading: Reading) -> None:
    """HY-V4: the first and every fourth layer after it have an indexer of their own."""
    depth = config["num_hidden_layers"]
    kinds = config.get("indexer_types") or ["shared" if i and (i - 1) % 4 else "full" for i in range(depth)]
    reading.keys.add("indexer_types")
    reading.values["n_index_layers"] = of_length(kinds, depth, "indexer_types", {"full", "shared"}).count("full")


def _index_pattern(config: Config, depth: int) -> list[str]:
    pattern = config.get("index_topk_pattern")
    if pattern is not None:
        return [{"F": "full", "S": "shared"}.get(letter, letter) for letter in pattern]
    step, offset = max(config.get("index_topk_freq", 1), 1), config.get("index_skip_topk_offset", 2)
    return ["shared" if max(i - offset + 1, 0) % step else "full" for i in range(depth)]


def _mistral_large(config: Config, reading: Reading) -> None:
    """Mistral Large 4: layers with an indexer as in GLM-5, and some without positions."""
    _read_indexers(config, reading)
    _read_unrotated(config, reading)


def _read_unrotated(config: Config, reading: Reading) -> None:
    """Mistral Large 4: layers by whether they have positions, and whether they have keys and values of their own."""
    depth = config["num_hidden_layers"]
    layers = config.get("no_rope_layers")
    layers = layers_with_positions(config, depth) if layers is None else layers
    rotary = of_length(layers, depth, "no_rope_layers", {0, 1})
    owns = [source == layer for layer, source in enumerate(_sources(config, depth))]
    reading.keys.update(("no_rope_layers", "no_rope_layer_interval", "kv_source_layers"))
    reading.values |= {
        "n_latent_layers": sum(rotary),
        "n_latent_caches": sum(own for own, rotates in zip(owns, rotary, strict=True) if rotates),
        "n_unrotated_layers": depth - sum(rotary),
        "n_unrotated_caches": sum(own for own, rotates in zip(owns, rotary, strict=True) if not rotates),
    }


def _sources(config: Config, depth: int) -> Sequence[Any]:
    sources: Sequence[Any] | None = config.get("kv_source_layers")
    if sources is None:
        return [*range(depth)]
    of_length(sources, depth, "kv_source_layers", {*range(depth)})
    if wrong := [i for i, source in enumerate(sources) if source > i or sources[source] != source]:
        raise ValueError(
            f"kv_source_layers has {sources[wrong[0]]} for layer {wrong[0]}: it must be the layer itself, or an"
            " earlier one that has keys and values of its own"
        )
    return sources


SPECIAL: Mapping[str, Callable[[Config, Reading], None]] = {
    "indexed": _read_indexers,
    "dots": read_dots,
    "hy_v4": _hy_v4,
    "mistral_large": _mistral_large,
    "minimax_blocks": _minimax_blocks,
}
"""The hint `special`: what else a type's configs say of its layers."""
