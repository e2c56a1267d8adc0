"""What training keeps of towers, and of what joins them to the language model; stems and outer layers are left out."""

from __future__ import annotations

from flopsheet import Group, blocks, compose
from flopsheet_multimodal.encoder import ATTENTION_PASSES, MLP_PASSES, PAIRS, PASSES
from flopsheet_multimodal.own import own_block

STREAM = compose.times("slot_tokens * slot_d_model", PASSES)
TOWER_KEPT = blocks.Block(
    activations=(
        blocks.activation_line(
            "slot_stream_kept",
            compose.times("4", STREAM),
            "other",
            "{what} inputs of attention, MLPs and norms",
            "replicated",
        ),
        blocks.activation_line(
            "slot_heads_kept",
            compose.times(
                "slot_tokens",
                compose.plus(
                    compose.times("2 * (slot_heads + slot_kv_heads) * slot_d_head", ATTENTION_PASSES),
                    compose.times("slot_mlp_matrices * slot_d_ff", MLP_PASSES),
                    "slot_expert_products / max(1, slot_d_model)",
                ),
            ),
            "other",
            "{what} queries, keys, values, what the heads give, and MLPs",
        ),
        blocks.activation_line(
            "slot_scores_kept", compose.times("slot_heads", PAIRS), "other", "{what} attention weights", when="core"
        ),
        blocks.activation_line(
            "slot_layers_kept", STREAM, "other", "{what} inputs of the layers", "replicated", "input"
        ),
    )
)
PROJECTOR_KEPT = blocks.Block(
    activations=(
        blocks.activation_line(
            "slot_projector_kept",
            "slot_outputs * slot_projectors * (slot_projector_d_in + 2 * slot_projector_d_hidden)",
            "other",
            "{what} projector",
            "replicated",
        ),
    )
)
RESAMPLER_KEPT = blocks.Block(
    activations=(
        blocks.activation_line(
            "name_stream_kept",
            "2 * name_tokens * (name_self_layers + name_cross_layers + name_mlp_layers) * name_d_model"
            " + name_seen * name_cross_layers * name_d_source",
            "other",
            "{what} inputs of attention, MLPs and norms",
            "replicated",
        ),
        blocks.activation_line(
            "name_heads_kept",
            "2 * name_d_head * (name_heads + name_kv_heads) * (name_tokens * name_self_layers"
            " + name_seen * name_cross_layers) + name_tokens * name_mlp_layers * name_mlp_matrices * name_d_ff",
            "other",
            "{what} queries, keys, values, what the heads give, and MLPs",
        ),
    )
)


def tower_kept(slot: str, group: Group, what: str) -> blocks.Block:
    """Return what the layers of a tower keep; frozen towers keep none of it."""
    return own_block(TOWER_KEPT, group, {"what": what}, slot=slot)


def projector_kept(slot: str, what: str) -> blocks.Block:
    """Return what a projector keeps: what it reads, and its hidden vectors before and after the activation."""
    return own_block(PROJECTOR_KEPT, "projector", {"what": what}, slot=slot)


def resampler_kept(name: str, what: str) -> blocks.Block:
    """Return what a resampler keeps: the inputs of its layers, and their heads and MLPs."""
    return own_block(RESAMPLER_KEPT, "projector", {"what": what}, name=name)


IMAGE_LAYERS_KEPT = blocks.Block(
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
"""What layers of the language model keep that attend to images."""
