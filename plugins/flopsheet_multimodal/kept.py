"""What training keeps of towers, and of what joins them to the language model; stems and outer layers are left out."""

from __future__ import annotations

from flopsheet import Group, blocks, compose
from flopsheet_multimodal.encoder import count_passes, pairs
from flopsheet_multimodal.own import own


def tower_kept(slot: str, group: Group, what: str) -> blocks.Block:
    """Return what the layers of a tower keep; frozen towers keep none of it."""
    layers, attention = count_passes(slot, "layers"), count_passes(slot, "attention_layers")
    stream = compose.times(own("slot_tokens * slot_d_model", slot=slot), layers)
    heads = compose.times(own("2 * (slot_heads + slot_kv_heads) * slot_d_head", slot=slot), attention)
    mlp = compose.times(own("slot_mlp_matrices * slot_d_ff", slot=slot), layers)
    return blocks.Block(
        activations=(
            blocks.activation_line(
                f"{slot}_stream_kept",
                compose.times("4", stream),
                group,
                f"{what} inputs of attention, MLPs and norms",
                "replicated",
            ),
            blocks.activation_line(
                f"{slot}_heads_kept",
                compose.times(f"{slot}_tokens", compose.plus(heads, mlp)),
                group,
                f"{what} queries, keys, values, what the heads give, and MLPs",
            ),
            blocks.activation_line(
                f"{slot}_scores_kept",
                compose.times(f"{slot}_heads", pairs(slot)),
                group,
                f"{what} attention weights",
                when="core",
            ),
            blocks.activation_line(
                f"{slot}_layers_kept",
                stream,
                group,
                f"{what} inputs of the layers",
                "replicated",
                "input",
            ),
        )
    )


def projector_kept(slot: str, what: str) -> blocks.Block:
    """Return what a projector keeps: what it reads, and its hidden vectors before and after the activation."""
    elements = "slot_outputs * slot_projectors * (slot_projector_d_in + 2 * slot_projector_d_hidden)"
    return blocks.Block(
        activations=(
            blocks.activation_line(
                f"{slot}_projector_kept", own(elements, slot=slot), "projector", f"{what} projector", "replicated"
            ),
        )
    )


def resampler_kept(name: str, what: str) -> blocks.Block:
    """Return what a resampler keeps: the inputs of its layers, and their heads and MLPs."""
    return blocks.Block(
        activations=(
            blocks.activation_line(
                f"{name}_stream_kept",
                own(
                    "2 * name_tokens * (name_self_layers + name_cross_layers + name_mlp_layers) * name_d_model"
                    " + name_seen * name_cross_layers * name_d_source",
                    name=name,
                ),
                "projector",
                f"{what} inputs of attention, MLPs and norms",
                "replicated",
            ),
            blocks.activation_line(
                f"{name}_heads_kept",
                own(
                    "2 * name_d_head * (name_heads + name_kv_heads) * (name_tokens * name_self_layers"
                    " + name_seen * name_cross_layers) + name_tokens * name_mlp_layers * name_mlp_matrices * name_d_ff",
                    name=name,
                ),
                "projector",
                f"{what} queries, keys, values, what the heads give, and MLPs",
            ),
        )
    )


def image_layers_kept() -> blocks.Block:
    """Return what layers of the language model keep that attend to images."""
    return blocks.Block(
        activations=(
            blocks.activation_line(
                "image_stream_kept",
                "4 * looking * image_layers_used * image_d_model if vision_outputs else 0",
                "cross_attention",
                "Image layers' inputs of attention, MLPs and norms",
                "replicated",
            ),
            blocks.activation_line(
                "image_heads_kept",
                "image_layers_used * (looking * (2 * image_heads * image_d_head + image_mlp_matrices * image_d_ff)"
                " + 2 * vision_outputs * image_kv_heads * image_d_head) if vision_outputs else 0",
                "cross_attention",
                "Image layers' queries, keys, values, what the heads give, and MLPs",
            ),
            blocks.activation_line(
                "image_scores_kept",
                "looking / batch * image_layers_used * image_heads * vision_outputs",
                "cross_attention",
                "Image layers' attention weights",
                when="core",
            ),
        )
    )
