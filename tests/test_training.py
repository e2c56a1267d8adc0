"""The question "training": memory and step time under a layout, against published tables and runs."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from planner import run
from samples import write_portfolio

from flopsheet.accounting.training_ledger import with_training
from flopsheet.configs.source import load_model
from flopsheet.errors import PluginError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.question import OVERRIDE
from flopsheet.planning.sweep import Sweep

EXAMPLES = Path(__file__).parent.parent / "examples" / "configs"
LLAMA_70B = EXAMPLES / "Llama-3.1-70B"
GIB = 2**30


def planned(config, settings, **inputs):
    """Return a model's planning lines in the Base case of the question."""
    host = load()
    model = cost(host, load_model(host, config), settings)
    assert model.ledger, model.problems
    plan = make_plan(host, [model], inputs=inputs, questions=["training"])
    return plan.training(plan.costed[0], "base")


def gpt(layers, width, heads):
    """Return a GPT of Korthikanti's table 3: 2,048 positions, vocabulary 51,200."""
    sizes = {"n_layer": layers, "n_embd": width, "n_head": heads}
    return {"model_type": "gpt2", "n_positions": 2048, "vocab_size": 51200, **sizes}


SIZES = {
    "22B": (gpt(48, 6144, 64), 4, 8, 1, 1),
    "175B": (gpt(96, 12288, 96), 1, 64, 8, 3),
    "530B": (gpt(105, 20480, 128), 1, 280, 35, 3),
    "1T": (gpt(128, 25600, 160), 1, 512, 64, 1),
}
"""Config, micro-batch, accelerators, pipeline stages and chunks of table 3; tensor parallelism is 8."""
MODES = {
    "none": (1, 0, "none"),
    "tensor": (8, 0, "none"),
    "tensor and sequence": (8, 1, "none"),
    "tensor and selective": (8, 0, "selective"),
    "tensor, sequence and selective": (8, 1, "selective"),
    "full": (8, 0, "full"),
}
"""Tensor parallelism, sequence parallelism and recomputation."""


def table_2(s, h, a, t):
    """Return the bytes of a layer per sequence, token and channel in each mode."""
    return {
        "none": 34 + 5 * a * s / h,
        "tensor": 10 + 24 / t + 5 * a * s / (h * t),
        "tensor and sequence": 34 / t + 5 * a * s / (h * t),
        "tensor and selective": 10 + 24 / t,
        "tensor, sequence and selective": 34 / t,
        "full": 2,
    }


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", SIZES)
def test_activations_are_those_of_korthikantis_table_2(size, mode):
    """Activations of the first stage: 2205.05198, table 2, times its layers in flight, section 4.2.3."""
    config, micro_batch, accelerators, stages, chunks = SIZES[size]
    tensor, sequence, recompute = MODES[mode]
    result = planned(
        config,
        {"seq_len": 2048, "recompute": recompute},
        accelerator="a100-sxm-80gb",
        accelerators=accelerators,
        tensor_parallel=tensor,
        sequence_parallel=sequence,
        pipeline_parallel=stages,
        virtual_stages=chunks,
        micro_batch=micro_batch,
        global_batch=accelerators * micro_batch * stages,
        has_dropout=1,
    )
    layers, width, heads = (config[name] for name in ("n_layer", "n_embd", "n_head"))
    in_flight = layers if stages == 1 or chunks == 1 else layers * (1 + (stages - 1) / (stages * chunks))
    table = 2048 * micro_batch * width * table_2(2048, width, heads, tensor)[mode] * in_flight
    assert result["activations_bytes_per_accelerator"] == pytest.approx(table, rel=1e-9)


PUBLISHED = {"22B": 9.5625, "175B": 12.3516, "530B": 23.076, "1T": 26.5625}


@pytest.mark.parametrize("size", PUBLISHED)
def test_activations_with_sequence_parallelism_and_selective_recomputation(size):
    """The GiB of the paper's layouts."""
    config, micro_batch, accelerators, stages, chunks = SIZES[size]
    result = planned(
        config,
        {"seq_len": 2048, "recompute": "selective"},
        accelerators=accelerators,
        tensor_parallel=8,
        pipeline_parallel=stages,
        virtual_stages=chunks,
        micro_batch=micro_batch,
        global_batch=accelerators * micro_batch * stages,
        has_dropout=1,
    )
    assert result["activations_bytes_per_accelerator"] / GIB == pytest.approx(PUBLISHED[size], rel=1e-4)


ZERO = {
    (7.5e9, 64): (120, 31.4, 16.6, 1.88),
    (128e9, 1024): (2048, 513, 257, 2),
    (1e12, 1024): (16000, 4011, 2013, 15.6),
}
"""GB of model states per device at stages 0 to 3: Rajbhandari et al. 1910.02054, table 1."""


def test_only_the_stream_of_the_language_model_passes_between_stages():
    """Pictures of Qwen2.5-VL make a step longer, but neither what a stage sends to the next nor the head's input."""
    layout = {"tensor_parallel": 8, "pipeline_parallel": 4, "accelerators": 64, "global_batch": 64}
    text, seen = (planned({"model_type": "qwen2_5_vl"}, {"images": count}, **layout) for count in (0, 4))
    assert text["boundary_seconds"] == seen["boundary_seconds"] > 0
    assert text["head_bytes"] == seen["head_bytes"]
    assert text["step_seconds"] < seen["step_seconds"]


@pytest.mark.parametrize(("parameters", "devices"), ZERO)
@pytest.mark.parametrize("stage", range(4))
def test_model_states_are_those_of_zeros_table_1(parameters, devices, stage):
    """What data-parallel accelerators share at each stage, for any number of parameters."""
    result = planned(gpt(4, 256, 4), {"seq_len": 128}, accelerators=devices, zero_stage=stage, global_batch=devices)
    own = sum(result[f"{name}_bytes_per_accelerator"] for name in ("weights", "gradients", "optimizer"))
    counted = cost(load(), load_model(load(), gpt(4, 256, 4)), {}).totals["parameters"]
    assert own / counted * parameters / 1e9 == pytest.approx(ZERO[parameters, devices][stage], rel=0.03)


@pytest.mark.parametrize(("stage", "each"), [(0, lambda _: 18), (1, lambda ranks: 6 + 12 / ranks)])
def test_model_states_with_gradients_in_fp32_are_megatrons(stage, each):
    """Megatron-LM, theoretical_memory_usage.py: 18 bytes per parameter, 6 + 12/dp with the distributed optimizer."""
    settings = {"seq_len": 128, "gradient_dtype_bytes": 4}
    result = planned(gpt(4, 256, 4), settings, accelerators=64, zero_stage=stage, global_batch=64)
    own = sum(result[f"{name}_bytes_per_accelerator"] for name in ("weights", "gradients", "optimizer"))
    assert own / result["parameters_per_accelerator"] == pytest.approx(each(64))


def test_activations_of_a_narrow_mlp_are_megatrons():
    """Megatron-LM, theoretical_memory_usage.py: sbh/t · (18 + 4·ffn/h) per layer, recomputing attention."""
    config = gpt(8, 1024, 16) | {"n_inner": 3072}
    settings = {"seq_len": 2048, "recompute": "selective"}
    result = planned(config, settings, accelerators=8, tensor_parallel=8, global_batch=8, has_dropout=1)
    assert result["activations_bytes_per_accelerator"] == 2048 * 1024 / 8 * (18 + 4 * 3) * 8


LLAMA_70B = {
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
QLORA = {
    "lora_attention": 16,
    "lora_mlp": 16,
    "frozen_share": 1,
    "quantized_bytes": 0.5625,
    "quantized_attention": 1,
    "quantized_mlp": 1,
    "seq_len": 4096,
    "recompute": "full",
}


def test_a_frozen_quantized_model_is_as_large_as_it_is_stored():
    """QLoRA of a 70B: matrices in 0.5625 bytes, tables and adapters in 2; it fits on one accelerator of 80 GB."""
    result = planned(LLAMA_70B, QLORA, accelerators=1, accelerator="a100-sxm-80gb", global_batch=16)
    matrices = 80 * (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672)
    adapters = 16 * 80 * (4 * 8192 + 2 * (8192 + 1024) + 3 * (8192 + 28672))
    others = 2 * 128256 * 8192 + (2 * 80 + 1) * 8192
    assert result["weights_bytes_per_accelerator"] == pytest.approx(2 * (others + adapters) + 0.5625 * matrices)
    assert result["fits_accelerator"] == 1
    trained = planned(LLAMA_70B, {**QLORA, "lora_attention": 0, "lora_mlp": 0, "frozen_share": 0}, accelerators=1)
    assert trained["weights_bytes_per_accelerator"] == 2 * (others + matrices)


def test_layers_that_are_not_recomputed_keep_their_activations():
    """Full recomputation of half of the layers keeps the mean of what full and selective recomputation keep."""
    sizes = {"tensor_parallel": 8, "accelerators": 8, "global_batch": 8}
    full, selective = (
        planned(gpt(8, 1024, 16), {"recompute": label}, **sizes)["stack_bytes"] for label in ("full", "selective")
    )
    half = planned(gpt(8, 1024, 16), {"recompute": "full"}, recomputed_share=0.5, **sizes)["stack_bytes"]
    assert half == (full + selective) / 2


INDEXER = {
    "indexer_n_heads": 2,
    "indexer_head_dim": 256,
    "indexer_kv_heads": 1,
    "indexer_budget": 64,
    "indexer_compress_ratio": 4,
}
STREAMS = {
    "deepseek_v4": {"num_hidden_layers": 8, "hidden_size": 256},
    "glm5_next_text": {"num_hidden_layers": 8, "hidden_size": 256},
    "hy_v4": {"num_hidden_layers": 8, "hidden_size": 256},
    "qwen4_exp_text": {"num_hidden_layers": 8, "hidden_size": 256, **INDEXER},
}


@pytest.mark.parametrize("model_type", STREAMS)
def test_all_residual_streams_are_kept_and_one_is_reduced(model_type):
    """Full recomputation keeps each layer's four streams, tensor ranks add up what goes into one of them."""
    config = {"model_type": model_type, **STREAMS[model_type]}
    settings = {"recompute": "full", "batch": 1, "seq_len": 512}
    lines = planned(config, settings, tensor_parallel=2, accelerators=2, global_batch=1)
    stream = 2 * 512 * 8 * 256
    assert lines["written_bytes"] * lines["stream_split"] == 4 * stream
    assert lines["reduced_bytes"] == stream * 2 * 6


CONFIGS = (
    *("gpt2-xl", "OpenELM-270M", "bert-base-uncased", "bart-large", "t5-11b", "Nemotron-H-56B", "mamba-2.8b"),
    *("mamba2-2.7b", "rwkv-4-169m", "Mixtral-8x7B", "DeepSeek-V3", "DeepSeek-V4-Flash"),
)
"""A config of each architecture."""


@pytest.mark.parametrize("name", CONFIGS)
def test_every_architecture_has_memory_and_a_step_time(name):
    """Layers of every kind keep something, and no step is faster than the peak or slower than a hundredth of it."""
    result = planned(EXAMPLES / name / "config.json", {"recompute": "selective", "seq_len": 1024}, global_batch=8192)
    assert result["activations_bytes_per_accelerator"] > 0
    assert 0.01 < result["step_mfu"] < 1
    full = planned(EXAMPLES / name / "config.json", {"recompute": "full", "seq_len": 1024}, global_batch=8192)
    assert 0 < full["activations_bytes_per_accelerator"] < result["activations_bytes_per_accelerator"]


PLAN = """
questions = ["training"]
[inputs]
accelerators = 64
days = 30
{inputs}
[layout]
tensor_parallel = 8
global_batch = 512
recompute = "selective"
seq_len = 4096
{layout}
[[models]]
name = "70B"
tokens = 1e12
config = "{config}"
"""


def told(folder, inputs="", layout="", config="Llama-3.1-70B"):
    """Return a plan as a program reads it, and what it says on the side."""
    path = write_portfolio(folder, PLAN.format(inputs=inputs, layout=layout, config=EXAMPLES / config / "config.json"))
    status, out, errors = run("plan", path, "--format", "json")
    assert status == 0, errors
    return json.loads(out), errors


@pytest.mark.parametrize(("batch", "chunks"), [(1, 1), (1, 10), (2, 10), (8, 10), (16, 10)])
def test_a_micro_batch_passes_every_stage(batch, chunks):
    """Of m micro-batches on p stages of v chunks: a stage works on m, and waits for p where m are fewer."""
    layout = {"tensor_parallel": 8, "pipeline_parallel": 8, "virtual_stages": chunks, "global_batch": batch}
    lines = planned(LLAMA_70B, {}, accelerators=64, **layout)
    passes = max(batch, 8) + (min(batch, 8) - 1) / chunks
    assert float(lines["pipeline_seconds"] / lines["micro_batch_seconds"]) == pytest.approx(passes)


def test_ranks_of_one_sequence_share_gradients_as_those_of_others_do():
    """Split along sequences alone, a ZeRO stage 3 gathers and reduces 7 of 8 parts, and updates one."""
    layout = {"tensor_parallel": 8, "context_parallel": 8, "zero_stage": 3, "global_batch": 16}
    lines = planned(LLAMA_70B, {}, accelerators=64, **layout)
    assert float(lines["reduced_parameters"] / lines["stage_parameters"]) == pytest.approx(7 / 8)
    assert float(lines["updated_parameters"] / lines["stage_parameters"]) == pytest.approx(1 / 8)


@pytest.mark.parametrize("name", ["core_seconds", "collective_seconds", "ring_bytes"])
def test_the_fullest_stage_sets_the_time(name):
    """Nine layers on four stages take as long as twelve: one stage has three of them, and the others wait."""
    layout = {"accelerators": 16, "tensor_parallel": 2, "context_parallel": 2, "pipeline_parallel": 4}
    nine, twelve = (planned(gpt(layers, 1024, 16), {}, **layout)[name] for layers in (9, 12))
    assert 0 < nine == pytest.approx(twelve)


MIXTRAL = EXAMPLES / "Mixtral-8x7B" / "config.json"


def test_gradients_of_experts_leave_a_server_by_one_link_each():
    """Divided among the 8 GPUs of each server, an expert is on one of them; all else is on all eight."""
    lines = planned(MIXTRAL, {}, accelerator="h100-sxm", accelerators=16, expert_parallel=8, link_efficiency=1)
    seconds = float(lines["stage_parameters"]) * 15 / 16 / (8 * 50e9) + 32 * 3 * 4096 * 14336 / 2 / 50e9
    assert lines["gradient_seconds"] == pytest.approx(float(lines["reduction_bytes"]) * seconds)


@pytest.mark.parametrize(
    ("config", "name", "ratio", "layout"),
    [
        (MIXTRAL, "exchanged_bytes", 3 / 2, {"expert_parallel": 8}),
        (LLAMA_70B, "ring_bytes", 4 / 3, {"context_parallel": 8}),
    ],
)
def test_recomputed_layers_send_what_their_forward_pass_sends_again(config, name, ratio, layout):
    """Tokens go to experts and back once more, and keys and values around the ring."""
    once, again = (
        planned(config, {"recompute": label}, accelerators=16, **layout)[name] for label in ("selective", "full")
    )
    assert again / once == pytest.approx(ratio)


@pytest.mark.parametrize(("stage", "each"), [(0, 4 + 4), (1, 4 + 2)])
def test_without_zero_gradients_are_gathered_in_their_own_type(stage, each):
    """An all-reduce of fp32 gradients moves 4 bytes twice; with ZeRO bf16 weights are gathered in place of them."""
    lines = planned(LLAMA_70B, {"gradient_dtype_bytes": 4}, accelerators=64, tensor_parallel=8, zero_stage=stage)
    assert lines["reduction_bytes"] == each


def test_days_follow_the_step_time(tmp_path):
    """With speed_basis = layout, tokens per second and accelerator, less what goodput loses, are its days."""
    plan, _ = told(tmp_path, layout='speed_basis = "layout"')
    base = plan["models"][0]["base"]
    days = 1e12 / (base["tokens_per_second_per_accelerator"] * 64 * 0.9) / 86400
    assert base["training_days"] == pytest.approx(days)
    assert base["model_mfu"] == base["step_mfu"] < base["step_hfu"]


def test_asking_for_training_moves_no_days(tmp_path):
    """Days and cost are those of the MFU, as without the question; a warning says that the step time has others."""
    plan, _ = told(tmp_path, inputs="mfu = 0.3")
    path = write_portfolio(
        tmp_path, PLAN.format(inputs="mfu = 0.3", layout="", config=EXAMPLES / "Llama-3.1-70B/config.json")
    )
    _, out, _ = run("plan", path, "--question", "budget", "--format", "json")
    alone = json.loads(out)["models"][0]["base"]
    base = plan["models"][0]["base"]
    assert base["model_mfu"] == 0.3 < base["step_mfu"]
    assert (base["training_days"], base["training_cost"]) == (alone["training_days"], alone["training_cost"])
    assert {one["name"]: one["state"] for one in plan["checks"]}["layout_speed"] == "warning"


def test_layouts_are_ranked_by_step_time(tmp_path):
    """Usable layouts alone have a rank; the model names the fastest and the smallest of them."""
    plan, _ = told(tmp_path)
    base, rows = plan["models"][0]["base"], plan["tables"]["layouts"]
    usable = sorted((row for row in rows if row["usable"]), key=lambda row: row["layout_rank"])
    assert [row["step_seconds"] for row in usable] == sorted(row["step_seconds"] for row in usable)
    assert base["fastest_step_seconds"] == usable[0]["step_seconds"]
    assert all(row["layout_rank"] == 0 for row in rows if not row["usable"])
    own = next(row for row in rows if row["layout"] == "TP8 ZeRO1 selective")
    assert own["step_seconds"] == base["step_seconds"]


def test_a_plan_that_does_not_ask_for_training_has_none_of_it(tmp_path):
    """Its models keep the lines that they had."""
    plan, _ = told(tmp_path, layout="")
    (tmp_path / "other").mkdir()
    text = f'[[models]]\nconfig = "{EXAMPLES / "Llama-3.1-70B" / "config.json"}"\n'
    other = json.loads(run("plan", write_portfolio(tmp_path / "other", text), "--format", "json")[1])
    assert "step_seconds" in plan["models"][0]["base"]
    assert "step_seconds" not in other["models"][0]["base"]
    assert "layouts" not in other["tables"]


OWN = """
[[models]]
name = "70B in fp8"
tokens = 1e12
config = "{config}"
inputs = {{ precision = "fp8", tensor_parallel = 4 }}
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Return a portfolio in which a model has a layout of its own."""
    config = EXAMPLES / "Llama-3.1-70B" / "config.json"
    text = PLAN.format(inputs="", layout="", config=config) + OWN.format(config=config)
    return write_portfolio(tmp_path_factory.mktemp("two"), text)


def numbers(path):
    """Return the Base case of each model of a portfolio."""
    status, out, errors = run("plan", path, "--format", "json")
    assert status == 0, errors
    return [model["base"] for model in json.loads(out)["models"]]


def test_a_model_has_a_layout_and_precision_of_its_own(two):
    """A choice under a model's inputs counts as one of the plan does, and a report restates it."""
    plain, own = numbers(two)
    assert plain["matmul_rate"] == 989.5e12
    assert own["matmul_rate"] == 1979e12
    assert own["weights_bytes_per_accelerator"] > 1.9 * plain["weights_bytes_per_accelerator"]
    report = two.parent / "report.toml"
    assert run("report", two, "-o", report)[0] == 0
    assert numbers(report) == [plain, own]


def test_layouts_are_swept():
    """Columns of designs give the ranks and step times that exact rows give."""
    host = load()
    model = cost(host, load_model(host, EXAMPLES / "Llama-3.1-70B" / "config.json"), {"recompute": "selective"})
    inputs = {"accelerators": 64, "global_batch": 512}
    plan = make_plan(host, [model], inputs=inputs, questions=["training"])
    exact = plan.table("layouts")
    given = dict.fromkeys(plan.facts, 0) | plan.case("base") | plan.costed[0].numbers.as_dict() | {OVERRIDE: 0}
    wanted = (("layouts", "layout_rank"), ("layouts", "step_seconds"))
    result = Sweep(plan.program, wanted).columns({name: float(value) for name, value in given.items()})
    for node in wanted:
        assert result[node].reshape(-1) == pytest.approx([row[node[1]] for row in exact])


@pytest.mark.parametrize(("accelerator", "precision"), [("a100-sxm-80gb", "fp8"), ("h100-sxm", "fp4")])
def test_a_precision_that_the_accelerator_lacks_fails_a_check(tmp_path, accelerator, precision):
    """An A100 multiplies no fp8, an H100 no fp4."""
    plan, _ = told(tmp_path, layout=f'accelerator = "{accelerator}"\nprecision = "{precision}"')
    check = next(one for one in plan["checks"] if one["name"] == "layout_precision")
    assert check["state"] == "fail"
    assert "The accelerator does not compute in this precision" in check["message"]


@pytest.mark.parametrize("layers", ["n_layers", "n_conv_layers"])
def test_matrices_in_the_group_of_convolutions_keep_what_they_read(layers):
    """As those of the group mlp do, however their layers are counted; a mixer would otherwise be kept nowhere."""
    host = load()
    ledger = host.ledger("rwkv")
    entries = [
        replace(entry, line=entry.line._replace(group="conv", formula=entry.line.formula.replace("n_layers", layers)))
        if entry.line.group == "mlp"
        else entry
        for entry in ledger.entries
    ]
    kept = [line for answer in host.answers["rwkv"] for line in answer.ask_activations() if line.group != "mlp"]
    with pytest.raises(PluginError, match="keep for the backward pass in the group conv"):
        with_training(replace(ledger, entries=tuple(entries)), kept)


def test_a_group_that_computes_and_keeps_nothing_is_refused():
    """Norms keep their inputs; a plan that knows nothing of the matrices beside them would find too little memory."""
    host = load()
    ledger = host.ledger("rwkv")
    kept = [line for answer in host.answers["rwkv"] for line in answer.ask_activations() if line.group != "mlp"]
    with pytest.raises(PluginError, match="keep for the backward pass in the group mlp: products are computed there"):
        with_training(ledger, kept)


@pytest.mark.parametrize(("stages", "products", "cores"), [(1, 1.041, 62 / 61), (16, 1.024, 1)])
def test_a_layer_for_multi_token_prediction_is_one_more_with_a_head(stages, products, cores):
    """4% more FLOP of DeepSeek-V3 (2412.19437, section 2.2); on 16 stages the fullest has 4 layers of 61 or 62."""
    layout = {"accelerators": 2048, "expert_parallel": 64, "pipeline_parallel": stages, "global_batch": 16384}
    without, with_one = (planned({"model_type": "deepseek_v3"}, {}, **layout, mtp_layers=n) for n in (0, 1))
    for name, ratio in (("training_flops", 1.041), ("matmul_seconds", products), ("core_seconds", cores)):
        assert with_one[name] / without[name] == pytest.approx(ratio, abs=0.001)


def test_layers_for_multi_token_prediction_take_memory_of_a_stage():
    """Sixty layers on sixty stages leave no room for one more: the fullest has two."""
    config = {"model_type": "deepseek_v3", "num_hidden_layers": 60}
    layout = {"accelerators": 60, "pipeline_parallel": 60, "global_batch": 60}
    without, with_one = (planned(config, {}, **layout, mtp_layers=n)["stage_layers"] for n in (0, 1))
    assert (without, with_one) == (1, 2)


EIGHT_WAYS = {"accelerators": 64, "tensor_parallel": 8, "global_batch": 64}


def test_offloaded_activations_leave_memory_and_cost_time_only_where_compute_is_shorter():
    """Half of them cross a link of 50 GB/s while the accelerator computes; a link of 5 GB/s is waited for."""
    settings = {"seq_len": 8192}
    kept = planned(LLAMA_70B, settings, **EIGHT_WAYS)
    half = planned(LLAMA_70B, settings, **EIGHT_WAYS, offloaded_activations=0.5)
    slow = planned(LLAMA_70B, settings, **EIGHT_WAYS, offloaded_activations=0.5, host_gbs=5)
    name = "activations_bytes_per_accelerator"
    assert half[name] == kept[name] / 2
    assert half["step_seconds"] == kept["step_seconds"]
    wait = slow["offload_seconds"] - slow["compute_seconds"]
    assert wait > 0
    assert slow["step_seconds"] == pytest.approx(kept["step_seconds"] + 8 * wait)


def test_an_offloaded_optimizer_leaves_memory_and_is_updated_at_the_hosts_bandwidth():
    """Its 12 bytes per parameter go, and the step takes as much longer as the host is slower than HBM."""
    kept, gone = (planned(LLAMA_70B, {}, **EIGHT_WAYS, offloaded_optimizer=share) for share in (0, 1))
    assert gone["optimizer_bytes_per_accelerator"] == 0
    assert gone["optimizer_seconds"] == pytest.approx(kept["optimizer_seconds"] * 3350 / 50)


def test_eager_kernels_keep_more_activations():
    """The factor is of what every layer keeps."""
    fused, eager = (planned(LLAMA_70B, {}, **EIGHT_WAYS, kept_factor=factor) for factor in (1, 1.5))
    name = "activations_bytes_per_accelerator"
    assert eager[name] == fused[name] * 1.5


def saved(config, name, **layout):
    """Return how many bytes of activations a module's recomputation saves of a model on eight tensor ranks."""
    kept, less = (
        planned(config, {"seq_len": 4096}, **EIGHT_WAYS | layout, **{name: flag})["activations_bytes_per_accelerator"]
        for flag in (0, 1)
    )
    return kept - less


def test_recomputed_norms_save_their_outputs():
    """Two norms of a layer each give a stream of the model's width, split by sequence parallelism."""
    assert saved(LLAMA_70B, "recompute_norms") == 2 * 80 * 4096 * 8192 * 2 / 8


def test_recomputed_activations_save_one_of_three_tensors_of_a_gated_mlp():
    """The product of gate and up, which the down projection reads."""
    assert saved(LLAMA_70B, "recompute_activations") == 80 * 4096 * 28672 * 2 / 8


def test_recomputed_up_projections_save_what_latents_give():
    """Queries and keys of 192 channels and values of 128 a head, in DeepSeek-V3's 61 layers of 128 heads."""
    result = saved({"model_type": "deepseek_v3"}, "recompute_up_projections", expert_parallel=8)
    assert result == pytest.approx(61 * 4096 * 128 * (192 + 192 + 128) * 2 / 8)
    assert saved(LLAMA_70B, "recompute_up_projections") == 0
