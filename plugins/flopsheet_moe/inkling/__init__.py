"""Inkling: mixtures with learned relative positions, short convolutions, and residuals that attend to earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.inkling.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


INKLING = checks.mixture(
    "inkling",
    "Inkling",
    "A mixture of experts of local and global layers with short convolutions and positions by learned distances",
    read=_read,
    checks=checks.FIT
    | checks.ADD_UP
    | checks.LOCAL_FIT
    | checks.ADAPTED
    | {
        "1 if n_router_sinks * lora_shared_experts == 0 else 0": "adapters of shared experts in one tensor are unknown",
    },
    notes=checks.DENSE_FRONT | checks.LOCAL_CACHE,
)
