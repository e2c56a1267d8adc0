"""What no other block names: vectors and small linear layers of single types."""

from flopsheet.accounting.blocks.block import Block, linear
from flopsheet.accounting.blocks.kinds import optional
from flopsheet.accounting.line import Line

EXTRA_VECTORS = Block(
    dimensions=(
        optional(
            "n_other_weights",
            "Other weights",
            about="Vectors of all layers that are neither norm nor bias: attention sinks, learned activations",
        ),
        optional(
            "n_other_matrices",
            "Weights of other linear layers",
            about="Of all layers together; every token passes them once",
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
) + linear(
    "other_matrices",
    "n_other_matrices",
    group="other",
    copies="1",
    title="Other linear layers",
    source="transformers models/doge/modeling_doge.py, models/modernbert_decoder/modeling_modernbert_decoder.py",
    shard="replicated",
)
"""Weights that a family sums up: vectors, which cost no counted FLOP, and matrices, which every token passes once."""
