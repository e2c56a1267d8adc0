"""Layers that read a condition, such as the delay of a live transcript, in the place of tokens."""

from flopsheet import Dimension, blocks

CONDITIONING = blocks.Block(
    dimensions=(
        Dimension(
            "n_condition_weights",
            "Weights that read a condition",
            default=0,
            minimum=0,
            about="Of all layers together; one vector passes them in each forward pass and each decode step",
        ),
    )
) + blocks.linear(
    "condition",
    "n_condition_weights",
    group="other",
    copies="1",
    tokens="1",
    decode="2 * n_condition_weights",
    title="Condition",
    about="Scales of the layers, made from one vector for all tokens of a batch",
    source="transformers models/voxtral_realtime/modeling_voxtral_realtime.py, VoxtralRealtimeTextAdaRmsNorm",
    shard="replicated",
)
"""Linear layers whose cost follows neither the batch nor the sequence."""
