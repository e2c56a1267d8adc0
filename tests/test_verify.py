"""`flopsheet verify`: checkpoints' headers against the count, and the class that transformers builds."""

import importlib.util
import json
import math
import struct

import pytest
from click.testing import CliRunner

from flopsheet.cli import main
from flopsheet.configs.groups import group_of
from flopsheet.errors import ConfigError
from flopsheet.verify import meta
from flopsheet.verify.safetensors_headers import read_header, read_weights
from flopsheet.verify.tensors import Tensor, rows

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 11,
    "dtype": "bfloat16",
}
LAYER = {
    "self_attn.q_proj.weight": (8, 8),
    "self_attn.k_proj.weight": (4, 8),
    "self_attn.v_proj.weight": (4, 8),
    "self_attn.o_proj.weight": (8, 8),
    "mlp.gate_proj.weight": (12, 8),
    "mlp.up_proj.weight": (12, 8),
    "mlp.down_proj.weight": (8, 12),
    "input_layernorm.weight": (8,),
    "post_attention_layernorm.weight": (8,),
}
OUTSIDE = {"model.embed_tokens.weight": (11, 8), "model.norm.weight": (8,), "lm_head.weight": (11, 8)}
PARAMETERS = 2 * (2 * 64 + 2 * 32 + 3 * 96 + 16) + 2 * 88 + 8
TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
needs_torch = pytest.mark.skipif(not TORCH, reason="torch and transformers are not installed")


def llama(layers=2):
    """Return the tensors of the model, by name."""
    return {f"model.layers.{n}.{name}": shape for n in range(layers) for name, shape in LAYER.items()} | OUTSIDE


def write_safetensors(path, shapes, header=None):
    """Write a safetensors file that has a header alone: nothing reads its numbers."""
    header = header or {name: {"dtype": "BF16", "shape": list(shape)} for name, shape in shapes.items()}
    data = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    path.write_bytes(struct.pack("<Q", len(data)) + data)
    return path


@pytest.fixture
def config(tmp_path):
    """Write the model's config, and return its path."""
    return write_config(tmp_path)


def write_config(folder, **changes):
    """Write the model's config with some fields changed, and return its path."""
    path = folder / "config.json"
    path.write_text(json.dumps(LLAMA | changes), "utf-8")
    return path


def verified(*arguments):
    """Run the command; return its status and what it printed, a document where that was asked."""
    done = CliRunner().invoke(main, ["verify", *map(str, arguments)])
    text = done.output
    return done.exit_code, json.loads(text)[0] if "--json" in arguments and done.exit_code < 2 else text


def test_a_checkpoint_that_is_equal(config, tmp_path):
    """In total and in every group."""
    write_safetensors(tmp_path / "model.safetensors", llama())
    status, document = verified(config, "--weights", tmp_path, "--json")
    assert (status, document["equal"]) == (0, True)
    assert document["parameters"] == {"counted": PARAMETERS, "found": PARAMETERS}
    assert all(pair["counted"] == pair["found"] for pair in document["groups"].values())
    (row,) = [row for row in document["tensors"] if row["name"] == "model.layers.*.mlp.up_proj.weight"]
    assert row == {"group": "mlp", "name": row["name"], "shape": [12, 8], "count": 2, "parameters": 192}


def test_a_checkpoint_that_differs_shows_the_group_and_its_tensors(config, tmp_path):
    """A user sees which line stands against which tensor."""
    file = write_safetensors(tmp_path / "other.safetensors", llama() | {"model.layers.0.self_attn.q_proj.bias": (8,)})
    status, text = verified(config, "--weights", file)
    assert status == 1
    assert "NOT EQUAL" in text
    assert "attention_q" in text
    assert "model.layers.*.self_attn.q_proj.bias" in text
    assert "mlp.up_proj" not in text


def test_shards_are_read_through_their_index(config, tmp_path):
    """A second copy of the model beside them is not counted."""
    shapes = llama()
    names = list(shapes)
    parts = {"model-1.safetensors": names[:9], "model-2.safetensors": names[9:]}
    for file, part in parts.items():
        write_safetensors(tmp_path / file, {name: shapes[name] for name in part})
    write_safetensors(tmp_path / "consolidated.safetensors", shapes)
    index = {"metadata": {}, "weight_map": {name: file for file, part in parts.items() for name in part}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    assert verified(config, "--weights", tmp_path)[0] == 0
    assert verified(config, "--weights", tmp_path / "model.safetensors.index.json")[0] == 0


@pytest.mark.parametrize(
    ("metadata", "status"),
    [({"total_parameters": PARAMETERS}, 0), ({"total_size": 2 * PARAMETERS}, 0), ({"total_size": 2}, 1), ({}, 1)],
)
def test_an_index_without_its_files_is_compared_in_total(config, tmp_path, metadata, status):
    """Its metadata names parameters, or bytes of the config's type."""
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": metadata, "weight_map": {"a": "model-1.safetensors"}}), "utf-8")
    assert verified(config, "--weights", index)[0] == status


ASIDE = {
    "a buffer": {"model.layers.0.self_attn.rotary_emb.inv_freq": (2,), "h.0.attn.bias": (1, 1, 8, 8)},
    "a scale of quantized weights": {"model.layers.0.mlp.up_proj.weight_scale_inv": (1, 1)},
    "multi-token prediction": {"mtp.fc.weight": (8, 16), "model.layers.2.mlp.up_proj.weight": (12, 8)},
}


@pytest.mark.parametrize(("reason", "more"), ASIDE.items(), ids=ASIDE)
def test_what_is_stored_and_no_parameter_stands_aside(tmp_path, reason, more):
    """It is shown with its reason, and changes no comparison."""
    config = write_config(tmp_path, num_nextn_predict_layers=1)
    write_safetensors(tmp_path / "model.safetensors", llama() | more)
    _, document = verified(config, "--weights", tmp_path, "--json")
    assert list(document["aside"]) == [reason]
    assert document["equal"]


def write_values(path, shapes, values):
    """Write a safetensors file with two bytes for each number: `values` are the bytes of a tensor, else zeros."""
    header, data = {}, b""
    for name, shape in shapes.items():
        size = 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [len(data), len(data) + size]}
        data += values.get(name, b"\0" * size)
    write_safetensors(path, {}, header)
    path.write_bytes(path.read_bytes() + data)


COPIES = {
    "equal values": ((11, 8), b"\0" * 176, 0, ["a copy of the tied token table"]),
    "values of its own": ((11, 8), b"\1" * 176, 1, []),
    "another shape": ((12, 8), b"\0" * 192, 1, []),
}


@pytest.mark.parametrize(("shape", "values", "status", "aside"), COPIES.values(), ids=COPIES)
def test_a_stored_head_is_a_copy_of_a_tied_table_only_if_it_is(tmp_path, shape, values, status, aside):
    """Some checkpoints store the table twice; others have a head of their own whatever their config says."""
    config = write_config(tmp_path, tie_word_embeddings=True)
    write_values(tmp_path / "model.safetensors", llama() | {"lm_head.weight": shape}, {"lm_head.weight": values})
    result, document = verified(config, "--weights", tmp_path, "--json")
    assert (result, list(document["aside"])) == (status, aside)


def test_a_head_without_values_is_compared_by_its_shape(tmp_path):
    """A file that is a header alone has nothing else to compare, and the reason says so."""
    config = write_config(tmp_path, tie_word_embeddings=True)
    write_safetensors(tmp_path / "model.safetensors", llama())
    _, document = verified(config, "--weights", tmp_path, "--json")
    assert list(document["aside"]) == ["same shape as the tied token table; the file has no values to compare"]


def test_packed_weights_are_said_to_be(config, tmp_path):
    """Their shapes are not those of the weights."""
    write_safetensors(tmp_path / "model.safetensors", llama() | {"model.layers.0.mlp.up_proj.qweight": (1, 8)})
    status, document = verified(config, "--weights", tmp_path, "--json")
    assert status == 1
    assert "packed" in document["remarks"][0]


USAGE = {
    "neither": ([], "choose what to compare with"),
    "FLOP of weights": (["--weights", "x", "--flops"], "add --transformers"),
}


@pytest.mark.parametrize(("arguments", "said"), USAGE.values(), ids=USAGE)
def test_requests_that_make_no_sense(config, arguments, said):
    """They end with status 2 and one sentence."""
    status, text = verified(config, *arguments)
    assert status == 2
    assert said in text


def test_weights_belong_to_one_config(config):
    """Two configs cannot both be what a checkpoint holds."""
    assert verified(config, config, "--weights", "x")[0] == 2


def test_a_config_in_error_is_not_compared(tmp_path):
    """The reason is shown, the status is 1."""
    config = write_config(tmp_path, hidden_size=-8)
    status, text = verified(config, "--weights", tmp_path)
    assert status == 1
    assert "not compared" in text


BAD = {
    "cut short": b"\x10\x00",
    "no header": struct.pack("<Q", 4) + b"abcd",
    "a list": struct.pack("<Q", 2) + b"[]",
    "no shape": struct.pack("<Q", 8) + b'{"a":{}}',
    "huge": struct.pack("<Q", 2**60),
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_files_that_are_no_safetensors(tmp_path, data):
    """Each is one plain error."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match="not a safetensors file"):
        read_header(path)


def test_places_without_weights(tmp_path):
    """A folder without any, and a path that is not there."""
    with pytest.raises(ConfigError, match="holds neither"):
        read_weights(tmp_path, "")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_weights(tmp_path / "missing.safetensors", "")


NAMES = {
    "model.embed_tokens.weight": "embedding",
    "transformer.wpe.weight": "positional",
    "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": "positional",
    "model.layers.0.self_attn.q_norm.weight": "norm",
    "model.layers.0.mlp.gate.weight": "router",
    "model.layers.0.mlp.gate_proj.weight": "mlp",
    "model.layers.0.mlp.experts.gate_up_proj": "experts",
    "model.layers.0.mlp.shared_experts.up_proj.weight": "shared_experts",
    "model.decoder.layers.0.encoder_attn.k_proj.weight": "cross_attention",
    "backbone.layers.0.mixer.conv1d.weight": "conv",
    "backbone.layers.0.mixer.out_proj.weight": "ssm",
    "model.layers.0.self_attn.kv_a_proj_with_mqa.weight": "attention",
    "lm_head.weight": "lm_head",
    "something.else": "other",
}


@pytest.mark.parametrize(("name", "group"), NAMES.items(), ids=NAMES)
def test_groups_by_name(name, group):
    """A convention that shows where to look."""
    assert group_of(name) == group


def test_rows_join_layers_and_experts():
    """One row a pattern and shape."""
    tensors = [Tensor(f"layers.{n}.experts.{m}.w1.weight", (4, 2)) for n in range(3) for m in range(5)]
    (row,) = rows(tensors)
    assert (row.pattern, row.count, row.parameters) == ("layers.*.experts.*.w1.weight", 15, 120)


@pytest.mark.skipif(TORCH, reason="torch and transformers are installed")
def test_without_transformers_the_remedy_is_named(config):
    """The extra that installs it."""
    status, text = verified(config, "--transformers")
    assert status == 2
    assert "pip install 'flopsheet[verify]'" in text


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_the_class_is_built_and_its_flops_measured(config):
    """Parameters and matrix products are equal."""
    status, document = verified(config, "--transformers", "--flops", "--json")
    assert (status, document["equal"]) == (0, True)
    assert document["parameters"]["found"] == PARAMETERS
    assert document["flops"]["counted"] == document["flops"]["found"] > 0


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_a_class_that_asks_for_other_inputs_says_so():
    """SpeechT5 has bands of sound and no table of their positions: why it does not run is told, and nothing crashes."""
    model = meta.build({"model_type": "speecht5", "encoder_layers": 1, "decoder_layers": 1}, "SpeechT5ForTextToSpeech")
    with pytest.raises(ConfigError, match="the class does not run: TypeError"):
        meta.forward_flops(model, 4, 4)


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_a_class_that_transformers_lacks_is_told(tmp_path):
    """As a reason, with status 1."""
    config = write_config(tmp_path, architectures=["LlamaForDreaming"])
    status, text = verified(config, "--transformers")
    assert status == 1
    assert "has no class LlamaForDreaming" in text
