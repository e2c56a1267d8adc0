"""Quantized weights: the formats that are followed, what stays plain, and what is said where nothing is followed."""

import json
import tomllib

import pytest
from click.testing import CliRunner

import flopsheet
from flopsheet.cli import main
from flopsheet.configs.modules import plain_groups

LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
}
ALL = 8_030_261_248
LINEAR = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
HEAD = 4096 * 128256
GPT_OSS = {
    "model_type": "gpt_oss",
    "architectures": ["GptOssForCausalLM"],
    "hidden_size": 2880,
    "intermediate_size": 2880,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "vocab_size": 201088,
    "num_experts_per_tok": 4,
    "sliding_window": 128,
    "max_position_embeddings": 131072,
    "attention_bias": True,
    "tie_word_embeddings": False,
    "quantization_config": {
        "quant_method": "mxfp4",
        "modules_to_not_convert": [
            *("model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"),
        ],
    },
}


def llama(quantization, **settings):
    """Return Llama 3 8B with a quantization_config."""
    return flopsheet.evaluate({**LLAMA, "quantization_config": quantization}, **settings)


def weights(bits, linear=LINEAR):
    """Return the bytes of Llama 3 8B whose linear layers take so many bits a weight."""
    return (ALL - linear) * 2 + linear * bits / 8


def packed(form, **scheme):
    """Return a compressed-tensors config of one scheme for all linear layers but the head."""
    group = {"targets": ["Linear"], "weights": scheme, "input_activations": {"num_bits": 8}}
    return {
        "quant_method": "compressed-tensors",
        "format": form,
        "config_groups": {"group_0": group},
        "ignore": ["lm_head"],
    }


@pytest.mark.parametrize(
    ("layers", "experts", "total_size"), [(24, 32, 13_761_264_768), (36, 128, 65_248_815_744)], ids=["20b", "120b"]
)
def test_gpt_oss_takes_what_its_files_hold(layers, experts, total_size):
    """openai/gpt-oss-20b and 120b: metadata.total_size of model.safetensors.index.json, to the byte."""
    model = flopsheet.evaluate({**GPT_OSS, "num_hidden_layers": layers, "num_local_experts": experts})
    assert (model.status, model.totals["weights_bytes"]) == ("ok", total_size)
    assert type(model.totals["weights_bytes"]) is int


FOLLOWED = {
    "gptq": ({"quant_method": "gptq", "bits": 4, "group_size": 128}, 4.15625),
    "gptq-3-bits": ({"quant_method": "gptq", "bits": 3, "group_size": 64}, 3 + 19 / 64),
    "gptq-rows": ({"quant_method": "gptq", "bits": 8, "group_size": -1}, 8),
    "auto-round": ({"quant_method": "auto-round", "bits": 4, "group_size": 128}, 4.15625),
    "awq": ({"quant_method": "awq", "bits": 4, "group_size": 64}, 4.3125),
    "nf4": ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4.5),
    "nf4-twice": (
        {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True},
        4.126953125,
    ),
    "int8": ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8),
    "fp8-blocks": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, 8 + 32 / 16384),
    "fp8-blocks-by-default": ({"quant_method": "fp8"}, 8 + 32 / 16384),
    "fp8-matrix": ({"quant_method": "fp8", "weight_block_size": None}, 8),
    "fbgemm": ({"quant_method": "fbgemm_fp8"}, 8),
    "w4a16": (packed("pack-quantized", num_bits=4, type="int", strategy="group", group_size=128), 4.125),
    "w4a16-asymmetric": (
        packed("pack-quantized", num_bits=4, type="int", strategy="group", group_size=128, symmetric=False),
        4.15625,
    ),
    "w8a8": (packed("int-quantized", num_bits=8, type="int", strategy="channel", group_size=None), 8),
    "fp8-packed": (packed("float-quantized", num_bits=8, type="float", strategy="tensor"), 8),
    "fp8-packed-blocks": (
        packed("float-quantized", num_bits=8, type="float", strategy="block", block_structure=[128, 128]),
        8 + 16 / 16384,
    ),
    "nvfp4": (packed("nvfp4-pack-quantized", num_bits=4, strategy="tensor_group", group_size=16), 4.5),
    "mxfp4-packed": (packed("mxfp4-pack-quantized", num_bits=4, strategy="group", group_size=32), 4.25),
    "modelopt": ({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}, 4.5),
    "hqq": (
        {
            "quant_method": "hqq",
            "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64}, "scale_quant_params": None},
            "skip_modules": ["lm_head"],
        },
        4.5,
    ),
    "torchao": (
        {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_data": {}}}},
        8,
    ),
    "eetq": ({"quant_method": "eetq"}, 8),
    "bitnet": ({"quant_method": "bitnet"}, 2),
}


@pytest.mark.parametrize(("quantization", "bits"), FOLLOWED.values(), ids=FOLLOWED)
def test_weights_follow_the_format(quantization, bits):
    """Linear layers take the format's bits with scales and zero points; the tables and the head take 2 bytes."""
    model = llama(quantization)
    assert (model.status, model.totals["weights_bytes"]) == ("ok", weights(bits))
    (note,) = model.notes
    assert f"{bits:.6g} bits per weight of linear layers except for LM head" in note


def test_parameters_flops_and_training_stay():
    """A checkpoint's type changes neither what is computed nor what training holds."""
    plain, quantized = flopsheet.evaluate(LLAMA), llama(FOLLOWED["awq"][0])
    same = ("parameters", "flops_forward", "training_state_bytes", "kv_cache_bytes")
    assert [plain.totals[name] for name in same] == [quantized.totals[name] for name in same]


NOT_FOLLOWED = {
    "method": ({"quant_method": "aqlm", "nbits_per_codebook": 16}, "the method is not known"),
    "unnamed": ({"bits": 4, "group_size": 64}, "the method is not known"),
    "bits": ({"quant_method": "awq", "bits": 3}, "its fields are not understood"),
    "overrides": ({"quant_method": "gptq", "bits": 4, "dynamic": {"-:.*down.*": {}}}, "dynamic is not understood"),
    "two groups": (
        packed("pack-quantized", num_bits=4) | {"config_groups": {"group_0": {}, "group_1": {}}},
        "config_groups.*.weights is not one table",
    ),
    "a text for a number": ({"quant_method": "gptq", "bits": 4, "group_size": "all"}, "its fields are not understood"),
    "some layers": (
        {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "model.layers.0.mlp", "model.layers.31.mlp"]},
        "model.layers.*.mlp is not quantized in 2 layers",
    ),
    "some modules": (
        {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "re:.*down_proj"]},
        "part of MLP is not quantized",
    ),
    "unknown modules": (
        {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "self_attn.kv_b_proj"]},
        "self_attn.kv_b_proj, which is not quantized, is an unknown module",
    ),
    "layers by a pattern": (
        {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", r"re:.*layers\.[0-3]\.mlp.*"]},
        "layers differ in which modules are quantized",
    ),
    "a pattern without end": (
        {"quant_method": "fp8", "modules_to_not_convert": [r"re:(.+)+!"]},
        "re:(.+)+! is not a simple pattern",
    ),
    "no pattern": ({"quant_method": "fp8", "modules_to_not_convert": ["re:*"]}, "re:* is not a pattern"),
}


@pytest.mark.parametrize(("quantization", "reason"), NOT_FOLLOWED.values(), ids=NOT_FOLLOWED)
def test_what_is_not_understood_takes_the_default_and_says_why(quantization, reason):
    """Two bytes a weight, as the contract has it, and never a guess."""
    model = llama(quantization)
    assert (model.status, model.totals["weights_bytes"]) == ("ok", 2 * ALL)
    (note,) = model.notes
    assert f"weight_dtype_bytes per weight: {reason}" in note


PLAIN = {
    "nothing": ([], set()),
    "the head": (["lm_head"], {"lm_head"}),
    "by a path": (["model.layers.*.self_attn", "lm_head"], {"attention", "lm_head"}),
    "by a part": (["self_attn"], {"attention"}),
    "each layer": ([f"model.layers.{i}.self_attn.{m}_proj" for i in range(4) for m in "qkvo"], {"attention"}),
    "beyond the layers": (["model.layers.4.mlp", "model.layers.4.self_attn"], set()),
    "routers and norms": (["gate", "model.layers.0.mlp.gate", "re:.*router", "model.layers.1.input_layernorm"], set()),
    "towers": (["visual", "model.visual.blocks.0.attn.qkv", "re:vision_tower.*", "multi_modal_projector"], set()),
    "a pattern": (["re:.*self_attn.*", "re:.*shared_experts.*"], {"attention", "shared_experts"}),
    "dense alone": ([r"re:.*mlp\.(gate|up|gate_up|down)_proj.*"], {"mlp"}),
    "globs": (["*self_attn*", "lm_head*"], {"attention", "lm_head"}),
}


@pytest.mark.parametrize(("listed", "groups"), PLAIN.values(), ids=PLAIN)
def test_lists_of_plain_modules(listed, groups):
    """Configs name modules by path, by part, layer by layer, as globs and as regular expressions."""
    assert plain_groups(listed, 4) == groups


def test_a_list_without_the_head_quantizes_it():
    """The head stays plain only where no list is given, or one that names it: transformers does the same."""
    model = llama({"quant_method": "fp8", "weight_block_size": None, "modules_to_not_convert": ["gate"]})
    assert model.totals["weights_bytes"] == weights(8, LINEAR + HEAD)


def test_bytes_that_are_set_win():
    """A planner who says the bytes of a weight means every weight."""
    assert llama({"quant_method": "awq"}, weight_dtype_bytes=1).totals["weights_bytes"] == ALL


def test_bytes_of_quantized_weights_can_be_set_beside_them():
    """Both may be set together: what is plain, and what is quantized."""
    model = llama({"quant_method": "awq"}, weight_dtype_bytes=4, quantized_bytes=1)
    assert model.totals["weights_bytes"] == 4 * (ALL - LINEAR) + LINEAR


def test_a_report_reads_again_as_it_was(tmp_path):
    """Flags, bytes and note survive the round trip, also where a portfolio's workload sets the bytes of a weight."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**LLAMA, "quantization_config": {"quant_method": "awq"}}), "utf-8")
    reports = [tmp_path / "first.toml", tmp_path / "second.toml"]
    for source, target in ((config, reports[0]), (reports[0], reports[1])):
        assert CliRunner().invoke(main, ["report", str(source), "-o", str(target)]).exit_code == 0
    (before,), (after,) = (tomllib.loads(path.read_text("utf-8"))["models"] for path in reports)
    assert before["totals"]["weights_bytes"] == weights(4.15625)
    assert [before[key] for key in ("totals", "dimensions", "notes")] == [
        *(after[key] for key in ("totals", "dimensions", "notes"))
    ]
