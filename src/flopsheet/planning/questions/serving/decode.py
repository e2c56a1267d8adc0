"""The batch that a latency target allows, and the latencies and throughput of a replica with its batch."""

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.serving.quantiles import AT_QUANTILE, TARGET_BATCH
from flopsheet.planning.questions.serving.step import FORM, SLOPE, STEP, itl, where_written

QUEUE = "Mean wait of a queue with steady service: load / (2 (1 - load)) × service"


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
    *TARGET_BATCH,
    Line(
        "batch_at_target",
        "min(floor(batch_on_average if decodes else batch_read), max_batch)",
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
    *AT_QUANTILE,
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
