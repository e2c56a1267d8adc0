"""Which layers look through a sliding window: what configs say in several ways, as a count and a width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flopsheet.accounting.line import Family, Reading

FIELDS = {"sliding_window", "layer_types", "use_sliding_window", "max_window_layers"}
FULL, SLIDING = "full_attention", "sliding_attention"


def read_windows(config: Mapping[str, Any], family: Family) -> Reading:
    """Return `n_window_layers` and `window` of a config.

    The family's hint `windows` says where its layers slide when no `layer_types` do: `all`, `alternate` (the first,
    third, …) or `late` (from `max_window_layers` on). A family without the hint has no windows and reads no field. A
    config that names no window gets the hint `default_window`, and the cache that transformers keeps for it.
    """
    rule = family.hints.get("windows")
    if rule is None:
        return Reading()
    reading = Reading(keys=set(FIELDS))
    window = config.get("sliding_window", family.hints.get("default_window"))
    kinds = _kinds(config, rule, reading)
    if window and config.get("use_sliding_window", True) and SLIDING in kinds:
        reading.values |= {"n_window_layers": kinds.count(SLIDING), "window": window}
        if "sliding_window" not in config:
            reading.values["window_cache"] = window - 1
            reading.notes.append(f"sliding_window is not in the config: the class default {window} is taken, of which"
                                 f" transformers' cache keeps {window - 1} tokens")
    return reading


def _kinds(config: Mapping[str, Any], rule: str, reading: Reading) -> Sequence[str]:
    n_layers = config.get("num_hidden_layers")
    if not isinstance(n_layers, int):
        return ()
    given = config.get("layer_types")
    if not given or rule == "all":
        return _by_rule(rule, n_layers, config)
    unknown = sorted(set(given) - {FULL, SLIDING})
    if unknown:
        reading.problems.append(f"layer_types has kinds that are not understood: {', '.join(unknown)}")
    if len(given) != n_layers:
        reading.problems.append(f"layer_types names {len(given)} layers, num_hidden_layers says {n_layers}")
    return list(given)


def _by_rule(rule: str, n_layers: int, config: Mapping[str, Any]) -> list[str]:
    first = config.get("max_window_layers") or 0
    slides = {
        "all": lambda _: True,
        "alternate": lambda layer: layer % 2 == 0,
        "late": lambda layer: layer >= first,
    }[rule]
    return [SLIDING if slides(layer) else FULL for layer in range(n_layers)]
