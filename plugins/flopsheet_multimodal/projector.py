"""What brings a tower's output to the language model: merging, projectors and cross-attention layers."""

from __future__ import annotations

from typing import Any

from flopsheet import Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
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
            dimensions=dimensions_of("projector", what, slot=slot),
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
    """Return the vectors that the language model gets, which are in its sequence."""
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
