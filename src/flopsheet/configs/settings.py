"""Settings over settings: what a portfolio's workload, an entry of it and the command line add to a config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.adapters import FROZEN, GROUPS, RANK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.host.host import Host

OPTIMIZER, LORA_RANK = "optimizer", "lora_rank"
SHORT = (OPTIMIZER, LORA_RANK)
"""Settings that are no dimensions: each fills in several."""


def names_set(names: Iterable[str]) -> set[str]:
    """Return what can be set of a model that has the dimensions of these names."""
    own = set(names)
    return own | {OPTIMIZER} | ({LORA_RANK} if any(name.startswith(RANK) for name in own) else set())


def merge_settings(host: Host, below: Mapping[str, Any], above: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return both, `above` winning.

    A recipe for the optimizer fills in its bytes, and `lora_rank` the rank of every group; explicit values
    win. Bytes of a weight are those of quantized weights too, and new adapters freeze the rest again. UsageError where
    no recipe has the name.
    """
    if not above:
        return below
    plain = {"quantized_bytes": 0} if "weight_dtype_bytes" in above else {}
    ranks = {f"{RANK}{group}": above[LORA_RANK] for group in GROUPS} if LORA_RANK in above else {}
    if any(name.startswith(RANK) for name in above):
        below = {name: value for name, value in below.items() if name != FROZEN.name}
    return {**below, **plain, **ranks, **_recipe(host, above), **above}


def _recipe(host: Host, settings: Mapping[str, Any]) -> Mapping[str, float]:
    if OPTIMIZER not in settings:
        return {}
    from flopsheet.accounting.optimizers import recipe  # noqa: PLC0415 - few models name one

    return recipe(settings[OPTIMIZER], host.optimizers()).values
