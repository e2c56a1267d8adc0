"""Descriptions of models in files of other programs: GGUF, params.json, litgpt, NeMo, Megatron, PEFT, Ollama."""

import json
import shutil
import struct
import sys
from pathlib import Path
from types import ModuleType

import pytest
from gguf_files import LLAMA, gguf, llama_tensors, numbers_of, write
from planner import run
from samples import CONFIGS

import flopsheet
from flopsheet import Description, ModelReader, hookimpl
from flopsheet.configs.inputs import expand, read_inputs
from flopsheet.configs.readers import model_reader_of
from flopsheet.host.loading import load

HF_LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "num_hidden_layers": 3,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "max_position_embeddings": 2048,
}


def shown(path):
    """Return what a file costs."""
    return flopsheet.evaluate(str(path))


def refused(path):
    """Return the one sentence that a file is refused with."""
    model = shown(path)
    assert model.status == "error"
    (sentence,) = model.problems
    assert "\n" not in sentence
    return sentence


def test_a_gguf_file_is_the_model_that_its_config_is(tmp_path):
    """Parameters, FLOP and caches are those of the transformers config, and the list of tensors confirms them."""
    model, config = shown(write(tmp_path / "llama.gguf")), flopsheet.evaluate(HF_LLAMA)
    assert model.status == "ok"
    assert model.model.stored.parameters == model.totals["parameters"] == config.totals["parameters"]
    for name in ("flops_forward", "kv_cache_bytes"):
        assert model.totals[name] == config.totals[name]


def test_weights_of_a_gguf_file_take_the_bytes_of_their_types(tmp_path):
    """4.5 bits of Q4_K, 6.5625 of Q6_K, and 32 of norms: what the file stores, to the byte."""
    tensors = llama_tensors()
    model = shown(write(tmp_path / "llama.gguf", tensors=tensors))
    stored = sum(count * {12: 144 / 256, 14: 210 / 256, 0: 4}[kind] for count, kind in numbers_of(tensors))
    assert (model.totals["weights_bytes"], type(model.totals["weights_bytes"])) == (stored, int)
    assert f"{int(stored):,} bytes" in " ".join(model.notes)
    assert model.dimensions["kv_dtype_bytes"] == 2


def test_a_gguf_file_whose_tensors_differ_is_approximate(tmp_path):
    """The list of tensors is what counts."""
    path = write(tmp_path / "llama.gguf", {**LLAMA, "llama.block_count": 4})
    assert "against it" in shown(path).problems[0]


def test_a_key_that_is_not_understood_is_approximate(tmp_path):
    """It may change the count."""
    path = write(tmp_path / "llama.gguf", {**LLAMA, "llama.widening": 3})
    assert shown(path).problems == ["llama.widening = 3 is not understood: it may change the count"]


def test_a_gguf_file_in_parts_is_one_model(tmp_path):
    """All parts are compared; where some are missing, that is said."""
    tensors = list(llama_tensors().items())
    split = {**LLAMA, "split.count": 2}
    names = [tmp_path / f"llama-0000{part}-of-00002.gguf" for part in (1, 2)]
    write(names[0], {**split, "split.no": 0}, dict(tensors[:9]))
    assert "1 of 2 parts are not here" in shown(names[0]).problems[0]
    write(names[1], {"split.no": 1, "split.count": 2}, dict(tensors[9:]))
    assert shown(names[0]).status == "ok"
    assert "part 2 of a GGUF model" in refused(names[1])
    assert expand(str(tmp_path), load()) == [str(names[0])]


OTHER_GGUF = {
    "projector": ({"general.architecture": "clip"}, "a vision projector (mmproj)"),
    "adapter": ({"general.architecture": "llama", "general.type": "adapter"}, "a LoRA adapter"),
    "unknown": ({"general.architecture": "nobody"}, "the architecture 'nobody', which is not read"),
    "nameless": ({}, "does not say general.architecture"),
}


@pytest.mark.parametrize(("metadata", "said"), OTHER_GGUF.values(), ids=OTHER_GGUF)
def test_other_gguf_files_are_named_for_what_they_are(tmp_path, metadata, said):
    """No count is made of them."""
    assert said in refused(write(tmp_path / "m.gguf", metadata))


HEAD = b"GGUF" + struct.pack("<I", 3)
HOSTILE = {
    "version 1": (b"GGUF" + struct.pack("<III", 1, 0, 0), "version 1"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "version 9": (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "versions 2 and 3 are read"),
    "magic alone": (b"GGUF", "cut short"),
    "keys claimed": (HEAD + struct.pack("<QQ", 0, 2**60), "claims 1,152,921,504,606,846,976 metadata keys"),
    "tensors claimed": (HEAD + struct.pack("<QQ", 2**60, 0), "claims 1,152,921,504,606,846,976 tensors"),
    "text claimed": (HEAD + struct.pack("<QQQ", 0, 1, 2**40), "claims 1,099,511,627,776 bytes"),
    "key cut": (HEAD + struct.pack("<QQQ", 0, 1, 2**20) + b"x", "cut short"),
    "list claimed": (HEAD + struct.pack("<QQQ1sIIQ", 0, 1, 1, b"k", 9, 4, 2**50), "items; at most"),
    "list cut": (HEAD + struct.pack("<QQQ1sIIQ", 0, 1, 1, b"k", 9, 4, 2**22), "cut short"),
    "list in a list in a list": (
        HEAD + struct.pack("<QQQ1sI", 0, 1, 1, b"k", 9) + struct.pack("<IQ", 9, 1) * 9,
        "unknown type 9",
    ),
    "type unknown": (HEAD + struct.pack("<QQQ1sI", 0, 1, 1, b"k", 77), "unknown type 77"),
    "not text": (HEAD + struct.pack("<QQQ1s", 0, 1, 1, b"\xff"), "damaged"),
    "tensor cut": (gguf(LLAMA, llama_tensors())[:-3], "cut short"),
    "sides claimed": (HEAD + struct.pack("<QQQ1sI", 1, 0, 1, b"t", 2**31), "dimensions; at most"),
}


@pytest.mark.parametrize(("data", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_gguf_header_that_lies_is_one_line(tmp_path, data, said):
    """Nothing that it claims is allocated, and nothing is read beyond its end."""
    (tmp_path / "m.gguf").write_bytes(data)
    assert said in refused(tmp_path / "m.gguf")


def test_every_cut_of_a_gguf_file_is_one_line(tmp_path):
    """Wherever it ends."""
    data, path = gguf(LLAMA, llama_tensors()), tmp_path / "m.gguf"
    for end in range(4, len(data), 97):
        path.write_bytes(data[:end])
        assert refused(path)


def test_a_gguf_tensor_of_an_unknown_type_is_refused(tmp_path):
    """Its bytes would be a guess."""
    tensors = llama_tensors()
    tensors["output.weight"] = ((256, 1000), 250)
    assert "unknown GGML type 250" in refused(write(tmp_path / "m.gguf", LLAMA, tensors))


MISTRAL = {
    "dim": 4096,
    "n_layers": 32,
    "head_dim": 128,
    "hidden_dim": 14336,
    "n_heads": 32,
    "n_kv_heads": 8,
    "norm_eps": 1e-5,
    "vocab_size": 32000,
    "rope_theta": 1e6,
}
META = {
    "dim": 4096,
    "n_layers": 32,
    "n_heads": 32,
    "n_kv_heads": 8,
    "vocab_size": 128256,
    "ffn_dim_multiplier": 1.3,
    "multiple_of": 1024,
    "norm_eps": 1e-5,
    "rope_theta": 5e5,
    "use_scaled_rope": True,
}
LITGPT = """
name: Llama-3-8B
hf_config: {name: Meta-Llama-3-8B, org: meta-llama}
attn_bias: false
bias: false
block_size: 8192
head_size: 128
intermediate_size: 14336
mlp_class_name: LLaMAMLP
n_embd: 4096
n_expert: 0
n_head: 32
n_layer: 32
n_query_groups: 8
norm_class_name: RMSNorm
norm_eps: 1.0e-05
padded_vocab_size: 128256
padding_multiple: 64
parallel_residual: false
rope_base: 500000
shared_attention_norm: false
sliding_window_size: null
vocab_size: 128000
"""
PYTHIA = """
bias: true
block_size: 2048
lm_head_bias: false
mlp_class_name: GptNeoxMLP
n_embd: 4096
n_head: 32
n_layer: 32
n_query_groups: 32
norm_class_name: LayerNorm
padded_vocab_size: 50432
parallel_residual: true
rotary_percentage: 0.25
shared_attention_norm: false
"""
NEMO = """
name: megatron_llama
trainer: {devices: 8}
model:
  encoder_seq_length: 4096
  max_position_embeddings: 4096
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: 11008
  num_attention_heads: 32
  activation: fast-swiglu
  normalization: rmsnorm
  bias: false
  position_embedding_type: rope
  share_embeddings_and_output_weights: false
  vocab_size: 32000
  make_vocab_size_divisible_by: 128
  optim: {lr: 1.0e-4}
"""
MEGATRON = r"""
--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \
  --group-query-attention --num-query-groups 8 --max-position-embeddings 8192 --swiglu --normalization RMSNorm \
  --disable-bias-linear --untie-embeddings-and-output-weights --position-embedding-type rope --vocab-size 128256 \
  --tensor-model-parallel-size 1 --bf16 --lr 3e-4 --no-masked-softmax-fusion  # pretraining
"""
GPT3 = """
--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --max-position-embeddings 1024 --vocab-size 50257
"""
LLAMA_3_8B, LLAMA_2_7B, MIXTRAL_8X7B = 8_030_261_248, 6_738_415_616, 46_702_792_704
PUBLISHED = {
    "Mistral 7B": ("params.json", json.dumps(MISTRAL), 7_241_732_096),
    "Mixtral 8x7B": (
        "params.json",
        json.dumps({**MISTRAL, "moe": {"num_experts": 8, "num_experts_per_tok": 2}}),
        MIXTRAL_8X7B,
    ),
    "Llama 3.1 8B by Meta": ("params.json", json.dumps(META), LLAMA_3_8B),
    "Llama 3 8B by litgpt": ("model_config.yaml", LITGPT, LLAMA_3_8B),
    "Pythia 6.9B by litgpt": ("model_config.yaml", PYTHIA, 6_857_302_016),
    "Llama 2 7B by NeMo": ("model_config.yaml", NEMO, LLAMA_2_7B),
    "Llama 3 8B by Megatron": ("args.txt", MEGATRON, LLAMA_3_8B),
    "GPT-2 medium by Megatron, its table padded to 50,304": ("args.txt", GPT3, 354_823_168 + 47 * 1024),
}
"""Files as their programs write them, and the published parameters of their models."""


@pytest.mark.parametrize(("name", "text", "parameters"), PUBLISHED.values(), ids=PUBLISHED)
def test_a_published_model_has_its_parameters(tmp_path, name, text, parameters):
    """Read from another program's file, and understood in full."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    model = shown(path)
    assert (model.problems, model.totals["parameters"]) == ([], parameters)


DOUBTFUL = {
    "unknown field": ({**MISTRAL, "surprise": 3}, "surprise = 3"),
    "vocabulary of the tokenizer": ({**META, "vocab_size": -1}, "leaves the vocabulary to the tokenizer"),
    "small Llama 3.2": ({**META, "dim": 2048}, "whether the head shares the token table"),
    "vision encoder": ({**MISTRAL, "vision_encoder": {"hidden_size": 1024}}, "vision_encoder.hidden_size = 1024"),
    "quantized": ({**MISTRAL, "quantization": {"qformat_weight": "fp8_e4m3"}}, "weights are quantized"),
}


@pytest.mark.parametrize(("fields", "said"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_a_file_leaves_open_is_approximate(tmp_path, fields, said):
    """The reason is named."""
    (tmp_path / "params.json").write_text(json.dumps(fields), "utf-8")
    model = shown(tmp_path / "params.json")
    assert model.status == "approximate"
    assert said in " ".join(model.problems)


REFUSED = {
    "no vocabulary": ("args.txt", MEGATRON.replace("--vocab-size 128256", ""), "add vocab_size = the number of"),
    "biases of a type without": ("args.txt", MEGATRON.replace("--disable-bias-linear", "--num-experts 8"), "not read"),
    "another MLP": ("model_config.yaml", LITGPT.replace("LLaMAMLP", "GemmaMLP"), "mlp_class_name = 'GemmaMLP'"),
    "aliases": ("model_config.yaml", LITGPT + "x: &a [1]\ny: *a\n", "anchors or aliases"),
    "broken YAML": ("model_config.yaml", LITGPT + "x: [1\n", "invalid YAML"),
    "broken JSON": ("params.json", json.dumps(META)[:-1], "invalid JSON"),
    "a width of text": ("params.json", json.dumps({**META, "dim": "wide"}), "dim = 'wide'"),
    "a factor of text": ("params.json", json.dumps({**META, "ffn_dim_multiplier": "x"}), "a factor such as 1.3"),
    "missing width": ("params.json", json.dumps({**MISTRAL, "vocab_size": None}), "vocab_size"),
}


@pytest.mark.parametrize(("name", "text", "said"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_says_too_little_is_refused(tmp_path, name, text, said):
    """One sentence names what is missing or wrong."""
    (tmp_path / name).write_text(text, "utf-8")
    assert said in refused(tmp_path / name)


def test_megatrons_arguments_may_be_yaml_with_dashes(tmp_path):
    """As the command line takes them."""
    words = [word.partition(" ") for word in MEGATRON.replace("\\\n", " ").split("--")[1:]]
    lines = [f"{name.strip()}: {value.strip() or 'true'}" for name, _, value in words]
    (tmp_path / "args.yaml").write_text("\n".join(lines), "utf-8")
    assert shown(tmp_path / "args.yaml").totals["parameters"] == LLAMA_3_8B


def test_biases_that_are_not_taken_away_are_counted(tmp_path):
    """Megatron's linear layers have biases unless it is told otherwise."""
    (tmp_path / "args.txt").write_text(MEGATRON.replace("--disable-bias-linear", ""), "utf-8")
    biases = 32 * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096)
    assert shown(tmp_path / "args.txt").totals["parameters"] == LLAMA_3_8B + biases


def test_yaml_without_its_library_names_the_extra(tmp_path, monkeypatch):
    """The library is asked for only where a file needs it."""
    (tmp_path / "model_config.yaml").write_text(LITGPT, "utf-8")
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert "pip install 'flopsheet[yaml]'" in refused(tmp_path / "model_config.yaml")


ADAPTER = {
    "peft_type": "LORA",
    "r": 16,
    "lora_alpha": 32,
    "base_model_name_or_path": "../base",
    "target_modules": ["q_proj", "k_proj", "v_proj", "o_proj"],
}


def adapter(folder, **changes):
    """Write an adapter and return its path."""
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps({**ADAPTER, **changes}), "utf-8")
    return folder / "adapter_config.json"


def test_an_adapter_is_its_base_with_its_rank(tmp_path):
    """16 numbers for each row and column of four matrices in 32 layers of Llama 3.1 8B: 13,631,488."""
    shutil.copytree(CONFIGS / "Llama-3.1-8B", tmp_path / "base")
    model = shown(adapter(tmp_path / "adapter"))
    assert (model.status, model.totals["parameters"]) == ("ok", LLAMA_3_8B + 13_631_488)


ADAPTERS = {
    "some matrices": ({"target_modules": ["q_proj", "v_proj"]}, "next to attention_q, attention_v are not counted"),
    "another type": ({"peft_type": "IA3"}, "an adapter of type IA3"),
    "a pattern": ({"target_modules": ".*attn.*"}, "is not read"),
    "one layer": ({"target_modules": ["model.layers.1.self_attn.q_proj"]}, "next to attention_q are not counted"),
    "no matrix": ({"target_modules": ["score"]}, "score, and no linear layer is called so"),
    "a field that nothing reads": ({"target_parameters": ["mlp.experts.gate_up_proj"]}, "target_parameters"),
    "biases": ({"bias": "all"}, "bias = 'all'"),
    "more": ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
}


@pytest.mark.parametrize(("changes", "said"), ADAPTERS.values(), ids=ADAPTERS)
def test_what_of_an_adapter_is_not_counted_is_said(tmp_path, changes, said):
    """The base is counted all the same."""
    shutil.copytree(CONFIGS / "Llama-3.1-8B", tmp_path / "base")
    model = shown(adapter(tmp_path / "adapter", **changes))
    assert (model.status, model.totals["parameters"] >= LLAMA_3_8B) == ("approximate", True)
    assert said in " ".join(model.problems)


def test_an_adapter_without_its_base_names_it(tmp_path):
    """It is needed to count anything."""
    said = refused(adapter(tmp_path / "adapter", base_model_name_or_path="../nowhere"))
    assert "a PEFT adapter of ../nowhere, whose config is needed" in said


def test_a_modelfile_is_the_file_that_it_is_from(tmp_path):
    """Next to it; a name of a registry is named."""
    write(tmp_path / "llama.gguf")
    (tmp_path / "Modelfile").write_text("# mine\nFROM ./llama.gguf\nPARAMETER temperature 1\n", "utf-8")
    assert shown(tmp_path / "Modelfile").status == "ok"
    (tmp_path / "Modelfile").write_text("FROM llama3.1:8b\n", "utf-8")
    assert "an Ollama Modelfile from llama3.1:8b, which is no file" in refused(tmp_path / "Modelfile")


def test_a_manifest_of_ollamas_store_is_its_blob(tmp_path):
    """models/manifests/… names the weights in models/blobs."""
    digest, kind = "a" * 64, "application/vnd.ollama.image.model"
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "llama3.1" / "8b"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"layers": [{"mediaType": kind, "digest": f"sha256:{digest}"}]}), "utf-8")
    assert "which is not in the store" in refused(manifest)
    (tmp_path / "blobs").mkdir()
    write(tmp_path / "blobs" / f"sha256-{digest}")
    assert shown(manifest).status == "ok"


STRANGERS = {
    "safetensors": ("m.safetensors", struct.pack("<Q", 2) + b"{}", "a safetensors file of weights"),
    "safetensors by its beginning": ("m.bin2", struct.pack("<Q", 9) + b'{"a": {}}', "a safetensors file of weights"),
    "pointer": ("m.gguf", b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "a Git LFS pointer"),
    "page": ("config.json2", b"<!DOCTYPE html><html>", "an HTML page"),
    "pickle": ("pytorch_model.bin", b"PK\x03\x04", "a file of weights by PyTorch"),
    "generation": ("generation_config.json", b'{"do_sample": true}', "a generation config"),
    "preprocessor": ("x.json", b'{"image_processor_type": "CLIPImageProcessor"}', "a preprocessor config"),
    "pipeline": (
        "model_index.json",
        b'{"_class_name": "FluxPipeline", "_diffusers_version": "0.30.0", "transformer": []}',
        "a Diffusers model_index.json",
    ),
    "index": ("model.safetensors.index.json", b'{"metadata": {}, "weight_map": {}}', "the index of a checkpoint"),
    "tokenizer": ("tokenizer_config.json", b'{"tokenizer_class": "X"}', "a tokenizer's file"),
    "YAML": ("values.yaml", b"replicas: 3\n", "a YAML file that names no model"),
    "NeMo archive": ("m.nemo", b"./model_config.yaml", "a NeMo archive"),
}


@pytest.mark.parametrize(("name", "data", "said"), STRANGERS.values(), ids=STRANGERS)
def test_a_file_that_describes_no_model_is_named_for_what_it_is(tmp_path, name, data, said):
    """Never as invalid JSON."""
    (tmp_path / name).write_bytes(data)
    sentence = refused(tmp_path / name)
    assert said in sentence
    assert "JSON at" not in sentence


def names(*inputs):
    """Return the names of all models of some inputs."""
    return [model.name for model in read_inputs(load(), [str(one) for one in inputs])[0]]


def test_a_folder_stands_for_its_descriptions(tmp_path):
    """Where it has no config.json, which wins, in folders inside too; what only has such a name is passed over."""
    for name in ("meta", "hf", "hf/original", "none"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "params.json").write_text('{"a": 1}' if name == "none" else json.dumps(META), "utf-8")
    (tmp_path / "hf" / "config.json").write_text(json.dumps(HF_LLAMA), "utf-8")
    (tmp_path / "gguf").mkdir()
    write(tmp_path / "gguf" / "llama.gguf")
    write(tmp_path / "gguf" / "mmproj.gguf", {"general.architecture": "clip"})
    assert names(tmp_path) == ["llama.gguf", "hf", "meta"]


def test_a_portfolio_names_files_and_folders_of_one_model(tmp_path):
    """As `show` does."""
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "params.json").write_text(json.dumps(META), "utf-8")
    write(tmp_path / "llama.gguf")
    entries = "".join(f'[[models]]\nconfig = "{name}"\n' for name in ("meta", "llama.gguf", "meta/params.json"))
    (tmp_path / "plan.toml").write_text(entries, "utf-8")
    models = read_inputs(load(), [str(tmp_path / "plan.toml")])[0]
    assert [model.status for model in models] == ["ok"] * 3
    (tmp_path / "plan.toml").write_text('[[models]]\nconfig = "."\n', "utf-8")
    (model,) = read_inputs(load(), [str(tmp_path / "plan.toml")])[0]
    assert "this folder holds 2 models" in model.errors[0]


def test_a_plugin_reads_a_format_of_its_own(tmp_path):
    """What it recognizes is counted as the config that it gives, and what it raises is the model's error."""

    def read(path):
        if path.read_bytes() == b"mine!":
            return Description(config=HF_LLAMA, parameters=7, source="the file")
        raise ValueError("no")

    reader = ModelReader(title="Mine", recognizes=lambda _, data: data.startswith(b"mine"), read=read)
    plugin = ModuleType("mine")
    plugin.flopsheet_api, plugin.flopsheet_readers = "1.0", hookimpl(lambda: [reader])
    for text in ("mine!", "mine?"):
        (tmp_path / "model.mine").write_text(text, "utf-8")
        model = flopsheet.evaluate(Path(tmp_path / "model.mine"), plugins=[plugin])
        sentence = "the file stores 7 parameters" if text == "mine!" else "model.mine: ValueError: no"
        assert sentence in model.problems[0]


def mine(**answers):
    """Return a plugin that reads files of its own, which begin with `mine`."""
    plugin = ModuleType("mine")
    given = {"recognizes": lambda _, data: data.startswith(b"mine"), "read": lambda _: Description()} | answers
    plugin.flopsheet_api, plugin.flopsheet_readers = "1.0", hookimpl(lambda: [ModelReader(title="Mine", **given)])
    return plugin


DESCRIBED = {
    "no config": (Description(config=None), "Description.config: null; a table is expected"),
    "a text for a list": (
        Description(config=HF_LLAMA, problems="no"),
        "Description.problems: 'no'; a list is expected",
    ),
    "no dimension": (Description(config=HF_LLAMA, given={"n_layerz": 3}), "did you mean 'n_layers'?"),
}


@pytest.mark.parametrize(("described", "said"), DESCRIBED.values(), ids=DESCRIBED)
def test_a_description_that_cannot_be_is_the_models_error(tmp_path, described, said):
    """With the field of the record that is wrong; a value that nothing takes would be lost."""
    (tmp_path / "model.mine").write_text("mine", "utf-8")
    model = flopsheet.evaluate(tmp_path / "model.mine", plugins=[mine(read=lambda _: described)])
    assert model.status == "error"
    assert said in model.problems[0]


def test_a_reader_that_fails_to_recognize_a_file_is_named(tmp_path):
    """The file is left to others, and the plugin is among those that failed."""
    host = load((), (mine(recognizes=lambda *_: {}["head"]),))
    (tmp_path / "model.mine").write_text("mine", "utf-8")
    assert model_reader_of(host, tmp_path / "model.mine") is None
    (failure,) = host.failures
    assert (failure.plugin.name, "KeyError: 'head'" in failure.reason) == ("mine", True)


def test_a_language_of_portfolios_leaves_descriptions_alone(tmp_path):
    """With a plugin that reads portfolios in YAML, litgpt's file is the model that it is."""
    (tmp_path / "model_config.yaml").write_text(LITGPT, "utf-8")
    plugin = CONFIGS.parent / "plugins" / "yaml" / "flopsheet_yaml.py"
    code, text, _ = run("show", tmp_path / "model_config.yaml", "--plugin", plugin)
    assert (code, "8,030,261,248" in text) == (0, True)
