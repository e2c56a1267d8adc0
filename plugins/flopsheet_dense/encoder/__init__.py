"""Encoders: a stack in which every token sees every other, with heads for masked words, classes, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_dense.encoder.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


ENCODER = Architecture(
    "encoder",
    "Encoder",
    "A stack of attention and feed-forward layers in which every token sees every other",
    decodes="is_causal",
    read=_read,
    checks=blocks.HEADS_FIT
    | blocks.WINDOWS_FIT
    | {
        "0 if has_head * tied_head * (d_transform - d_embedding) else 1": "a tied head must be as wide as the token"
        " table",
    },
)
