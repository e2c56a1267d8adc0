"""Mutants of configs: one field or a few with another value, of another type, missing, or at odds with the others.

`directed` gives every mutant of a config in turn, one change each; `mutated` changes one to five fields at random.
"""

import copy

from flopsheet.configs.classes import class_table

KEPT = frozenset({"model_type", "architectures"})
COMMON = {
    "hidden_size": 24,
    "head_dim": 6,
    "num_key_value_heads": 3,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "tie_word_embeddings": True,
    "sliding_window": -1,
    "max_position_embeddings": 0,
    "rope_scaling": "linear",
    "hidden_act": "no_such_activation",
    "layer_types": ["full_attention", "no_such_kind"],
    "first_k_dense_replace": 99,
    "top_k": 50,
    "add_cross_attention": False,
    "tie_encoder_decoder": False,
    "mlp_bias": False,
    "num_nextn_predict_layers": 0,
    "is_decoder": True,
    "pad_token_id": 10**6,
}
"""Fields that many types have: added where a config lacks them."""

CLASSES = ("LlamaForCausalLM", "NoSuchModel", ["NoSuchModel"], ["BertForMaskedLM"], ["LlamaForCausalLM"], [], {}, [3])
TEXTS = ("no_such_word", "", "gelu", "silu")
HUGE = 10**300
"""From here on a number is no decimal, and a mutant of a mutant starts again."""


def directed(config):
    """Yield what was changed and the mutant, for each field of a config and each value that may be odd for it."""
    for name in config:
        if name == "model_type":
            continue
        yield f"{name} left out", {key: value for key, value in config.items() if key != name}
        for value in values(name, config[name]):
            yield f"{name} = {value!r:.60}", {**config, name: value}
    table = class_table(config["model_type"])
    for name, default in (table.defaults if table else {}).items():
        if name not in config:
            for value in values(name, default)[:4]:
                yield f"{name} = {value!r:.60} added", {**config, name: value}
    for name, value in COMMON.items():
        if name not in config:
            yield f"{name} = {value!r:.60} added", {**config, name: value}


def values(name, value):
    """Return values that are odd for a field, near to what it has or far from it."""
    if name == "architectures":
        return list(CLASSES)
    kinds = {bool: _flags, int: _numbers, float: _numbers, str: _texts, list: _lists, dict: _tables}
    return kinds.get(type(value), lambda _: [1, 0, 7, True, "text", [1, 2], {"a": 1}])(value)


def _flags(value):
    return [not value, None, str(value).lower(), int(value), 3, []]


def _texts(value):
    return [*TEXTS, None, 7, [value], {"type": value}]


def _tables(value):
    return [None, {}, [], "text", 3, *({**value, key: each} for key in value for each in (None, "odd", -1))]


def _numbers(value):
    value = value if abs(value) < HUGE else 1
    near = [value + 1, value - 1, value * 2, value // 2, 0, 1, 3, -1]
    return [*dict.fromkeys(near), value + 0.5, float(value), str(value), None, True, [value], {}, 10**400, float("nan")]


def _lists(value):
    kinds = sorted({each for each in value if isinstance(each, str)})
    swapped = [[kinds[0]] * len(value), [kinds[-1]] * len(value)] if kinds else []
    odd = [["no_such_kind"] * len(value), [None] * len(value), [-1] * len(value), [[]] * len(value)]
    return [[], value[:-1], value + value[:1], *swapped, *odd, "text", None, 3, {"model_type": "llama"}, {"0": 1}]


def mutated(config, rng, most=5):
    """Return what was changed and a config with one to `most` fields changed, most of them to possible values."""
    mutant, changes = copy.deepcopy(config), []
    for _ in range(rng.randint(1, most)):
        if not mutant.keys() - KEPT:
            break
        name = rng.choice(sorted(mutant.keys() - KEPT))
        value = _possible(mutant[name], rng) if rng.random() < 0.85 else rng.choice(values(name, mutant[name]))
        if rng.random() < 0.08:
            mutant.pop(name)
            changes.append(f"{name} left out")
        else:
            mutant[name] = value
            changes.append(f"{name} = {value!r:.60}")
    return ", ".join(changes), mutant


def _possible(value, rng):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value * 2, max(value // 2, 1), value + 8 if value > 8 else value + 1, value])
    if isinstance(value, float):
        return value * rng.choice([0.5, 1.0, 2.0])
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return rng.sample(value, len(value))
    return value
