"""Mixtures of experts: which layers have experts, how far layers see, and what configs must not say unnoticed."""

import json
from pathlib import Path

import pytest
from samples import caveats

import flopsheet

RECORDS = json.loads((Path(__file__).parent / "data/truth_moe.json").read_text("utf-8"))
CONFIGS = {record["model_type"]: record["config"] for record in RECORDS}
SMALL = {"model_type": "glm_moe_dsa", "num_hidden_layers": 4}


def shown(config, **fields):
    """Evaluate a config with fields changed."""
    return flopsheet.evaluate({**config, **fields})


DEFAULTS = {
    "mixtral": 46_702_792_704,
    "deepseek_v3": 671_026_404_352,
    "qwen2_moe": 14_315_784_192,
    "qwen3_moe": 15_350_731_776,
    "olmoe": 13_361_612_800,
    "phimoe": 41_872_793_600,
    "granitemoe": 37_039_116_288,
    "granitemoeshared": 37_039_116_288,
    "gpt_oss": 116_829_156_672,
    "deepseek_v32": 671_877_929_216,
    "glm_moe_dsa": 743_911_199_232,
    "glm4_moe": 103_481_200_640,
    "ernie4_5_moe": 21_825_437_888,
    "minimax_m2": 228_689_748_992,
    "llama4_text": 107_769_861_120,
    "mimo_v2_flash": 308_778_768_832,
    "gemma4_text": 5_077_177_856,
    "flex_olmo": 33_270_665_216,
    "granitemoe_swa": 37_039_117_312,
    "glm4_moe_lite": 29_943_390_976,
    "exaone_moe": 28_550_639_616,
    "afmoe": 19_232_600_000,
    "solar_open": 102_651_793_408,
    "mellum": 12_149_923_072,
    "hy_v3": 295_033_528_320,
    "axk1": 518_983_052_288,
    "cohere2_moe": 190_004_928_512,
    "aria_text": 18_517_069_824,
    "laguna": 33_189_975_808,
    "beam": 501_267_599_808,
    "flint": 39_785_287_456,
    "kolibri1": 78_103_055_360,
    "jetmoe": 4_293_888_000,
    "minimax_m3_vl_text": 447_186_441_216,
    "step3p5": 195_843_833_088,
    "inkling_text": 975_340_270_146,
    "inkling2_text": 593_722_930_176,
    "glm5_next_text": 313_326_816_766,
    "dots3_note_text": 279_551_718_016,
    "sarvam_mla": 106_031_763_456,
    "sarvam_moe": 32_152_648_064,
}
"""Parameters of each class as transformers 5.24.0 builds it from its own defaults, on the meta device."""


@pytest.mark.parametrize(("model_type", "parameters"), DEFAULTS.items())
def test_class_defaults(model_type, parameters):
    """A config that says nothing but its type is what the class builds of it."""
    model = shown({"model_type": model_type})
    assert (caveats(model), model.totals["parameters"]) == ([], parameters)


LAYERS = {
    "all of them": ("qwen3_moe", {}, 3),
    "every second": ("qwen3_moe", {"decoder_sparse_step": 2}, 1),
    "but the first": ("qwen3_moe", {"mlp_only_layers": [0]}, 2),
    "after the dense ones": ("deepseek_v32", {"first_k_dense_replace": 5}, 56),
    "as listed": ("deepseek_v32", {"mlp_layer_types": ["sparse"] * 7 + ["dense"] * 54}, 7),
    "interleaved": ("llama4_text", {"interleave_moe_layer_step": 3, "num_hidden_layers": 7}, 2),
    "named": ("llama4_text", {"moe_layers": [1, 2, 3]}, 3),
    "between first and last": ("ernie4_5_moe", {"moe_layer_start_index": 2, "moe_layer_end_index": 10}, 9),
    "up to the end": ("ernie4_5_moe", {"moe_layer_end_index": -1}, 27),
    "at an interval": ("ernie4_5_moe", {"moe_layer_interval": 2, "moe_layer_end_index": -1}, 14),
}


@pytest.mark.parametrize(("model_type", "fields", "sparse"), LAYERS.values(), ids=LAYERS)
def test_layers_with_experts(model_type, fields, sparse):
    """Each way of saying it gives the layers that the class builds."""
    model = shown(CONFIGS[model_type], **fields)
    assert (model.status, model.dimensions["n_moe_layers"]) == ("ok", sparse)
    assert model.dimensions["n_dense_layers"] == model.dimensions["n_layers"] - sparse


INDEXERS = {
    "all": ({}, 4),
    "as named": ({"indexer_types": ["full", "shared", "shared", "full"]}, 2),
    "by a pattern": ({"index_topk_pattern": "FSSS"}, 1),
    "at a frequency": ({"index_topk_freq": 3, "index_skip_topk_offset": 1}, 2),
}


@pytest.mark.parametrize(("fields", "count"), INDEXERS.values(), ids=INDEXERS)
def test_layers_with_an_indexer(fields, count):
    """Layers that share another's choice of tokens have no indexer."""
    assert shown(SMALL, **fields).dimensions["n_index_layers"] == count


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"mlp_layer_types": ["sparse"]}, "mlp_layer_types names 1 layer, num_hidden_layers says 4"),
        ({"mlp_layer_types": ["sparse", "odd", "dense", "dense"]}, "names 'odd', which is not a layer type"),
        ({"num_hidden_layers": 10**9}, "at most 100,000 layers are read"),
        ({"num_hidden_layers": "many"}, "num_hidden_layers = 'many' has a wrong type"),
    ],
)
def test_lists_that_cannot_be(fields, reason):
    """A list that does not fit the layers is an error with the reason."""
    model = shown(SMALL, **fields)
    assert model.status == "error"
    assert reason in model.problems[0]


def test_a_field_that_the_class_does_not_follow_is_a_problem():
    """Phi-3.5-MoE's router takes two experts; MiMo's published pattern must be what the class builds."""
    assert shown(CONFIGS["phimoe"], num_experts_per_tok=3).status == "approximate"
    pattern = [0] * 48
    assert "hybrid_layer_pattern" in shown(CONFIGS["mimo_v2_flash"], hybrid_layer_pattern=pattern).problems[0]


def test_heads_that_differ_between_layers_are_a_problem():
    """Laguna may give each layer heads of its own, which is not counted."""
    config = {"model_type": "laguna", "num_hidden_layers": 2}
    assert shown(config, num_attention_heads_per_layer=[48, 48]).status == "ok"
    assert shown(config, num_attention_heads_per_layer=[48, 64]).status == "approximate"


def core(config, side, **workload):
    """Return the attention FLOP of one side."""
    model = flopsheet.evaluate(config, **workload)
    return next(line["value"] for line in model.lines if line["name"] == f"{side}_core_flops")


@pytest.mark.parametrize("length", [5, 32, 40, 64, 70])
def test_pairs_inside_chunks(length):
    """A token sees its own chunk up to itself: counted one by one."""
    config = CONFIGS["llama4_text"] | {"num_hidden_layers": 1, "attention_chunk_size": 32, "no_rope_layers": [1]}
    chunk = config["attention_chunk_size"]
    pairs = sum(query % chunk + 1 for query in range(length))
    full = core(config, "local", seq_len=length, mask="full")
    assert core(config, "local", seq_len=length, mask="window") * length**2 == full * pairs


@pytest.mark.parametrize("length", [5, 129, 300])
def test_pairs_inside_a_local_window(length):
    """A token sees itself and those before it inside the window: counted one by one."""
    config = CONFIGS["mimo_v2_flash"]
    pairs = sum(min(query + 1, 129) for query in range(length))
    full = core(config, "local", seq_len=length, mask="full")
    assert core(config, "local", seq_len=length, mask="window") * length**2 == full * pairs


def test_shapes_of_gemma_4_as_saved_and_as_published():
    """A saved config lists the shape of each global layer; the published fields say the same once."""
    published = CONFIGS["gemma4_text"]
    kinds = published["layer_types"]
    shape = {"head_dim": 512, "num_key_value_heads": 2}
    saved = {key: value for key, value in published.items() if "global" not in key}
    saved["per_layer_config"] = {str(i): shape for i, kind in enumerate(kinds) if kind == "full_attention"}
    assert shown(saved).totals == shown(published).totals
    saved["per_layer_config"]["0"] = {"head_dim": 8}
    assert shown(saved).status == "approximate"


DOTS = {
    "model_type": "dots3_note_text",
    "num_hidden_layers": 6,
    "hidden_size": 64,
    "first_k_dense_replace": 0,
    "moe_layer_freq": [0, 0, 1, 0, 1, 1],
    "swa_num_attention_heads": 4,
    "swa_num_key_value_heads": 4,
    "swa_kv_lora_rank": 24,
}


def test_shapes_of_dots3_as_saved_and_as_published():
    """A saved config lists the shape of each sliding layer; the published fields say the same once."""
    shape = {"num_attention_heads": 4, "num_key_value_heads": 4, "kv_lora_rank": 24, "qk_nope_head_dim": 192}
    kinds = ["indexed_attention"] * 2 + ["sliding_attention"] * 3 + ["indexed_attention"]
    saved = {key: value for key, value in DOTS.items() if "swa" not in key} | {"layer_types": kinds}
    saved["per_layer_config"] = {f"0{i}": shape for i in (2, 3, 4)}
    assert shown(saved).totals == shown(DOTS).totals
    assert (shown(saved).status, shown(DOTS).dimensions["n_moe_layers"]) == ("ok", 3)
    saved["per_layer_config"]["04"] = shape | {"v_head_dim": 8}
    assert shown(saved).status == "approximate"


def test_the_cache_of_dots3():
    """Sliding layers keep latents of one token fewer than their window, those with an indexer its keys too."""
    sliding = flopsheet.evaluate(DOTS | {"sliding_window_size": 16}, context=100, kv_dtype_bytes=1)
    assert sliding.totals["kv_cache_bytes"] == 3 * 100 * (512 + 64 + 128) + 3 * 15 * (24 + 64)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"swa_num_key_value_heads": 2}, "num_key_value_heads must be num_attention_heads in each layer"),
        ({"q_lora_rank": None}, "q_lora_rank and kv_lora_rank must be at least 1"),
        ({"swa_head_dim": 256, "swa_qk_rope_head_dim": 32}, "head_dim of sliding layers must be the sum"),
        ({"n_shared_experts": 0}, "n_shared_experts must be at least 1"),
    ],
)
def test_what_the_class_of_dots3_refuses(fields, reason):
    """A shape that its class does not build is an error with the reason."""
    model = shown(DOTS, **fields)
    assert (model.status, reason in model.problems[0]) == ("error", True)


def test_layers_that_share_keys_and_values():
    """Gemma 4's last layers may reuse keys and values, and have a wider MLP."""
    config = {"model_type": "gemma4_text", "num_hidden_layers": 12, "num_kv_shared_layers": 6}
    model = shown(config, use_double_wide_mlp=True)
    assert {name: model.dimensions[name] for name in ("local_kv_layers", "global_kv_layers")} == {
        "local_kv_layers": 5,
        "global_kv_layers": 1,
    }
    assert (model.dimensions["n_dense_layers"], model.dimensions["n_wide_layers"]) == (6, 6)


def test_an_indexer_for_each_key_head():
    """MiniMax-M3 chooses blocks in the layers that say so, with queries from the model's width."""
    config = {"model_type": "minimax_m3_vl_text", "num_hidden_layers": 2}
    older = {"sparse_attention_freq": [0, 1], "sparse_num_index_heads": 4, "sparse_index_dim": 128}
    model = shown(config, sparse_attention_config=older)
    assert model.totals == shown(config, layer_types=["full_attention", "minimax_m3_sparse"]).totals
    assert model.totals["parameters"] - shown(config).totals["parameters"] == 6144 * (4 + 1) * 128 + 2 * 128


def test_attention_experts():
    """JetMoE-8B: queries and outputs come from experts too, and two of eight are active."""
    totals = shown({"model_type": "jetmoe", "num_hidden_layers": 24}).totals
    routed = 24 * 8 * (3 * 2048 * 5632 + 2 * 2048 * 2048)
    assert totals["parameters"] == 8_522_237_952
    assert totals["parameters_active"] == totals["parameters"] - routed * 6 // 8


def test_prediction_layers_are_a_note():
    """Layers for multi-token prediction are in no class: said, and not counted."""
    model = shown(CONFIGS["glm4_moe"], num_nextn_predict_layers=1)
    assert model.status == "ok"
    assert any("multi-token prediction layers are not counted (1)" in note for note in model.notes)


STEP = {
    "model_type": "step3p5",
    "num_hidden_layers": 8,
    "num_nextn_predict_layers": 3,
    "layer_types": (["full_attention"] + ["sliding_attention"] * 3) * 2 + ["sliding_attention"] * 3,
    "moe_layers_enum": "3,4,5,6,7,8,9,10",
    "attention_other_setting": {"num_attention_heads": 96, "num_attention_groups": 8, "head_dim": 128},
    "sliding_window": 512,
}


def test_sliding_layers_have_heads_of_their_own():
    """Step 3.5: sliding layers have 96 heads in place of 64, prediction layers at the end of lists are left out."""
    model, same = shown(STEP), shown(STEP, attention_other_setting=None)
    names = ("n_local_layers", "n_global_layers", "local_heads", "n_moe_layers", "n_dense_layers")
    assert [model.dimensions[name] for name in names] == [6, 2, 96, 5, 3]
    wider = 6 * (96 - 64) * (2 * 4096 * 128 + 4096)  # queries, output and a gate for each head
    assert model.totals["parameters"] - same.totals["parameters"] == wider
    assert (model.status, shown(STEP, moe_layers_enum=[3, 4]).dimensions["n_moe_layers"]) == ("ok", 2)


def test_experts_that_do_nothing():
    """LongCat-Flash: 8 of 12 chosen experts work on average; the checkpoint has 560.7 billion parameters."""
    model = shown({"model_type": "longcat_flash"})
    assert (model.status, model.totals["parameters"]) == ("approximate", 560_664_958_976)
    assert "inputs of 256 idle experts" in model.problems[0]
    assert model.dimensions["top_k"] == 8
    eager = shown({"model_type": "longcat_flash", "zero_expert_num": 0})
    assert (eager.status, eager.totals["parameters"]) == ("ok", 560_620_918_784)


PUBLISHED = {
    "minimax_m3_vl_text": {"use_gemma_norm": True, "attention_output_gate": False, "use_qk_norm": True},
    "step3p5": {"first_k_dense_replace": 3, "num_experts": 288, "n_shared_experts": 1},
}


@pytest.mark.parametrize("model_type", PUBLISHED)
def test_fields_that_say_what_the_class_builds_anyway(model_type):
    """Fields of published files cost no `ok` while they say what the class builds; another value does."""
    fields = PUBLISHED[model_type] | {"n_shared_experts": 1}
    assert caveats(shown({"model_type": model_type}, **fields)) == []
    assert caveats(shown({"model_type": model_type}, **fields | {"n_shared_experts": 2}))
    assert shown({"model_type": model_type}, **fields).totals["parameters"] == DEFAULTS[model_type]


@pytest.mark.parametrize(("model_type", "dense"), [("deepseek_v3", 61), ("glm4_moe", 46)])
def test_a_class_without_a_loss_of_routers_needs_none(model_type, dense):
    """It ignores output_router_logits, which other classes cannot follow without a router."""
    config = {"model_type": model_type, "first_k_dense_replace": dense, "output_router_logits": True}
    assert caveats(flopsheet.evaluate(config)) == []


def test_a_field_that_nobody_knows_in_a_table_of_dbrx_makes_it_approximate():
    """The tables of heads and of experts are read field by field."""
    tables = {"attn_config": {"rope_theta": 5e5, "kv_n_heads": 8}, "ffn_config": {"n_null_experts": 2}}
    model = flopsheet.evaluate({"model_type": "dbrx", **tables})
    assert model.problems[:1] == ["field ffn_config.n_null_experts = 2 is not understood: it may change the count"]
