"""What transformers demands of the tables that describe rotary positions: known types, and numbers to compute with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "default": (),
    "axial": (),
    "mrope": (),
    "proportional": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": ("factor",),
    "deepseek_yarn": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "longrope": ("short_factor", "long_factor"),
    "su": ("short_factor", "long_factor"),
}
"""Each type with the fields that it cannot do without: transformers 5.24, modeling_rope_utils.py, and sarvam_mla's."""

SHARE = "partial_rotary_factor"
BASES = ("local_rope_theta", "global_rope_theta", "rope_local_base_freq")
"""Bases of layers of one kind, which a table is made of."""
OF_LAYERS = "_attention"
"""The end of names of kinds of layers, each of which may have a table of its own."""
COMPRESSED = "compress_rope_theta"
"""The base of layers that compress, with the type of rotary positions that the config says for all."""
LISTS = ("short_factor", "long_factor")
NUMBERS = ("rope_theta", "factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
OPTIONAL = ("attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim")
"""Numbers that may be null."""
DIVISORS = ("low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
LOGARITHMS = ("beta_fast", "beta_slow", "original_max_position_embeddings")
"""Numbers that may not be negative where their logarithm is taken, which yarn and longrope do."""
LOGARITHMIC = ("yarn", "deepseek_yarn", "longrope", "su")
MAX_WHOLE = 2**63
"""Whole numbers from here on are too large for torch."""


def wrong_rotations(defaults: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the rotary positions of a config whose class has such defaults, each as a sentence."""
    field = "rope_scaling" if config.get("rope_scaling") else "rope_parameters"
    parameters = config.get(field) or defaults.get("rope_parameters") or {}
    if not isinstance(parameters, dict):
        return
    kinds = {key: each for key, each in parameters.items() if isinstance(each, dict)}
    for key, each in parameters.items():
        if str(key).endswith(OF_LAYERS) and not isinstance(each, dict | None):
            yield f"{field}.{key} = {show_value(each)} is not a table of fields"
    theta = config.get("rope_theta", config.get("rotary_emb_base", 2))
    for key in BASES:
        if not _is_number(config.get(key, 1)):
            yield f"{key} = {show_value(config[key])} is not a number that transformers computes with"
    kind = parameters.get("rope_type", parameters.get("type"))
    if COMPRESSED in config and (
        wrong := _wrong_value("rope_theta", config[COMPRESSED], logarithm=kind in LOGARITHMIC)
    ):
        yield f"{COMPRESSED} = {show_value(config[COMPRESSED])} is not {wrong}"
    share = config.get(SHARE, config.get("rotary_pct"))
    for name, table in kinds.items() or [("", parameters)]:
        where = f"{field}.{name}" if name else field
        logarithm = table.get("rope_type", table.get("type")) in LOGARITHMIC
        if "rope_theta" not in table and (wrong := _wrong_value("rope_theta", theta, logarithm=logarithm)):
            yield f"the base of rotary positions, {show_value(theta)}, is not {wrong}"
        own_share = table.get(SHARE, share)
        missing = own_share is None and (SHARE in table or "rotary_pct" in config)
        if missing or not (own_share is None or (_is_number(own_share) and own_share >= 0)):
            yield f"{show_value(own_share)} is not a share of a head that rotary positions can turn"
        yield from (f"{where}: {wrong}" for wrong in _wrong(table))


def missing_of(config: Mapping[str, Any]) -> list[str]:
    """Return what `rope_scaling` lacks in a config whose class turns nothing: transformers refuses it all the same."""
    table = config.get("rope_scaling")
    if not isinstance(table, dict):
        return []
    kind = table.get("rope_type", table.get("type"))
    fields = REQUIRED.get(kind, ()) if isinstance(kind, str) else ()
    return [f"rope_scaling: {_missing(key, kind)}" for key in fields if key not in table]


def _missing(key: str, kind: Any) -> str:
    return f"{key} is missing, which rope_type = {kind!r} needs"


def _wrong(table: Mapping[str, Any]) -> Iterator[str]:
    kind = table.get("rope_type", table.get("type", "default"))
    if not isinstance(kind, str) or kind not in REQUIRED:
        yield f"rope_type = {show_value(kind)} is not a type of rotary positions that transformers has"
        return
    for key in REQUIRED[kind]:
        if key not in table:
            yield _missing(key, kind)
    for key, value in table.items():
        is_used = key in (*REQUIRED[kind], "rope_theta") or (key in (*NUMBERS, *OPTIONAL) and REQUIRED[kind])
        if is_used and (wrong := _wrong_value(key, value, logarithm=kind in LOGARITHMIC)):
            yield f"{key} = {show_value(value)} is not {wrong}"


def _wrong_value(key: str, value: Any, *, logarithm: bool) -> str:
    """Return what is expected in place of a value, "" where it is what transformers computes with."""
    if key in LISTS:
        return "" if isinstance(value, list) and all(map(_is_number, value)) else "a list of numbers"
    if key in OPTIONAL and value is None:
        return ""
    takes_log = logarithm and (key == "rope_theta" or key in LOGARITHMS)
    if not _is_number(value) or (takes_log and not math.isfinite(value)):
        return "a number that transformers computes with"
    if key == "rope_theta" and (value <= 0 or (logarithm and value == 1)):
        return "a positive number" + " other than 1" * logarithm
    if logarithm and key in LOGARITHMS and value < 0:
        return "a number of at least 0"
    return "a number other than 0" if key in DIVISORS and not value else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < MAX_WHOLE)
