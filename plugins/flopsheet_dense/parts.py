"""Parts that a forward pass of text does not pass, such as the codec of a model that reads codes of sound."""

from flopsheet import Dimension, Line, blocks

PARTS = blocks.Block(
    dimensions=(
        Dimension(
            "n_part_weights",
            "Weights of parts beside the text",
            default=0,
            minimum=0,
            about="Of a codec of sound, or of what reads a protein: held in memory, passed by no token of text",
        ),
    ),
    parameters=(
        Line(
            "part_weights",
            "n_part_weights",
            "parameters",
            "other",
            title="Parts beside the text",
            source="transformers models/evolla/modeling_evolla.py, models/mimi/modeling_mimi.py",
            shard="replicated",
        ),
    ),
)
"""Whole parts as one sum each: their linear layers are not told apart, so that adapters of them are unknown."""
