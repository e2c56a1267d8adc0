"""How large what a tower reads is: pictures in patches, sound in positions, and the pairs that attention sees."""

from __future__ import annotations

from flopsheet import Line, blocks, compose
from flopsheet_multimodal.dimensions import dimensions_of
from flopsheet_multimodal.own import own

PATCHES = "Dosovitskiy et al. 2010.11929, section 3.1: a square of pixels is one position"
COUNTED = "Counted: pairs of positions inside each window, one by one"


def picture_sizes(slot: str, what: str) -> blocks.Block:
    """Return the dimensions and helper lines of a vision tower's pictures."""
    return blocks.Block(
        dimensions=dimensions_of("pictures", what, slot=slot), flops=(*_pictures(slot, what), *_pairs(slot, what))
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
    lines = (*_clip(slot), *_seen_positions(slot))
    return blocks.Block(
        dimensions=dimensions_of("sound", what, slot=slot),
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
    whole, embedding = (own(compose.substitute(text, {"pieces": PIECES}), slot=slot) for text in (WHOLE, FILLED))
    return (
        (f"{slot}_pieces", whole, "pieces", "whole pieces of a clip that convolutions work on"),
        (f"{slot}_clip", clip, "positions", "positions of a clip"),
        (f"{slot}_tokens", own("batch * slot_clip", slot=slot), "positions", "positions"),
        (f"{slot}_embedded", embedding, "positions", "embedded positions"),
    )


def _seen_positions(slot: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return what positions see: parts of a clip, windows or blocks."""
    part = own(
        "max(1, floor(slot_chunk_seconds / slot_conv_seconds) * slot_conv_positions if slot_conv_seconds else"
        " (slot_chunk_seconds * slot_rate if slot_chunk_seconds else slot_clip))",
        slot=slot,
    )
    inside = own("power(slot_part, 2) * slot_parts + power(slot_clip - slot_parts * slot_part, 2)", slot=slot)
    pairs = own("slot_filled * slot_block_sees if slot_block else inside", slot=slot)
    reach = own("min(slot_clip, slot_window) if slot_window else slot_clip", slot=slot)
    band = own("slot_clip * slot_reach - slot_reach * (slot_reach - 1) / 2", slot=slot)
    back = own("slot_band if mask_is_window else slot_clip * (slot_clip + 1) / 2", slot=slot)
    window_pairs = own("batch * (slot_clip * slot_clip if mask_is_full else slot_back)", slot=slot)
    padded_clip = own("ceil(slot_clip / slot_block) * slot_block if slot_block else slot_clip", slot=slot)
    return (
        (f"{slot}_part", part, "positions", "positions that see each other"),
        (f"{slot}_parts", own("floor(slot_clip / slot_part)", slot=slot), "parts", "whole parts of a clip"),
        (f"{slot}_pictures", own("batch * ceil(slot_clip / slot_part)", slot=slot), "parts", "parts of all clips"),
        (f"{slot}_filled", padded_clip, "positions", "positions of a clip with those that fill its blocks up"),
        (f"{slot}_pairs", compose.times("batch", compose.substitute(pairs, {"inside": inside})), "pairs", "pairs"),
        (f"{slot}_reach", reach, "positions", "positions that a window layer sees"),
        (f"{slot}_band", band, "pairs", "pairs of a clip inside the window"),
        (f"{slot}_back", back, "pairs", "pairs of a clip, looking back"),
        (f"{slot}_window_pairs", window_pairs, "pairs", "pairs inside windows"),
    )
