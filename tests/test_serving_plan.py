"""The question "serving": throughput against published measurements, targets, capacity, cost, and its workbook."""

import json
from math import isclose
from pathlib import Path

import pytest
from planner import run

from flopsheet.accounting.serving_ledger import LONGEST
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.question import MODELS, OVERRIDE
from flopsheet.planning.registry import program
from flopsheet.planning.remarks import remarks

EXAMPLES = Path(__file__).parent.parent / "examples" / "configs"
V3 = EXAMPLES / "DeepSeek-V3" / "config.json"
LLAMA = EXAMPLES / "Llama-3.1-70B" / "config.json"


def plan_of(config=LLAMA, **inputs):
    """Return the plan of a model on two H200, in fp8 unless said otherwise."""
    layout = {"accelerator": "h200-sxm", "tensor_parallel": 2, "weight_precision": "fp8", **inputs}
    host = load()
    return make_plan(host, [cost(host, load_model(host, config))], inputs=layout, questions=["serving"])


def served(config=LLAMA, **inputs):
    """Return a model's planning lines in the Base case."""
    plan = plan_of(config, **inputs)
    return plan.training(plan.costed[0], "base")


def numbers(name, context):
    """Return the numbers of an example's ledger of serving, with a workload as long as the context."""
    host = load()
    settings = {"seq_len": context, "context": context, "mask": "window", "batch": 3}
    model = cost(host, load_model(host, EXAMPLES / name / "config.json"), settings)
    ledger = host.serving_ledger(model.model.architecture)
    return ledger.evaluate(model.numbers.some(one.name for one in ledger.dimensions))


def grown(found, name, context):
    """Return a cache or a decode step at a context."""
    window = found[f"{name}_capped"] * min(context / found[f"{name}_cap"], 1)
    return found[f"{name}_start"] + found[f"{name}_per_token"] * context + window


@pytest.mark.parametrize("context", [300, 3000, 20000])
@pytest.mark.parametrize("name", ["DeepSeek-V3", "Llama-3.1-8B", "Mixtral-8x7B", "Nemotron-H-56B", "gemma-2-27b"])
def test_caches_and_steps_of_any_context_are_those_of_the_ledger(name, context):
    """The four contexts that are counted give the cache and the decode step of every other one."""
    result = numbers(name, context)
    assert isclose(grown(result, "cache", context) * 3 * result["kv_dtype_bytes"], result["kv_cache_bytes"])
    assert isclose(grown(result, "step", context) * 3, result["flops_decode_step"])


MINIMAX = {"model_type": "minimax_m3_vl_text", "layer_types": ["full_attention", *["minimax_m3_sparse"] * 59]}


@pytest.mark.parametrize(
    ("config", "near"),
    [
        ({"model_type": "deepseek_v32"}, 0),
        ({"model_type": "glm_moe_dsa"}, 0),
        ({"model_type": "axk2"}, 0),
        ({"model_type": "hy_v4"}, 0),
        ({"model_type": "deepseek_v4"}, 2e-3),
        ({"model_type": "glm5_next_text"}, 0),
        ({"model_type": "dots3_note_text"}, 0),
        (MINIMAX, 0.03),
        ({"model_type": "llama"}, 0),
    ],
    ids=lambda case: case.get("model_type") if isinstance(case, dict) else "",
)
@pytest.mark.parametrize("context", [1536, 8192, 131_072])
def test_a_step_reads_of_a_cache_what_its_lines_say(config, near, context):
    """All of a short one; of a long one what sparse attention chooses. Blocks and pools are close to a line."""
    host = load()
    model = cost(host, load_model(host, {"num_hidden_layers": 60} | config), {"context": context, "kv_dtype_bytes": 1})
    ledger = host.serving_ledger(model.model.architecture)
    result = ledger.evaluate(model.numbers.some(one.name for one in ledger.dimensions))
    caches = [one.line.name for one in ledger.entries if (one.line.group, one.role) == ("kv_cache", "line")]
    read = sum(result.get(f"{name}_decode", result[name]) for name in caches)
    left = result["cache_unread_per_token"] * max(context - result["cache_read_whole"], 0)
    assert float((grown(result, "cache", context) - left) / read) == pytest.approx(1, abs=near or 1e-12)
    assert (read < result["kv_cache_bytes"]) == (context > 2048 and config["model_type"] != "llama")


def test_sparse_attention_fits_by_what_it_keeps_and_is_as_fast_as_what_it_reads():
    """DeepSeek-V3.2 keeps V3's latents and its indexer's keys; a step of a long context reads a fifth of them."""
    given = {"attention_data_parallel": 8, "expert_parallel": 8, "tensor_parallel": 1, "input_tokens": 130_000}
    chosen = served({"model_type": "deepseek_v32"}, output_tokens=2_000, output_variation=0, **given)
    assert chosen["sequence_bytes"] == 61 * (512 + 64 + 128) * 132_000
    assert chosen["sequence_read_bytes"] == 61 * (128 * 131_000 + (512 + 64) * 2_048)


def test_pooled_caches_are_close_to_those_of_the_ledger():
    """DeepSeek-V4's entries of pooled tokens are whole numbers, which a straight line comes close to."""
    result = numbers("DeepSeek-V4-Flash", 3000)
    assert float(grown(result, "cache", 3000) * 3 * 2 / result["kv_cache_bytes"]) == pytest.approx(1, abs=1e-3)
    assert float(grown(result, "step", 3000) * 3 / result["flops_decode_step"]) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("name", ["DeepSeek-V3", "Llama-3.1-8B", "Nemotron-H-56B", "gemma-2-27b"])
def test_a_prompt_costs_what_the_ledger_says_of_a_prefill(name):
    """Products, attention cores and head of a prompt are the ledger's prefill, for a length that is not the model's."""
    config, tokens = EXAMPLES / name / "config.json", 6000
    lines = served(config, tensor_parallel=1, input_tokens=tokens)
    result = numbers(name, tokens)
    head = lines["step_head_flops"]
    each = result["prompt_token_flops"] * tokens
    assert float((each + lines["prompt_core_flops"] + head) * 3 / result["flops_prefill"]) == pytest.approx(1, abs=1e-5)


def test_towers_run_once_per_prompt():
    """A picture of 92 × 70 patches in Qwen2.5-VL, by hand: 32 layers of 3,584 channels, once, and none per token.

    The language model has 80 layers of 8,192 channels (transformers Qwen2_5_VLConfig). A workload of 4,096 tokens
    and a prompt of 2,000 see the same tower.
    """
    text, seen = with_images(0), with_images(1)
    same_of = ("token_stream", "token_seconds", "step_sequence_seconds", "prompt_core_seconds")
    assert [text[name] for name in same_of] == [seen[name] for name in same_of]
    assert seen["token_stream"] == 80 * 8_192
    products = (seen["sum_flops_vision"] + seen["sum_flops_projector"]) / (989e12 * 0.7)
    rate = seen["token_traffic_seconds"] + seen["token_tensor_seconds"]
    assert seen["prompt_tower_seconds"] == pytest.approx(products + 92 * 70 * 32 * 3_584 / (80 * 8_192) * rate)
    assert seen["prompt_accelerator_seconds"] == pytest.approx(
        text["prompt_accelerator_seconds"] + seen["prompt_tower_seconds"]
    )


def test_a_typed_api_price_is_what_serving_is_compared_with():
    """Of 1 USD in, 0.5 cached and 2 out a request of 3,000 and 1,000 tokens, half cached, costs 0.00425 USD."""
    traffic = {"input_tokens": 3000, "output_tokens": 1000, "cache_hit_rate": 0.5, "requests_per_second": 4}
    typed = plan_of(api_input_price=1, api_cached_price=0.5, api_output_price=2, **traffic)
    first, *listed = typed.table("serving_apis", "base")
    month = 4 * 3600 * 24 * typed.case("base")["month_days"]
    assert float(first["api_cost_per_month"]) == pytest.approx(0.00425 * month)
    (summary,) = typed.table("serving_summary", "base")
    assert float(summary["typed_saving"]) == pytest.approx(0.00425 * month - summary["sum_serving_cost_per_month"])
    assert min(row["api_saving"] for row in listed) < summary["typed_saving"]


def test_an_api_price_that_nobody_types_saves_nothing():
    """Its row has no cost and no break-even, and none of the list prices of other models takes its place."""
    plan = plan_of()
    first = plan.table("serving_apis", "base")[0]
    assert {first[name] for name in ("api_cost_per_month", "api_saving", "break_even_requests")} == {0}
    assert plan.table("serving_summary", "base")[0]["typed_saving"] == 0


def with_images(images):
    """Return the numbers of Qwen2.5-VL and its plan of serving, prompts of 2,000 tokens with some pictures."""
    host = load()
    settings = {"seq_len": 4096, "images": images, "image_width": 1288, "image_height": 980}
    model = cost(host, load_model(host, {"model_type": "qwen2_5_vl"}), settings)
    given = {"tensor_parallel": 2, "input_tokens": 2_000, "peak_tflops": 989, "product_efficiency": 0.7}
    plan = make_plan(host, [model], inputs={"accelerator": "h200-sxm", **given}, questions=["serving"])
    return model.numbers.as_dict() | plan.training(plan.costed[0], "base")


def test_the_longest_context_counted_is_exact_in_a_sheet():
    """Numbers of the longest context of the largest model stay below 2^53, where a sheet is exact."""
    result = numbers("Llama-3.1-405B", 4096)
    assert result[f"step_at_{LONGEST}"] < 2**53


def test_states_of_a_state_space_model_do_not_grow():
    """Mamba's sequence takes as much memory at a million tokens as at a thousand."""
    plan = plan_of(EXAMPLES / "mamba-2.8b" / "config.json", tensor_parallel=1, weight_precision="checkpoint")
    rows = plan.table("serving_contexts", "base")
    assert len({row["context_bytes"] for row in rows}) == 1
    assert rows[0]["context_bytes"] > 0


def test_the_batch_at_the_target_takes_no_longer_and_one_more_does():
    """Newton's method ends at the largest batch within the target."""
    typed = {"attention_data_parallel": 8, "expert_parallel": 8, "tensor_parallel": 1}
    lines = served(V3, itl_target_ms=45, **typed)
    batch = lines["batch_at_target"]
    assert lines["itl_seconds"] <= 0.045
    assert served(V3, concurrency=batch + 1, **typed)["itl_seconds"] > 0.045


@pytest.mark.parametrize(
    ("config", "replica"),
    [
        (V3, {"attention_data_parallel": 8, "serving_expert_parallel": 8}),
        (EXAMPLES / "Llama-3.1-405B" / "config.json", {"serving_tensor_parallel": 4}),
    ],
)
def test_a_model_that_does_not_fit_names_a_replica_that_it_fits_on(config, replica):
    """What the note says to type gives room for a sequence, and half as many accelerators give none."""
    given = {"accelerator": "h200-sxm", "tensor_parallel": 1, "weight_precision": "fp8"}
    (said,) = [text for text in remarks(plan_of(config, **given)) if "does not fit" in text]
    assert all(f"{name.removeprefix('serving_')} = {size}" in said for name, size in replica.items())
    assert served(config, **given, **replica)["max_batch"] >= 1
    assert served(config, **given, **{name: size // 2 for name, size in replica.items()})["max_batch"] == 0


def test_a_checkpoint_is_never_widened():
    """DeepSeek-V3 is stored in fp8: served in bf16 its weights are no larger."""
    typed = {"attention_data_parallel": 8, "expert_parallel": 8, "tensor_parallel": 1}
    wide, narrow = (served(V3, weight_precision=name, **typed) for name in ("bf16", "fp8"))
    assert (
        isclose(wide["expert_bytes"], narrow["expert_bytes"]) or wide["expert_bytes"] < 1.001 * narrow["expert_bytes"]
    )


def test_cached_prompts_cost_less():
    """With half of a prompt cached, its products are halved and its attention falls by a quarter."""
    whole, half = served(cache_hit_rate=0), served(cache_hit_rate=0.5)
    assert half["prompt_core_flops"] / whole["prompt_core_flops"] == pytest.approx(0.75, abs=1e-3)
    assert half["prompt_accelerator_seconds"] < 0.55 * whole["prompt_accelerator_seconds"]


def test_drafts_that_are_kept_shorten_a_small_batch():
    """One draft token of 85% acceptance gives 1.85 tokens per step."""
    plain, drafted = (served(concurrency=1, draft_tokens=count) for count in (0, 1))
    assert drafted["step_tokens_accepted"] == pytest.approx(1.85)
    assert drafted["itl_seconds"] < 0.7 * plain["itl_seconds"]


def test_prefill_apart_leaves_decoding_alone():
    """With accelerators of its own for prefill, a replica decodes a larger batch within the target."""
    together, apart = (served(disaggregated=flag) for flag in (0, 1))
    assert apart["batch_at_target"] > together["batch_at_target"]
    assert together["prefill_accelerators"] == 0 < apart["prefill_accelerators"]


def test_a_transfer_moves_the_cache_of_the_prompt_alone():
    """What is written after it changes no byte, and each accelerator sends its part at 50 GB/s."""
    short, long = (served(disaggregated=1, output_tokens=tokens) for tokens in (10, 4000))
    assert float(long["transfer_seconds"]) == pytest.approx(float(short["transfer_seconds"]))
    prompt = long["sequence_bytes"] * 2000 / 6000 / long["replica_size"]
    assert float(long["transfer_seconds"]) == pytest.approx(float(prompt) / 50e9)


def test_input_and_output_cost_add_up_to_the_monthly_cost():
    """Dollars per million tokens times tokens is what the accelerators cost."""
    lines = served()
    parts = (
        lines["usd_per_mtok_input"] * lines["monthly_input_tokens"]
        + lines["usd_per_mtok_output"] * lines["monthly_output_tokens"]
    )
    assert float(parts) / 1e6 == pytest.approx(float(lines["serving_cost_per_month"]))


def test_at_the_break_even_the_api_costs_the_same():
    """Fixed replicas and the cost per request come to the API's price."""
    plan = plan_of(requests_per_second=50)
    row = next(row for row in plan.table("serving_apis", "base") if row["break_even_requests"])
    lines = plan.training(plan.costed[0], "base")
    fixed = 2 * lines["replica_size"] * plan.case("base")["price_per_hour"] / 3600
    own = fixed + row["own_request_cost"] * row["break_even_requests"]
    assert float(own) == pytest.approx(row["api_request_cost"] * row["break_even_requests"])


def test_what_does_not_fit_saves_nothing():
    """Where no replica serves the traffic, an API's bill is no saving; the plan says what a replica needs at least."""
    plan = plan_of(V3, tensor_parallel=1)
    assert served(V3, tensor_parallel=1)["serving_accelerators"] == 0
    assert {row["api_saving"] for row in plan.table("serving_apis")} == {0}
    assert served(V3, tensor_parallel=1)["smallest_replica"] > 1


def failing(**inputs):
    """Return the names of the checks that fail."""
    return {one.check.name for one in check_results(plan_of(**inputs)) if not one.holds}


@pytest.mark.parametrize(
    ("check", "inputs"),
    [
        ("serving_weights", {"tensor_parallel": 1, "weight_precision": "bf16"}),
        ("serving_cache", {"input_tokens": 10**7}),
        ("serving_heads", {"tensor_parallel": 3}),
        ("serving_experts", {"expert_parallel": 2}),
        ("serving_itl", {"itl_target_ms": 5}),
        ("serving_ttft", {"ttft_target_ms": 5}),
        ("serving_precision", {"weight_precision": "fp4"}),
        ("serving_measured", {"input_tokens": 1000, "output_tokens": 1000, "read_efficiency": 0.1}),
        ("serving_months", {"requests_per_second": 500, "fixed_replicas": 1}),
        ("serving_stages", {"pipeline_parallel": 500}),
        ("serving_positions", {"input_tokens": 10**6}),
        ("serving_peak_hours", {"serving_reserved": 8, "peak_price": 5, "peak_hours_share": 0.9}),
        ("serving_base_used", {"serving_reserved": 100_000, "peak_price": 5}),
    ],
)
def test_a_check_fails_where_it_should(check, inputs):
    """Each check fails for inputs that break it, and holds for the plan without them."""
    assert check in failing(**inputs)
    assert check not in failing(input_tokens=1000, output_tokens=1000)


def test_every_name_of_a_model_is_known_to_some_ledger():
    """A name that no ledger has would be 0 for every model, without a word."""
    host = load()
    known = {name for architecture in list(host.architectures) for name in host.serving_ledger(architecture).places}
    asked = program(host, ["serving"])
    tables = [table.name for question in asked.questions for table in question.tables if MODELS in table.rows]
    assert {name for table in tables for name in asked.facts(table)} - known <= {OVERRIDE}


PAGE = Path(__file__).parent.parent / "docs" / "serving.md"
PORTFOLIO = Path(__file__).parent.parent / "examples" / "portfolios" / "serving.toml"


@pytest.fixture(scope="module")
def answered():
    """Return what the example's plan says, as JSON."""
    status, out, errors = run("plan", PORTFOLIO, "--format", "json")
    assert status == 0, errors
    return json.loads(out)


def test_the_page_of_serving_has_the_examples_numbers(answered):
    """Batch, accelerators, cost and prices of both layouts are those of the plan."""
    page = PAGE.read_text("utf-8")
    for model in answered["models"]:
        base = model["base"]
        counts = (base["batch_at_target"], base["serving_accelerators"], base["serving_cost_per_month"])
        prices = (base["usd_per_mtok_input"], base["usd_per_mtok_output"], base["usd_per_mtok_blended"])
        cells = [model["name"], *(f"{number:,.0f}" for number in counts), *(f"{number:.2f}" for number in prices)]
        assert f"| {' | '.join(cells)} |" in page


def test_the_page_of_serving_has_the_examples_api_prices(answered):
    """Cost of two APIs, and the volume from which serving is cheaper than one of them."""
    page, rows = PAGE.read_text("utf-8"), answered["tables"]["serving_apis"]
    for name in ("DeepSeek deepseek-chat", "Fireworks deepseek-v3p2"):
        row = next(row for row in rows if row["api"].startswith(name))
        assert f"USD {row['api_cost_per_month']:,.0f}" in page
    last = [row for row in rows if row["api"].startswith("DeepSeek deepseek-chat")][-1]
    assert f"from {last['break_even_requests']:.0f} requests per second" in page


def test_every_check_of_the_example_holds(answered):
    """It fits, and meets its targets in every case."""
    assert [check["name"] for check in answered["checks"] if check["state"] != "pass"] == []


@pytest.mark.parametrize(
    "stored",
    [
        {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head", "model.layers.0.mlp.experts*"]},
        {"group_size": 64, "bits": 4},
    ],
    ids=["a layer of experts is plain", "tables are quantized"],
)
def test_a_quantized_checkpoint_is_as_large_when_served(stored):
    """Tables and head that are quantized, and experts of which some layers are plain, are held as they are stored."""
    config = {"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "quantization_config": stored}
    model = cost(load(), load_model(load(), config))
    held = served(config, weight_precision="checkpoint", tensor_parallel=1)["served_bytes_per_accelerator"]
    assert held == pytest.approx(model.totals["weights_bytes"], rel=1e-12)


SERVED = """
questions = ["serving"]
[cluster]
accelerator = "h200-sxm"
[serving]
requests_per_second = 100
input_tokens = 4000
output_tokens = 500
itl_target_ms = 40
ttft_target_ms = 1500
{apart}
[[models]]
size = "70B"
"""


def priced(folder, apart=""):
    """Return the price per million tokens of a plan that serves a 70B model, and what is said of it."""
    path = folder / "plan.toml"
    path.write_text(SERVED.format(apart=apart), "utf-8")
    _, out, errors = run("plan", path, "--format", "json")
    return json.loads(out)["answers"]["serving"]["price"]["base"], errors


def test_a_note_says_what_prefill_apart_would_save(tmp_path):
    """The share is that of the plan that does so, which says nothing more."""
    together, said = priced(tmp_path)
    apart, silent = priced(tmp_path, "disaggregated = 1")
    assert f"tokens cost {1 - apart / together:.0%} less with prefill on accelerators of its own" in said
    assert "prefill on accelerators of its own" not in silent


FLEET = """
questions = ["serving"]
[cluster]
accelerator = "h200-sxm"
[serving]
serve_all = {flag}
[[models]]
size = "8B"
inputs = {{ requests_per_second = 50 }}
[[models]]
size = "70B"
inputs = {{ requests_per_second = 20 }}
"""


def test_models_on_one_fleet_add_up(tmp_path):
    """With serve_all, accelerators and cost are those of every model, each with its own demand."""
    path, result = tmp_path / "plan.toml", []
    for flag in (0, 1):
        path.write_text(FLEET.format(flag=flag), "utf-8")
        status, out, errors = run("plan", path, "--format", "json")
        assert status == 0, errors
        result.append(json.loads(out))
    alone, together = (one["answers"]["serving"] for one in result)
    each = [model["base"]["serving_accelerators"] for model in result[1]["models"]]
    assert together["fleet"]["base"] == sum(each)
    assert alone["fleet"]["base"] in each
    assert together["price"] == alone["price"]


def test_layouts_are_named_by_what_they_divide():
    """What a layout leaves whole, its name leaves out."""
    labels = [row["replica_layout"] for row in plan_of(V3, tensor_parallel=8).table("serving_layouts")]
    assert {"TP8", "TP1 DP16 EP16", "TP4 DP4 EP16"} <= {*labels}
    assert {part for label in labels for part in label.split() if part.endswith(("PP1", "DP1", "EP1"))} == set()
