"""Which kind each layer is: what configs say as lists, patterns, periods and offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FULL, SLIDING, LINEAR, SHARED, CONV = "full_attention", "sliding_attention", "linear_attention", "hybrid", "conv"
LEGACY = {"mamba": LINEAR, "attention": FULL}
FOURTH = 4
LETTERS = {"M": LINEAR, "E": "moe", "*": FULL, "-": "mlp"}
FIELDS = ("layers_block_type", "layer_types")


def kinds_of(config: Mapping[str, Any], rule: str) -> list[str]:
    """Return the kind of every layer: as the config lists them, else as the type's rule has it."""
    kinds = next((config[field] for field in FIELDS if config.get(field) is not None), None)
    if rule in COMPUTED or kinds is None:
        kinds = (COMPUTED.get(rule) or ABSENT[rule])(config)
    return [LEGACY.get(kind, kind) for kind in kinds]


def sparse_layers(config: Mapping[str, Any], rule: str) -> int:
    """Return how many layers have experts."""
    return SPARSE[rule](config, range(config["num_hidden_layers"]))


def _every_fourth(config: Mapping[str, Any]) -> list[str]:
    interval = config.get("full_attention_interval", FOURTH)
    return [LINEAR if (i + 1) % interval else FULL for i in range(config["num_hidden_layers"])]


def _lara(config: Mapping[str, Any]) -> list[str]:
    period = (LINEAR, SLIDING, LINEAR, FULL, SLIDING)
    return [period[i % len(period)] for i in range(config["num_hidden_layers"])]


def _odd(config: Mapping[str, Any]) -> list[str]:
    return [LINEAR if i % 2 else FULL for i in range(config["num_hidden_layers"])]


def _olmo(config: Mapping[str, Any]) -> list[str]:
    kinds = _every_fourth(config)
    return kinds if FULL in kinds else [*kinds[:-1], FULL]


def _kimi(config: Mapping[str, Any]) -> list[str]:
    table = config.get("linear_attn_config") or {}
    n_layers = config["num_hidden_layers"]
    if "full_attn_layers" not in table or "kda_layers" not in table:
        return [FULL if i and i % FOURTH == 0 else LINEAR for i in range(n_layers)]
    kinds = dict.fromkeys(table["full_attn_layers"], FULL) | dict.fromkeys(table["kda_layers"], LINEAR)
    return [kinds.get(i + 1, "no") for i in range(n_layers)]


def _zamba(config: Mapping[str, Any]) -> list[str]:
    if (n_layers := config["num_hidden_layers"]) < len(first := [LINEAR, LINEAR, SHARED]):
        raise ValueError(f"the class's own list has {len(first)} layers at least, num_hidden_layers says {n_layers}")
    period, offset = config["attn_layer_period"], config["attn_layer_offset"]
    rest = [SHARED if i % period == offset else LINEAR for i in range(n_layers - len(first))]
    return [*first, *rest]


def _zamba2(config: Mapping[str, Any]) -> list[str]:
    runs = (6, *[5] * 6, 4, 3)
    kinds = [kind for run in runs for kind in [*[LINEAR] * run, SHARED]] + [LINEAR] * 2
    if (n_layers := config["num_hidden_layers"]) != len(kinds):
        text = f"layers_block_type is missing, and the class's own list has {len(kinds)} layers"
        raise ValueError(f"{text}, num_hidden_layers says {n_layers}")
    return kinds


def _pattern(config: Mapping[str, Any]) -> list[str]:
    letters = config.get("hybrid_override_pattern")
    return [LETTERS.get(letter, letter) for letter in ("ME*-" if letters is None else letters)]


def _indices(config: Mapping[str, Any], field: str, others: str, without: tuple[int, ...] = ()) -> list[str]:
    indices = config.get(field)
    indices = without if indices is None else indices
    return [FULL if i in indices else others for i in range(config["num_hidden_layers"])]


def _cycle(config: Mapping[str, Any]) -> list[str]:
    kinds = config["block_types"]
    return [kinds[i % len(kinds)] for i in range(config["num_hidden_layers"])]


def _codes(config: Mapping[str, Any]) -> list[str]:
    if (codes := config.get("attn_type_list")) is None:
        raise ValueError("attn_type_list is missing, and this type has no rule in its place")
    return [FULL if code else LINEAR for code in codes]


def _lfm2(config: Mapping[str, Any]) -> list[str]:
    return _indices(config, "full_attn_idxs", CONV, tuple(range(config["num_hidden_layers"])))


def _lfm3(config: Mapping[str, Any]) -> list[str]:
    fourth = (SLIDING, CONV, FULL, CONV)
    return [fourth[i % FOURTH] if i else CONV for i in range(config["num_hidden_layers"])]


def _groups(config: Mapping[str, Any]) -> list[str]:
    return [LINEAR if (i + 1) % config["layer_group_size"] else FULL for i in range(config["num_hidden_layers"])]


def _required_fields(_: Mapping[str, Any]) -> list[str]:
    raise ValueError("layer_types is missing, and this type has no rule in its place")


ABSENT: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "every_fourth": _every_fourth,
    "lara": _lara,
    "odd": _odd,
    "olmo": _olmo,
    "kimi": _kimi,
    "zamba": _zamba,
    "zamba2": _zamba2,
    "pattern": _pattern,
    "lfm2": _lfm2,
    "lfm3": _lfm3,
    "groups": _groups,
    "linear": lambda config: [LINEAR] * config["num_hidden_layers"],
    "required": _required_fields,
}
"""What stands in for a list that a config leaves out, by the family's hint `layers`."""

COMPUTED: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "indices": lambda config: _indices(config, "attn_layer_indices", LINEAR),
    "cycle": _cycle,
    "codes": _codes,
}
"""Rules of classes that take no list of layers."""

SPARSE: Mapping[str, Callable[[Mapping[str, Any], range], int]] = {
    "steps": lambda config, layers: sum(
        config["num_experts"] > 0 and (i + 1) % config["decoder_sparse_step"] == 0
        for i in set(layers) - set(config.get("mlp_only_layers") or ())
    ),
    "kimi": lambda config, layers: (
        config["mlp_layer_types"].count("sparse")
        if config.get("mlp_layer_types")
        else sum(i >= config.get("first_k_dense_replace", 1) for i in layers)
    ),
}
"""Which layers have experts, by the family's hint `experts`."""
