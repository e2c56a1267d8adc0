"""The training step: what the model asks for, and what the hardware does where activations are recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import minus, over, plus, times
from flopsheet.accounting.line import TOWERS
from flopsheet.accounting.totals import (
    TOWERS_FROZEN,
    Entry,
    but_adapters,
    helpers,
    host_line,
    subtotal_name,
    total,
    tower_subtotals,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Line

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
    towers, frozen = _frozen(lines)
    cores = [line.name for line in lines if line.additive and line.work == "attention_core"]
    title = "Forward FLOP of attention cores"
    core = host_line("flops_attention_core", plus(*cores), "FLOP", title, group="attention")
    has_head = any(line.additive and line.group == "lm_head" for line in lines)
    layers = minus("flops_forward", subtotal_name("flops", "lm_head")) if has_head else "flops_forward"
    again = plus(times("recompute_is_selective", core.name), times("recompute_is_full", layers))
    step, a_token = "flops_forward + 2 * flops_forward - flops_frozen", over("flops_training_step", tokens)
    return [
        *helpers("flops", *towers, frozen),
        total("flops_training_step", step, "FLOP", "FLOP of a training step", "flops", _STEP),
        total("flops_training_per_token", a_token, "FLOP", "FLOP of a training step per token", "flops"),
        *helpers("flops", core),
        total("flops_recompute", again, "FLOP", "FLOP recomputed in a training step", "flops", _RECOMPUTED),
        total(
            "flops_training_hardware",
            "flops_training_step + flops_recompute",
            "FLOP",
            "FLOP of a training step with recomputation",
            "flops",
            _HARDWARE,
        ),
    ]


def _frozen(lines: Sequence[Line]) -> tuple[list[Line], Line]:
    """Return the FLOP that freezing saves, after the helper line that it needs where there are towers."""
    linear = [line.name for line in lines if line.additive and line.group in TOWERS and line.work == "linear"]
    towers, text = tower_subtotals("flops", lines), but_adapters("flops", lines)
    title = "Gradients of frozen weights, which are not computed"
    about = "Those of their inputs are computed all the same, down to the first layer"
    if not towers:
        return [], host_line("flops_frozen", times("frozen_share", text), "FLOP", title, about)
    name = "flops_towers_linear"
    weights = times(TOWERS_FROZEN, name)
    inputs = times("towers_frozen", minus(times("2", plus(*towers)), name))
    whole = plus(times("frozen_share", minus(text, name)), weights, inputs)
    about += "; but for those of frozen towers, below which nothing is trained"
    helper = host_line(name, plus(*linear), "FLOP", "Forward FLOP of the towers' linear layers")
    return [helper], host_line("flops_frozen", whole, "FLOP", title, about)
