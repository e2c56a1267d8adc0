"""Several residual streams, which hyper-connections collapse into the input of attention and experts, as in Hy 4."""

from flopsheet import Dimension, blocks
from flopsheet_moe.lines import FURTHER_STREAMS

HY = "transformers models/hy_v4/modeling_hy_v4.py, HYV4HyperConnection"
STREAMS = blocks.Block(
    dimensions=(Dimension("n_streams", "Residual streams", default=1, minimum=1, source=HY),),
    activations=(
        blocks.activation_line(
            "streams_kept",
            "2 * tokens * n_layers * n_streams * d_model if n_streams > 1 else 0",
            "other",
            "Streams before attention and before the experts",
            "replicated",
            source=HY,
        ),
        FURTHER_STREAMS,
    ),
)
"""What training keeps of the streams where there is more than one."""
