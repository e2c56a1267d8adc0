"""Settings over settings: what a portfolio's workload, an entry of it and the command line add to a config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

OPTIMIZER = "optimizer"


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return both, `above` winning.

    A recipe for the optimizer fills in its bytes, which explicit ones beside it beat. Bytes of a weight are those of
    quantised weights too. UsageError where no recipe has the name.
    """
    plain = {"quantised_bytes": 0} if "weight_dtype_bytes" in above else {}
    return {**below, **plain, **_recipe(above), **above}


def _recipe(settings: Mapping[str, Any]) -> Mapping[str, int]:
    if OPTIMIZER not in settings:
        return {}
    from flopsheet.accounting.optimizers import recipe  # noqa: PLC0415 - few models name one

    return recipe(settings[OPTIMIZER]).values
