"""What brings a tower's output to the language model: merging, projectors and cross-attention layers."""

from __future__ import annotations

from typing import Any

from flopsheet import Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own_block, product

LLAVA = "Liu et al. 2304.08485, section 4.1; Wang et al. 2409.12191, section 2.1 for merging"
FLAMINGO = "Alayrac et al. 2204.14198, section 3.2; Grattafiori et al. 2407.21783, section 7.2"
COUNTED = "torch.utils.flop_counter.bmm_flop"


OUTPUTS = blocks.helper(
    "slot_outputs",
    "slot_pictures * slot_fixed_outputs + batch * images * slot_image_outputs if slot_fixed_outputs else"
    " (ceil(slot_tokens / max(1, slot_positions_an_output)) if slot_rounds_up else"
    " floor((slot_tokens - slot_left_tokens * slot_pictures) / max(1, slot_positions_an_output)))",
    "tokens",
    "{what}: tokens of the language model",
    "Places of the sequence that the tower fills: the sequence length counts them",
    LLAVA,
)
"""The vectors that the language model gets, which are in its sequence."""


def _linear(name: str, weights: str, title: str, tokens: str = "slot_outputs") -> blocks.Block:
    """Return a matrix of a projector, which merged positions pass, each copy of it once."""
    return blocks.linear(
        f"slot_projector_{name}",
        weights,
        group="other",
        copies="slot_projectors",
        uses="slot_projectors_used",
        tokens=tokens,
        decode="0",
        title=f"{{what}} projector, {title}",
        source=LLAVA,
    )


MATRICES = (
    _linear("in", "slot_projector_d_in * slot_projector_d_hidden", "in")
    + _linear("out", "slot_projector_out_matrices * slot_projector_d_hidden * slot_projector_d_out", "out")
    + _linear("more", "slot_projector_other", "other matrices")
    + _linear("before", "slot_projector_input_weights", "before merging", "slot_tokens")
)

ATTENTION = blocks.Block(
    flops=(
        product(
            "slot_projector_core_flops",
            "2 * 2 * slot_projector_channels * slot_pairs / power(max(1, slot_positions_an_output), 2)",
            "{what} projector, attention core",
            "Scores and their product with the values: 2 FLOP each for a pair and channel",
            COUNTED,
            work="attention_core",
        ),
        product(
            "slot_projector_pooling_flops",
            "2 * slot_projector_pools * slot_d_model * slot_tokens * slot_outputs / max(1, slot_pictures)",
            "{what} projector, pooling",
            "A matrix of weights that says which positions each output is the mean of",
            "transformers models/gemma4/modeling_gemma4.py",
            work="attention_core",
        ),
    )
)

BESIDE = blocks.Block(
    parameters=(
        Line(
            "slot_projector_conv",
            "slot_projector_conv_weights",
            "parameters",
            title="{what} projector, convolutions",
            source=LLAVA,
        ),
        Line(
            "slot_projector_norms",
            "slot_projector_vectors",
            "parameters",
            title="{what} projector, norms and biases",
            source=LLAVA,
            shard="replicated",
        ),
    ),
    flops=(
        product(
            "slot_projector_conv_flops",
            "2 * slot_outputs * slot_projector_conv_products",
            "{what} projector, convolutions",
            "",
            LLAVA,
            work="other",
        ),
    ),
)
"""A projector's convolutions, norms and biases."""


def projector(slot: str, what: str) -> blocks.Block:
    """Return a projector: the vectors of merged positions pass its matrices, each copy of them once."""
    dimensions, outputs = dimensions_of("projector", what, slot=slot), blocks.Block(flops=(OUTPUTS,))
    lines = own_block(outputs + MATRICES + ATTENTION + BESIDE, "projector", {"what": what}, slot=slot)
    return blocks.Block(dimensions) + lines


def _image_linear(name: str, weights: str, title: str, **more: Any) -> blocks.Block:
    """Return a matrix of the layers that look at images; without images a class skips them."""
    usual = {"uses": "image_layers_used if vision_outputs else 0", "tokens": "looking", **more}
    return blocks.linear(
        name, weights, group="cross_attention", copies="image_layers", title=title, source=FLAMINGO, **usual
    )


IMAGE_CORE = "2 * 2 * image_layers_used * image_heads * image_d_head * vision_outputs"
CROSS_LAYERS = (
    blocks.Block(
        dimensions=dimensions_of("cross_layers"),
        flops=(
            Line(
                "looking",
                "batch * seq_len",
                "tokens",
                title="Tokens that look at images",
                decode="0 if image_looks_once else batch",
                additive=False,
            ),
        ),
    )
    + _image_linear(
        "image_queries_and_out",
        "2 * image_d_model * image_heads * image_d_head",
        "Image layers' queries and output",
        about="Without images a class skips these layers",
        rows="image_heads * image_d_head + image_d_model",
        sides="2 * (image_heads * image_d_head + image_d_model)",
    )
    + _image_linear(
        "image_keys_and_values",
        "2 * image_d_source * image_kv_heads * image_d_head",
        "Image layers' keys and values",
        uses="image_layers_used",
        tokens="vision_outputs",
        decode="0",
        rows="2 * image_kv_heads * image_d_head",
        sides="2 * (image_kv_heads * image_d_head + image_d_source)",
    )
    + _image_linear(
        "image_mlp_in",
        "max(image_mlp_matrices - 1, 0) * image_d_model * image_d_ff",
        "Image layers' MLP, in",
        rows="max(image_mlp_matrices - 1, 0) * image_d_ff",
        sides="max(image_mlp_matrices - 1, 0) * (image_d_ff + image_d_model)",
    )
    + _image_linear(
        "image_mlp_out",
        "min(image_mlp_matrices, 1) * image_d_ff * image_d_model",
        "Image layers' MLP, out",
        rows="min(image_mlp_matrices, 1) * image_d_model",
        sides="min(image_mlp_matrices, 1) * (image_d_ff + image_d_model)",
    )
    + blocks.Block(
        parameters=(
            Line(
                "image_norms",
                "image_layers * image_vectors",
                "parameters",
                "cross_attention",
                "Image layers' norms and gates",
                source=FLAMINGO,
                shard="replicated",
            ),
        ),
        flops=(
            Line(
                "image_core_flops",
                compose.times("looking / batch", IMAGE_CORE),
                "FLOP",
                "cross_attention",
                "Image layers' attention core",
                "Every token sees every position of its images",
                COUNTED,
                work="attention_core",
                decode=compose.times("1 - image_looks_once", IMAGE_CORE),
            ),
        ),
        memory=(
            Line(
                "image_kv_cache",
                "2 * (1 - image_looks_once) * kv_dtype_bytes * image_layers_used * image_kv_heads * image_d_head"
                " * vision_outputs",
                "bytes",
                "kv_cache",
                "Image layers' keys and values",
                "Of each position of the images, computed once",
                FLAMINGO,
            ),
        ),
    )
)
"""Layers inside the language model that attend to images, as in Flamingo and Llama 3.2."""
