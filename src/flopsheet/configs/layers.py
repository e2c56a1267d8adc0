"""Which layers of a model are of which kind, by the fields of its config: lists first, then rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MIXERS = ("layer_types", "layers_block_type", "hybrid_override_pattern")
"""Fields that name the kind of each layer: lists of words, or a text of letters."""
FOURTH = 4


def layer_words(config: Mapping[str, Any], depth: int) -> list[frozenset[str]]:
    """Return the words that the config has for each layer; none where it says nothing."""
    lists = [kinds for kinds in (*_mixers(config, depth), _experts(config, depth)) if len(kinds) == depth]
    return [frozenset(str(kinds[i]) for kinds in lists) for i in range(depth)]


def _mixers(config: Mapping[str, Any], depth: int) -> Iterator[Sequence[Any]]:
    lists = [config[name] for name in MIXERS if isinstance(config.get(name), list | str)]
    yield from lists
    interval = config.get("full_attention_interval")
    if not lists and isinstance(interval, int) and interval > 0:
        yield ["linear_attention" if (i + 1) % interval else "full_attention" for i in range(depth)]
    rotary_flags = config.get("no_rope_layers") or ([1, 1, 1, 0] * depth if "no_rope_layers" in config else [])
    if isinstance(rotary_flags, list) and len(rotary_flags) >= depth:
        yield ["chunked_attention" if flag else "full_attention" for flag in rotary_flags[:depth]]
    kimi = config.get("linear_attn_config")
    if isinstance(kimi, dict) and isinstance(kimi.get("full_attn_layers"), list):
        yield ["full_attention" if i + 1 in kimi["full_attn_layers"] else "linear_attention" for i in range(depth)]
    if isinstance(tables := config.get("ple_layer_ids"), list):
        yield ["ngrams" if i + 1 in tables else "no ngrams" for i in range(depth)]


def _experts(config: Mapping[str, Any], depth: int) -> Sequence[str]:
    """Return dense or sparse for each layer, or nothing where no rule fits."""
    flags, kinds = config.get("moe_layer_freq"), config.get("mlp_layer_types")
    if isinstance(kinds, list):
        return kinds
    if isinstance(flags, list):
        return ["sparse" if flag else "dense" for flag in flags]
    front, every = config.get("first_k_dense_replace"), flags if isinstance(flags, int) and flags > 0 else 1
    if isinstance(front, int):
        return ["sparse" if i >= front and i % every == 0 else "dense" for i in range(depth)]
    if isinstance(config.get("interleave_moe_layer_step"), int) and config["interleave_moe_layer_step"] > 0:
        return ["dense" if (i + 1) % config["interleave_moe_layer_step"] else "sparse" for i in range(depth)]
    step, plain = config.get("decoder_sparse_step"), config.get("mlp_only_layers") or ()
    if isinstance(step, int) and step > 0 and isinstance(plain, list | tuple):
        return ["sparse" if i not in plain and (i + 1) % step == 0 else "dense" for i in range(depth)]
    return ()
