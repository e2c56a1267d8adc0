"""What a type's class refuses of single fields is an error that names the field."""

import pytest

import flopsheet
from flopsheet.configs.classes import class_table
from flopsheet.configs.field_types import as_declared, refused_values, wrong_type

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
REFUSED = {
    "text for a number": ({"num_hidden_layers": "2"}, "num_hidden_layers = '2' has a wrong type: a whole number"),
    "null where none may be": ({"hidden_size": None}, "hidden_size = null has a wrong type"),
    "whole number for a decimal": ({"rms_norm_eps": 0}, "rms_norm_eps = 0 has a wrong type: a number with a decimal"),
    "rotary scaling as a text": ({"rope_scaling": "linear"}, "rope_scaling = 'linear' has a wrong type"),
    "rotary positions of no type": ({"rope_scaling": {"type": "odd"}}, "rope_scaling: rope_type = 'odd' is not a type"),
    "a base without a logarithm": (
        {"rope_theta": float("nan"), "rope_scaling": {"type": "yarn", "factor": 2.0}},
        "the base of rotary positions, nan, is not a number",
    ),
    "a factor left out": ({"rope_scaling": {"type": "yarn"}}, "rope_scaling: factor is missing"),
    "rotary base as a text": ({"rope_theta": "1e4"}, "the base of rotary positions, '1e4', is not a number"),
    "a list for a flag": ({"is_encoder_decoder": []}, "is_encoder_decoder = [] has a wrong type"),
    "unknown activation": ({"hidden_act": "no_such"}, "hidden_act = 'no_such' is not an activation"),
    "no positions": ({"max_position_embeddings": 0}, "max_position_embeddings = 0 is out of range"),
    "no heads for keys": ({"num_key_value_heads": 0}, "num_key_value_heads = 0 is out of range"),
    "padding beyond the words": ({"vocab_size": 9, "pad_token_id": 9}, "pad_token_id = 9 is outside the vocabulary"),
    "more than everything": ({"attention_dropout": 2}, "attention_dropout = 2 is not a share from 0 to 1"),
    "heads that do not divide": ({"num_attention_heads": 5}, "hidden_size = 64 must be a multiple"),
    "too few kinds": ({"layer_types": ["full_attention"]}, "layer_types names 1 layer, num_hidden_layers says 2"),
    "an unknown kind": ({"layer_types": ["full_attention", "odd"]}, "layer_types names 'odd'"),
}


@pytest.mark.parametrize(("fields", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_the_class_refuses_is_an_error(fields, reason):
    """The sentence begins with the field and its value; nothing is counted."""
    model = flopsheet.evaluate(LLAMA | fields)
    assert model.status == "error"
    assert any(problem.startswith(reason) for problem in model.problems)


def test_class_defaults_refuse_nothing():
    """Every table accepts its own defaults."""
    for model_type in ("llama", "gpt2", "mixtral", "deepseek_v3", "t5", "bert", "mamba2", "qwen3_next", "whisper"):
        assert refused_values(model_type, class_table(model_type).defaults) == []


OTHERS = {
    "a field of a table inside": ({"model_type": "mpt", "attn_config": {"alibi": None}}, "attn_config.alibi = null"),
    "no activation": ({"model_type": "bart", "activation_function": None}, "activation_function = null"),
    "a word for a rank": ({"model_type": "mamba2", "time_step_rank": "silu"}, "time_step_rank = 'silu'"),
    "no share to turn": ({"model_type": "nemotron", "partial_rotary_factor": None}, "partial_rotary_factor is null"),
    "a part's field": ({"model_type": "llava", "text_config": {"tie_word_embeddings": 1}}, "text_config: tie_word_"),
    "a side's layers": (
        {"model_type": "t5gemma", "decoder": {"num_hidden_layers": 2, "layer_types": ["full_attention"]}},
        "decoder: layer_types names 1 layer",
    ),
    "no window to mask by": ({"model_type": "gpt_oss", "sliding_window": None}, "sliding_window is null"),
    "no window for layers that have one": (
        {"model_type": "lfm3", "num_hidden_layers": 1, "layer_types": ["sliding_attention"], "sliding_window": None},
        "sliding_window is null",
    ),
    "more rotary channels than a head has": (
        {"model_type": "gptj", "n_embd": 8, "n_head": 4},
        "rotary_dim must not be more than the channels of a head",
    ),
    "value heads that do not divide": (
        {"model_type": "qwen3_next", "linear_num_key_heads": 6, "linear_num_value_heads": 15},
        "value heads of linear attention must be a multiple",
    ),
    "state heads that do not divide": (
        {"model_type": "falcon_h1", "mamba_n_heads": 128, "mamba_n_groups": 3, "mamba_d_head": 8, "mamba_d_ssm": 1024},
        "heads of the state-space layers must be a multiple",
    ),
    "heads that do not divide the keys": (
        {"model_type": "xlstm", "hidden_size": 36, "num_heads": 12, "num_hidden_layers": 1},
        "num_heads must divide the width of queries and keys",
    ),
    "an indexer of fewer channels": (
        {"model_type": "glm_moe_dsa", "index_head_dim": 32},
        "heads of the indexer must have",
    ),
    "routers that nobody has": (
        {"model_type": "qwen2_moe", "num_hidden_layers": 1, "mlp_only_layers": [0], "output_router_logits": True},
        "no layer has the routers that output_router_logits asks for",
    ),
    "windows beyond the positions": (
        {"model_type": "led", "max_encoder_position_embeddings": 64},
        "max_encoder_position_embeddings must be at least",
    ),
    "a table of one frequency": (
        {"model_type": "nllb-moe", "d_model": 2, "encoder_attention_heads": 1, "decoder_attention_heads": 1},
        "d_model must be at least 4",
    ),
    "groups that do not divide": (
        {"model_type": "speecht5", "num_conv_pos_embedding_groups": 10},
        "num_conv_pos_embedding_groups must divide",
    ),
    "no tokens of a picture": ({"model_type": "shieldgemma2", "mm_tokens_per_image": 0}, "mm_tokens_per_image must be"),
    "one bucket": ({"model_type": "prophetnet", "num_buckets": 1}, "num_buckets must be at least 2"),
    "a picture without a patch": ({"model_type": "udop", "image_size": 1}, "image_size must be at least patch_size"),
    "a tied head": (
        {"model_type": "dbrx", "tie_word_embeddings": True, "attn_config": {"rope_theta": 1e4}},
        "DBRX's class refuses a tied head",
    ),
    "no kernel": ({"model_type": "bamba", "mamba_d_conv": None}, "mamba_d_conv is null or missing"),
    "a word of another class": ({"model_type": "openai-gpt", "afn": "tanh"}, "afn = 'tanh': one of relu"),
    "half of a pair": ({"model_type": "axk2", "topk_group": 1}, "n_group with topk_group"),
    "neither of two": ({"model_type": "exaone4", "sliding_window": None}, "sliding_window or layer_types is null"),
    "no room for padding": ({"model_type": "roberta", "max_position_embeddings": 1}, "max_position_embeddings must be"),
    "a list of another length": ({"model_type": "zamba2", "num_hidden_layers": 2}, "plugin hybrid (flopsheet"),
    "odd windows": (
        {"model_type": "longformer", "attention_window": 9},
        f"plugin dense (flopsheet {flopsheet.__version__}) refuses the config: attention_window = 9: an even",
    ),
    "no scale of a part": ({"model_type": "idefics3", "scale_factor": 0}, "scale_factor must be at least 1"),
    "no number for torch": ({"model_type": "llama", "eos_token_id": 10**400}, "eos_token_id = 1000"),
    "no period": ({"model_type": "gemma3_text", "sliding_window_pattern": 0}, "sliding_window_pattern = 0"),
    "two depths": ({"model_type": "bart", "encoder_layers": 2, "num_hidden_layers": 3}, "num_hidden_layers = 3"),
}


@pytest.mark.parametrize(("config", "reason"), OTHERS.values(), ids=OTHERS)
def test_what_some_classes_refuse_is_an_error(config, reason):
    """Fields of single types, and of the configs inside."""
    model = flopsheet.evaluate(config)
    assert model.status == "error"
    assert any(problem.startswith(reason) for problem in model.problems)


RUN_BY_NOBODY = {
    "odd heads": ({"model_type": "llama", "head_dim": 7}, 16 * 4 * 7 * 2 + 16 * 7 * 2 * 2),
    "sections that do not add up": (
        {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 1]}},
        16 * 16 * 2 + 16 + 16 * 8 * 2 + 8 * 2,
    ),
}


@pytest.mark.parametrize(("fields", "attention"), RUN_BY_NOBODY.values(), ids=RUN_BY_NOBODY)
def test_what_a_class_builds_and_cannot_run_is_counted(fields, attention):
    """Rotary positions that do not fit a head change no weight: what is built is counted right."""
    shape = {"hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 1}
    model = flopsheet.evaluate(fields | shape)
    assert model.status == "ok"
    assert model.numbers["sum_parameters_attention"] == attention


def test_a_type_without_a_table_refuses_nothing():
    """A third party's type has no class to ask."""
    assert refused_values("no_such_type", {"hidden_size": "wide"}) == []


def test_cells_are_written_as_the_class_writes_them():
    """A spreadsheet holds 1 for 1.0 and for true."""
    assert as_declared("llama", "rms_norm_eps", 1) == 1.0
    assert as_declared("llama", "tie_word_embeddings", 0) is False
    assert as_declared("llama", "hidden_size", 64) == 64
    assert wrong_type("llama", "hidden_size", 64.5) == "64.5 has a wrong type: a whole number is expected"


INERT = {
    "generation": {"top_k": 50},
    "kernels": {"use_flash_attn": True, "moe_router_dtype": "float32"},
    "no cross attention": {"add_cross_attention": False, "tie_encoder_decoder": False},
    "no prediction": {"num_nextn_predict_layers": 0},
    "no windows": {"use_sliding_window": False, "max_window_layers": 28},
}


@pytest.mark.parametrize("fields", INERT.values(), ids=INERT)
def test_inert_fields_do_not_cost_ok(fields):
    """No count depends on them."""
    assert flopsheet.evaluate(LLAMA | fields).status == "ok"


@pytest.mark.parametrize("fields", [{"add_cross_attention": True}, {"num_nextn_predict_layers": 2}])
def test_what_is_inert_only_while_off_is_a_problem_when_on(fields):
    """Llama's class has neither."""
    assert flopsheet.evaluate(LLAMA | fields).status == "approximate"


def test_a_flag_that_contradicts_the_class_stays_a_problem():
    """Qwen2 always has biases in attention, whatever a field says that its class does not read."""
    model = flopsheet.evaluate({"model_type": "qwen2", "attention_bias": False})
    assert model.status == "approximate"


TYPES = {
    "lfm2": {"block_dim": 2560, "conv_dim": 2560, "conv_dim_out": 2560, "use_pos_enc": True},
    "bamba": {"attn_rotary_emb": 64},
    "falcon": {"ff_factor": 4},
    "apertus": {"qk_norm": True, "post_norm": False, "mlp_bias": False},
    "hunyuan_v1_moe": {"attention_head_dim": 128, "head_dim": 128},
    "hunyuan_v1_dense": {"attention_head_dim": 128, "head_dim": 128},
    "glm_moe_dsa": {"moe_router_dtype": "float32", "index_share_for_mtp_iteration": True},
    "qwen3_5_text": {"output_gate_type": "swish"},
    "phimoe": {"architectures": ["PhiMoEForCausalLM"]},
    "granitemoehybrid": {"num_local_experts": 0, "num_experts_per_tok": 0},
}


@pytest.mark.parametrize(("model_type", "fields"), TYPES.items(), ids=TYPES)
def test_fields_of_real_configs_do_not_cost_ok(model_type, fields):
    """The type's class reads none of them, or builds what they say."""
    problems = flopsheet.evaluate({"model_type": model_type} | fields).problems
    assert [text for text in problems if "neither depth nor width" not in text] == []


@pytest.mark.parametrize("model_type", ["hunyuan_v1_moe", "hunyuan_v1_dense"])
def test_another_head_size_by_its_older_name_is_a_problem(model_type):
    """The class builds `head_dim`; the two contradict each other."""
    assert flopsheet.evaluate({"model_type": model_type, "attention_head_dim": 64, "head_dim": 128}).status != "ok"
