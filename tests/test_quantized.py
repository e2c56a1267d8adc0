"""Quantized weights: the formats that are followed, what stays plain, and what is said where nothing is followed."""

import json
import re
import tomllib

import pytest
import stored
from click.testing import CliRunner

import flopsheet
from flopsheet.accounting.quantized_weights import quantizable
from flopsheet.cli import main
from flopsheet.configs.matrices import lines_of, place_of
from flopsheet.host.loading import load

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


MATRICES = [(4096, 4096), (1024, 4096), (1024, 4096), (4096, 4096), (14336, 4096), (14336, 4096), (4096, 14336)]
"""Rows and columns of a layer's matrices."""
LAYERS = 32


def weights(tensors, *, plain=(), head=False):
    """Return the bytes of Llama 3 8B whose linear layers have these tensors, but for the matrices of some places."""
    own = [shape for i in range(LAYERS) for j, shape in enumerate(MATRICES) if (i, j) not in plain]
    own += [(128256, 4096)] if head else []
    return (ALL - sum(rows * columns for rows, columns in own)) * 2 + sum(stored.size(tensors(*one)) for one in own)


def packed(form, **scheme):
    """Return a compressed-tensors config of one scheme for all linear layers but the head."""
    group = {"targets": ["Linear"], "weights": {"symmetric": True} | scheme, "input_activations": {"num_bits": 8}}
    return {
        "quant_method": "compressed-tensors",
        "format": form,
        "config_groups": {"group_0": group},
        "ignore": ["lm_head"],
    }


@pytest.mark.parametrize("listed", [{}, {"modules_to_not_convert": None}], ids=["absent", "null"])
def test_mxfp4_is_of_the_experts_of_gpt_oss_alone(listed):
    """A list says no more than transformers does without it: it converts the experts of this type and nothing else."""
    sizes = {**GPT_OSS, "num_hidden_layers": 24, "num_local_experts": 32}
    model = flopsheet.evaluate(sizes | {"quantization_config": {"quant_method": "mxfp4", **listed}})
    assert (model.status, model.totals["weights_bytes"]) == ("ok", 13_761_264_768)


@pytest.mark.parametrize(
    ("layers", "experts", "total_size"), [(24, 32, 13_761_264_768), (36, 128, 65_248_815_744)], ids=["20b", "120b"]
)
def test_gpt_oss_takes_what_its_files_hold(layers, experts, total_size):
    """openai/gpt-oss-20b and 120b: metadata.total_size of model.safetensors.index.json, to the byte."""
    model = flopsheet.evaluate({**GPT_OSS, "num_hidden_layers": layers, "num_local_experts": experts})
    assert (model.status, model.totals["weights_bytes"]) == ("ok", total_size)
    assert type(model.totals["weights_bytes"]) is int


FOLLOWED = {
    "gptq": ({"quant_method": "gptq", "bits": 4, "group_size": 128}, stored.gptq),
    "gptq-3-bits": (
        {"quant_method": "gptq", "bits": 3, "group_size": 64},
        lambda rows, columns: stored.gptq(rows, columns, 3, 64),
    ),
    "gptq-rows": ({"quant_method": "gptq", "bits": 8, "group_size": -1}, stored.gptq_rows),
    "auto-round": (
        {"quant_method": "auto-round", "bits": 4, "group_size": 128},
        lambda rows, columns: stored.gptq(rows, columns)[:3],
    ),
    "awq": ({"quant_method": "awq", "bits": 4, "group_size": 64}, lambda rows, columns: stored.awq(rows, columns, 64)),
    "aqlm": (
        {
            "quant_method": "aqlm",
            "nbits_per_codebook": 16,
            "num_codebooks": 1,
            "in_group_size": 8,
            "out_group_size": 1,
            "linear_weights_not_to_quantize": ["lm_head.weight"],
        },
        stored.aqlm,
    ),
    "nf4": ({"quant_method": "bitsandbytes", "load_in_4bit": True}, stored.nf4),
    "nf4-twice": (
        {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True},
        stored.nf4_twice,
    ),
    "int8": ({"quant_method": "bitsandbytes", "load_in_8bit": True}, stored.int8),
    "fp8-blocks": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, stored.fp8_blocks),
    "fp8-blocks-by-default": ({"quant_method": "fp8"}, stored.fp8_blocks),
    "fp8-matrix": (
        {"quant_method": "fp8", "weight_block_size": None},
        lambda rows, columns: stored.fp8_matrix(rows, columns, 1),
    ),
    "fbgemm": (
        {"quant_method": "fbgemm_fp8"},
        lambda rows, columns: [*stored.fp8_rows(rows, columns, stored.FP32), (1, stored.FP32)],
    ),
    "w4a16": (packed("pack-quantized", num_bits=4, type="int", strategy="group", group_size=128), stored.packed),
    "w4a16-asymmetric": (
        packed("pack-quantized", num_bits=4, type="int", strategy="group", group_size=128, symmetric=False),
        lambda rows, columns: stored.packed(rows, columns, points=True),
    ),
    "w8a8": (packed("int-quantized", num_bits=8, type="int", strategy="channel", group_size=None), stored.fp8_rows),
    "fp8-packed": (
        packed("float-quantized", num_bits=8, type="float", strategy="tensor"),
        lambda rows, columns: stored.fp8_matrix(rows, columns, 2, stored.HALF),
    ),
    "fp8-packed-blocks": (
        packed("float-quantized", num_bits=8, type="float", strategy="block", block_structure=[128, 128]),
        lambda rows, columns: stored.fp8_blocks(rows, columns, stored.HALF),
    ),
    "nvfp4": (packed("nvfp4-pack-quantized", num_bits=4, strategy="tensor_group", group_size=16), stored.nvfp4),
    "mxfp4-packed": (packed("mxfp4-pack-quantized", num_bits=4, strategy="group", group_size=32), stored.mxfp4),
    "modelopt": ({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}, stored.nvfp4),
    "modelopt-unnamed": ({"quant_algo": "FP8", "exclude_modules": ["lm_head"]}, stored.fp8_matrix),
    "hqq": (
        {
            "quant_method": "hqq",
            "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64}, "scale_quant_params": None},
            "skip_modules": ["lm_head"],
        },
        stored.hqq,
    ),
    "torchao": (
        {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_data": {}}}},
        lambda rows, columns: [(rows * columns, stored.BYTE), (rows, stored.FP32), (rows, stored.BYTE)],
    ),
    "torchao-int4": (
        {
            "quant_method": "torchao",
            "quant_type": {"default": {"_type": "Int4WeightOnlyConfig", "_data": {"group_size": 64}}},
        },
        stored.hqq,
    ),
    "quark-fp8": (
        {
            "quant_method": "quark",
            "global_quant_config": {"weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}},
            "exclude": ["lm_head"],
        },
        stored.fp8_matrix,
    ),
    "quark-mxfp4": (
        {
            "quant_method": "quark",
            "global_quant_config": {"weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32}},
            "exclude": ["lm_head"],
        },
        stored.mxfp4,
    ),
    "eetq": ({"quant_method": "eetq"}, stored.fp8_rows),
    "bitnet": ({"quant_method": "bitnet"}, lambda rows, columns: [(rows * columns // 4, 1), (1, stored.HALF)]),
}


@pytest.mark.parametrize(("quantization", "tensors"), FOLLOWED.values(), ids=FOLLOWED)
def test_weights_follow_the_format(quantization, tensors):
    """To the byte, with scales, zero points, codebooks and group indexes; tables and the head take 2 bytes a weight."""
    model = llama(quantization)
    assert (model.status, model.totals["weights_bytes"]) == ("ok", weights(tensors))
    assert type(model.totals["weights_bytes"]) is int
    (note,) = model.notes
    assert re.search(r"[\d.]+ bits per weight of linear layers, except for LM head", note)


def test_mlx_quantizes_tables_too():
    """Every repository of mlx-community has `quantization` without a method; its tables and its head are quantized."""
    model = flopsheet.evaluate({**LLAMA, "quantization": {"group_size": 64, "bits": 4}})
    expected = weights(stored.mlx, head=True) - HEAD * 2 + stored.size(stored.mlx(128256, 4096))
    assert (model.status, model.totals["weights_bytes"]) == ("ok", expected)


def test_entries_by_module_have_a_width_of_their_own():
    """MLX and ModelOpt say of single modules how they are stored; false is plain."""
    entries = {f"model.layers.{i}.mlp.down_proj": {"group_size": 64, "bits": 8} for i in range(4)}
    mixed = {"group_size": 64, "bits": 4, "lm_head": False, **entries, "model.layers.0.self_attn.q_proj": False}
    model = flopsheet.evaluate({**LLAMA, "quantization": mixed})
    wider = 4 * (stored.size(stored.mlx(4096, 14336, 8)) - stored.size(stored.mlx(4096, 14336)))
    plain = 4096 * 4096 * 2 - stored.size(stored.mlx(4096, 4096))
    table = stored.size(stored.mlx(128256, 4096)) - HEAD * 2
    assert model.totals["weights_bytes"] == weights(stored.mlx) + wider + plain + table


def test_mixed_precision_of_modelopt():
    """Layers that the list leaves out keep their type."""
    layers = {
        **{
            f"model.layers.{i}.mlp.{m}_proj": {"quant_algo": "NVFP4"} for i in range(32) for m in ("gate", "up", "down")
        },
        **{f"model.layers.{i}.self_attn.o_proj": {"quant_algo": "FP8"} for i in range(32)},
    }
    model = llama({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers})
    own = 32 * (2 * [stored.size(stored.nvfp4(14336, 4096))] + [stored.size(stored.nvfp4(4096, 14336))])
    own += 32 * [stored.size(stored.fp8_matrix(4096, 4096))]
    plain = ALL - 32 * (3 * 4096 * 14336 + 4096 * 4096)
    assert (model.status, model.totals["weights_bytes"]) == ("ok", plain * 2 + sum(own))


def test_groups_of_compressed_tensors():
    """Each group of a config has a format and modules of its own."""
    groups = {
        "group_0": {
            "targets": [r"re:.*mlp\..*"],
            "weights": {"num_bits": 4, "strategy": "tensor_group", "group_size": 16},
            "format": "nvfp4-pack-quantized",
        },
        "group_1": {
            "targets": [r"re:.*self_attn\.(q|k|v|o)_proj$"],
            "weights": {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True},
            "format": "float-quantized",
        },
    }
    model = llama(
        {"quant_method": "compressed-tensors", "format": "mixed-precision", "config_groups": groups, "ignore": []}
    )
    own = [stored.size(stored.fp8_rows(*one)) for one in MATRICES[:4]]
    own += [stored.size(stored.nvfp4(*one)) for one in MATRICES[4:]]
    assert (model.status, model.totals["weights_bytes"]) == ("ok", (ALL - LINEAR) * 2 + 32 * sum(own))


NVFP4 = {"quant_method": "modelopt", "quant_algo": "NVFP4"}
SHARES = {
    "one layer of many": (["lm_head", "model.layers.31.mlp*"], {(31, j) for j in (4, 5, 6)}),
    "layers by a glob": (
        ["lm_head", *(f"model.layers.{i}*" for i in range(3))],
        {(i, j) for i in (0, 1, 2, *range(10, 30)) for j in range(7)},
    ),
    "a layer with a dot": (["lm_head", "model.layers.1.*"], {(1, j) for j in range(7)}),
    "layer by layer": (
        ["lm_head", "model.layers.0.mlp", "model.layers.31.mlp"],
        {(i, j) for i in (0, 31) for j in (4, 5, 6)},
    ),
    "some modules": (["lm_head", "re:.*down_proj"], {(i, 6) for i in range(32)}),
    "layers by a pattern": (
        ["lm_head", r"re:.*layers\.[0-3]\.mlp.*"],
        {(i, j) for i in range(4) for j in (4, 5, 6)},
    ),
    "one module": (["lm_head", "model.layers.7.self_attn.k_proj"], {(7, 1)}),
    "a pattern of the end of a name": (["lm_head", "re:.*up_proj"], {(i, 5) for i in range(32)}),
    "a pattern inside a name": (["lm_head", "re:.*gate"], {(i, 4) for i in range(32)}),
    "a glob inside a name": (["lm_head", "*gate*"], {(i, 4) for i in range(32)}),
    "joined names of other types": (["lm_head", "re:.*qkv_proj"], set()),
}


@pytest.mark.parametrize(("listed", "plain"), SHARES.values(), ids=SHARES)
def test_lists_may_name_some_layers_and_some_modules(listed, plain):
    """A group's share is what the list leaves of it, to the byte."""
    model = llama({**NVFP4, "ignore": listed})
    assert (model.status, model.totals["weights_bytes"]) == ("ok", weights(stored.nvfp4, plain=plain))


def test_joined_modules_have_their_own_names():
    """Phi-3 keeps gate and up in one module: a pattern of the end of its name leaves both plain."""
    phi = {"model_type": "phi3", "hidden_size": 3072, "num_hidden_layers": 32, "architectures": ["Phi3ForCausalLM"]}
    plain, none = (
        flopsheet.evaluate({**phi, "quantization_config": {**NVFP4, "ignore": ["lm_head", *listed]}})
        for listed in (["re:.*up_proj", "re:.*qkv_proj"], [r"re:.*\.up_proj"])
    )
    assert (plain.status, none.status) == ("ok", "ok")
    down, out = 32 * 8192 * 3072, 32 * 3072 * 3072
    assert plain.numbers["quantized_weights"] == pytest.approx(down + out)
    assert none.numbers["quantized_weights"] == 4 * out + 3 * down


@pytest.mark.parametrize("model_type", ["chatglm", "qwen3_moe"])
def test_patterns_for_some_of_the_names_that_a_module_may_have_are_not_understood(model_type):
    """Of types that transformers does not have, and of routed experts, it is not known what is joined."""
    listed = {**NVFP4, "ignore": ["lm_head", "re:.*up_proj"]}
    model = flopsheet.evaluate({"model_type": model_type, "quantization_config": listed})
    assert model.status == "approximate"
    assert "re:.*up_proj is for some of " in " ".join(model.problems)


@pytest.mark.parametrize("pattern", [r"-:model\.layers\.\d+\.mlp\.down_proj", r"-:.*layers\.\d+\.mlp\.down"])
def test_patterns_of_gptqmodel_leave_modules_plain(pattern):
    """What begins with a minus is not quantized; the rest of the name is a pattern, whole."""
    model = llama({"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {pattern: {}}})
    down = {(layer, 6) for layer in range(LAYERS)}
    assert (model.status, model.totals["weights_bytes"]) == ("ok", weights(stored.gptq, plain=down))


def test_parameters_flops_and_training_stay():
    """A checkpoint's type changes neither what is computed nor what training holds."""
    plain, quantized = flopsheet.evaluate(LLAMA), llama(FOLLOWED["awq"][0])
    same = ("parameters", "flops_forward", "training_state_bytes", "kv_cache_bytes")
    assert [plain.totals[name] for name in same] == [quantized.totals[name] for name in same]


NOT_FOLLOWED = {
    "method": ({"quant_method": "vptq"}, "the method is not known"),
    "a word for the method": (
        "int4",
        "(int4), but weights_bytes takes weight_dtype_bytes per weight: the method is not",
    ),
    "unnamed": ({"wbits": 4, "group_size": 64}, "the method is not known"),
    "bits": ({"quant_method": "awq", "bits": 3}, "its fields are not understood"),
    "overrides": ({"quant_method": "gptq", "bits": 4, "dynamic": {"+:.*down.*": {"bits": 5}}}, "its fields are not"),
    "a group without weights": (
        packed("pack-quantized", num_bits=4) | {"config_groups": {"group_0": {}, "group_1": {}}},
        "weights is not a table",
    ),
    "a text for a number": ({"quant_method": "gptq", "bits": 4, "group_size": "all"}, "its fields are not understood"),
    "unknown modules": (
        {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "self_attn.kv_b_proj"]},
        "self_attn.kv_b_proj is an unknown module",
    ),
    "a pattern without end": (
        {"quant_method": "fp8", "modules_to_not_convert": [r"re:(.+)+!"]},
        "re:(.+)+! is not a simple pattern",
    ),
    "no pattern": ({"quant_method": "fp8", "modules_to_not_convert": ["re:*"]}, "re:* is not a pattern"),
    "a format of other types": ({"quant_method": "mxfp4"}, "it is for none of the model's matrices"),
    "nothing at all": ({**NVFP4, "ignore": ["*"]}, "it is for none of the model's matrices"),
}


@pytest.mark.parametrize(("quantization", "reason"), NOT_FOLLOWED.values(), ids=NOT_FOLLOWED)
def test_what_is_not_understood_takes_the_default_and_is_approximate(quantization, reason):
    """Two bytes a weight, as the contract has it, never a guess, and never called exact."""
    model = llama(quantization)
    assert (model.status, model.totals["weights_bytes"]) == ("approximate", 2 * ALL)
    (problem,) = model.problems
    assert "weight_dtype_bytes per weight: " in problem
    assert reason in problem


def test_an_average_width_is_approximate():
    """EXL2 gives each matrix a width of its own, and the file says the average alone."""
    model = llama({"quant_method": "exl2", "bits": 4.0, "head_bits": 6})
    assert model.status == "approximate"
    assert model.totals["weights_bytes"] == (ALL - LINEAR - HEAD) * 2 + LINEAR / 2 + HEAD * 6 / 8


def test_compressed_tensors_ignores_modules_by_their_whole_names():
    """A list that names a layer's attention as such, next to one projection, leaves out that projection alone."""
    listed = ["lm_head", "model.layers.0.self_attn", "model.layers.0.self_attn.k_proj"]
    scheme = packed("pack-quantized", num_bits=4, type="int", strategy="group", group_size=128)
    model = llama({**scheme, "ignore": listed})
    assert (model.status, model.totals["weights_bytes"]) == ("ok", weights(stored.packed, plain={(0, 1)}))


def test_experts_that_are_listed_in_part_are_not_understood():
    """One expert of many stands for the others only where all are named."""
    config = {"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "num_experts": 8}
    listed = [f"model.layers.{i}.mlp.experts.0.up_proj" for i in range(24)]
    model = flopsheet.evaluate({**config, "quantization_config": {**NVFP4, "ignore": listed}})
    assert model.status == "approximate"
    assert "for 1 of 8 experts" in model.problems[0]


NF4 = {"quant_method": "bitsandbytes", "load_in_4bit": True}
QWEN3_MOE = {"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 2048}
QWEN3_MOE |= {"num_hidden_layers": 24}
SWITCH = {"model_type": "switch_transformers", "architectures": ["SwitchTransformersForConditionalGeneration"]}
SWITCH |= {"d_model": 768, "num_layers": 12}


@pytest.mark.parametrize(
    ("config", "version", "share", "is_noted"),
    [
        (QWEN3_MOE, "4.57.1", 1, False),
        (QWEN3_MOE, "5.0.0.dev0", 0, False),
        (QWEN3_MOE, None, 1, True),
        (SWITCH, "5.24.0", 1, False),
    ],
    ids=["4", "5", "unknown", "linear"],
)
def test_bitsandbytes_leaves_experts_plain_that_are_one_array(config, version, share, is_noted):
    """Since transformers 5 most classes hold experts as parameters of three dimensions, and it converts nn.Linear."""
    model = flopsheet.evaluate({**config, "transformers_version": version, "quantization_config": NF4})
    assert (model.status, model.dimensions["quantized_experts"]) == ("ok", share)
    assert any("quantized_experts = 0" in note for note in model.notes) == is_noted


def test_a_list_without_the_head_quantizes_it():
    """The head stays plain only where no list is given, or one that names it: transformers does the same."""
    model = llama({"quant_method": "fp8", "weight_block_size": None, "modules_to_not_convert": ["gate"]})
    assert model.totals["weights_bytes"] == weights(
        lambda rows, columns: stored.fp8_matrix(rows, columns, 1), head=True
    )


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
    assert before["totals"]["weights_bytes"] == weights(stored.awq)
    assert [before[key] for key in ("totals", "dimensions", "notes")] == [
        *(after[key] for key in ("totals", "dimensions", "notes"))
    ]


VICUNA_30B = LLAMA | {
    "hidden_size": 6656,
    "intermediate_size": 17920,
    "num_hidden_layers": 60,
    "num_attention_heads": 52,
    "num_key_value_heads": 52,
    "vocab_size": 32000,
}
GPTQ_FILES = {
    (3, -1): 12_924_188_176,
    (3, 128): 13_509_984_992,
    (4, 128): 17_554_104_608,
    (4, 64): 18_181_100_544,
    (4, 32): 19_435_090_976,
    (8, -1): 32_990_628_688,
    (8, 128): 33_730_582_288,
}
"""Bytes of the published files of Wizard-Vicuna-30B-Uncensored-GPTQ, by bits and group size."""
ZERO_BIASES = 60 * (5 * 6656 + 2 * 17920) * 2
"""What AutoGPTQ of that time stored with each matrix."""
HEADER = 300_000


@pytest.mark.parametrize(("form", "size"), GPTQ_FILES.items(), ids=str)
def test_published_files_of_gptq(form, size):
    """A file holds the weights to the byte, biases of zeros that AutoGPTQ then stored, and its header."""
    bits, group = form
    stored_so = {"quant_method": "gptq", "bits": bits, "group_size": group}
    model = flopsheet.evaluate(VICUNA_30B | {"quantization_config": stored_so})
    header = size - ZERO_BIASES - model.totals["weights_bytes"]
    assert HEADER * 0.8 < header < HEADER


def test_a_published_checkpoint_of_mlx():
    """Qwen3.5-9B-MLX-8bit: metadata.total_size of its index; `A_log` of 24 layers and 32 heads takes 4 bytes there."""
    text = {
        "model_type": "qwen3_5_text",
        "attn_output_gate": True,
        "full_attention_interval": 4,
        "head_dim": 256,
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": 128,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_value_head_dim": 128,
        "num_attention_heads": 16,
        "num_hidden_layers": 32,
        "num_key_value_heads": 4,
        "vocab_size": 248320,
    }
    vision = {
        "model_type": "qwen3_5_vision",
        "depth": 27,
        "hidden_size": 1152,
        "in_channels": 3,
        "intermediate_size": 4304,
        "num_heads": 16,
        "num_position_embeddings": 2304,
        "out_hidden_size": 4096,
        "patch_size": 16,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "deepstack_visual_indexes": [],
    }
    model = flopsheet.evaluate(
        {
            "model_type": "qwen3_5",
            "architectures": ["Qwen3_5ForConditionalGeneration"],
            "quantization": {"group_size": 64, "bits": 8, "mode": "affine"},
            "text_config": text,
            "vision_config": vision,
            "tie_word_embeddings": False,
        }
    )
    assert (model.status, model.totals["weights_bytes"]) == ("ok", 10_426_433_504 - 24 * 32 * 2)


@pytest.mark.parametrize(("bits", "saved"), [(0, 0), (4, 3 / 2), (8, 1)])
def test_bits_of_chatglm(bits, saved):
    """`quantization_bit` of its own code: the matrices of all blocks, with a 16-bit scale for each row."""
    config = {"model_type": "chatglm", "hidden_size": 4096, "num_layers": 28, "add_qkv_bias": True}
    config |= {"multi_query_attention": True, "multi_query_group_num": 2}
    plain, packed = (flopsheet.evaluate(config | {"quantization_bit": number}) for number in (None, bits))
    rows, weights = 28 * (4608 + 4096 + 2 * 13696 + 4096), 28 * 4096 * (4608 + 4096 + 3 * 13696)
    assert packed.status == plain.status == "ok"
    assert plain.totals["weights_bytes"] - packed.totals["weights_bytes"] == saved * weights - (2 * rows if bits else 0)


def test_a_word_for_a_format_is_told():
    """MLC writes `quantization` = q4f16_1: its weights are not what the config's sizes take in 16 bits."""
    model = flopsheet.evaluate({**LLAMA, "quantization": "q4f16_1"})
    assert model.status == "approximate"
    assert "(q4f16_1)" in model.problems[0]


def test_routers_that_mlx_holds_as_arrays_stay_plain():
    """nn.quantize takes linear layers: DeepSeek's gates are arrays of their own in mlx-lm, Mixtral's are not."""
    mlx = {"quantization": {"group_size": 64, "bits": 4}}
    assert flopsheet.evaluate({"model_type": "deepseek_v3", **mlx}).dimensions["quantized_router"] == 0
    assert flopsheet.evaluate({"model_type": "mixtral", **mlx}).dimensions["quantized_router"] == 1


MLLAMA = {
    "model_type": "mllama",
    "architectures": ["MllamaForConditionalGeneration"],
    "text_config": {
        "model_type": "mllama_text_model",
        "hidden_size": 4096,
        "num_hidden_layers": 40,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 14336,
        "vocab_size": 128256,
        "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38],
    },
    "vision_config": {"model_type": "mllama_vision_model", "intermediate_layers_indices": [3, 7, 15, 23, 30]},
}
CHANNELS = packed("float-quantized", num_bits=8, type="float", strategy="channel")


def test_layers_that_look_at_images_are_quantized_as_the_others():
    """Llama 3.2 Vision: all 40 layers of its language model take a byte per weight, and 2 for each row."""
    listed = ["re:.*lm_head", "re:multi_modal_projector.*", "re:vision_model.*"]
    model = flopsheet.evaluate({**MLLAMA, "quantization_config": CHANNELS | {"ignore": listed}})
    converted, rows = 8_724_152_320, 40 * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096)
    assert model.status == "ok"
    assert model.totals["weights_bytes"] == 2 * (model.totals["parameters"] - converted) + converted + 2 * rows


def test_linear_layers_that_no_format_is_known_of_are_told():
    """Doge's projection of its mask is a small linear layer, which a list may name or leave out."""
    doge = {"model_type": "doge", "hidden_size": 1024, "num_hidden_layers": 32, "architectures": ["DogeForCausalLM"]}
    model = flopsheet.evaluate({**doge, "quantization_config": CHANNELS})
    assert model.status == "approximate"
    assert "what is stored of other_matrices is not known" in " ".join(model.problems)


def test_linear_layers_that_no_token_passes_are_told():
    """LED's projections of global tokens are linear layers, which bitsandbytes converts with the others."""
    led = {"model_type": "led", "architectures": ["LEDForConditionalGeneration"]}
    model = flopsheet.evaluate({**led, "quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}})
    assert model.status == "approximate"
    assert "what is stored of encoder_global_qkv is not known" in " ".join(model.problems)


def test_patterns_that_may_be_for_a_layer_without_a_known_name_are_not_understood():
    """RWKV's layers have names of their own: a pattern may mean them, a name spelled out of another does not."""
    rwkv = {"model_type": "rwkv", "hidden_size": 768, "num_hidden_layers": 12, "architectures": ["RwkvForCausalLM"]}
    spelled, pattern = (
        flopsheet.evaluate({**rwkv, "quantization_config": CHANNELS | {"ignore": ["head", *listed]}})
        for listed in ([], ["re:.*feed_forward.key"])
    )
    assert (spelled.status, pattern.status) == ("ok", "approximate")
    assert "whether re:.*feed_forward.key is for" in " ".join(pattern.problems)


def test_every_linear_layer_of_a_language_model_is_known_to_formats():
    """Each has a place in checkpoints, or its shape is unknown, or it is told, or it is one of the few listed here."""
    unplaced = {"attention_square", "mlp_square", "shared_kv", "shared_projection"}
    unplaced |= {"attention_router", "altup_projections", "altup_router", "laurel"}
    unplaced |= {"relative_states", "router_sinks", "dynamic_conv"}
    unplaced |= {f"{kind}_mixing_{end}" for kind in ("channel", "time") for end in ("in", "out", "gate")}
    lines = {
        line.name
        for ledger in load().every_ledger().values()
        for line in quantizable(*lines_of(ledger))
        if line.rows and line.sides and place_of(line.name) is None
    }
    assert lines <= unplaced


FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
BOTH = ["lm_head", "vision_model", "multi_modal_projector"]
TOWERS = {
    "exempt": (CHANNELS | {"ignore": ["lm_head", "re:vision_model.*", "re:multi_modal_projector.*"]}, ""),
    "exempt by globs": ({**NVFP4, "ignore": ["lm_head", "model.vision_model*", "*projector*"]}, ""),
    "exempt by names": ({**FP8, "modules_to_not_convert": BOTH}, ""),
    "no list": ({"quant_method": "eetq"}, "eetq quantizes towers too (vision_model, multi_modal_projector)"),
    "others": (CHANNELS, "compressed-tensors quantizes towers too (vision_model, multi_modal_projector)"),
    "layers of prediction": ({**NVFP4, "ignore": ["lm_head", "mtp*"]}, "(vision_model, multi_modal_projector)"),
    "mlx": ({"quant_method": "mlx", "bits": 4, "group_size": 64}, "mlx quantizes towers too (multi_modal_projector)"),
    "a part": ({**FP8, "modules_to_not_convert": BOTH[:2]}, "fp8 quantizes towers too (multi_modal_projector)"),
    "rows": ({"quant_method": "fbgemm_fp8", "modules_to_not_convert": BOTH[:1]}, "(vision_model, multi_modal_project"),
}


@pytest.mark.parametrize(("quantization", "reason"), TOWERS.values(), ids=TOWERS)
def test_towers_that_no_list_leaves_out_are_told(quantization, reason):
    """They are counted at two bytes a weight, which is right only where the format's list names each of them."""
    model = flopsheet.evaluate({**MLLAMA, "quantization_config": quantization})
    assert model.status == ("approximate" if reason else "ok"), model.problems
    assert reason in " ".join(model.problems)


def test_what_the_language_model_alone_says_is_not_of_towers():
    """Kimi K2.5 has its quantization_config inside text_config."""
    text = MLLAMA["text_config"] | {"quantization_config": CHANNELS}
    assert flopsheet.evaluate({**MLLAMA, "text_config": text}).status == "ok"


OPT_350M = {"model_type": "opt", "architectures": ["OPTForCausalLM"], "hidden_size": 1024, "ffn_dim": 4096}
OPT_350M |= {"word_embed_proj_dim": 512, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 50272}


@pytest.mark.parametrize(
    ("quantization", "share"),
    [
        ({"quant_method": "gptq", "bits": 4}, 0),
        ({"quant_method": "awq", "bits": 4}, 0),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 1),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "llm_int8_skip_modules": ["project_in"]}, 0.5),
    ],
)
def test_some_methods_quantize_layers_alone(quantization, share):
    """OPT-350m projects its narrow embeddings before and after its layers, which GPTQ and AWQ go through."""
    model = flopsheet.evaluate(OPT_350M | {"quantization_config": quantization})
    assert (model.status, model.dimensions["quantized_other"]) == ("ok", share)


T5_SMALL = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": 32128, "d_model": 512}
T5_SMALL |= {"d_ff": 2048, "d_kv": 64, "num_layers": 6, "num_heads": 8}
T5_OUT = "DenseReluDense.wo"


@pytest.mark.parametrize(
    ("listed", "plain"),
    [
        (None, {T5_OUT: 12}),
        (["decoder.block.0.layer.2.DenseReluDense.wi"], {T5_OUT: 12, "DenseReluDense.wi": 1}),
        (["encoder.block.1.layer.0.SelfAttention.q"], {T5_OUT: 12, "q": 1}),
    ],
    ids=["unlisted", "decoder", "encoder"],
)
def test_t5_keeps_its_mlps_outputs_and_what_a_list_names_of_one_stack(listed, plain):
    """The class keeps `wo` in fp32 (T5PreTrainedModel), so that no quantizer of transformers converts it."""
    quantization = {"quant_method": "bitsandbytes", "load_in_4bit": True, "llm_int8_skip_modules": listed}
    quantization |= {} if listed is None else {"llm_int8_skip_modules": ["lm_head", *listed]}
    model = flopsheet.evaluate({**T5_SMALL, "quantization_config": quantization})
    whole = flopsheet.evaluate(T5_SMALL).totals["weights_bytes"]
    numbers = {"q": (18 * 4, 512 * 512), "DenseReluDense.wi": (12, 512 * 2048), T5_OUT: (12, 2048 * 512)}
    saved = sum(
        (count - plain.get(name, 0)) * (2 * size - stored.size(stored.nf4(size // 512, 512)))
        for name, (count, size) in numbers.items()
    )
    assert (model.status, model.totals["weights_bytes"]) == ("ok", whole - saved)


def test_mlx_leaves_matrices_whose_columns_are_no_whole_groups():
    """mlx-lm's quantize_model: SmolLM2's 576 columns in groups of 128; down_proj has 1,536."""
    sizes = {"hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9}
    sizes |= {"num_key_value_heads": 3, "vocab_size": 49152, "tie_word_embeddings": True}
    plain = flopsheet.evaluate({**LLAMA, **sizes}).totals["weights_bytes"]
    model = flopsheet.evaluate({**LLAMA, **sizes, "quantization": {"bits": 4, "group_size": 128}})
    saved = 30 * 576 * 1536 * (16 - 4.25) / 8
    assert (model.status, model.totals["weights_bytes"]) == ("ok", plain - saved)


@pytest.mark.parametrize(
    "field", [{"kv_cache_scheme": {"num_bits": 8, "type": "float"}}, {"kv_cache_quant_algo": "FP8"}]
)
def test_a_checkpoint_that_asks_for_quantized_caches_is_told_how(field):
    """NVIDIA's and llm-compressor's: what caches take is an input, whatever a checkpoint asks for."""
    (name,) = field
    model = llama(W4A16 | field)
    assert f"{name} asks for quantized keys and values" in " ".join(model.notes)
    assert "asks for" not in " ".join(llama(W4A16 | {name: None}).notes)


W4A16 = packed("pack-quantized", num_bits=4, type="int", strategy="group", group_size=128)
OF_LINEAR = W4A16["config_groups"]["group_0"]
OTHER_LAYOUTS = {
    "tables": W4A16 | {"config_groups": {"0": OF_LINEAR | {"targets": ["Linear", "Embedding"]}}},
    "tables apart": W4A16 | {"config_groups": {"0": OF_LINEAR, "1": OF_LINEAR | {"targets": ["Embedding"]}}},
    "2:4": W4A16 | {"sparsity_config": {"format": "sparse-24-bitmask", "sparsity_structure": "2:4"}},
    "rotations": W4A16 | {"transform_config": {"config_groups": {"R1": {"type": "hadamard"}}}},
    "marlin": {"quant_method": "gptq", "bits": 4, "group_size": 128, "checkpoint_format": "marlin"},
    "gemv_fast": {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemv_fast"},
    "no zero points": {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": False},
}


@pytest.mark.parametrize("quantization", OTHER_LAYOUTS.values(), ids=OTHER_LAYOUTS)
def test_layouts_of_other_bytes_are_not_taken_for_the_usual_one(quantization):
    """Zeros that are left out, matrices next to the weights, and scales and zero points packed otherwise."""
    model = llama(quantization)
    assert (model.status, "understood" in model.problems[0]) == ("approximate", True)


@pytest.mark.parametrize("sparsity", [{}, {"format": "dense"}], ids=["nothing", "dense"])
def test_dense_weights_are_the_usual_layout(sparsity):
    """llm-compressor writes both."""
    model = llama(W4A16 | {"sparsity_config": sparsity, "transform_config": {}})
    assert (model.status, model.totals["weights_bytes"]) == ("ok", llama(W4A16).totals["weights_bytes"])
