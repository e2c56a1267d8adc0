"""Dense decoders whose layers differ in heads and width, as search or scaling rules leave them, as sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_dense.varied.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


VARIED = Architecture(
    "varied",
    "Varied decoder",
    "A dense decoder whose layers differ in heads and width",
    read=_read,
    checks={
        "1 if n_attention_layers + n_linear_attentions <= n_layers else 0": "there cannot be more attention layers than"
        " layers",
        "1 if n_mlp_layers + n_linear_mlps <= n_layers else 0": "there cannot be more MLPs than layers",
    },
)
