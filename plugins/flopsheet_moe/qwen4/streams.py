"""Gated residual streams: each layer reads a gated mean of them, and adds its output to each by a weight of its own."""

from dataclasses import replace

from flopsheet import blocks
from flopsheet_moe.lines import FURTHER_STREAMS, matrix
from flopsheet_moe.qwen4.dimensions import QWEN4

_NORMS = blocks.LAYER_NORMS + blocks.FINAL_NORM
_INPUTS = tuple(line for line in _NORMS.activations if line.kept == "input")
_OWN = replace(_NORMS, activations=tuple(line for line in _NORMS.activations if line.kept != "input"))
NORMS = blocks.Block(dimensions=_NORMS.dimensions, activations=(*_INPUTS, FURTHER_STREAMS)) + blocks.instance(
    _OWN, "", {"d_model": "n_streams * d_model"}
)
"""Norms of all streams, before attention, experts and head: there are no others."""


def _gates(prefix: str, copies: str, where: str) -> blocks.Block:
    """Return the gates by which places read the streams."""
    return matrix(
        f"{prefix}stream_down",
        "n_streams * d_model",
        "d_stream_mix",
        "other",
        f"Gates of the streams {where}, down to their rank",
        copies=copies,
        source=QWEN4,
    ) + matrix(
        f"{prefix}stream_up",
        "d_stream_mix",
        "n_streams * d_model",
        "other",
        f"Gates of the streams {where}",
        copies=copies,
        source=QWEN4,
    )


STREAMS = (
    _gates("", "2 * n_layers", "before attention and experts")
    + _gates("final_", "1", "before the head")
    + matrix(
        "stream_inject",
        "n_streams * d_model",
        "n_streams",
        "other",
        "Weights of what a layer adds to the streams",
        copies="2 * n_layers",
        source=QWEN4,
    )
    + blocks.Block(
        activations=(
            blocks.activation_line(
                "streams_kept",
                "2 * tokens * (2 * n_layers + 1) * (n_streams * d_model + d_stream_mix)"
                " + 2 * tokens * n_layers * (d_model + n_streams)",
                "other",
                "Streams after their norm, their gates, and what layers add to them",
                "replicated",
                source=QWEN4,
            ),
        )
    )
    + NORMS
)
