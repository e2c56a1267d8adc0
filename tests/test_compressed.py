"""Compressed attention: DeepSeek-V4's windows, pooled entries, indexer, caches and residual streams."""

import pytest

import flopsheet

FLASH = {
    "model_type": "deepseek_v4",
    "architectures": ["DeepseekV4ForCausalLM"],
    "num_hidden_layers": 43,
    "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0],
}
SPARSE, POOLED = "compressed_sparse_attention", "heavily_compressed_attention"
SMALL = {
    "model_type": "deepseek_v4",
    "architectures": ["DeepseekV4ForCausalLM"],
    "hidden_size": 32,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "head_dim": 16,
    "q_lora_rank": 12,
    "o_groups": 2,
    "o_lora_rank": 6,
    "moe_intermediate_size": 24,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "vocab_size": 50,
    "sliding_window": 7,
    "index_n_heads": 3,
    "index_head_dim": 8,
    "index_topk": 2,
    "hc_mult": 2,
    "partial_rotary_factor": 0.25,
    "layer_types": ["sliding_attention", SPARSE, POOLED, SPARSE, POOLED],
    "compress_rates": {SPARSE: 4, POOLED: 6},
    "max_position_embeddings": 64,
}

"""An odd number of rotary channels, turned as yarn does."""


def shown(config=SMALL, **fields):
    """Evaluate a config with fields and workload changed."""
    workload = {name: fields.pop(name) for name in list(fields) if name in WORKLOAD}
    return flopsheet.evaluate({**config, **fields}, **workload)


WORKLOAD = ("seq_len", "context", "mask", "kv_dtype_bytes", "state_dtype_bytes")


def test_flash_has_the_parameters_of_its_class():
    """DeepSeek-V4-Flash on the meta device: 284,332,230,231, the entry for the prediction layer passed over."""
    model = shown(FLASH)
    assert (model.status, model.totals["parameters"]) == ("ok", 284_332_230_231)
    assert model.dimensions["n_sparse_layers"] == 21


@pytest.mark.parametrize(("context", "state"), [(23, 1280), (24, 384), (25, 640), (3, 768)])
def test_caches_hold_what_the_class_keeps(context, state):
    """Elements of transformers' cache after that many tokens."""
    model = shown(context=context, kv_dtype_bytes=1, state_dtype_bytes=1)
    window = 5 * 16 * min(context, 6)
    pooled = 2 * (16 + 8) * (context // 4) + 2 * 16 * (context // 6)
    assert (model.totals["kv_cache_bytes"], model.totals["state_bytes"]) == (window + pooled, state)


def test_a_decode_step_reads_the_chosen_entries_only():
    """Torch counts 143,552 at 24 tokens, where the class reads all 6 entries of a sparse layer in place of 2."""
    spared = 2 * 2 * 4 * 16 * (6 - 2) * 2
    assert shown(context=24).totals["flops_decode_step"] == 143_552 - spared
    assert shown(context=4).totals["flops_decode_step"] == 134_624


def test_masks_count_what_a_token_may_see():
    """The pairs of windows, pooled and chosen entries, counted one by one."""
    tokens = range(1, 26)
    chosen = 2 * sum(min(token // 4, 2) for token in tokens)
    pooled = 2 * sum(token // 6 for token in tokens)
    for mask, seen in (("causal", sum(tokens)), ("window", sum(min(token, 7) for token in tokens))):
        model = shown(seq_len=25, mask=mask)
        lines = {line["name"]: line["value"] for line in model.lines}
        assert lines["attention_core_flops"] == 2 * 2 * 4 * 16 * (5 * seen + chosen + pooled)
        assert lines["index_core_flops"] == 2 * 3 * 8 * 2 * sum(token // 4 for token in tokens)
    assert shown(seq_len=25).totals["flops_forward_causal"] == shown(seq_len=25, mask="causal").totals["flops_forward"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"layer_types": ["sliding_attention"]}, "the length of layer_types is 1, num_hidden_layers says 5"),
        ({"layer_types": None, "compress_ratios": [4, 4, 7, 0, 0]}, "not understood: ratio 7"),
        ({"compress_rates": {SPARSE: 4}}, f"compress_rates has no {POOLED}"),
        ({"o_groups": 3}, "must divide into o_groups"),
    ],
)
def test_what_contradicts_itself_is_an_error(fields, reason):
    """Lists, rates and widths that contradict each other are errors with their reason."""
    model = shown(**fields)
    assert model.status == "error"
    assert reason in model.problems[0]


def test_routed_experts_take_their_own_format():
    """DeepSeek-V4 stores them in fp4 with a scale of 8 bits for 32, and all other linear layers in fp8."""
    stored = {"quant_method": "fp8", "weight_block_size": [128, 128], "scale_fmt": "ue8m0"}
    model = shown(FLASH, expert_dtype="fp4", quantization_config=stored)
    experts = 43 * 256 * 3 * 4096 * 2048
    fp8 = model.numbers["quantized_weights"] - experts
    rest = model.totals["parameters"] - experts - fp8
    assert model.totals["weights_bytes"] == experts * 4.25 / 8 + fp8 * (1 + 4 / 16384) + rest * 2
    assert any("8.00195 bits per weight of linear layers, 4.25 of routed experts" in note for note in model.notes)


def test_all_take_one_format_where_the_config_names_no_other():
    """`expert_dtype` fp8 is what the other weights have; without a quantization_config it stores nothing."""
    stored = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    assert shown(FLASH, expert_dtype="fp8", quantization_config=stored).numbers["quantized_expert_bytes"] == 0
    assert shown(FLASH, expert_dtype="fp4").totals["weights_bytes"] == 2 * shown(FLASH).totals["parameters"]
