"""Lists of modules that stay plain when the others are quantized: which groups of weights they mean."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from flopsheet.accounting.line import spoken
from flopsheet.accounting.quantized import GROUPS
from flopsheet.configs.groups import group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

GATED = ("gate_proj", "up_proj", "down_proj")
MODULES: Mapping[str, Sequence[tuple[str, Sequence[str]]]] = {
    "attention": (
        ("model.layers.{}.self_attn", ("q_proj", "k_proj", "v_proj", "o_proj")),
        ("transformer.h.{}.attn", ("c_attn", "c_proj")),
        ("model.layers.{}.attention", ("query_key_value", "dense")),
    ),
    "cross_attention": (
        ("model.decoder.layers.{}.encoder_attn", ("q_proj", "k_proj", "v_proj", "out_proj")),
        ("decoder.block.{}.layer.1.EncDecAttention", ("q", "k", "v", "o")),
    ),
    "mlp": (
        ("model.layers.{}.mlp", GATED),
        ("transformer.h.{}.mlp", ("c_fc", "c_proj")),
        ("model.layers.{}.mlp", ("dense_h_to_4h", "dense_4h_to_h")),
    ),
    "experts": (
        ("model.layers.{}.mlp.experts.0", GATED),
        ("model.layers.{}.block_sparse_moe.experts.0", ("w1", "w2", "w3")),
    ),
    "shared_experts": (("model.layers.{}.mlp.shared_experts", GATED), ("model.layers.{}.mlp.shared_expert", GATED)),
    "ssm": (("model.layers.{}.mixer", ("in_proj", "out_proj")), ("model.layers.{}.mamba", ("in_proj", "out_proj"))),
    "lm_head": (("lm_head", ("",)),),
}
"""Modules that stand for their group, by the names that types give them."""

LAYER = re.compile(r"\b(layers|blocks?|h)\.(\d+)\b")
OTHER_PARTS = re.compile(r"vis(ual|ion)|image|audio|speech|projector|^mtp\b|\bmtp\.|talker|code2wav")
"""Modules of towers and of multi-token prediction, which are not counted."""
NESTED = re.compile(r"\)[*+{]")
"""What can make a regular expression take for ever."""


def plain_groups(listed: Sequence[str], n_layers: int) -> set[str]:
    """Return the groups whose modules a list names, completely; ValueError where it names some modules of a group."""
    patterns = _patterns(listed, n_layers)
    used: set[str] = set()
    layers = sorted({0, n_layers // 2, max(n_layers - 1, 0)})
    found = [{group for group in MODULES if _is_plain(group, patterns, layer, used)} for layer in layers]
    if any(groups != found[0] for groups in found):
        raise ValueError("layers differ in which modules are quantized")
    for pattern in patterns:
        if pattern not in used and _group(pattern) in GROUPS:
            raise ValueError(f"{pattern}, which is not quantized, is an unknown module")
    return found[0]


def _patterns(listed: Iterable[str], n_layers: int) -> list[str]:
    """Return the entries with `*` for the layer, where each layer of the model has one of its own."""
    layers: dict[str, set[int]] = {}
    for entry in listed:
        if not OTHER_PARTS.search(entry):
            number = None if entry.startswith("re:") else LAYER.search(entry)
            layers.setdefault(LAYER.sub(r"\1.*", entry) if number else entry, set()).update(
                [int(number[2])] if number else []
            )
    every = set(range(n_layers))
    for pattern, own in layers.items():
        if own and (own & every or not every) and not own >= every > set() and _group(pattern) in GROUPS:
            raise ValueError(f"{pattern} is not quantized in {len(own)} layers")
    return [pattern for pattern, own in layers.items() if not own or own >= every]


def _is_plain(group: str, patterns: Sequence[str], layer: int, used: set[str]) -> bool:
    whole, some = False, False
    for parent, children in MODULES[group]:
        names = [f"{parent.format(layer)}.{child}".strip(".") for child in children]
        matches = [{pattern for pattern in patterns if _matches(pattern, name)} for name in names]
        used.update(*matches)
        whole |= all(matches)
        some |= any(matches)
    if some and not whole:
        raise ValueError(f"part of {spoken(group)} is not quantized")
    return whole


def _matches(pattern: str, name: str) -> bool:
    """Return whether a module is named by a regular expression after `re:`, by `*`, or by a run of its name's parts."""
    if pattern.startswith("re:"):
        return bool(_expression(pattern).match(name))
    return f".{pattern}." in f".{name}." or fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*")


def _expression(pattern: str) -> re.Pattern[str]:
    if NESTED.search(pattern):
        raise ValueError(f"{pattern} is not a simple pattern")
    try:
        return re.compile(pattern.removeprefix("re:"))
    except re.error as error:
        raise ValueError(f"{pattern} is not a pattern: {error}") from None


def _group(pattern: str) -> str:
    """Return the group that an entry's words speak of."""
    words = re.sub(r"^re:|\.\*|[\^$\\()*]", "", pattern).strip(".")
    return group_of(f"{words}.weight")
