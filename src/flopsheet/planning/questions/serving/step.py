"""A decode step as a function of its batch."""

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line

FORM = "Form and efficiencies: docs/calibration.md"
DRAFTS = "Leviathan et al. 2211.17192, section 3: (1 - a^(n+1)) / (1 - a)"
COVERAGE = "1 - (1 - top_k / n_experts)^tokens"

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
