"""Latent attention of which some layers have no positions, and some reuse the latents of an earlier layer."""

from dataclasses import replace

from flopsheet import Dimension, blocks
from flopsheet_moe.indexed.attention import choosing

MISTRAL = "transformers models/mistral_large4/modeling_mistral_large4.py, MistralLarge4TextAttention"
_OWN = ("latent_kv_down", "latent_kv_down_bias", "latent_kv_down_flops", "latent_cache")
"""Lines of what a layer that reuses latents does not have."""

UNROTATED = blocks.optional(
    "n_unrotated_layers", "Latent attention layers without positions", "All of their keys passes the latent"
)
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
