"""The training step: what the model asks for, and what the hardware does where activations are recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.line import Line
from flopsheet.accounting.totals import COUNTED_BY_HOST, Entry, but_adapters, subtotal_name, sum_of, total

if TYPE_CHECKING:
    from collections.abc import Sequence

_STEP = (
    "Forward, the gradient of the inputs, and the gradient of the weights: three passes of equal cost, less the"
    " gradient of frozen weights. Counted by MFU"
)
_RECOMPUTED = (
    "selective: attention cores once more. full: all but the head once more. Korthikanti et al. 2205.05198, section 5"
)
_HARDWARE = "Counted by HFU"


def training_entries(lines: Sequence[Line], tokens: str) -> list[Entry]:
    """Return the totals of a training step; the workload's choice `recompute` says what runs forward twice.

    `tokens` is the formula of the tokens that a forward pass reads.
    """
    frozen = Line(
        "flops_frozen",
        f"frozen_share * ({but_adapters('flops', lines)})",
        "FLOP",
        title="Gradients of frozen weights, which nobody computes",
        about="Those of their inputs are computed all the same, down to the first layer",
        source=COUNTED_BY_HOST,
        additive=False,
    )
    cores = [line.name for line in lines if line.additive and line.work == "attention_core"]
    core = Line(
        "flops_attention_core",
        sum_of(cores),
        "FLOP",
        "attention",
        title="Forward FLOP of attention cores",
        source=COUNTED_BY_HOST,
        additive=False,
    )
    has_head = any(line.additive and line.group == "lm_head" for line in lines)
    layers = f"flops_forward - {subtotal_name('flops', 'lm_head')}" if has_head else "flops_forward"
    again = f"recompute_is_selective * {core.name} + recompute_is_full * ({layers})"
    step, a_token = "flops_forward + 2 * flops_forward - flops_frozen", f"flops_training_step / ({tokens})"
    hardware = sum_of(["flops_training_step", "flops_recompute"])
    return [
        Entry(frozen, "flops", "helper"),
        total("flops_training_step", step, "FLOP", "FLOP of a training step", "flops", _STEP),
        total("flops_training_per_token", a_token, "FLOP", "FLOP of a training step a token", "flops"),
        Entry(core, "flops", "helper"),
        total("flops_recompute", again, "FLOP", "FLOP recomputed in a training step", "flops", _RECOMPUTED),
        total(
            "flops_training_hardware",
            hardware,
            "FLOP",
            "FLOP of a training step with recomputation",
            "flops",
            _HARDWARE,
        ),
    ]
