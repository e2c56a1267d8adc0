"""Latent attention of which some layers have no positions, and some reuse the latents of an earlier layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet import Dimension, blocks
from flopsheet_moe.layers import of_length
from flopsheet_moe.sparse_attention import choosing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Reading

    Config = Mapping[str, Any]

MISTRAL = "transformers models/mistral_large4/modeling_mistral_large4.py, MistralLarge4TextAttention"
_OWN = ("latent_kv_down", "latent_kv_down_bias", "latent_kv_down_flops", "latent_cache")
"""Lines of what a layer that reuses latents does not have."""

DIMENSIONS = (
    Dimension(
        "n_latent_caches",
        "Latent layers with keys and values of their own",
        default="n_latent_layers",
        minimum=0,
        about="The others reuse those of an earlier layer",
        source=MISTRAL,
    ),
    Dimension(
        "n_unrotated_caches",
        "Layers without positions with keys and values of their own",
        default="n_unrotated_layers",
        minimum=0,
        source=MISTRAL,
    ),
    Dimension(
        "n_chosen_unrotated_layers",
        "Layers without positions that read what an indexer chose",
        default="n_unrotated_layers if n_index_layers else 0",
        minimum=0,
        source=MISTRAL,
    ),
)


def _reusing(block: blocks.Block) -> blocks.Block:
    """Return latent attention whose keys and values have so many copies as there are layers with their own."""
    owned = blocks.instance(block, "", {"n_latent_layers": "n_latent_caches"})
    parameters, flops, memory = (
        tuple(own if own.name in _OWN else line for line, own in zip(lines, owners, strict=True))
        for lines, owners in (
            (block.parameters, owned.parameters),
            (block.flops, owned.flops),
            (block.memory, owned.memory),
        )
    )
    norm = "n_latent_layers * q_rank + n_latent_caches * kv_rank"
    parameters = tuple(line._replace(formula=norm) if line.name == "latent_norm" else line for line in parameters)
    return replace(block, parameters=parameters, flops=flops, memory=memory)


_LATENT = choosing(_reusing(blocks.LATENT_ATTENTION))
_UNROTATED = {
    "n_latent_layers": "n_unrotated_layers",
    "n_latent_caches": "n_unrotated_caches",
    "n_chosen_latent_layers": "n_chosen_unrotated_layers",
    "d_head_nope": "d_head_nope + d_head_rope",
    "d_head_rope": "0",
}
LATENT_LAYERS = blocks.Block(dimensions=DIMENSIONS) + _LATENT + blocks.instance(_LATENT, "unrotated_", _UNROTATED)


def read_unrotated(config: Config, reading: Reading) -> None:
    """Mistral Large 4: layers by whether they have positions, and whether they have keys and values of their own."""
    depth = config["num_hidden_layers"]
    rotary = of_length(_rotary(config, depth), depth, "no_rope_layers", {0, 1})
    owns = [source == layer for layer, source in enumerate(_sources(config, depth))]
    reading.keys.update(("no_rope_layers", "no_rope_layer_interval", "kv_source_layers"))
    reading.values |= {
        "n_latent_layers": sum(rotary),
        "n_latent_caches": sum(own for own, rotates in zip(owns, rotary, strict=True) if rotates),
        "n_unrotated_layers": depth - sum(rotary),
        "n_unrotated_caches": sum(own for own, rotates in zip(owns, rotary, strict=True) if not rotates),
    }


def _rotary(config: Config, depth: int) -> Sequence[Any]:
    layers: Sequence[Any] | None = config.get("no_rope_layers")
    step = config.get("no_rope_layer_interval", 4)
    if layers is not None:
        return layers
    if not step:
        raise ValueError("no_rope_layer_interval = 0: the class divides the number of each layer by it")
    return [int((i + 1) % step != 0) for i in range(depth)]


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
