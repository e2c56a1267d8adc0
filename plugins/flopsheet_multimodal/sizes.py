"""How large what a tower reads is: pictures in patches, sound in positions, and the pairs that attention sees."""

from __future__ import annotations

from flopsheet import Dimension, Line, blocks, compose
from flopsheet_multimodal.optional import optional
from flopsheet_multimodal.own import own

PATCHES = "Dosovitskiy et al. 2010.11929, section 3.1: a square of pixels is one position"
COUNTED = "Counted: pairs of positions inside each window, one by one"


def picture_sizes(slot: str, what: str) -> blocks.Block:
    """Return the dimensions and helper lines of a vision tower's pictures."""
    return blocks.Block(dimensions=_picture_dimensions(slot, what), flops=(*_pictures(slot, what), *_pairs(slot, what)))


def _picture_dimensions(slot: str, what: str) -> tuple[Dimension, ...]:
    return (
        optional(f"{slot}_patch", f"{what}: patch side", unit="pixels"),
        optional(
            f"{slot}_side",
            f"{what}: picture side",
            unit="pixels",
            about="Every picture is resized to a square of it; 0: a picture keeps its size, in whole patches",
        ),
        optional(
            f"{slot}_merge",
            f"{what}: patches merged per side",
            default=own("1 if slot_patch else 0", slot=slot),
            about="Pictures of any size have a multiple of it on each side",
        ),
        optional(
            f"{slot}_frames",
            f"{what}: frames per picture",
            default=own("1 if slot_patch else 0", slot=slot),
            about="Frames of a video that are read as one",
        ),
        optional(
            f"{slot}_tiles",
            f"{what}: tiles per picture",
            default=own("1 if slot_patch else 0", slot=slot),
            about="Squares of the picture's side that the class reads as one, empty ones included",
        ),
        optional(
            f"{slot}_extra_tokens",
            f"{what}: tokens next to the patches",
            about="Class, register and padding tokens of a picture",
        ),
        Dimension(
            f"{slot}_videos_uncosted",
            f"{what}: FLOP of videos are not counted",
            kind="flag",
            default=0,
            about="1: frames of a video take another way than images",
        ),
        Dimension(
            f"{slot}_joins_frames",
            f"{what}: frames of a video see each other",
            kind="flag",
            default=0,
        ),
        optional(f"{slot}_window", f"{what}: window side", unit="patches"),
        Dimension(
            f"{slot}_pads_windows",
            f"{what}: windows at the edge are filled up",
            kind="flag",
            default=0,
        ),
    )


def _helper(name: str, text: str, unit: str, title: str, about: str = "", source: str = PATCHES) -> Line:
    return Line(name, text, unit, title=title, about=about, source=source, additive=False)


def _pictures(slot: str, what: str) -> tuple[Line, ...]:
    pictures = own("batch * (images * image_tiles + ceil(video_frames / max(1, slot_frames)))", slot=slot)
    return (
        _helper(f"{slot}_pictures", pictures, "pictures", f"{what}: pictures", "Tiles of images, and frames of videos"),
        *(_side(slot, what, *names) for names in (("columns", "image_width"), ("rows", "image_height"))),
        _helper(
            f"{slot}_patches",
            own("slot_tiles * slot_columns * slot_rows", slot=slot),
            "patches",
            f"{what}: patches per picture",
        ),
        _helper(f"{slot}_embedded", own("slot_pictures * slot_patches", slot=slot), "patches", f"{what}: patches"),
        _helper(
            f"{slot}_tokens",
            own("slot_pictures * (slot_patches + slot_extra_tokens)", slot=slot),
            "positions",
            f"{what}: positions",
            "Patches, and class and register tokens",
        ),
    )


def _side(slot: str, what: str, name: str, size: str) -> Line:
    text = own(
        "floor(slot_side / max(1, slot_patch)) if slot_side else slot_merge"
        " * max(1, floor(size / max(1, slot_patch * slot_merge) + 1 / 2))",
        slot=slot,
    )
    text = compose.substitute(text, {"size": size})
    about = "A fixed side in patches, or the picture's own, rounded to whole merged patches"
    return _helper(f"{slot}_{name}", text, "patches", f"{what}: patch {name}", about)


def _pairs(slot: str, what: str) -> tuple[Line, ...]:
    """Return the pairs of full and of window attention; a window at the edge is smaller, or filled up."""
    inside_windows = own(
        "slot_window * slot_window * ceil(side / max(1, slot_window)) if slot_pads_windows else"
        " slot_window * slot_window * floor(side / max(1, slot_window))"
        " + power(side - slot_window * floor(side / max(1, slot_window)), 2)",
        slot=slot,
    )
    sides = [
        _helper(
            f"{slot}_{name}_pairs",
            compose.substitute(inside_windows, {"side": f"{slot}_{name}"}),
            "pairs",
            f"{what}: pairs of {name} in one window",
            source=COUNTED,
        )
        for name in ("columns", "rows")
    ]
    apart = "slot_pictures + slot_joins_frames * batch * (moments * moments - moments)"
    apart = compose.substitute(apart, {"moments": "ceil(video_frames / max(1, slot_frames))"})
    squares = compose.times(apart, "power(slot_patches + slot_extra_tokens, 2)")
    whole = own(squares, slot=slot)
    inside = own("slot_pictures * slot_columns_pairs * slot_rows_pairs", slot=slot)
    return (
        *sides,
        _helper(f"{slot}_pairs", whole, "pairs", f"{what}: pairs of positions", source=COUNTED),
        _helper(f"{slot}_window_pairs", inside, "pairs", f"{what}: pairs inside windows", source=COUNTED),
    )


def sound_sizes(slot: str, what: str) -> blocks.Block:
    """Return the dimensions and helper lines of an audio tower's clips."""
    lines = (*_clip(slot), *_seen(slot))
    return blocks.Block(
        dimensions=_sound_dimensions(slot, what),
        flops=tuple(_helper(name, text, unit, f"{what}: {title}", source=COUNTED) for name, text, unit, title in lines),
    )


PIECES = "audio_seconds / (slot_conv_seconds if slot_conv_seconds else 1)"
WHOLE = "floor(pieces) if slot_conv_seconds else 0"
FILLED = (
    "batch * slot_conv_positions * ceil(pieces) if max(slot_pieces, slot_pads_pieces * audio_seconds) else slot_tokens"
)
"""Pieces of a clip that convolutions work on; how many are whole; positions that they embed, the last one filled up."""


def _clip(slot: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return how many positions a clip has; convolutions may work on pieces of it, the last of them filled up."""
    clip = own(
        "ceil(audio_seconds / max(1, slot_chunk_seconds)) * slot_chunk_seconds * slot_rate"
        " if slot_pads_chunks else slot_pieces * slot_conv_positions"
        " + ceil((audio_seconds - slot_pieces * slot_conv_seconds) * slot_rate)",
        slot=slot,
    )
    whole, filled = (own(compose.substitute(text, {"pieces": PIECES}), slot=slot) for text in (WHOLE, FILLED))
    return (
        (f"{slot}_pieces", whole, "pieces", "whole pieces of a clip that convolutions work on"),
        (f"{slot}_clip", clip, "positions", "positions of a clip"),
        (f"{slot}_tokens", own("batch * slot_clip", slot=slot), "positions", "positions"),
        (f"{slot}_embedded", filled, "positions", "embedded positions"),
    )


def _seen(slot: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return what positions see: parts of a clip, windows or blocks."""
    part = own(
        "max(1, floor(slot_chunk_seconds / slot_conv_seconds) * slot_conv_positions if slot_conv_seconds else"
        " (slot_chunk_seconds * slot_rate if slot_chunk_seconds else slot_clip))",
        slot=slot,
    )
    inside = own("power(slot_part, 2) * slot_parts + power(slot_clip - slot_parts * slot_part, 2)", slot=slot)
    blocked = own("slot_filled * slot_block_sees if slot_block else inside", slot=slot)
    reach = own("min(slot_clip, slot_window) if slot_window else slot_clip", slot=slot)
    band = own("slot_clip * slot_reach - slot_reach * (slot_reach - 1) / 2", slot=slot)
    back = own("slot_band if mask_is_window else slot_clip * (slot_clip + 1) / 2", slot=slot)
    seen = own("batch * (slot_clip * slot_clip if mask_is_full else slot_back)", slot=slot)
    filled = own("ceil(slot_clip / slot_block) * slot_block if slot_block else slot_clip", slot=slot)
    return (
        (f"{slot}_part", part, "positions", "positions that see each other"),
        (f"{slot}_parts", own("floor(slot_clip / slot_part)", slot=slot), "parts", "whole parts of a clip"),
        (f"{slot}_pictures", own("batch * ceil(slot_clip / slot_part)", slot=slot), "parts", "parts of all clips"),
        (f"{slot}_filled", filled, "positions", "positions of a clip with those that fill its blocks up"),
        (f"{slot}_pairs", compose.times("batch", compose.substitute(blocked, {"inside": inside})), "pairs", "pairs"),
        (f"{slot}_reach", reach, "positions", "positions that a window layer sees"),
        (f"{slot}_band", band, "pairs", "pairs of a clip inside the window"),
        (f"{slot}_back", back, "pairs", "pairs of a clip, looking back"),
        (f"{slot}_window_pairs", seen, "pairs", "pairs inside windows"),
    )


def _sound_dimensions(slot: str, what: str) -> tuple[Dimension, ...]:
    return (
        optional(f"{slot}_rate", f"{what}: positions per second", kind="ratio", default=0, about="In the layers"),
        optional(
            f"{slot}_chunk_seconds",
            f"{what}: seconds of a part",
            unit="s",
            kind="ratio",
            default=0,
            about="Positions see those of their own part; 0: all of the clip",
        ),
        optional(
            f"{slot}_window",
            f"{what}: window",
            unit="positions",
            about="Of window layers: a position sees so many, itself the last of them; 0: all up to itself",
        ),
        optional(
            f"{slot}_conv_seconds",
            f"{what}: seconds of a piece",
            unit="s",
            kind="ratio",
            about="That the convolutions of the embedding work on, each alone; 0: on the whole clip",
        ),
        optional(f"{slot}_conv_positions", f"{what}: positions of a piece"),
        Dimension(
            f"{slot}_pads_pieces",
            f"{what}: a single piece is filled up too",
            kind="flag",
            default=0,
        ),
        optional(
            f"{slot}_block",
            f"{what}: block",
            unit="positions",
            about="Positions that see the same surroundings; the last block is filled up; 0: none",
        ),
        optional(f"{slot}_block_sees", f"{what}: what a block sees", unit="positions"),
        Dimension(
            f"{slot}_pads_blocks",
            f"{what}: padding of blocks is projected",
            kind="flag",
            default=0,
            about="1: what fills the last block up has queries, keys and values",
        ),
        optional(
            f"{slot}_relative_rows",
            f"{what}: relative positions",
            about="Vectors that every query of a block is multiplied with",
        ),
        optional(
            f"{slot}_relative_weights",
            f"{what}: weights that make relative positions",
            about="Of a layer: each of these vectors passes them once a pass",
        ),
        Dimension(
            f"{slot}_pads_chunks",
            f"{what}: parts are filled up",
            kind="flag",
            default=0,
            about="As in Whisper: 3 seconds cost as much as 30",
        ),
    )
