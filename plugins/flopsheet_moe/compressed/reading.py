"""How DeepSeek-V4's configs say which layers compress, and how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_moe.layers import of_length
from flopsheet_moe.reading import note_prediction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Family

    Config = Mapping[str, Any]

WINDOW, SPARSE, POOLED = "sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"
RATIOS = {0: WINDOW, 4: SPARSE, 128: POOLED}
"""What the numbers of the field `compress_ratios` mean, whatever `compress_rates` says."""

RATES = {
    "sparse_rate": (SPARSE, "compress_rate_csa", 4),
    "pooled_rate": (POOLED, "compress_rate_hca", 128),
}
"""Each rate: its key in `compress_rates`, the older field that overrides it, and the default."""

EXPERT_KINDS = {"hash_moe", "moe"}
FIELDS = (
    *("layer_types", "compress_ratios", "compress_rates", "mlp_layer_types", "num_hash_layers"),
    *("partial_rotary_factor", "qk_rope_head_dim", "expert_dtype"),
)


def read(config: Config, _: Family) -> Reading:
    """Count the layers of each kind, and read the rates at which they pool."""
    reading = Reading(keys=set(FIELDS))
    depth = config["num_hidden_layers"]
    kinds = of_length(_kinds(config, depth)[:depth], depth, "layer_types", {WINDOW, SPARSE, POOLED})
    if not isinstance(config.get("num_hash_layers", 0), int | None):
        raise TypeError(f"num_hash_layers = {config['num_hash_layers']!r} is not a whole number")
    if mlp_kinds := config.get("mlp_layer_types"):
        of_length(mlp_kinds[:depth], depth, "mlp_layer_types", EXPERT_KINDS)
    reading.values |= {"n_sparse_layers": kinds.count(SPARSE), "n_pooled_layers": kinds.count(POOLED)}
    for name, (kind, field, default) in RATES.items():
        reading.keys.add(field)
        rates = config.get("compress_rates")
        rates = {kind: default} if rates is None or kind not in kinds else rates
        reading.values[name] = config.get(field) or _rate(rates, kind)
    note_prediction(config, reading)
    _read_class(config, reading)
    return reading


def _rate(rates: Mapping[str, Any], kind: str) -> Any:
    if kind not in rates:
        raise ValueError(f"compress_rates has no {kind}, which layers are of")
    return rates[kind]


def _kinds(config: Config, depth: int) -> Sequence[str]:
    """Return the kinds of the layers; saved lists may go on with those of the prediction layers."""
    if config.get("layer_types") is not None:
        return list(config["layer_types"])
    if config.get("compress_ratios") is not None:
        return [RATIOS.get(ratio, f"ratio {ratio}") for ratio in config["compress_ratios"]]
    return [SPARSE if i > 1 and i % 2 else POOLED for i in range(depth)]


def _read_class(config: Config, reading: Reading) -> None:
    """Hold the fields that the class passes over to what it builds."""
    for field, value in {"num_key_value_heads": 1, "n_shared_experts": 1}.items():
        reading.keys.add(field)
        if config.get(field, value) != value:
            reading.notes.append(f"{field} = {config[field]} is ignored by the class, which builds {value}")
