"""What no block names: vectors of single types."""

from flopsheet import Dimension, Line, blocks

OTHER = blocks.Block(
    dimensions=(
        Dimension(
            "n_other_weights",
            "Other weights",
            default=0,
            minimum=0,
            about="Vectors of all layers that are neither norm nor bias: attention sinks, learned activations",
        ),
    ),
    parameters=(
        Line(
            "other_weights",
            "n_other_weights",
            "parameters",
            "other",
            title="Other weights",
            source="transformers models/apertus/modeling_apertus.py, models/granite_swa/modeling_granite_swa.py",
            shard="replicated",
        ),
    ),
)
