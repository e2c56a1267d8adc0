"""What windows and blocks cost beyond full attention: padding at the edges, and relative positions."""

from __future__ import annotations

from flopsheet import Group, Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own

SAM = "Kirillov et al. 2304.02643, section A; Li et al. 2203.16527; transformers models/sam/modeling_sam.py"

BLOCKS = "Dai et al. 1901.02860, appendix B; transformers models/gemma4/modeling_gemma4.py"


def windows(slot: str, group: Group, what: str) -> blocks.Block:
    """Return the FLOP of positions that fill windows up, and of relative positions by row and column."""
    return blocks.Block(
        dimensions=dimensions_of("windows", what, slot=slot),
        flops=(
            Line(
                f"{slot}_padded",
                own(
                    "slot_pictures * slot_window * slot_window * ceil(slot_columns / max(1, slot_window))"
                    " * ceil(slot_rows / max(1, slot_window)) if slot_pads_windows else slot_tokens",
                    slot=slot,
                ),
                "positions",
                title=f"{what}: positions of window layers",
                about="With those that fill windows up at the edges",
                source=SAM,
                additive=False,
            ),
            Line(
                f"{slot}_padding_flops",
                own(
                    "2 * slot_window_layers * (slot_padded - slot_tokens)"
                    " * 2 * slot_d_model * slot_d_head * (slot_heads + slot_kv_heads)",
                    slot=slot,
                ),
                "FLOP",
                group,
                f"{what} attention of padding",
                "Queries, keys, values and output of positions that fill windows up",
                SAM,
                work="linear",
                decode="0",
            ),
            Line(
                f"{slot}_relative_flops",
                own(
                    "2 * slot_relative * slot_heads * slot_d_head * ((slot_attention_layers - slot_window_layers)"
                    " * slot_tokens * (slot_columns + slot_rows) + slot_window_layers * slot_padded * 2 * slot_window)",
                    slot=slot,
                ),
                "FLOP",
                group,
                f"{what} relative positions",
                "Products of queries with the vectors of rows and columns",
                SAM,
                work="attention_core",
                decode="0",
            ),
        ),
    )


def blocks_of_sound(slot: str, group: Group, what: str) -> blocks.Block:
    """Return what blocks of an audio tower multiply next to keys and values: vectors of relative positions."""
    rows = own("slot_attention_layers * slot_heads * slot_d_head * batch * slot_filled * slot_relative_rows", slot=slot)
    return blocks.linear(
        f"{slot}_relative",
        f"{slot}_relative_weights",
        group=group,
        copies=f"{slot}_attention_layers",
        tokens=own("slot_relative_rows if slot_tokens else 0", slot=slot),
        decode="0",
        title=f"{what} relative positions",
        about="Made once per pass, whatever the batch size",
        source=BLOCKS,
    ) + blocks.Block(
        flops=(
            Line(
                f"{slot}_relative_core_flops",
                compose.times("2", rows),
                "FLOP",
                group,
                f"{what} relative positions' scores",
                "Products of queries with them",
                BLOCKS,
                work="attention_core",
                decode="0",
            ),
            Line(
                f"{slot}_block_padding_flops",
                own(
                    "2 * slot_pads_blocks * slot_attention_layers * batch * (slot_filled - slot_clip)"
                    " * slot_d_model * slot_d_head * (slot_heads + 2 * slot_kv_heads)",
                    slot=slot,
                ),
                "FLOP",
                group,
                f"{what} attention of padding",
                "Queries, keys and values of positions that fill blocks up",
                "transformers models/granite_speech/modeling_granite_speech.py",
                work="linear",
                decode="0",
            ),
        )
    )
