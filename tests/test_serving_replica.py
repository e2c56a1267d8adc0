"""What a replica of the question "serving" holds, and the peak at which it multiplies."""

from pathlib import Path

import pytest

from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.kit.default_config import default_config
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.remarks import remarks

EXAMPLES = Path(__file__).parent.parent / "examples" / "configs"
V3 = EXAMPLES / "DeepSeek-V3" / "config.json"
RANKS = {"accelerator": "h200-sxm", "attention_data_parallel": 8, "expert_parallel": 8, "kv_precision": "bf16"}
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}
MLX = {"group_size": 64, "bits": 4}
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}


def plan_of(config, **inputs):
    """Return the plan of serving a model on one accelerator unless said otherwise."""
    host = load()
    return make_plan(
        host, [cost(host, load_model(host, config))], inputs={"tensor_parallel": 1, **inputs}, questions=["serving"]
    )


def served(config, **inputs):
    """Return a model's planning lines in the Base case."""
    plan = plan_of(config, **inputs)
    return plan.training(plan.costed[0], "base")


@pytest.mark.parametrize(("accelerator", "unpacked"), [("h100-sxm", "peak_tflops"), ("b200-sxm", "fp8_tflops")])
def test_weights_of_a_4_bit_checkpoint_are_unpacked(accelerator, unpacked):
    """As experts are: to bf16, or to fp8 where the accelerator has fp4; what is stored in fp8 multiplies in fp8."""
    wide, narrow, eight = (
        served(LLAMA | {"quantization_config": stored} if stored else LLAMA, accelerator=accelerator)
        for stored in (None, AWQ, {"quant_method": "fbgemm_fp8"})
    )
    peaks = {"peak_tflops": wide["served_tflops"], "fp8_tflops": eight["served_tflops"]}
    assert narrow["served_tflops"] == peaks[unpacked]
    assert peaks["fp8_tflops"] == 2 * peaks["peak_tflops"]


def test_experts_of_a_checkpoint_multiply_in_a_type_of_their_own():
    """gpt-oss has its experts in 4 bits, for fp8 on a B200, next to attention in bf16."""
    config = default_config("gpt_oss") | {"quantization_config": {"quant_method": "mxfp4"}}
    result = served(config, accelerator="b200-sxm", weight_precision="checkpoint")
    assert (result["served_tflops"], result["expert_tflops"]) == (2250, 4500)


def test_a_rank_holds_whole_sequences():
    """Ranks that attend to their own requests share no cache: what is left on each of them adds up to no sequence."""
    some, none = (served(V3, **RANKS, memory_gb=gb, input_tokens=100_000) for gb in (131, 111))
    whole = some["cache_room_bytes"] // some["sequence_bytes"]
    assert some["max_batch"] == 8 * whole > 0
    assert some["cache_room_bytes"] * 8 / some["sequence_bytes"] >= 8 * whole + 1
    assert none["max_batch"] == 0 < none["cache_room_bytes"] < none["sequence_bytes"] < 8 * none["cache_room_bytes"]


def test_contexts_fill_ranks_with_whole_sequences():
    """The table by context has no batch of which a rank would hold a part."""
    table = plan_of(V3, **RANKS, memory_gb=131).run("base").table("serving_contexts")
    batches = [table.row(place)["context_batch"] for place in range(11)]
    assert {batch % 8 for batch in batches} == {0}
    assert batches[-1] == 0 < batches[0]


def test_answers_that_vary_by_more_than_their_mean_keep_more():
    """With twice the mean as deviation a mean step is at 2.5 answers: what is under way takes that much room."""
    result = served(V3, **RANKS, input_tokens=500, output_tokens=4000, output_variation=2)
    assert result["sequence_bytes"] == result["sequence_read_bytes"] == 61 * (512 + 64) * 2 * (500 + 2.5 * 4000)
    plan = plan_of(V3, **RANKS, input_tokens=500, output_tokens=4000, output_variation=2)
    assert plan.run("base").table("serving_room").row(0)["token_bytes"] == 61 * (512 + 64) * 2


def test_the_cache_of_a_prompt_travels_to_one_rank():
    """DeepSeek-V3's of 32,000 tokens at a link's 50 GB/s: the other seven ranks neither receive nor fetch a part."""
    found = {"reuse_distance": 10, "conversation_turns": 4, "prefix_tokens": 32_000, "host_cache_gb": 100}
    result = served(V3, **RANKS, disaggregated=1, input_tokens=32_000, **found)
    seconds = 61 * (512 + 64) * 2 * 32_000 / 50e9
    assert result["transfer_seconds"] == pytest.approx(seconds)
    assert result["prefix_fetch_seconds"] == pytest.approx(seconds)


def test_prefill_apart_holds_the_weights_too():
    """DeepSeek-V3 has 671 GB of them: a prompt a minute is not read on one accelerator of 139 GB, in no month."""
    plan = plan_of(V3, **RANKS, disaggregated=1, requests_per_second=1 / 60, redundancy=0)
    lines, months = plan.training(plan.costed[0], "base"), plan.run("base").table("serving_monthly")
    assert lines["prefill_accelerators"] == months.row(0)["month_prefill_accelerators"] == 5
    assert lines["serving_accelerators"] == 8 + 5


def test_a_note_says_that_other_cases_keep_a_layout_that_was_found():
    """A scenario of other accelerators is not compared on the layout that is the cheapest there."""
    host = load()
    plan = make_plan(
        host, [cost(host, load_model(host, LLAMA))], inputs={"accelerator": "b200-sxm"}, questions=["serving"]
    )
    (said,) = [text for text in remarks(plan) if text.startswith("no layout of replicas")]
    assert "in the Base case, and keeps it in all others" in said


def test_prefill_apart_without_headroom_is_as_late_as_a_full_queue():
    """Its accelerators are busy all the time at the peak: a first token that misses its target, and a number."""
    result = served(V3, **RANKS, disaggregated=1, headroom=0)
    assert result["ttft_seconds"] > 1000
    assert result["serving_cost_per_month"] > 0


def test_tensor_ranks_divide_the_cache_of_an_encoder_decoder():
    """A decoder's keys and values are split by its heads as those of any model."""
    one, four = (served(EXAMPLES / "bart-large" / "config.json", tensor_parallel=size) for size in (1, 4))
    assert four["sequence_bytes"] == one["sequence_bytes"]


def test_a_step_reads_a_quantized_head_as_it_is_stored():
    """MLX quantizes the head too: 4 bits, and two values of 16 bits for 64."""
    result = served(LLAMA | {"quantization_config": MLX, "vocab_size": 32000, "hidden_size": 4096})
    assert result["served_head_bytes"] == 32000 * 4096 * (4 / 8 + 2 * 2 / 64)


def test_caches_are_repeated_where_layers_have_fewer_heads_than_ranks():
    """Of Gemma 4, 16 heads of windows are split among 8 ranks, and each of 4 global heads is on two of them."""
    kinds = (["sliding_attention"] * 5 + ["full_attention"]) * 2
    heads = {"num_key_value_heads": 16, "num_global_key_value_heads": 4, "head_dim": 256, "global_head_dim": 512}
    config = default_config("gemma4_text") | heads | {"num_hidden_layers": 12, "layer_types": kinds}
    config |= {"attention_k_eq_v": True, "num_kv_shared_layers": 0, "num_attention_heads": 16, "sliding_window": 1024}
    result = served(config, kv_precision="bf16", serving_tensor_parallel=8, input_tokens=3000, output_tokens=1000)
    windows, whole = 10 * 16 * 256 * 1023, 2 * 4 * 512 * 4000
    assert result["sequence_bytes"] == 2 * 2 * (windows + 2 * whole)


@pytest.mark.parametrize(("ranks", "usable"), [(2, True), (4, False), (5, True), (8, False), (10, True), (20, True)])
def test_tensor_ranks_share_heads_of_keys_and_values(ranks, usable):
    """Phi-4 has 10 of them next to 40 of queries: vLLM and Megatron start on 2 ranks, not on 4."""
    heads = {"num_attention_heads": 40, "num_key_value_heads": 10, "hidden_size": 5120}
    host, inputs = load(), {"tensor_parallel": ranks, "accelerators": 1280, "global_batch": 1280}
    model = cost(host, load_model(host, LLAMA | heads))
    plan = make_plan(host, [model], inputs=inputs, questions=["serving", "training"])
    failing = {result.check.name for result in check_results(plan) if not result.holds}
    assert failing & {"serving_heads", "layout_heads"} == (set() if usable else {"serving_heads", "layout_heads"})
