"""Hyper-connections: several residual streams that each layer collapses into its input and mixes with its output."""

from flopsheet import Line, blocks
from flopsheet_moe.compressed.dimensions import MHC
from flopsheet_moe.lines import FURTHER_STREAMS

MIXED_STREAMS = blocks.linear(
    "stream_weights",
    "n_streams * d_model * n_streams * (n_streams + 2)",
    group="other",
    copies="2 * n_layers",
    title="Projections to the streams' weights",
    about="Before attention and before the experts",
    source=MHC,
    shard="replicated",
) + blocks.Block(
    parameters=(
        blocks.whole_weights(
            "stream_vectors",
            "2 * n_layers * (n_streams * (n_streams + 2) + 3)",
            "other",
            "Biases and scales of the streams' weights",
            source=MHC,
        ),
    ),
    flops=(
        Line(
            "stream_mix_flops",
            "2 * tokens * 2 * n_layers * n_streams * n_streams * d_model",
            "FLOP",
            "other",
            title="Mixing of the streams",
            about="A product of the streams with a small matrix of each token",
            source=MHC,
            work="attention_core",
        ),
    ),
    activations=(
        blocks.activation_line(
            "streams_kept",
            "2 * tokens * n_layers * n_streams * d_model",
            "other",
            "Streams before attention and before the experts",
            "replicated",
        ),
        FURTHER_STREAMS,
    ),
)
"""Streams that each layer collapses and mixes, whatever becomes of them after the last."""
STREAMS = (
    MIXED_STREAMS
    + blocks.linear(
        "stream_collapse",
        "n_streams * d_model * n_streams",
        group="other",
        copies="1",
        title="Collapse of the streams before the final norm",
        source=MHC,
        shard="replicated",
    )
    + blocks.Block(
        parameters=(
            blocks.whole_weights(
                "stream_collapse_vectors",
                "n_streams + 1",
                "other",
                "Biases and scale of the streams' collapse",
                source=MHC,
            ),
        )
    )
)
