"""Qwen4-Exp: delta layers, attention to pools that an indexer chose, gated streams, and tables of n-grams."""

import pytest

import flopsheet
from flopsheet.kit.default_config import default_config

LINEAR, INDEXED = "linear_attention", "indexed_attention"
SMALL = {
    "model_type": "qwen4_exp_text",
    "architectures": ["Qwen4ExpForCausalLM"],
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 100,
    "max_position_embeddings": 64,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "moe_intermediate_size": 12,
    "shared_expert_intermediate_size": 20,
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "hc_count": 3,
    "hc_lowrank": 10,
    "ple_layer_ids": [1, 3],
    "ple_embed_dim": 48,
    "ngram_size": 3,
    "heads_per_ngram": 4,
    "ngram_vocab_size_base": 50,
    "make_ngram_vocab_size_divisible_by": 16,
    "indexer_n_heads": 2,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 12,
    "indexer_budget": 4,
    "indexer_compress_ratio": 2,
    "eos_token_id": 0,
}
BATCH, PROMPT = 2, 11
WIDE = {"kv_dtype_bytes": 4, "state_dtype_bytes": 4, "conv_dtype_bytes": 4}
STEPS = {"batch": BATCH, "seq_len": PROMPT, "context": PROMPT + 1}


def shown(workload=STEPS, **fields):
    """Evaluate the small config with fields changed."""
    return flopsheet.evaluate({**SMALL, **fields}, **workload)


def test_class_defaults_have_the_parameters_of_the_class():
    """With an indexer and two tables of n-grams, on the meta device: transformers 5.24."""
    model = flopsheet.evaluate(default_config("qwen4_exp_text"))
    assert (model.status, model.totals["parameters"]) == ("ok", 149_310_758_528)
    assert (model.dimensions["n_attention_layers"], model.dimensions["n_delta_layers"]) == (10, 30)


def test_tables_of_n_grams_have_prime_rows():
    """Two tables of eight hashes: primes from 53 on, each table padded to a multiple of 16."""
    model = shown()
    assert model.totals["parameters"] == 113_936
    first, second = (53, 59, 61, 67, 71, 73, 79, 83), (89, 97, 101, 103, 107, 109, 113, 127)
    assert (sum(first), sum(second)) == (546, 846)
    assert model.dimensions["n_ngram_rows"] == 560 + 848


def test_a_prompt_costs_what_torch_counts():
    """Both sequences of 11 tokens: torch counts the chunks of the delta rule in place of its recurrence."""
    numbers = shown().numbers
    assert numbers["flops_forward_matmul"] + numbers["delta_scan_flops_torch"] == 11_041_856


def test_a_decode_step_reads_the_chosen_pools_only():
    """Torch counts 325,184 at 12 tokens, all of which the class reads, without convolutions and recurrence."""
    numbers = shown().numbers
    spared = 2 * 2 * BATCH * 4 * 8 * (12 - 2 * 2)
    unseen = (numbers["delta_scan_flops"] + numbers["delta_conv_flops"] + numbers["ngram_conv_flops"]) / PROMPT
    assert numbers["flops_decode_step"] == 325_184 - spared + unseen


def test_caches_and_states_hold_what_the_class_keeps():
    """Bytes of transformers' cache in fp32 after 12 tokens of two sequences, whole numbers in 8 bytes."""
    totals = shown({**STEPS, **WIDE}).totals
    keys = BATCH * 12 * 4 * (2 * 2 * 8 + 12)
    assert (totals["kv_cache_bytes"], totals["kv_cache_bytes"] + totals["state_bytes"]) == (keys, 40_192)


@pytest.mark.parametrize("tokens", [1, 5, 12, 13, 14, 31])
def test_pairs_are_those_counted_one_by_one(tokens):
    """A token reads the pools chosen of those before it and itself, and what is behind the last whole pool."""
    model = shown({"seq_len": tokens, "mask": "causal"}, indexer_compress_ratio=3, indexer_budget=12)
    seen = [min(token // 3, 4) * 3 + token % 3 for token in range(1, tokens + 1)]
    assert model.numbers["chosen_pairs"] == sum(seen)
    assert model.numbers["index_pairs"] == sum(token // 3 for token in range(1, tokens + 1))
    assert shown({"context": tokens}, indexer_compress_ratio=3, indexer_budget=12).numbers["chosen_context"] == seen[-1]


KINDS = {
    "every fourth": ({"layer_types": None}, 1),
    "at an interval": ({"layer_types": None, "full_attention_interval": 2, "ple_layer_ids": [1]}, 2),
    "as checkpoints say": ({"layer_types": [LINEAR, "full_attention", LINEAR, "qwen_sparse_attention"]}, 2),
    "none": ({"layer_types": [LINEAR] * 4, **dict.fromkeys(("indexer_n_heads", "indexer_kv_heads"))}, 0),
}
UNSAID = dict.fromkeys(field for field in SMALL if field.startswith("indexer_"))


@pytest.mark.parametrize(("fields", "count"), KINDS.values(), ids=KINDS)
def test_layers_with_an_indexer(fields, count):
    """Lists, intervals and class defaults say which layers attend; without any, no field of an indexer is needed."""
    model = shown(**(fields | (UNSAID if not count else {})))
    assert (model.status, model.dimensions["n_attention_layers"]) == ("ok", count)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"indexer_budget": None}, "indexer_budget missing"),
        ({"indexer_budget": 5}, "indexer_budget = 5 must be a multiple of indexer_compress_ratio = 2"),
        ({"indexer_budget": 0}, "indexer_budget = 0 must be positive"),
        ({"indexer_kv_heads": 2}, "indexer_kv_heads = 2: the class takes 1 alone"),
        ({"indexer_head_dim": 6}, "positions turn 8 channels of a head"),
        ({"output_gate_type": "gelu"}, "the gate of linear attention is gelu"),
        ({"ple_layer_ids": [4]}, "ple_layer_ids has 4, which is no layer of linear attention"),
        ({"ple_conv_kernel_size": 0}, "ple_conv_kernel_size = 0 must be positive"),
        ({"ple_embed_dim": 44}, "ple_embed_dim = 44 must be a multiple of the 8 hashes"),
        ({"eos_token_id": None}, "eos_token_id is missing"),
        ({"make_ngram_vocab_size_divisible_by": 0}, "no table has 50 rows padded to a multiple of 0"),
        ({"heads_per_ngram": 60_000, "ple_embed_dim": 120_000}, "more than the 100000 that are counted"),
        ({"hc_count": 1}, "at least 2"),
        ({"num_experts_per_tok": 7}, "more experts than there are"),
        ({"linear_num_value_heads": 3}, "value heads of linear attention must be a multiple"),
    ],
)
def test_what_the_class_refuses_is_an_error(fields, reason):
    """Indexers, tables and streams that the class does not build are errors with their reason."""
    model = shown(**fields)
    assert model.status == "error"
    assert reason in model.problems[0]


def test_a_convolution_of_one_tap_has_no_cache():
    """Its class keeps the last 0 columns and fails at it, which a note says."""
    model = shown(ple_conv_kernel_size=1)
    assert model.status == "ok"
    assert any("with a cache the class can be built but not run" in note for note in model.notes)


def test_every_linear_layer_has_its_place_in_a_checkpoint():
    """A list of what stays unquantized may name the streams' gates and the indexer's products by layer."""
    kept = ["lm_head", "model.layers.3.self_attn.indexer.index_qk_proj", "model.layers.0.ple.key_proj"]
    kept += ["model.layers.0.mlp_hyper_connection.input_mix_weight_up"]
    stored = {"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": kept}
    model = shown(layer_types=[*[LINEAR] * 3, INDEXED], quantization_config=stored)
    assert (model.status, model.problems) == ("ok", [])
