"""Drafts of speculative decoding: layers that read a larger model's states, and share its token table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_dense.draft.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


DRAFT = Architecture(
    "draft",
    "Draft",
    "Layers that read states of a larger model, whose next tokens they guess, and share its token table",
    read=_read,
    notes=blocks.WINDOW_NOTES
    | {"n_layers": "a draft alone: its token table, and what it does not store, are those of the model that it serves"},
    on_paper={"mlp_matrices": 3},
    checks=blocks.HEADS_FIT | blocks.WINDOWS_FIT,
)
