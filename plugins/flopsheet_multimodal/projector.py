"""What brings a tower's output to the language model: merging, projectors and cross-attention layers."""

from __future__ import annotations

from typing import Any

from flopsheet import Dimension, Line, blocks, compose
from flopsheet_multimodal.optional import optional
from flopsheet_multimodal.own import own

LLAVA = "Liu et al. 2304.08485, section 4.1; Wang et al. 2409.12191, section 2.1 for merging"
FLAMINGO = "Alayrac et al. 2204.14198, section 3.2; Grattafiori et al. 2407.21783, section 7.2"
COUNTED = "torch.utils.flop_counter.bmm_flop"


def projector(slot: str, what: str) -> blocks.Block:
    """Return a projector: the vectors of merged positions pass its matrices, each copy of them once."""
    name = f"{slot}_projector"
    each: dict[str, Any] = {
        "group": "projector",
        "copies": f"{name}s",
        "uses": f"{name}s_used",
        "tokens": f"{slot}_outputs",
        "decode": "0",
        "source": LLAVA,
    }
    return (
        blocks.Block(
            dimensions=(
                optional(f"{name}s", f"{what} projectors", about="More than one where layers get their own"),
                optional(
                    f"{name}s_used",
                    f"{what} projectors that an output passes",
                    default=f"{name}s",
                    about="Fewer where each task has its own",
                ),
                optional(f"{name}_d_in", f"{what} projector: width in"),
                optional(f"{name}_d_hidden", f"{what} projector: hidden width"),
                optional(
                    f"{name}_d_out", f"{what} projector: width out", about="0: one matrix, the hidden width is out"
                ),
                optional(
                    f"{name}_out_matrices",
                    f"{what} projector: matrices after the first",
                    default=f"min(1, {name}_d_out)",
                ),
                optional(f"{name}_other", f"{what} projector: weights of other matrices"),
                optional(
                    f"{name}_conv_weights",
                    f"{what} projector: weights of convolutions",
                    about="That merge positions into one before the projector",
                ),
                optional(
                    f"{name}_conv_products",
                    f"{what} projector: products of convolutions",
                    kind="ratio",
                    default=f"{name}_conv_weights",
                    about="Multiply-adds for one output; more than the weights where one runs on more positions",
                ),
                optional(
                    f"{name}_input_weights",
                    f"{what} projector: weights before merging",
                    about="Of matrices that every position passes before positions are merged",
                ),
                optional(f"{name}_vectors", f"{what} projector: vectors", about="Norms and biases of all copies"),
                optional(
                    f"{name}_channels",
                    f"{what} projector: channels of its attention",
                    about="Heads x head size of all its layers in which every output sees every other",
                ),
                optional(
                    f"{name}_pools",
                    f"{what} projector: pooling by a product",
                    about="1: every output is a weighted sum of all positions of its picture, most weights 0",
                ),
                optional(
                    f"{slot}_positions_an_output",
                    f"{what}: positions per output",
                    kind="ratio",
                    default=f"min(1, {slot}_layers)",
                    about="How many positions become one vector of the language model",
                ),
                optional(
                    f"{slot}_rounds_up",
                    f"{what}: an output of fewer positions",
                    about="1: positions that are left over become an output too",
                ),
                optional(
                    f"{slot}_fixed_outputs",
                    f"{what}: outputs per picture",
                    about="Where their number does not follow the picture's size; 0: it does",
                ),
                optional(
                    f"{slot}_image_outputs",
                    f"{what}: outputs per image besides those of its tiles",
                    about="Learned vectors that pass the projector, between rows and tiles",
                ),
            ),
            flops=(_outputs(slot, what),),
        )
        + blocks.linear(
            f"{name}_in", own("name_d_in * name_d_hidden", name=name), title=f"{what} projector, in", **each
        )
        + blocks.linear(
            f"{name}_out",
            own("name_out_matrices * name_d_hidden * name_d_out", name=name),
            title=f"{what} projector, out",
            **each,
        )
        + blocks.linear(f"{name}_more", f"{name}_other", title=f"{what} projector, other matrices", **each)
        + blocks.linear(
            f"{name}_before",
            f"{name}_input_weights",
            title=f"{what} projector, before merging",
            **{**each, "tokens": f"{slot}_tokens"},
        )
        + _attention(slot, name, what)
        + _beside(slot, name, what)
    )


def _attention(slot: str, name: str, what: str) -> blocks.Block:
    pairs = own("slot_pairs / power(max(1, slot_positions_an_output), 2)", slot=slot)
    outputs = own("slot_outputs / max(1, slot_pictures)", slot=slot)
    return blocks.Block(
        flops=(
            Line(
                f"{name}_core_flops",
                compose.times("2", "2", f"{name}_channels", pairs),
                "FLOP",
                "projector",
                f"{what} projector, attention core",
                "Scores and their product with the values: 2 FLOP each for a pair and channel",
                COUNTED,
                work="attention_core",
                decode="0",
            ),
            Line(
                f"{name}_pooling_flops",
                compose.times("2", f"{name}_pools", f"{slot}_d_model", f"{slot}_tokens", outputs),
                "FLOP",
                "projector",
                f"{what} projector, pooling",
                "A matrix of weights that says which positions each output is the mean of",
                "transformers models/gemma4/modeling_gemma4.py",
                work="attention_core",
                decode="0",
            ),
        )
    )


def _beside(slot: str, name: str, what: str) -> blocks.Block:
    """Return a projector's convolutions, norms and biases."""
    title, weights = f"{what} projector, convolutions", f"{name}_conv_weights"
    return blocks.Block(
        parameters=(
            Line(f"{name}_conv", weights, "parameters", "projector", title, source=LLAVA),
            Line(
                f"{name}_norms",
                f"{name}_vectors",
                "parameters",
                "projector",
                f"{what} projector, norms and biases",
                source=LLAVA,
                shard="replicated",
            ),
        ),
        flops=(
            Line(
                f"{name}_conv_flops",
                compose.times("2", f"{slot}_outputs", f"{name}_conv_products"),
                "FLOP",
                "projector",
                title,
                source=LLAVA,
                work="other",
                decode="0",
            ),
        ),
    )


def _outputs(slot: str, what: str) -> Line:
    """Return the vectors that the language model gets, which stand in its sequence."""
    return Line(
        f"{slot}_outputs",
        own(
            "slot_pictures * slot_fixed_outputs + batch * images * slot_image_outputs if slot_fixed_outputs else"
            " (ceil(slot_tokens / max(1, slot_positions_an_output)) if slot_rounds_up else"
            " floor(slot_tokens / max(1, slot_positions_an_output)))",
            slot=slot,
        ),
        "tokens",
        title=f"{what}: tokens of the language model",
        about="Places of the sequence that the tower fills: the sequence length counts them",
        source=LLAVA,
        additive=False,
    )


def cross_layers() -> blocks.Block:
    """Return layers inside the language model that attend to images, as in Flamingo and Llama 3.2."""
    each: dict[str, Any] = {
        "group": "cross_attention",
        "copies": "image_layers",
        "uses": "image_layers_used",
        "source": FLAMINGO,
    }
    seeing: dict[str, Any] = {
        **each,
        "uses": "image_layers_used if vision_outputs else 0",
        "tokens": "looking",
    }
    return (
        blocks.Block(
            dimensions=(
                optional("image_layers", "Image layers", about="Layers of the language model that see images"),
                optional(
                    "image_layers_used",
                    "Image layers that run",
                    default="image_layers",
                    about="0 where a class has them and passes over them",
                ),
                Dimension(
                    "image_looks_once",
                    "Image layers are an encoder's",
                    kind="flag",
                    default=0,
                    about="1: the tokens of a source look at images, once, and what they saw by is not kept",
                ),
                optional("image_d_model", "Image layers: width"),
                optional("image_d_source", "Image layers: width of what they see", default="image_d_model"),
                optional("image_heads", "Image layers: query heads"),
                optional("image_kv_heads", "Image layers: key/value heads", default="image_heads"),
                optional("image_d_head", "Image layers: head size", default="image_d_model / max(1, image_heads)"),
                optional("image_d_ff", "Image layers: MLP width"),
                optional("image_mlp_matrices", "Image layers: MLP matrices", default="3 if image_layers else 0"),
                optional("image_vectors", "Image layers: vectors per layer", about="Norms, gates and biases"),
            ),
            flops=(
                Line(
                    "looking",
                    "batch * seq_len if image_looks_once else tokens",
                    "tokens",
                    title="Tokens that look at images",
                    decode="0 if image_looks_once else batch",
                    additive=False,
                ),
            ),
        )
        + blocks.linear(
            "image_queries_and_out",
            "2 * image_d_model * image_heads * image_d_head",
            title="Image layers' queries and output",
            about="Without images a class skips these layers",
            **seeing,
        )
        + blocks.linear(
            "image_keys_and_values",
            "2 * image_d_source * image_kv_heads * image_d_head",
            title="Image layers' keys and values",
            **each,
            tokens="vision_outputs",
            decode="0",
        )
        + blocks.linear(
            "image_mlp", "image_mlp_matrices * image_d_model * image_d_ff", title="Image layers' MLP", **seeing
        )
        + _cross_core()
    )


def _cross_core() -> blocks.Block:
    core = "2 * 2 * image_layers_used * image_heads * image_d_head * vision_outputs"
    return blocks.Block(
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
                compose.times("looking / batch", core),
                "FLOP",
                "cross_attention",
                "Image layers' attention core",
                "Every token sees every position of its images",
                COUNTED,
                work="attention_core",
                decode=compose.times("1 - image_looks_once", core),
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
