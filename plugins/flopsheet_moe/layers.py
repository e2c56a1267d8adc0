"""Which layers have experts and which have windows, by the rules of the config classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Config = Mapping[str, Any]
    Rule = Callable[[Config, int, int], Any]

FULL, SLIDING = "full_attention", "sliding_attention"
NAMED = "mlp_layer_types"


def layer_kinds(config: Config, depth: int, rule: str) -> list[str]:
    """Return the kind of each layer: what `layer_types` says, else by a rule of `SLIDES`."""
    slides = SLIDES[rule]
    return config.get("layer_types") or [SLIDING if slides(config, i, depth) else FULL for i in range(depth)]


def sparse_layers(config: Config, depth: int, rule: str) -> list[bool]:
    """Tell of each layer whether it has experts, by a rule of `SPARSE`; some rules let `mlp_layer_types` say it."""
    fields, is_sparse = SPARSE[rule]
    if NAMED in fields and config.get(NAMED) is not None:
        return [kind == "sparse" for kind in of_length(config[NAMED], depth, NAMED, {"dense", "sparse"})]
    return [bool(is_sparse(config, i, depth)) for i in range(depth)]


def of_length(kinds: Sequence[Any], depth: int, field: str, known_kinds: set[Any]) -> Sequence[Any]:
    """Return the kinds of the layers, of which there must be `depth`, all of them known."""
    if len(kinds) != depth:
        raise ValueError(f"the length of {field} is {len(kinds)}, num_hidden_layers says {depth}")
    if unknown := sorted(set(kinds) - known_kinds):
        raise ValueError(f"{field} has kinds that are not understood: {', '.join(map(str, unknown))}")
    return kinds


def layers_with_positions(config: Config, depth: int) -> list[bool]:
    """Tell of each layer whether it has positions, where only `no_rope_layer_interval` says it: all but every n-th."""
    step = config.get("no_rope_layer_interval", 4)
    if not step:
        raise ValueError("no_rope_layer_interval = 0: the class divides the number of each layer by it")
    return [(i + 1) % step != 0 for i in range(depth)]


def _every_step(config: Config, i: int, _: int) -> Any:
    """Qwen: every `decoder_sparse_step`-th layer, but for those that are named as plain."""
    plain = config.get("mlp_only_layers") or ()
    return i not in plain and (i + 1) % config["decoder_sparse_step"] == 0


def _flint(config: Config, i: int, depth: int) -> Any:
    """Flint: as Qwen, the first two are plain where nothing is named."""
    plain = config.get("mlp_only_layers")
    return _every_step({**config, "mlp_only_layers": (0, 1) if plain is None else plain}, i, depth)


def _every_interleaved(config: Config, i: int, _: int) -> Any:
    """Llama 4: the layers that `moe_layers` names, else every `interleave_moe_layer_step`-th."""
    layers = config.get("moe_layers")
    return (i + 1) % config["interleave_moe_layer_step"] == 0 if layers is None else i in layers


def _every_spanned(config: Config, i: int, depth: int) -> Any:
    """ERNIE 4.5: every `moe_layer_interval`-th layer between the first and the last that may have experts."""
    last = config["moe_layer_end_index"]
    last = depth - 1 if last == -1 else last
    return (i + 1) % config["moe_layer_interval"] == 0 and config["moe_layer_start_index"] <= i <= last


def _frequent(config: Config, i: int, _: int) -> Any:
    """A.X K1 and dots3: every n-th after the first dense ones, or those that a list flags."""
    step = config.get("moe_layer_freq", 1)
    return i >= config.get("first_k_dense_replace", 1) and (step[i] if isinstance(step, list) else i % step == 0)


def _each_flagged(config: Config, i: int, depth: int) -> Any:
    """MiniMax-M3: the layers that the list `moe_layer_freq` flags, else all."""
    flags = config.get("moe_layer_freq")
    return flags is None or of_length(flags, depth, "moe_layer_freq", {0, 1})[i]


SPARSE: Mapping[str, tuple[tuple[str, ...], Rule]] = {
    "all": ((NAMED,), lambda *_: True),
    "flagged": ((NAMED, "moe_layer_freq"), _each_flagged),
    "headed": ((NAMED,), lambda _, i, __: i > 0),
    "third": ((NAMED,), lambda _, i, __: i > 2),  # noqa: PLR2004 - the first three are dense
    "listed": ((NAMED, "first_k_dense_replace"), lambda config, i, _: i >= config["first_k_dense_replace"]),
    "prefixed": ((NAMED, "first_k_dense_replace"), lambda config, i, _: i >= config.get("first_k_dense_replace", 0)),
    "frequent": ((NAMED, "first_k_dense_replace", "moe_layer_freq"), _frequent),
    "stepped": (("mlp_only_layers", "decoder_sparse_step"), _every_step),
    "flint": (("mlp_only_layers", "decoder_sparse_step"), _flint),
    "interleaved": (("moe_layers", "interleave_moe_layer_step"), _every_interleaved),
    "spanned": (("moe_layer_interval", "moe_layer_start_index", "moe_layer_end_index"), _every_spanned),
}
"""The hint `experts`: the fields that each rule reads, and whether a layer has experts."""


def _after_prefix(config: Config, i: int, _: int) -> Any:
    """Command A MoE: the dense layers in front have a period of their own."""
    front = config.get("first_k_dense_replace", 0)
    if i < front:
        return (i + 1) % config["prefix_dense_sliding_window_pattern"] != 0
    return (i - front + 1) % config["sliding_window_pattern"] != 0


SLIDES: Mapping[str, Rule] = {
    "early": lambda config, i, depth: i % 2 == 0 and i < config.get("max_window_layers", depth),
    "fourth": lambda _, i, __: i % 4 != 0,
    "fifth": lambda _, i, __: (i + 1) % 5 != 0,
    "sixth": lambda _, i, __: (i + 1) % 6 != 0,
    "sixth_and_last": lambda _, i, depth: (i + 1) % 6 != 0 and i < depth - 1,
    "sixth_and_first": lambda _, i, __: (i + 1) % 6 != 0 and i > 0,
    "flint": lambda _, i, depth: i > 1 and i % 4 != 1 and i < depth - 1,
    "prefixed": _after_prefix,
}
"""The hint `kinds`: which layers slide where no `layer_types` say it."""
