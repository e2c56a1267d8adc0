"""Resamplers: learned queries that attend to what a tower found, so that a picture or part has few outputs."""

from __future__ import annotations

from typing import Any

from flopsheet import Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own

BLIP = "Li et al. 2301.12597, section 3.1; Alayrac et al. 2204.14198, section 3.1"
COUNTED = "torch.utils.flop_counter.bmm_flop"


def resampler(slot: str, name: str, what: str) -> blocks.Block:
    """Return a stack of queries that attend to a tower's output, and to each other."""
    queries, source = (compose.times(f"{slot}_pictures", f"{name}_{of}") for of in ("queries", "sees"))
    once = own("name_shares_first * (1 - 1 / max(1, slot_pictures))", name=name, slot=slot)
    self_layers = compose.minus(f"{name}_self_layers", once)
    return (
        blocks.Block(
            dimensions=dimensions_of("resampler", what, name=name),
            flops=(
                Line(f"{name}_tokens", queries, "queries", title=f"{what}: queries", source=BLIP, additive=False),
                Line(f"{name}_seen", source, "positions", title=f"{what}: what it sees", source=BLIP, additive=False),
            ),
        )
        + _layers(name, what, self_layers, compose.minus(f"{name}_cross_layers", compose.over(once, "2")))
        + _beside(name, what, self_layers)
    )


LAYERS = (
    ("self_attention", "self-attention", "2 * name_d_model * name_d_head * (name_heads + name_kv_heads)", "self"),
    ("queries_and_out", "queries and output", "2 * name_d_model * name_heads * name_d_head", "cross"),
    ("keys_and_values", "keys and values", "2 * name_d_source * name_kv_heads * name_d_head", "cross"),
    ("mlp", "MLP", "name_mlp_matrices * name_d_model * name_d_ff", "mlp"),
)
"""Linear layers: their name, title, weights, and which layers have them."""


def _layers(name: str, what: str, self_layers: str, cross_layers: str) -> blocks.Block:
    """Return the linear layers; of the first self-attention and what it gives, the passes that are left."""
    each: dict[str, Any] = {"group": "projector", "tokens": f"{name}_tokens", "decode": "0", "source": BLIP}
    others: dict[str, dict[str, Any]] = {
        "self_attention": {"uses": self_layers},
        "queries_and_out": {"uses": cross_layers},
        "keys_and_values": {"tokens": f"{name}_seen"},
    }
    result = blocks.Block()
    for part, title, weights, layers in LAYERS:
        more = {**each, "copies": f"{name}_{layers}_layers", "title": f"{what} {title}", **others.get(part, {})}
        result += blocks.linear(f"{name}_{part}", own(weights, name=name), **more)
    title = f"{what} other matrices"
    return result + blocks.linear(f"{name}_other", f"{name}_other_weights", copies="1", title=title, **each)


def _beside(name: str, what: str, self_layers: str) -> blocks.Block:
    """Return what is no linear layer: vectors, and the cores of attention."""
    scores = own("2 * 2 * name_tokens * name_heads * name_d_head", name=name)
    keys = compose.plus(compose.times(self_layers, f"{name}_queries"), own("name_cross_layers * name_sees", name=name))
    vectors, cores = f"{what} learned queries, norms and biases", f"{what} attention cores"
    about = "Scores and their product with the values: 2 FLOP each for a pair and channel"
    flops, core = compose.times(scores, keys), dict[str, Any](work="attention_core", decode="0")
    return blocks.Block(
        parameters=(
            Line(
                f"{name}_norms",
                f"{name}_vectors",
                "parameters",
                "projector",
                vectors,
                source=BLIP,
                shard="replicated",
            ),
        ),
        flops=(Line(f"{name}_core_flops", flops, "FLOP", "projector", cores, about, COUNTED, **core),),
    )
