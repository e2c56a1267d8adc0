"""Hybrids: which kind each layer is, what blocks are shared, and what is said where a config cannot be counted."""

import pytest
from samples import caveats

import flopsheet

SMALL = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 50}
GATED = SMALL | {"model_type": "qwen3_next", "num_hidden_layers": 4, "intermediate_size": 48, "head_dim": 8}
ZAMBA2 = SMALL | {"model_type": "zamba2", "adapter_rank": 3, "n_mamba_heads": 2, "mamba_d_state": 4}
NEMOTRON = SMALL | {"model_type": "nemotron_h", "mamba_num_heads": 2, "mamba_head_dim": 8, "n_groups": 1}

DEFAULTS = {
    "bailing_hybrid": 124_414_191_072,
    "bamba": 9_992_765_440,
    "falcon_h1": 8_514_961_408,
    "falcon_mamba": 159_308_544,
    "granitemoehybrid": 38_601_064_448,
    "jamba": 51_570_323_328,
    "kimi_linear": 49_133_074_464,
    "lara_mini": 7_281_684_672,
    "lfm2": 2_705_497_600,
    "lfm3": 1_728_801_536,
    "minimax": 47_373_946_880,
    "nemotron_h": 1_968_355_712,
    "olmo_hybrid": 7_430_870_688,
    "qwen3_5_moe_text": 34_660_610_688,
    "qwen3_5_text": 8_953_803_264,
    "qwen3_next": 79_674_391_296,
    "recurrent_gemma": 2_010_263_040,
    "xlstm": 6_865_424_896,
    "zamba": 7_232_490_496,
    "zamba2": 2_481_848_336,
}
"""Parameters of each class at its default config, as transformers 5.24.0 builds it on the meta device."""


def read(config, **more):
    """Return what the hybrid plugin makes of a config."""
    return flopsheet.evaluate(config | more, seq_len=64, context=64)


def counts(model):
    """Return the counts of layers that are not 0, without `n_` and `_layers`."""
    result = {name: value for name, value in model.dimensions.items() if name.endswith("_layers") and value}
    return {name.removeprefix("n_").removesuffix("_layers"): value for name, value in result.items()}


@pytest.mark.parametrize(("model_type", "parameters"), DEFAULTS.items(), ids=DEFAULTS)
def test_the_defaults_of_each_class(model_type, parameters):
    """A config that says nothing is the class's own."""
    model = flopsheet.evaluate({"model_type": model_type})
    assert caveats(model) == []
    assert model.totals["parameters"] == parameters


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"layer_types": ["linear_attention", "full_attention"] * 2}, {"attention": 2, "delta": 2}),
        ({"full_attention_interval": 2}, {"attention": 2, "delta": 2}),
        ({}, {"attention": 1, "delta": 3}),
    ],
    ids=["list", "interval", "default"],
)
def test_layers_of_qwen3_next(config, expected):
    """A list wins over an interval, and an interval over the class's four."""
    model = read(GATED, **config)
    assert (model.status, model.problems) == ("ok", [])
    assert counts(model) == expected | {"layers": 4, "moe": 4}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"hybrid_override_pattern": "M-M*E"}, {"layers": 5, "mamba2": 2, "mlp": 1, "attention": 1, "moe": 1}),
        ({"layers_block_type": ["mamba", "attention"]}, {"layers": 2, "mamba2": 1, "attention": 1}),
        ({"layers_block_type": ["mlp"], "hybrid_override_pattern": "M*"}, {"layers": 1, "mlp": 1}),
        ({"layers_block_type": ["mlp"], "num_hidden_layers": 52}, {"layers": 1, "mlp": 1}),
    ],
    ids=["pattern", "old names", "list before pattern", "the list's length counts"],
)
def test_layers_of_nemotron_h(config, expected):
    """A pattern of letters or a list of names, which also says how many layers there are."""
    model = read(NEMOTRON, **config)
    assert (model.status, model.problems) == ("ok", [])
    assert counts(model) == expected


def test_a_kind_of_layer_that_nobody_knows():
    """It is named, and the count is not called exact."""
    model = read(GATED, layer_types=["linear_attention", "full_attention", "chunked_attention", "linear_attention"])
    assert model.status == "approximate"
    assert model.problems == ["layers are of kinds that are not understood: chunked_attention"]


def test_a_list_of_another_length():
    """More or fewer kinds than layers cannot be right."""
    model = read(GATED, layer_types=["linear_attention"] * 3)
    assert model.problems == ["layer_types names 3 layers, num_hidden_layers says 4"]


def test_shared_blocks_are_stored_once_and_used_often():
    """Two blocks serve five layers: FLOP follow the uses, adapters and projections are there for each."""
    model = read(ZAMBA2, layers_block_type=["mamba", "hybrid"] * 5, num_hidden_layers=10, num_mem_blocks=2)
    lines = {line["name"]: line["value"] for line in model.lines}
    assert (model.status, model.problems) == ("ok", [])
    assert lines["shared_q"] == 2 * 64 * 64
    assert lines["shared_q_flops"] == 2 * 64 * 5 * 64 * 64
    assert lines["shared_projection"] == 5 * 32 * 32
    assert lines["shared_mlp_adapters"] == 5 * 3 * (32 + 2 * 128)
    assert lines["shared_kv_cache"] == 2 * 2 * 5 * 2 * 16 * 64


def test_shared_blocks_that_transformers_does_not_share():
    """Without a tied head the class ties nothing: the count is the model's as published, and not called exact."""
    model = read(ZAMBA2, layers_block_type=["hybrid", "hybrid"], num_hidden_layers=2, tie_word_embeddings=False)
    assert model.status == "approximate"
    assert "shares no block" in model.problems[0]
    one = {"layers_block_type": ["hybrid"], "num_hidden_layers": 1, "tie_word_embeddings": False}
    assert read(ZAMBA2, **one).status == "ok"


def test_products_by_head_are_no_linear_layers():
    """Zamba's step size, B and C have a matrix a head, which counters of linear layers do not see."""
    model = read(SMALL | {"model_type": "zamba", "num_hidden_layers": 9, "mamba_d_state": 4, "intermediate_size": 40})
    lines = {line["name"]: line["value"] for line in model.lines}
    assert lines["mamba_ssm_x_flops"] == lines["mamba_ssm_dt_flops"] == 0
    assert lines["mamba_ssm_x_flops_by_head"] == 2 * 64 * lines["mamba_ssm_x"]


def test_experts_that_read_a_latent():
    """Experts shrink with the latent width, the router does not."""
    wide = read(NEMOTRON, layers_block_type=["moe"], moe_intermediate_size=24)
    slim = read(NEMOTRON, layers_block_type=["moe"], moe_intermediate_size=24, moe_latent_size=8)
    lines = [{line["name"]: line["value"] for line in model.lines} for model in (wide, slim)]
    assert lines[1]["experts_in"] == lines[0]["experts_in"] / 4
    assert lines[1]["router"] == lines[0]["router"]
    assert lines[1]["latent_experts"] == 2 * 32 * 8


def test_predicted_layers_are_noted():
    """Layers for multi-token prediction are in no class, and counted nowhere."""
    model = read(NEMOTRON, layers_block_type=["mlp"], num_nextn_predict_layers=2)
    assert model.status == "ok"
    assert "multi-token prediction layers are not counted (2): no model class includes them" in model.notes


def test_scans_are_their_own_kind_of_work():
    """Linear FLOP leave out scans, and every scan names its convention."""
    model = read(GATED)
    (scan,) = [line for line in model.lines if line["name"] == "delta_scan_flops"]
    assert "Convention" in scan["about"]
    lines = {line["name"]: line["value"] for line in model.lines}
    assert lines["delta_scan_flops"] == 8 * 64 * 3 * 32 * 128 * 128
    assert model.totals["flops_forward"] > model.totals["flops_forward_matmul"] + lines["delta_scan_flops"]


CHUNKED = {
    "model_type": "qwen3_5_text",
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 24,
    "vocab_size": 100,
}


def test_a_scan_says_what_torch_counts_of_its_chunks():
    """FlopCounterMode sees 125,648,896 FLOP of products where 130 tokens fill chunks of 64 up to 192."""
    model = flopsheet.evaluate(CHUNKED, batch=2, seq_len=130)
    (note,) = (note for note in model.notes if note.startswith("scans"))
    assert model.numbers["flops_forward_matmul"] + model.numbers["delta_scan_flops_torch"] == 125_648_896
    assert note == (
        "scans count as their recurrence, 10.35% of flops_forward; torch's counter sees transformers' chunks instead,"
        " and with them 125,648,896 FLOP of products"
    )


def test_a_scan_of_a_kernel_has_no_count_of_torch():
    """Where the class runs a kernel, or its chunks are not described, the note says no number."""
    notes = flopsheet.evaluate({"model_type": "gla", "hidden_size": 256, "vocab_size": 100}).notes
    assert any(note.endswith("products of chunked code instead, and none of a kernel's") for note in notes)


def test_a_model_without_scans_says_nothing_of_them():
    """Attention alone is what torch counts."""
    model = flopsheet.evaluate({"model_type": "transformer", "hidden_size": 256, "vocab_size": 100})
    assert not any("scan" in note for note in model.notes)


@pytest.mark.parametrize("field", ["mamba_ssm_dtype", "mamba_ssm_cache_dtype"])
@pytest.mark.parametrize(("dtype", "is_noted"), [("float32", True), ("bfloat16", False)])
def test_a_config_that_asks_for_states_of_4_bytes_says_how_to_count_them(field, dtype, is_noted):
    """Recurrent states take 2 bytes unless the workload says otherwise, whatever type a config names."""
    model = flopsheet.evaluate({**CHUNKED, field: dtype})
    assert model.status == "ok"
    assert any(note.startswith(f"{field} = float32 asks for") for note in model.notes) == is_noted
