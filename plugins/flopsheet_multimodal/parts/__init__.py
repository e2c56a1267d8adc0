"""Parts that no token of text passes, such as a voice or a codec of sound: whole parts as one sum each."""

from __future__ import annotations

from flopsheet import Line, blocks
from flopsheet_multimodal.dimensions import dimensions_of

PARTS = blocks.Block(
    dimensions=dimensions_of("parts"),
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
