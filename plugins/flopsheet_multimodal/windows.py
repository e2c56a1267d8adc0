"""What windows and blocks cost beyond full attention: padding at the edges, and relative positions."""

from __future__ import annotations

from flopsheet import blocks
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own_block, product

SAM = "Kirillov et al. 2304.02643, section A; Li et al. 2203.16527; transformers models/sam/modeling_sam.py"

BLOCKS = "Dai et al. 1901.02860, appendix B; transformers models/gemma4/modeling_gemma4.py"


WINDOWS = blocks.Block(
    flops=(
        blocks.helper(
            "slot_padded",
            "slot_pictures * slot_window * slot_window * ceil(slot_columns / max(1, slot_window))"
            " * ceil(slot_rows / max(1, slot_window)) if slot_pads_windows else slot_tokens",
            "positions",
            "{what}: positions of window layers",
            "With those that fill windows up at the edges",
            SAM,
        ),
        product(
            "slot_padding_flops",
            "2 * slot_window_layers * (slot_padded - slot_tokens)"
            " * 2 * slot_d_model * slot_d_head * (slot_heads + slot_kv_heads)",
            "{what} attention of padding",
            "Queries, keys, values and output of positions that fill windows up",
            SAM,
            work="linear",
        ),
        product(
            "slot_relative_flops",
            "2 * slot_relative * slot_heads * slot_d_head * ((slot_attention_layers - slot_window_layers)"
            " * slot_tokens * (slot_columns + slot_rows) + slot_window_layers * slot_padded * 2 * slot_window)",
            "{what} relative positions",
            "Products of queries with the vectors of rows and columns",
            SAM,
            work="attention_core",
        ),
    ),
)

BLOCKS_OF_SOUND = own_block(
    blocks.linear(
        "slot_relative",
        "slot_relative_weights",
        group="other",
        copies="slot_attention_layers",
        tokens="slot_relative_rows if slot_tokens else 0",
        decode="0",
        title="{what} relative positions",
        about="Made once per pass, whatever the batch size",
        source=BLOCKS,
    )
    + blocks.Block(
        flops=(
            product(
                "slot_relative_core_flops",
                "2 * slot_attention_layers * slot_heads * slot_d_head * batch * slot_filled * slot_relative_rows",
                "{what} relative positions' scores",
                "Products of queries with them",
                BLOCKS,
                work="attention_core",
            ),
            product(
                "slot_block_padding_flops",
                "2 * slot_pads_blocks * slot_attention_layers * batch * (slot_filled - slot_clip)"
                " * slot_d_model * slot_d_head * (slot_heads + 2 * slot_kv_heads)",
                "{what} attention of padding",
                "Queries, keys and values of positions that fill blocks up",
                "transformers models/granite_speech/modeling_granite_speech.py",
                work="linear",
            ),
        )
    ),
    "audio",
    {"what": "Audio"},
    slot="audio",
)
"""What blocks of the audio tower multiply next to keys and values: vectors of relative positions."""


def windows(slot: str, what: str) -> blocks.Block:
    """Return the FLOP of positions that fill windows up, and of relative positions by row and column."""
    dimensions = blocks.Block(dimensions_of("windows", what, slot=slot))
    return dimensions + own_block(WINDOWS, "vision", {"what": what}, slot=slot)
