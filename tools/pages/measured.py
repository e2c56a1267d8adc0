"""The section of docs/calibration.md on steps that were measured on one accelerator: their time, and their memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.planning.calibration_steps import plan_step, summarize_errors
from flopsheet.planning.datafiles import data_rows, data_value

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = "measured_times"
LAYOUT = {"accelerator": "h100-sxm", "accelerators": 1, "main_gradient_bytes": 2}
"""What a step ran on where it names nothing else, and the gradients in bf16 that its optimizer read."""
HEAD = """
### On one accelerator

Steps that `tools/measure_training.py` ran on one accelerator, {accelerator}, on {day},
with {software}: the library's own modules with random weights, their layers and
loss compiled. No efficiency was fitted on them. Memory is the most that torch held in forward and backward passes, in
GB of 10^9 bytes.

"""
TAIL = """
An attention kernel that keeps no scores, as FlashAttention does, is `recompute = "selective"`. Where torch ran another
kernel, steps are slower: a window is a mask over all pairs there, and the bias that T5 adds to scores has a gradient,
so scores are kept. GPT-2 and BART, whose layers are small, are slower too. The library keeps the outputs of routed
experts, which others do not. Adapters are of rank 16 beside each linear layer. Frozen weights in 8 bits are expanded
before each product: without full recomputation torch keeps the expanded ones for the backward pass, so memory is that
of bf16 and more; kernels that expand them again, as those of QLoRA do, keep what is predicted.
"""


class Measured(NamedTuple):
    """A step that was measured, its seconds and bytes, and the predicted ones."""

    row: dict[str, Any]
    seconds: float
    memory_bytes: int
    predicted_seconds: float
    predicted_bytes: float

    @property
    def time_off(self) -> float:
        """How far the predicted time is off, over the measured one."""
        return self.predicted_seconds / self.seconds - 1

    @property
    def memory_off(self) -> float:
        """How far the predicted memory is off, over the measured one."""
        return self.predicted_bytes / self.memory_bytes - 1


def measured() -> list[Measured]:
    """Return every measured step with its prediction in the Base case.

    Raises:
        ValueError: If the steps and what was measured are not of the same models in the same order.

    """
    pairs = list(zip(data_rows("measured_steps"), data_rows(FILE), strict=True))
    if any(step["name"] != found["name"] for step, found in pairs):
        raise ValueError(f"{FILE}.toml is not of the steps in measured_steps.toml; run tools/measure_training.py again")
    return [_measured(step, found) for step, found in pairs]


def _measured(step: dict[str, Any], found: dict[str, Any]) -> Measured:
    plan = plan_step({**LAYOUT, **step})
    answer = plan.training(plan.costed[0], "base")
    predicted = float(answer["step_seconds"]), float(answer["memory_bytes_per_accelerator"])
    return Measured(step, found["seconds"], found["memory_bytes"], *predicted)


def measured_section(rows: Sequence[Measured]) -> str:
    """Return the part of the page as Markdown."""
    said = {name: data_value(FILE, name) for name in ("accelerator", "day", "software")}
    headers = ["Model", "Sequences", "Recompute", "Measured s", "Predicted s", "Off"]
    lines = [[*headers, "Measured GB", "Predicted GB", "Off"], ["---"] * 3 + ["---:"] * 6, *map(_cells, rows)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    summary = (
        f"\n{len(rows)} steps. Time: {summarize_errors(one.time_off for one in rows)}."
        f" Memory: {summarize_errors(one.memory_off for one in rows)}.\n"
    )
    return f"{HEAD.format(**said)}{table}\n{summary}{TAIL}"


def _cells(one: Measured) -> list[str]:
    row = one.row
    sequences = f"{row['micro_batch']} × {row['seq_len']:,} of {row['global_batch']}"
    times = f"{one.seconds:.3f}", f"{one.predicted_seconds:.3f}", f"{one.time_off:+.0%}"
    memory = f"{one.memory_bytes / 1e9:.1f}", f"{one.predicted_bytes / 1e9:.1f}", f"{one.memory_off:+.0%}"
    return [row["name"], sequences, row["recompute"], *times, *memory]
