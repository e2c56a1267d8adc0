"""How long the rollouts of a step take: decode steps as serving has them, with lengths and a layout of their own.

Every response is under way at once where memory allows. The longest of them, or what memory holds at a time, says how
many decode steps there are.
"""

from __future__ import annotations

from flopsheet.accounting.formula.compose import substitute
from flopsheet.accounting.line import Line
from flopsheet.accounting.needed import needed_lines
from flopsheet.planning.questions.serving.memory import MEMORY
from flopsheet.planning.questions.serving.prefill import PREFILL
from flopsheet.planning.questions.serving.step import STEP
from flopsheet.planning.written_lines import lines_from

FORM = "Form and efficiencies: docs/calibration.md"
GROUPS = "Shao et al. 2402.03300 (GRPO), section 4.1"
READ = (
    "draft_factor",
    "pass_seconds",
    "expert_pass_seconds",
    "miss_log",
    "step_sequence_seconds",
    "prompt_accelerator_seconds",
)
"""What rollouts take of a model that is served."""
OTHERWISE = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "response_tokens",
    "output_variation": "response_variation",
    "prompt_hit_rate": "0",
    "prefix_memory": "0",
    "expert_padding": "0",
    "expert_half_width": "0",
}
"""What inputs of serving are among rollouts: their lengths, and no prompts that were read before.

Nor do narrow and padded products of experts count, which servers under load have: published steps show none of them.
"""
LAYOUT = lines_from(__package__, "rollout.toml", "layout")


def _of_rollouts(line: Line) -> Line:
    return line._replace(formula=substitute(line.formula, OTHERWISE))


_OWN = {line.name for line in LAYOUT}
SERVED = (
    *LAYOUT,
    *needed_lines(
        (_of_rollouts(line) for line in (*MEMORY, *PREFILL, *STEP) if line.name not in _OWN), (*READ, "max_batch")
    ),
)
ROLLOUT = (
    *SERVED,
    Line(
        "rollout_accelerators",
        "accelerators * rollout_share if policy_lag > 0 else accelerators",
        "accelerators",
        title="Accelerators that write rollouts",
        about="All in turn with training, or their share where they run at the same time",
        source="Inputs accelerators, rollout_share and policy_lag",
    ),
    Line(
        "replica_rollouts",
        "rollouts_per_step * replica_size / rollout_accelerators",
        "sequences",
        title="Rollouts per replica and step",
        source="Rollouts / replicas",
    ),
    Line(
        "live_rollouts",
        "max(min(replica_rollouts * response_tokens / longest_response, max_batch), min(replica_rollouts, 1))",
        "sequences",
        title="Rollouts under way on a replica, on average",
        about="Fewer and fewer until the longest has ended, and never more than memory holds",
        source="Rollouts × mean length / longest",
    ),
    Line(
        "rollout_length",
        "max(longest_response / max(policy_lag, 1), replica_rollouts * response_tokens / live_rollouts)",
        "tokens",
        title="Tokens that the rollouts write one after the other",
        about="As many as the longest response has, over the steps that it may lag; more where memory is short",
        source="Tokens of a replica / rollouts under way",
    ),
    Line(
        "rollout_pass_seconds",
        "draft_factor * (pass_seconds + expert_pass_seconds * (1 - exp(miss_log * live_rollouts)))",
        "s",
        title="Weights per token of the longest rollout",
        about="Of the experts, those that some rollout under way is sent to; fewer steps than tokens with drafts",
        source=FORM,
    ),
    Line(
        "rollout_token_seconds",
        "replica_rollouts / replica_size * (response_tokens * draft_factor * step_sequence_seconds"
        " + prompt_accelerator_seconds / rollouts_per_prompt)",
        "s",
        title="Tokens of the rollouts",
        about="Written one by one; a prompt is read once for its group",
        source=GROUPS,
    ),
    Line(
        "rollout_seconds",
        "(rollout_length * rollout_pass_seconds + rollout_token_seconds) / rollout_efficiency + environment_seconds",
        "s",
        title="Rollouts of a step",
        source=FORM,
    ),
)
"""Lines of a model's rollouts, after those of the model as it is served."""
