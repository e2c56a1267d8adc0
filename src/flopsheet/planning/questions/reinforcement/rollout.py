"""How long the rollouts of a step take: decode steps as serving has them, with lengths and a layout of their own.

Every response is under way at once where memory allows. The longest of them, or what memory holds at a time, says how
many decode steps there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import substitute
from flopsheet.accounting.needed_lines import needed_lines
from flopsheet.planning.questions.serving.memory import MEMORY
from flopsheet.planning.questions.serving.prefill import PREFILL
from flopsheet.planning.questions.serving.step import STEP
from flopsheet.planning.written_lines import lines_from

if TYPE_CHECKING:
    from flopsheet.accounting.line import Line

FORM = "Form and efficiencies: docs/calibration.md"
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
    *lines_from(__package__, "rollout.toml", "rollout_accelerators", form=FORM),
)
"""Lines of a model's rollouts, after those of the model as it is served."""
