"""Which layers have an indexer, and the tables of n-grams, whose rows no field says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_moe.fixed_fields import hold
from flopsheet_moe.layers import FULL, of_length
from flopsheet_moe.qwen4.primes import table_rows
from flopsheet_moe.reading import OLD_KINDS, note_prediction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Family

    Config = Mapping[str, Any]

INDEXED, LINEAR = "indexed_attention", "linear_attention"
INDEXER = ("indexer_n_heads", "indexer_kv_heads", "indexer_head_dim", "indexer_budget", "indexer_compress_ratio")
NGRAMS = (
    *("ple_layer_ids", "ple_embed_dim", "heads_per_ngram", "ngram_vocab_size_base"),
    "make_ngram_vocab_size_divisible_by",
)
MOST_HEADS = 10**5
"""Hashes of n-grams for each of which a prime number is looked for."""


def read(config: Config, family: Family) -> Reading:
    """Count the layers of each kind, and read what they choose and look up."""
    reading = Reading(keys={"layer_types", "full_attention_interval", "output_gate_type", *INDEXER, *NGRAMS})
    depth = config["num_hidden_layers"]
    kinds = of_length(_kinds(config, depth), depth, "layer_types", {LINEAR, INDEXED})
    reading.values |= {"n_attention_layers": kinds.count(INDEXED), "n_delta_layers": kinds.count(LINEAR)}
    note_prediction(config, reading)
    hold(config, reading, {**family.hints["only"], "number_of_conv_states": 3 if config.get("ple_layer_ids") else 1})
    _check_gate(config)
    if INDEXED in kinds or any(config.get(field) is not None for field in INDEXER):
        _check_indexer(config)
    if config.get("ple_layer_ids"):
        _read_ngrams(config, kinds, reading)
    return reading


def _kinds(config: Config, depth: int) -> Sequence[str]:
    """Return the kinds of the layers; those that checkpoints say attend to all have an indexer."""
    if config.get("layer_types") is None:
        interval = config.get("full_attention_interval", 4)
        return [LINEAR if (i + 1) % interval else INDEXED for i in range(depth)]
    return [INDEXED if kind == FULL else OLD_KINDS.get(kind, kind) for kind in config["layer_types"]]


def _check_gate(config: Config) -> None:
    gate = config.get("output_gate_type") or config["hidden_act"]
    if gate not in ("sigmoid", "silu"):
        raise ValueError(f"the gate of linear attention is {gate}: the class has sigmoid and silu")


def _check_indexer(config: Config) -> None:
    if missing := [field for field in INDEXER if config.get(field) is None]:
        raise ValueError(f"{', '.join(missing)} missing: attention needs all fields of its indexer")
    if few := [field for field in INDEXER if config[field] < 1]:
        raise ValueError(f"{few[0]} = {config[few[0]]} must be positive")
    budget, pool = config["indexer_budget"], config["indexer_compress_ratio"]
    if budget % pool:
        raise ValueError(f"indexer_budget = {budget} must be a multiple of indexer_compress_ratio = {pool}")
    if config["indexer_kv_heads"] != 1:
        raise ValueError(f"indexer_kv_heads = {config['indexer_kv_heads']}: the class takes 1 alone")
    if (turned := _turned(config)) > config["indexer_head_dim"]:
        raise ValueError(f"positions turn {turned} channels of a head, more than indexer_head_dim has")


def _turned(config: Config) -> int:
    """Return the channels of a head that positions turn."""
    table = config.get("rope_parameters") or config.get("rope_scaling") or {}
    share = table.get("partial_rotary_factor", config.get("partial_rotary_factor", 1))
    return int(config["head_dim"] * share)


def _read_ngrams(config: Config, kinds: Sequence[str], reading: Reading) -> None:
    layers, heads = _table_layers(config, kinds), (config["ngram_size"] - 1) * config["heads_per_ngram"]
    width = config["hidden_size"] if config.get("ple_embed_dim") is None else config["ple_embed_dim"]
    if heads < 1 or width < 1 or width % heads:
        raise ValueError(f"ple_embed_dim = {width} must be a multiple of the {heads} hashes of n-grams")
    if len(layers) * heads > MOST_HEADS:
        raise ValueError(f"{len(layers) * heads} hashes of n-grams are more than the {MOST_HEADS} that are counted")
    padding = config["make_ngram_vocab_size_divisible_by"]
    reading.values |= {
        "n_ngram_layers": len(layers),
        "n_ngram_rows": sum(table_rows(config["ngram_vocab_size_base"], heads, len(layers), padding)),
        "d_ngram": width // heads,
        "d_ngram_input": width,
    }
    if config["ple_conv_kernel_size"] < 1:
        raise ValueError(f"ple_conv_kernel_size = {config['ple_conv_kernel_size']} must be positive")
    if config["ple_conv_kernel_size"] == 1:
        reading.notes.append("ple_conv_kernel_size is 1: with a cache the class can be built but not run")


def _table_layers(config: Config, kinds: Sequence[str]) -> Sequence[int]:
    """Return the numbers of the layers with a table, from 1 on."""
    layers = sorted(set(config["ple_layer_ids"]))
    if wrong := [layer for layer in layers if not 1 <= layer <= len(kinds) or kinds[layer - 1] != LINEAR]:
        raise ValueError(f"ple_layer_ids has {wrong[0]}, which is no layer of linear attention, counted from 1")
    if config.get("eos_token_id") in (None, []):
        raise ValueError("eos_token_id is missing, and the tables of n-grams of ple_layer_ids begin with it")
    return layers
