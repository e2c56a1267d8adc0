"""Parts that no token of text passes, such as a voice or a codec of sound: whole parts as one sum each."""

from __future__ import annotations

from flopsheet import Line, blocks
from flopsheet_multimodal.optional import optional

PARTS = blocks.Block(
    dimensions=(
        optional(
            "n_part_weights",
            "Weights of parts besides the text",
            about="Of a voice, a codec of sound or what reads a protein: held in memory, passed by no token of text",
        ),
    ),
    parameters=(
        Line(
            "part_weights",
            "n_part_weights",
            "parameters",
            "other",
            title="Parts besides the text",
            source="transformers models/qwen2_5_omni, models/qwen3_omni_moe, models/mimi, models/evolla",
            shard="replicated",
            active="0",
        ),
    ),
)
"""Their linear layers are not told apart, so that adapters of them are unknown."""
