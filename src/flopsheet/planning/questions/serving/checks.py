"""What a plan of serving must hold: it fits, meets its targets, has the capacity, and is like what others measured."""

from flopsheet.planning.question import MODELS_TABLE, Check
from flopsheet.planning.questions.training.checks import experts_divide, heads_divide

DIVIDE = (
    "Divide the model among more accelerators (its smallest replica says how many it needs): under [serving] raise"
    " {tensor_parallel}, or for a mixture of experts {attention_data_parallel} and {expert_parallel}"
)


def _check(name: str, title: str, formula: str, message: str, remedy: str, table: str = MODELS_TABLE) -> Check:
    return Check(f"serving_{name}", title, table, formula, message, remedy)


CHECKS = (
    _check(
        "weights",
        "Weights of every model fit",
        "weights_fit",
        "The weights do not fit on the accelerators of a replica",
        f"{DIVIDE}, or lower {{weight_precision}}",
    ),
    _check(
        "cache",
        "The cache of a sequence fits",
        "min(max_batch, 1)",
        "Weights and the cache of one sequence do not fit on a replica",
        f"{DIVIDE}, or lower {{kv_precision}}",
    ),
    _check(
        "heads",
        "Tensor parallelism of replicas divides the heads",
        heads_divide("served_tensor"),
        "{tensor_parallel} does not divide the model's attention heads",
        "Choose a {tensor_parallel} that divides the attention heads",
    ),
    _check(
        "experts",
        "Expert parallelism of replicas divides the experts",
        experts_divide("served_experts"),
        "{expert_parallel} does not divide the model's routed experts, or the model has none",
        "Choose an {expert_parallel} that divides the routed experts; 1 for dense models",
    ),
    _check(
        "itl",
        "Time between tokens is within its target",
        "1 if itl_at_quantile * 1000 <= itl_target_ms else 0",
        "A token takes longer than {itl_target_ms}",
        "Raise {tensor_parallel}, lower {weight_precision} or concurrency, or take a longer target",
    ),
    _check(
        "ttft",
        "Time to first token is within its target",
        "1 if ttft_at_quantile * 1000 <= ttft_target_ms else 0",
        "The first token takes longer than {ttft_target_ms}",
        "Raise {tensor_parallel}, set disaggregated = 1, or take a longer target",
    ),
    Check(
        "serving_prefixes",
        "Where a reuse distance is given, prompts find their beginning",
        MODELS_TABLE,
        "1 if found_share * shared_tokens > 0 else 1 - ceil(min(reuse_distance, 1))",
        "{reuse_distance} is given, and no prompt finds its beginning in a cache",
        "Enter {conversation_turns} above 1, {prefix_tokens}, and {prefix_memory} or {host_cache_gb}; or leave"
        " {reuse_distance} 0, and {cache_hit_rate} counts as typed",
        warning=True,
    ),
    _check(
        "precision",
        "The accelerator supports the precision of the weights",
        "1 if fp8_tflops * weight_precision_is_fp8 + fp4_tflops * weight_precision_is_fp4"
        " + weight_precision_is_checkpoint + weight_precision_is_bf16 + weight_precision_is_int4 > 0 else 0",
        "The accelerator does not compute in this precision: the next wider type is counted",
        "Choose another {weight_precision} or accelerator",
    ),
    _check(
        "measured",
        "Throughput is within half and twice the nearest measurement",
        "1 if decodes * max(1 - nearest_distance, 0) * (measured_ratio - 2) * (measured_ratio * 2 - 1) <= 0 else 0",
        "Throughput is more than a factor of 2 from the nearest published measurement",
        "Compare with the table of measurements; lower the efficiencies, or enter your own measurement as concurrency",
    ),
    _check(
        "peaks_priced",
        "What is rented beyond the reserved base has a price",
        "1 if peak_price > 0 else 1 - min(serving_reserved, 1)",
        "{serving_reserved} is a base with its peaks on demand, and {peak_price} is 0",
        "Enter {peak_price}, or reserve nothing for serving",
    ),
    _check(
        "months",
        "Every month has the capacity for its peak",
        "1 if month_replicas * replica_requests >= month_peak_requests else 0",
        "The replicas of a month cannot serve its peak",
        "Raise {fixed_replicas}, or leave it 0 to follow the demand",
        "serving_monthly",
    ),
)
