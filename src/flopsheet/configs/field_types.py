"""What a type's class demands of single fields: types of values, words for activations, room for the padding token."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.data import read_text
from flopsheet.accounting.values import show_value
from flopsheet.configs.classes import class_table
from flopsheet.configs.fields import STORAGE
from flopsheet.configs.json_types import alternatives, plain_types, type_test, write_type
from flopsheet.configs.rotary import MAX_WHOLE, missing_of, wrong_rotations
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from flopsheet.configs.classes import ClassTable

SHARE = ("dropout", "pdrop", "initializer_range")
"""In the names of fields that are shares: torch and transformers refuse what is not from 0 to 1."""
POSITIVE = (
    *("max_position_embeddings", "num_key_value_heads", "num_attention_heads"),
    *("hidden_size", "vocab_size", "index_head_dim", "relative_attention_max_distance"),
)
"""Fields that every class that has them divides by, makes a table of, or takes the logarithm of."""
PADDED = ("vocab_size", "decoder_vocab_size", "pronunciation_vocab_size", "shape_vocab_size")
"""Fields that say how many rows a table with a row for padding has."""
SIZES = ("_dim", "_size")
"""How names of sizes end that a class may compute with and does not declare."""
COUNTED = (*SIZES, "_heads", "_layers", "source_positions", "_embeddings", "_experts")
"""How names of sizes and numbers end, which are not negative; a reach of attention is -1 where it has no end."""
REACHES = ("window", "chunk")
ANY: frozenset[type] = frozenset((int, float, bool, str, list, dict, type(None)))
"""The types of what a config holds."""
NO_SIZE: frozenset[type] = frozenset((float, dict))
MOST_FIELDS = 2**12
"""Fields of a type whose rules are kept."""
AUTO = "auto"
"""The word of fields whose class computes them."""
CUT = ("DeepseekV4Config", "Step3p7Config", "Step3p7TextConfig", "NemotronHConfig", "NeoMMEConfig")
"""Configs that cut their lists of layers to the depth, or have rules of their own for them."""


def refused_values(model_type: str, config: Mapping[str, Any]) -> list[str]:
    """Return what the type's class refuses of a config's fields, each as a sentence with the field and its value.

    The measure is the version of transformers that the class table was made from. A type without a table refuses
    nothing.
    """
    demands = _demands(model_type)
    if demands is None:
        return []
    table = demands.table
    wrong = [*_wrong_types(demands, config), *_wrong_words(demands, config)]
    wrong += wrong_rotations(table.defaults, config) if "rope_parameters" in table.types else missing_of(config)
    wrong += _wrong_parts(table, config)
    aliases = table.attribute_map
    own = config if aliases.keys().isdisjoint(config) else {aliases.get(key, key): config[key] for key in config}
    fields = {**table.defaults, **own}
    return wrong or [
        *_wrong_kinds(table, fields),
        *_wrong_shares(demands, config),
        *_wrong_sizes(table, fields),
        *_wrong_windows(table, fields),
    ]


def as_declared(model_type: str, field: str, value: Any) -> Any:
    """Return a cell's number as the class writes it: spreadsheets tell 1 from 1.0 no more than people do."""
    types = set(alternatives(_wanted_type(class_table(model_type), field)))
    if isinstance(value, int) and not isinstance(value, bool) and "int" not in types:
        if "float" in types:
            return float(value)
        return bool(value) if "bool" in types and value in (0, 1) else value
    return value


def wrong_type(model_type: str, field: str, value: Any) -> str:
    """Return what is wrong with the type of a field's value, "" where nothing is."""
    type_text = _wanted_type(class_table(model_type), field)
    fits = not type_text or type_test(type_text)(value)
    return "" if fits else f"{show_value(value)} has a wrong type: {write_type(type_text)} is expected"


def _wanted_type(table: ClassTable | None, field: str) -> str:
    if table is None:
        return ""
    own = table.types.get(field) or table.types.get(table.attribute_map.get(field, ""))
    return own or _shared_names()["types"].get(field, "")


class _FieldRule(Struct, frozen=True):
    """What a type's class demands of a field, by its name alone.

    `type_text` is the type of its value as the tables write it, "" where they say none, `fits` its test; one without
    that `is_size` is a whole number all the same. Values of the types `plain` are as they should be, whole numbers if
    they are neither negative nor too large.
    """

    type_text: str
    fits: Callable[[Any], bool] | None
    is_size: bool
    is_nonnegative: bool
    plain: frozenset[type]


class _Demands(Struct, frozen=True):
    """What the class of a type demands of its fields, put together once: rules by field, shares, and words of its own.

    `rules` grows by the fields that configs have.
    """

    table: ClassTable
    rules: dict[str, _FieldRule]
    shares: frozenset[str]
    auto: frozenset[str]

    def rules_of(self, config: Mapping[str, Any]) -> Mapping[str, _FieldRule]:
        """Return what is demanded of the fields of a config, and of others."""
        if not config.keys() <= self.rules.keys():
            return {key: self.rule(key) for key in config}
        return self.rules

    def rule(self, key: str) -> _FieldRule:
        """Return what is demanded of a field."""
        if key not in self.rules:
            if len(self.rules) >= MOST_FIELDS:
                self.rules.clear()
            self.rules[key] = _rule(self.table, key)
        return self.rules[key]


@cache
def _demands(model_type: str) -> _Demands | None:
    """Return the demands of a type; None without a class table."""
    table = class_table(model_type)
    if table is None:
        return None
    shares = frozenset(key for key in table.types if any(word in key for word in SHARE))
    auto = frozenset(key for key, value in table.defaults.items() if value == AUTO)
    return _Demands(table, {}, shares, auto)


def _rule(table: ClassTable, key: str) -> _FieldRule:
    type_text = _wanted_type(table, key)
    is_size = not type_text and key.endswith(SIZES)
    return _FieldRule(
        type_text,
        type_test(type_text) if type_text else None,
        is_size,
        is_nonnegative=key.endswith(COUNTED) and not any(word in key for word in REACHES),
        plain=plain_types(type_text) if type_text else ANY - NO_SIZE if is_size else ANY,
    )


def _wrong_types(demands: _Demands, config: Mapping[str, Any]) -> Iterator[str]:
    rules = demands.rules_of(config)
    doubtful = [
        key
        for key, value in config.items()
        if (kind := type(value)) not in rules[key].plain or (kind is int and not 0 <= value < MAX_WHOLE)
    ]
    for key in doubtful:
        yield from _wrong_value(rules[key], key, config[key], stands_alone=True)
    for key in [key for key, value in config.items() if isinstance(value, dict) and key not in STORAGE]:
        for name, value in config[key].items():
            yield from _wrong_value(demands.rule(f"{key}.{name}"), f"{key}.{name}", value, stands_alone=False)
    rope = config.get("rope_scaling")
    if rope is not None and not isinstance(rope, dict):
        yield f"rope_scaling = {show_value(rope)} has a wrong type: an object or null is expected"


def _wrong_value(rule: _FieldRule, key: str, value: Any, *, stands_alone: bool) -> Iterator[str]:
    if rule.fits and not rule.fits(value):
        yield f"{key} = {show_value(value)} has a wrong type: {write_type(rule.type_text)} is expected"
    if rule.is_size and stands_alone and isinstance(value, dict | float):
        yield f"{key} = {show_value(value)} has a wrong type: a whole number is expected"
    if wrong := _out_of_range(value, is_nonnegative=rule.is_nonnegative):
        yield f"{key} = {show_value(value)} is out of range: {wrong}"


def _out_of_range(value: Any, *, is_nonnegative: bool) -> str:
    """Return what is expected in place of a whole number that no class computes with, "" for any other value."""
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    if abs(value) >= MAX_WHOLE:
        return "torch cannot hold such a number"
    return "at least 0 is expected" if is_nonnegative and value < 0 else ""


def _wrong_parts(table: ClassTable, config: Mapping[str, Any]) -> Iterator[str]:
    """Find what the classes of the configs inside refuse."""
    for key, declaration in table.parts.items():
        part = config.get(key)
        if isinstance(part, dict):
            model_type = declaration["type"] if declaration["fixed"] else part.get("model_type", declaration["type"])
            yield from (f"{key}: {wrong}" for wrong in refused_values(str(model_type), part))


def _wrong_words(demands: _Demands, config: Mapping[str, Any]) -> Iterator[str]:
    table = demands.table
    for key in table.activations:
        word = config.get(key, table.defaults[key])
        if isinstance(word, str | None) and not _is_activation(word):
            yield f"{key} = {show_value(word)} is not an activation that transformers has"
    for key, word in config.items() if demands.auto else ():
        if key in demands.auto and (word is None or isinstance(word, str)) and word != AUTO:
            yield f"{key} = {show_value(word)}: a number or {AUTO!r} is expected"
    if table.turns and "partial_rotary_factor" in config and config["partial_rotary_factor"] is None:
        yield "partial_rotary_factor is null: the class needs the share of a head that rotary positions turn"
    if "feed_forward_proj" not in table.types:
        return
    feed_forward = config.get("feed_forward_proj")
    if "dense_act_fn" in config and not _is_activation(config["dense_act_fn"]):
        yield f"dense_act_fn = {show_value(config['dense_act_fn'])} is not an activation that transformers has"
    if isinstance(feed_forward, str) and not _is_activation(feed_forward.removeprefix("gated-")):
        yield f"feed_forward_proj = {show_value(feed_forward)}: an activation, or gated- and an activation, is expected"


def _is_activation(word: Any) -> bool:
    return isinstance(word, str) and word in _shared_names()["activations"]


def _wrong_kinds(table: ClassTable, fields: Mapping[str, Any]) -> Iterator[str]:
    """Find lists of layers with another length than the depth, or with words that no class knows."""
    depth = fields.get(table.attribute_map.get("num_hidden_layers", "num_hidden_layers"))
    for key in ("layer_types", "mlp_layer_types"):
        kinds = fields.get(table.attribute_map.get(key, key))
        if not isinstance(kinds, list) or not isinstance(depth, int) or table.config in CUT:
            continue
        if unknown := [kind for kind in kinds if kind not in _shared_names()[key]]:
            yield f"{key} names {show_value(unknown[0])}, which is not a layer type of transformers"
        elif len(kinds) != depth:
            yield f"{key} names {number_of(len(kinds), 'layer')}, num_hidden_layers says {show_value(depth)}"


def _wrong_windows(table: ClassTable, fields: Mapping[str, Any]) -> Iterator[str]:
    """Find a window that is null where the class masks by one."""
    kinds = fields.get(table.attribute_map.get("layer_types", "layer_types"))
    slides = table.windowed or (isinstance(kinds, list) and "sliding_attention" in kinds)
    needs_window = table.defaults.get("sliding_window") is not None and fields.get("use_sliding_window", True)
    if needs_window and slides and fields.get("sliding_window") is None:
        yield "sliding_window is null: the class needs one for its masks"


def _wrong_sizes(table: ClassTable, fields: Mapping[str, Any]) -> Iterator[str]:
    """Find sizes that the class cannot build or run with."""
    padding = fields.get("pad_token_id")
    if isinstance(padding, str | list | dict):
        yield f"pad_token_id = {show_value(padding)} has a wrong type: a whole number or null is expected"
    more = ("vocab_size_per_layer_input",) if fields.get("hidden_size_per_layer_input") else ()
    for key in (*PADDED, *more):
        words = fields.get(key)
        if table.pads and isinstance(padding, int) and isinstance(words, int) and not -words <= padding < words:
            yield f"pad_token_id = {show_value(padding)} is outside the vocabulary of {key} = {show_value(words)}"
    for key in (table.attribute_map.get(name, name) for name in POSITIVE):
        number = fields.get(key)
        if key in table.types and isinstance(number, int) and number < 1:
            yield f"{key} = {show_value(number)} is out of range: at least 1 is expected"
    if "query_pre_attn_scalar" in table.types and fields.get("query_pre_attn_scalar") == 0:
        yield "query_pre_attn_scalar = 0: the class divides by its root"
    if "q_lora_rank" in table.types and fields.get("q_lora_rank") == 0:
        yield "q_lora_rank = 0: the class builds queries of rank 0; use null for queries without a low rank"
    width, heads = fields.get("hidden_size"), fields.get("num_attention_heads")
    if table.heads_divide and isinstance(width, int) and isinstance(heads, int) and heads > 0 and width % heads:
        yield f"hidden_size = {show_value(width)} must be a multiple of num_attention_heads = {show_value(heads)}"


def _wrong_shares(demands: _Demands, config: Mapping[str, Any]) -> Iterator[str]:
    for key, value in config.items():
        if key in demands.shares and isinstance(value, int | float) and not 0 <= value <= 1:
            yield f"{key} = {show_value(value)} is not a share from 0 to 1"


@cache
def _shared_names() -> Mapping[str, Any]:
    """Return what all types share: names of activations and of kinds of layers, and types of fields."""
    words = json.loads(read_text("flopsheet.configs", "classes.json"))
    lists = {name: frozenset(words[name]) for name in ("activations", "layer_types", "mlp_layer_types")}
    return {**lists, "types": words["types"]}
