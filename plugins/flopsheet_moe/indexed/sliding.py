"""Latent attention with gates on its output, and layers of it with a window and a shape of their own, as in dots3."""

from dataclasses import replace

from flopsheet import blocks
from flopsheet_moe.extras import ATTENTION_GATE

DOTS = "transformers models/dots3_note/modeling_dots3_note.py, Dots3NoteTextAttention"
SHAPE = {
    "n_heads": "Heads",
    "q_rank": "Query rank",
    "kv_rank": "Key/value rank",
    "d_head_nope": "Head size without positions",
    "d_head_rope": "Head size with positions",
    "d_head_v": "Value head size",
    "gate_width": "Gates on the attention output",
}
SLIDING = blocks.optional(
    "n_sliding_layers", "Latent layers with a window", "They have a shape of their own", source=DOTS
)
DIMENSIONS = tuple(
    blocks.optional(f"sliding_{name}", title, "Of latent layers with a window") for name, title in SHAPE.items()
)

GATE = blocks.instance(ATTENTION_GATE, "latent_", {"n_attention_layers": "n_latent_layers"})
_OWN = {name: f"sliding_{name}" for name in SHAPE} | {"n_latent_layers": "n_sliding_layers", "pairs": "window_pairs"}
_SEEN = {"context": "(context if window == 1 else min(context, window))"}
_KEPT = {"context": "(context if window == 1 else min(context, max(window - 1, 0)))"}
_LATENT = blocks.LATENT_ATTENTION + GATE
SLIDING_LAYERS = (
    blocks.Block(dimensions=DIMENSIONS)
    + blocks.instance(replace(_LATENT, memory=()), "sliding_", _OWN | _SEEN)
    + blocks.instance(blocks.Block(memory=_LATENT.memory), "sliding_", _OWN | _KEPT)
)
