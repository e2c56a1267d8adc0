"""RWKV-7: a recurrence with vector-valued decays that corrects its state, and channel mixing without a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_rwkv.seven.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


RWKV7 = Architecture(
    "rwkv7",
    "RWKV-7",
    "A stack of time mixing, a recurrence that corrects its state, and channel mixing, an MLP, without attention",
    read=_read,
    checks={
        "1 if n_heads * d_head == d_model else 0": "heads x head_dim must be hidden_size",
        "1 if round_up(d_value, n_heads) == d_value else 0": "the heads must divide value_dim",
    },
)
