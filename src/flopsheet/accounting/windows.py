"""Which layers look through a sliding window: what configs say in several ways, as a count and a width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.blocks.attention import DEFAULT_WINDOW
from flopsheet.accounting.line import Family, Reading
from flopsheet.accounting.values import show_value
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FIELDS = {"sliding_window", "layer_types", "use_sliding_window", "max_window_layers"}
PERIOD = "sliding_window_pattern"
FULL, SLIDING = "full_attention", "sliding_attention"


def read_windows(config: Mapping[str, Any], family: Family) -> Reading:
    """Return `n_window_layers` and `window` of a config.

    The family's hint `windows` says where its layers slide when no `layer_types` do: `all`, `alternate` (the first,
    third, …), `late` (from `max_window_layers` on), `named` (only where `layer_types` say so), `period` (all but
    every n-th, n from `sliding_window_pattern` or the hint `period`) or `spaced` (all but the first and every n-th
    after it). A family without the hint has no windows and reads no field. A config that names no window gets the hint
    `default_window`.
    """
    rule = family.hints.get("windows")
    if rule is None:
        return Reading()
    reading = Reading(keys=FIELDS | ({PERIOD} if rule == "period" else set()))
    window = config.get("sliding_window", family.hints.get("default_window"))
    n_layers = _window_layers(config, family, reading)
    if window and n_layers and config.get("use_sliding_window", True):
        reading.values |= {"n_window_layers": n_layers, "window": window}
        if "sliding_window" not in config:
            reading.notes.append(DEFAULT_WINDOW.format(window))
    return reading


def _window_layers(config: Mapping[str, Any], family: Family, reading: Reading) -> int:
    """Return how many layers slide: those that the config names, else those of the family's rule."""
    rule, n_layers = family.hints["windows"], config.get("num_hidden_layers")
    if not isinstance(n_layers, int):
        return 0
    layer_types = config.get("layer_types")
    if layer_types and rule != "all":
        _check_kinds(layer_types, n_layers, reading)
        return int(layer_types.count(SLIDING))
    first = config.get("max_window_layers") or 0
    own = family.hints.get("period", 1)
    period = config.get(PERIOD, own) if rule == "period" else own
    if not isinstance(period, int) or period < 1:
        raise ConfigError(f"{PERIOD} = {show_value(period)}: a whole number of at least 1 is expected")
    layers: dict[str, int] = {
        "all": n_layers,
        "alternate": (n_layers + 1) // 2,
        "late": max(0, n_layers - first),
        "named": 0,
        "period": n_layers - n_layers // period,
        "spaced": n_layers + -n_layers // period,
    }
    return layers[rule]


def _check_kinds(layer_types: Sequence[str], n_layers: int, reading: Reading) -> None:
    unknown = sorted(set(layer_types) - {FULL, SLIDING})
    if unknown:
        reading.problems.append(f"layer_types has kinds that are not understood: {', '.join(unknown)}")
    if len(layer_types) != n_layers:
        reading.problems.append(f"layer_types names {len(layer_types)} layers, num_hidden_layers says {n_layers}")
