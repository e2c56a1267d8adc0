"""A decode step as a function of its batch, the batch that a latency target allows, and throughput."""

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line

FORM = "Form and efficiencies: docs/calibration.md"
DRAFTS = "Leviathan et al. 2211.17192, section 3: (1 - a^(n+1)) / (1 - a)"
COVERAGE = "1 - (1 - top_k / n_experts)^tokens"
QUEUE = "Mean wait of a queue with steady service: load / (2 (1 - load)) × service"

STEP = (
    Line(
        "step_tokens_accepted",
        "(1 - power(draft_acceptance, draft_tokens + 1)) / (1 - draft_acceptance)",
        "tokens",
        title="Tokens per step and sequence",
        about="1 without drafts",
        source=DRAFTS,
    ),
    Line(
        "unread_values",
        "cache_unread_per_token * max(mean_context - cache_read_whole, 0)",
        "elements",
        title="Cached values that a step leaves out",
        about="Sparse attention reads the tokens that it chose, and what it chooses them by; 0: all is read",
        source="The model's caches at the mean context",
    ),
    Line(
        "sequence_read_bytes",
        "cache_copies * kv_bytes * (cache_start + cache_per_token * mean_context"
        " + cache_capped * min(mean_context / cache_cap, 1) - unread_values) + state_bytes_per_sequence",
        "bytes",
        title="Cache and states read for a sequence",
        source="The model's caches at the mean context",
    ),
    Line(
        "step_core_flops",
        "step_per_token * mean_context + step_capped * min(mean_context / step_cap, 1)",
        "FLOP",
        title="Attention of a step",
        source="The model's decode step at the mean context",
    ),
    Line(
        "step_head_flops",
        "max(step_start - prompt_token_flops, 0)",
        "FLOP",
        title="Head of a step",
        source="The model's decode step, less what a prompt's token costs",
    ),
    Line(
        "step_sequence_seconds",
        "(1 + draft_tokens) * (token_seconds + (step_head_flops / served_tflops + step_core_flops / peak_tflops)"
        " / product_efficiency / 1000000000000) + sequence_read_bytes / read_rate",
        "s",
        title="A sequence's part of a step",
        about="On one accelerator",
        source=FORM,
    ),
    Line(
        "draft_factor",
        "(1 + draft_cost * draft_tokens) / step_tokens_accepted",
        "ratio",
        title="Steps per token, with drafting",
        source=DRAFTS,
    ),
    Line(
        "miss_log",
        "log(max(n_experts - top_k, 1) / max(n_experts, 1)) * (1 + draft_tokens) / served_stages",
        "ratio",
        title="Logarithm of the share of experts that a sequence leaves out",
        about="exp(of it × batch) is the share that no sequence of a batch reads",
        source=COVERAGE,
    ),
    Line(
        "shared_prefill_seconds",
        "prompt_accelerator_seconds / (replica_size * output_tokens) * (1 - disaggregated)",
        "s",
        title="Prefill per output token and sequence",
        about="Prompts of other sequences share the replica, unless prefill has accelerators of its own",
        source="Accelerator time of a prompt / (accelerators × output tokens)",
    ),
    Line(
        "token_fixed_seconds",
        "draft_factor * pass_seconds",
        "s",
        title="Time per token, independent of the batch",
        source=FORM,
    ),
    Line(
        "token_expert_seconds",
        "draft_factor * expert_pass_seconds",
        "s",
        title="Time per token with all experts read",
        source=FORM,
    ),
    Line(
        "token_batch_seconds",
        "draft_factor * step_sequence_seconds / replica_size + shared_prefill_seconds",
        "s",
        title="Time per token and sequence of the batch",
        source=FORM,
    ),
)

ITL = "token_fixed_seconds + token_expert_seconds * (1 - exp(miss_log * sequences)) + token_batch_seconds * sequences"
"""Time between a sequence's tokens."""


def itl(batch: str) -> str:
    """Return the formula of the time between tokens with a batch."""
    return compose.substitute(ITL, {"sequences": batch})


def where_written(text: str) -> str:
    """Return a formula that is 0 where a model writes no tokens."""
    return compose.substitute("text if decodes else 0", {"text": text})


SLOPE = "token_batch_seconds - token_expert_seconds * miss_log * exp(miss_log * sequences)"


def _closer(batch: str, name: str, title: str) -> tuple[Line, ...]:
    """Return a step of Newton's method from a line's batch towards the one that takes as long as the target allows."""
    return (
        Line(f"{batch}_itl", itl(batch), "s", title=f"{title}: time between tokens before", source=FORM),
        Line(
            f"{batch}_slope",
            compose.substitute(SLOPE, {"sequences": batch}),
            "s",
            title=f"{title}: time per further sequence",
            source=FORM,
        ),
        Line(
            name,
            compose.fill("max(BATCH + (itl_target_ms / 1000 - BATCH_itl) / BATCH_slope, 0)", BATCH=batch),
            "sequences",
            title=title,
            about="From below, since time grows less and less with the batch",
            source="Newton's method",
        ),
    )


TARGET = (
    Line(
        "read_wait",
        "1 + 1 / (2 * max(headroom, 1 / 1000000))",
        "ratio",
        title="Time with its wait over the time of a batch, where nothing is written",
        about="Replicas are busy all but the headroom",
        source=QUEUE,
    ),
    Line(
        "batch_all_experts",
        "max((itl_target_ms / 1000 - token_fixed_seconds - token_expert_seconds) / token_batch_seconds, 1)",
        "sequences",
        title="Batch at the target, were all experts read",
        source="Time between tokens = target",
    ),
    *_closer("batch_all_experts", "batch_near", "Nearer batch"),
    *_closer("batch_near", "batch_nearer", "Still nearer batch"),
    *_closer("batch_nearer", "batch_nearest", "Nearest batch"),
    Line(
        "batch_read",
        "max(ttft_target_ms / 1000 / read_wait - pass_seconds - expert_pass_seconds, 0)"
        " * replica_size / prompt_accelerator_seconds",
        "sequences",
        title="Inputs read together within the target",
        about="What a model that writes no tokens is given at once: its weights are read once per batch",
        source="Time of a batch with its wait = ttft_target_ms",
    ),
    Line(
        "batch_at_target",
        "min(floor(batch_nearest if decodes else batch_read), max_batch)",
        "sequences",
        title="Batch at the latency target",
        about="Of a replica; 0: one sequence is slower than the target",
        source="Time between tokens = target, and memory; where none are written, time of a batch = target",
    ),
    Line(
        "wanted_batch",
        "concurrency if concurrency > 0 else batch_at_target",
        "sequences",
        title="Batch that is asked for",
        about="At the latency target, or the concurrency that is typed",
        source="Input concurrency",
    ),
    Line(
        "served_batch",
        "max(min(wanted_batch, max_batch), 1)",
        "sequences",
        title="Batch of a replica",
        about="As asked for, as far as memory allows; at least 1",
        source="Largest batch",
    ),
)

THROUGHPUT = (
    Line(
        "itl_seconds",
        where_written(itl("served_batch")),
        "s",
        title="Time between tokens",
        about="Mean, with prefill of other sequences in between; 0: the model writes no tokens",
        source=FORM,
    ),
    Line(
        "prefill_load",
        "disaggregated / (1 + headroom) + served_batch * shared_prefill_seconds / itl_seconds if decodes else 1",
        "share",
        title="Share of time in prefill",
        about="100% where no tokens are written",
        source="Prefill per token / time between tokens",
    ),
    Line(
        "transfer_seconds",
        "disaggregated * sequence_bytes / (between_servers_gbs * 1000000000)",
        "s",
        title="Transfer of a prompt's cache",
        source="Cache / bandwidth between servers",
    ),
    Line(
        "read_seconds",
        "pass_seconds + expert_pass_seconds + served_batch * prompt_accelerator_seconds / replica_size",
        "s",
        title="Time of a batch of inputs, read alone",
        about="What a replica does where no tokens are written",
        source=FORM,
    ),
    Line(
        "ttft_seconds",
        "prefill_seconds * (1 + prefill_load / (2 * (1 - prefill_load))) + transfer_seconds + itl_seconds if decodes"
        " else read_seconds * read_wait",
        "s",
        title="Time to first token",
        about="Mean: wait, prefill, transfer where prefill is apart, and one step. Where no tokens are written: to the"
        " result",
        source=QUEUE,
    ),
    Line(
        "request_seconds",
        "ttft_seconds + max(written_tokens - 1, 0) * itl_seconds",
        "s",
        title="Time of a request",
        source="Time to first token + the rest",
    ),
    Line(
        "decode_accelerator_seconds",
        "(itl_seconds / served_batch - shared_prefill_seconds) * replica_size if decodes else 0",
        "s",
        title="Accelerator time of an output token",
        about="0: the model writes no tokens",
        source="Time between tokens × accelerators / batch",
    ),
    Line(
        "decoded_tokens_per_second_per_accelerator",
        "1 / decode_accelerator_seconds if decodes else 0",
        "tokens/s",
        title="Decoded tokens per second per accelerator",
        about="At the latency target, without prefill; 0: the model writes no tokens",
        source="1 / accelerator time",
    ),
    Line(
        "output_tokens_per_second_per_accelerator",
        "decodes * weights_fit * min(max_batch, 1)"
        " / (decode_accelerator_seconds + prompt_accelerator_seconds / output_tokens)",
        "tokens/s",
        title="Output tokens per second per accelerator",
        about="At the latency target, prefill included; 0: the model writes no tokens",
        source="1 / accelerator time per output token",
    ),
    Line(
        "request_accelerator_seconds",
        "prompt_accelerator_seconds + written_tokens * decode_accelerator_seconds if decodes"
        " else replica_size * read_seconds / served_batch",
        "s",
        title="Accelerator time of a request",
        about="Prompt and output; where nothing is written, its part of a batch",
        source="Accelerator times",
    ),
    Line(
        "input_tokens_per_second_per_accelerator",
        "weights_fit * min(max_batch, 1) * input_tokens / request_accelerator_seconds",
        "tokens/s",
        title="Input tokens per second per accelerator",
        about="At the latency target, output included where there is any",
        source="Input tokens / accelerator time of a request",
    ),
    Line(
        "max_itl_seconds",
        where_written(itl("max_batch")),
        "s",
        title="Time between tokens with the largest batch",
        source=FORM,
    ),
    Line(
        "max_output_tokens_per_second_per_accelerator",
        "max_batch / (replica_size * (max_itl_seconds - max_batch * shared_prefill_seconds)"
        " + max_batch * prompt_accelerator_seconds / output_tokens) if decodes else 0",
        "tokens/s",
        title="Most output tokens per second per accelerator",
        about="Offline, at maximum load; 0 where nothing fits, or no tokens are written",
        source="1 / accelerator time per output token",
    ),
)

DECODE = (*STEP, *TARGET, *THROUGHPUT)
"""Lines of one model's decode steps, after those of its prompts."""
