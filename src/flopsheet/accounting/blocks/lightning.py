"""Lightning attention: linear attention with a fixed decay, as in MiniMax-Text-01."""

from functools import partial

from flopsheet.accounting.blocks.block import KERNEL, Block, activation_line, linear, matrix, state_line, stream_line
from flopsheet.accounting.blocks.kinds import optional
from flopsheet.accounting.line import Dimension, Line

LIGHTNING2 = "Qin et al. 2401.04658 (Lightning Attention-2), section 3; transformers models/minimax/modeling_minimax.py"

_lightning = partial(matrix, group="attention", copies="n_lightning_layers", source=LIGHTNING2)

LIGHTNING = (
    Block(
        dimensions=(
            optional("n_lightning_layers", "Lightning attention layers"),
            Dimension("chunk", "Chunk of the scan", unit="tokens", default=256),
        )
    )
    + linear(
        "lightning_qkv",
        "3 * d_model * n_heads * d_head",
        group="attention",
        sides="d_model + 3 * n_heads * d_head",
        rows="3 * n_heads * d_head",
        copies="n_lightning_layers",
        title="Lightning queries, keys and values",
        source=LIGHTNING2,
    )
    + _lightning("lightning_gate", "d_model", "n_heads * d_head", title="Lightning output gate")
    + _lightning("lightning_out", "n_heads * d_head", "d_model", title="Lightning output")
    + Block(
        parameters=(
            Line(
                "lightning_norm",
                "n_lightning_layers * n_heads * d_head",
                "parameters",
                "norm",
                title="Lightning norm",
                source=LIGHTNING2,
            ),
        ),
        flops=(
            Line(
                "lightning_scan_flops",
                "2 * 2 * tokens * n_lightning_layers * n_heads * d_head * (chunk + d_head)",
                "FLOP",
                "attention",
                title="Lightning attention",
                about="Convention: blocks of `chunk` tokens as matrix products, full squares inside a block; in"
                " decoding the recurrence, 5 FLOP per state element: decay, outer product, answer",
                source=LIGHTNING2,
                work="scan",
                decode="5 * batch * n_lightning_layers * n_heads * d_head * d_head",
            ),
        ),
        memory=(
            state_line(
                "lightning_state",
                "batch * state_dtype_bytes * n_lightning_layers * n_heads * d_head * d_head",
                "Lightning state",
                "A matrix per head, independent of the context",
                "transformers MiniMaxCache",
            ),
        ),
        activations=(
            stream_line("lightning_input_kept", "n_lightning_layers", "attention", "Inputs of lightning attention"),
            activation_line(
                "lightning_kept",
                "6 * tokens * n_lightning_layers * n_heads * d_head",
                "attention",
                "What lightning attention keeps: queries, keys, values, gate, and the output before and after its norm",
                source=KERNEL,
            ),
        ),
    )
)
"""Lightning attention in `n_lightning_layers`; every head has keys and values of its own."""
