"""Models of the Hugging Face Hub by name, from a server on this machine; no request goes anywhere else."""

import json
import socket
import sys

import pytest
from hub_server import COMMIT, redirect, safetensors, serving, status, wait
from planner import run

from flopsheet.configs.batches import open_batch
from flopsheet.configs.hub_cache import repository_of
from flopsheet.errors import UsageError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all

constants = pytest.importorskip("huggingface_hub.constants")

GPT2 = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "n_layer": 1,
    "n_embd": 8,
    "n_head": 2,
    "vocab_size": 16,
    "n_positions": 4,
}
TENSORS = {
    "transformer.wte.weight": (16, 8),
    "transformer.wpe.weight": (4, 8),
    "transformer.h.0.ln_1.weight": (8,),
    "transformer.h.0.ln_1.bias": (8,),
    "transformer.h.0.attn.bias": (1, 1, 4, 4),
    "transformer.h.0.attn.c_attn.weight": (8, 24),
    "transformer.h.0.attn.c_attn.bias": (24,),
    "transformer.h.0.attn.c_proj.weight": (8, 8),
    "transformer.h.0.attn.c_proj.bias": (8,),
    "transformer.h.0.ln_2.weight": (8,),
    "transformer.h.0.ln_2.bias": (8,),
    "transformer.h.0.mlp.c_fc.weight": (8, 32),
    "transformer.h.0.mlp.c_fc.bias": (32,),
    "transformer.h.0.mlp.c_proj.weight": (32, 8),
    "transformer.h.0.mlp.c_proj.bias": (8,),
    "transformer.ln_f.weight": (8,),
    "transformer.ln_f.bias": (8,),
    "lm_head.weight": (16, 8),
}
"""What GPT-2's checkpoints store: the causal mask and a copy of the head are no parameters."""


def files(**changes):
    """Return the files of a model: its config and its weights."""
    config = json.dumps({**GPT2, **changes}).encode()
    return {"config.json": config, "model.safetensors": safetensors(TENSORS), "README.md": b"x"}


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Give a Hub with one model, a cache that is empty, and no way to another machine."""
    connect = socket.socket.connect

    def near(one, address):
        assert address[0] == "127.0.0.1", address
        return connect(one, address)

    monkeypatch.setattr(socket.socket, "connect", near)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_TOKEN", "http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("time.sleep", lambda _: None)  # between the library's retries
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 1)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FLOPSHEET_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("HF_HUB_ETAG_TIMEOUT", "1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    with serving() as one:
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        one.models["org/model"] = files()
        yield one


def models(*inputs):
    """Return the models of some inputs, costed."""
    host = load()
    return cost_all(host, open_batch(host, inputs).models(host))


def test_a_model_of_the_hub_is_counted_and_its_headers_confirm_it(hub):
    """The weights are asked for by a range, never in full."""
    (model,) = models("org/model")
    assert (model.name, model.status) == ("org/model", "ok")
    assert model.model.stored.parameters == model.totals["parameters"] == 1048
    assert model.model.stored.source == "the safetensors header"
    assert hub.times(r"GET .*safetensors bytes=0-\d+$") == 1
    assert hub.times(r"GET .*safetensors$") == 0


def test_a_model_that_was_fetched_is_read_from_the_cache(hub):
    """The second time nothing is asked, and the headers still confirm it."""
    (first,) = models("org/model")
    asked = len(hub.asked)
    (second,) = models("org/model")
    assert len(hub.asked) == asked
    assert (second.model.stored, second.notes) == (first.model.stored, first.notes)


@pytest.mark.usefixtures("hub")
def test_bytes_of_another_type_than_the_configs_are_a_note():
    """The file stores 4 bytes for each number, and weights_bytes takes 2."""
    (model,) = models("org/model")
    assert "the checkpoint stores 4,192 bytes of weights; weights_bytes is 2,096" in model.notes


def test_headers_that_differ_are_approximate(hub):
    """As an index that differs."""
    hub.models["org/model"] = files(n_layer=2)
    (model,) = models("org/model")
    assert "the safetensors header stores 1,048 parameters" in model.problems[0]


def test_shards_are_those_of_the_index(hub):
    """Each is asked for its header, and all are added."""
    names = list(TENSORS)
    parts = {"a.safetensors": names[:9], "b.safetensors": names[9:]}
    index = {"weight_map": {name: part for part, some in parts.items() for name in some}}
    hub.models["org/model"] = {
        "config.json": files()["config.json"],
        "model.safetensors.index.json": json.dumps(index).encode(),
        **{part: safetensors({name: TENSORS[name] for name in some}) for part, some in parts.items()},
    }
    (model,) = models("org/model")
    assert (model.status, model.model.stored.parameters) == ("ok", 1048)
    assert hub.times(r"GET .*[ab]\.safetensors bytes=") == 2


def test_a_long_header_is_asked_for_in_two_ranges(hub):
    """The first 100 kB, and the rest."""
    more = {f"transformer.h.0.attn.masked_bias.{'x' * 40}.{place}.inv_freq": (1,) for place in range(900)}
    hub.models["org/model"]["model.safetensors"] = safetensors({**TENSORS, **more})
    (model,) = models("org/model")
    assert model.model.stored.parameters == 1048
    assert hub.times("GET .*safetensors bytes=") == 2


def test_bytes_of_quantized_weights_that_differ_are_approximate(hub):
    """Their parameters cannot be compared, their bytes can."""
    hub.models["org/model"] = files(quantization_config={"quant_method": "fp8", "weight_block_size": [128, 128]})
    (model,) = models("org/model")
    assert "the checkpoint stores 4,192 bytes" in model.problems[0]


def test_a_revision_is_asked_for(hub):
    """By branch, tag or commit, and cached under its name."""
    (model,) = models("org/model@v1")
    assert (model.status, hub.times("/revision/v1"), hub.times("/resolve/v1/config.json")) == ("ok", 1, 2)
    asked = len(hub.asked)
    assert [one.status for one in models("org/model@v1", f"org/model@{COMMIT}")] == ["ok", "ok"]
    assert len(hub.asked) == asked


def test_quantization_next_to_the_config_is_fetched(hub):
    """It is read with the config."""
    hub.models["org/model"]["hf_quant_config.json"] = b'{"quantization": {"quant_algo": "FP8"}}'
    models("org/model")
    assert hub.times("GET .*hf_quant_config.json") == 1


def test_other_descriptions_are_fetched(hub):
    """A repository of Mistral's may have params.json alone."""
    params = {"dim": 8, "n_layers": 1, "head_dim": 4, "hidden_dim": 16, "n_heads": 2, "n_kv_heads": 2, "vocab_size": 16}
    hub.models["org/model"] = {"params.json": json.dumps(params).encode()}
    (model,) = models("org/model")
    assert (model.status, model.name) == ("ok", "org/model")


def test_an_adapters_base_is_read_from_the_cache(hub, tmp_path):
    """A file has nothing fetched: who wants its base shows it once."""
    adapter = {"peft_type": "LORA", "r": 2, "base_model_name_or_path": "org/model", "target_modules": "all-linear"}
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(adapter), "utf-8")
    (model,) = models("adapter")
    assert "'flopsheet show org/model' fetches it" in model.problems[0]
    assert hub.asked == []
    models("org/model")
    (model,) = models("adapter")
    assert (model.status, model.dimensions["lora_attention"]) == ("ok", 2)


@pytest.mark.usefixtures("hub")
def test_a_portfolio_and_a_list_name_models_of_the_hub(tmp_path):
    """With a revision, too."""
    entries = "".join(f'[[models]]\nconfig = "{name}"\n' for name in ("org/model", "org/model@v1"))
    (tmp_path / "plan.toml").write_text(entries, "utf-8")
    (tmp_path / "list.csv").write_text("name,config\na,org/model\n", "utf-8")
    assert [model.status for model in models("plan.toml", "list.csv")] == ["ok"] * 3


FAULTS = {
    "gated": ({"HEAD|GET .*resolve": status(403, "GatedRepo")}, "lets in who accepted its terms: accept them at http"),
    "gated without a token": ({"resolve": status(401, "GatedRepo")}, "then set HF_TOKEN or run 'hf auth login'"),
    "private": ({"api": status(401, "RepoNotFound")}, "has no such model, or it is private"),
    "a token that is refused": ({"api": status(401)}, "refuses the token"),
    "forbidden": ({"api": status(403)}, "refuses access"),
    "limited": ({"api": status(429, Retry_After="30")}, "limits requests: try again in 30 seconds"),
    "limited at the file": ({"HEAD": status(429, Retry_After="9")}, "limits requests: try again in 9 seconds"),
    "limited without a time": ({"api": status(429)}, "limits requests: try again later"),
    "broken": ({"api": status(500)}, "answered 500"),
    "slow": ({"api": wait(3)}, "did not answer in time"),
    "half a config": ({"(HEAD|GET) .*config.json": lambda handler: handler.send_half()}, "half an answer"),
    "no JSON": ({"api": lambda handler: handler.send(200, b"<html>")}, "cannot be reached"),
}


@pytest.mark.parametrize(("faults", "said"), FAULTS.values(), ids=FAULTS)
def test_what_the_hub_refuses_is_one_line(hub, faults, said):
    """A model in error that says what to do; a batch goes on."""
    hub.faults = faults
    (model,) = models("org/model")
    (problem,) = model.problems
    assert problem.startswith("org/model: not in the local Hugging Face cache, and the Hub ")
    assert said in problem
    assert "\n" not in problem


HEADER_FAULTS = {
    "limited": (status(429, Retry_After="5"), "limits requests: try again in 5 seconds"),
    "gone": (status(404, "EntryNotFound"), "has no such file of it"),
    "no header": (lambda handler: handler.send(206, b"abc"), "cannot be read"),
    "a header that lies": (lambda handler: handler.send(206, b"\xff" * 64), "cannot be read"),
}


@pytest.mark.parametrize(("fault", "said"), HEADER_FAULTS.values(), ids=HEADER_FAULTS)
def test_headers_that_cannot_be_read_are_a_note(hub, fault, said):
    """The config is counted all the same."""
    hub.faults = {"safetensors bytes": fault}
    (model,) = models("org/model")
    assert (model.status, model.model.stored) == ("ok", None)
    (note,) = [note for note in model.notes if "is not compared" in note]
    assert said in note


def test_a_model_that_moved_is_followed(hub):
    """By the Hub's own redirect."""
    hub.faults = {"org/old": redirect}
    (model,) = models("org/old")
    assert (model.name, model.status) == ("org/old", "ok")


MISSING = {
    "model": ("org/none", "has no such model, or it is private"),
    "revision": ("org/model@v9", "has no revision v9 of it"),
}


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(("text", "said"), MISSING.values(), ids=MISSING)
def test_what_the_hub_does_not_have_is_one_line(text, said):
    """What is missing is named."""
    (model,) = models(text)
    assert said in model.problems[0]


def test_a_repository_without_a_config_says_what_it_has(hub):
    """GGUF files, for one."""
    hub.models["org/model"] = {"m-Q4_K_M.gguf": b"GGUF"}
    (model,) = models("org/model")
    assert "it has no config.json, but GGUF files, such as m-Q4_K_M.gguf" in model.problems[0]


@pytest.mark.usefixtures("hub")
def test_a_server_that_is_not_there_is_one_line(monkeypatch):
    """An address at which nothing listens."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    (model,) = models("org/model")
    assert "and the Hub cannot be reached" in model.problems[0]


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_nothing_is_asked(hub, monkeypatch, name):
    """And it is said why."""
    monkeypatch.setenv(name, "1")
    (model,) = models("org/model")
    assert model.problems == [
        (
            "org/model: not in the local Hugging Face cache, and HF_HUB_OFFLINE keeps it from being fetched; "
            "unset it, or give a path"
        )
    ]
    assert hub.asked == []


@pytest.mark.usefixtures("hub")
def test_without_the_library_the_extra_is_named(monkeypatch):
    """It is asked for only where a model needs it."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    (model,) = models("org/model")
    assert "pip install 'flopsheet[hub]'" in model.problems[0]


PATHS = ["org/model.json", "org/model.gguf", "./org/model", "../org/model", "a/b/c", "model", "org/model@../x", "a b/c"]


@pytest.mark.parametrize("text", PATHS)
def test_a_path_is_no_model_of_the_hub(hub, text):
    """What is missing there is a missing file, and nothing is asked."""
    assert repository_of(text) is None
    with pytest.raises(UsageError, match="No such file"):
        models(text)
    assert hub.asked == []


def test_a_path_comes_before_the_hub(hub, tmp_path):
    """A folder of that name, and a name in a folder that is there."""
    (tmp_path / "org").mkdir()
    with pytest.raises(UsageError, match="No such file"):
        models("org/model")
    (tmp_path / "org" / "model").mkdir()
    (tmp_path / "org" / "model" / "config.json").write_text(json.dumps(GPT2), "utf-8")
    assert models("org/model")[0].status == "ok"
    assert hub.asked == []


@pytest.mark.usefixtures("hub")
def test_show_and_report_read_from_the_hub(tmp_path):
    """From the command line, with a report of what came of it."""
    assert run("report", "org/model", "-o", tmp_path / "plan.toml")[0] == 0
    code, text, _ = run("show", "org/model")
    assert (code, "exactly as counted (the safetensors header)" in text) == (0, True)
    assert 'name = "org/model"' in (tmp_path / "plan.toml").read_text("utf-8")
