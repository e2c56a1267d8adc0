"""The training step: what the model asks for, and what the hardware does where activations are recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import minus, over, plus, times
from flopsheet.accounting.line import TOWERS, Line
from flopsheet.accounting.totals import COUNTED_BY_HOST, TOWERS_FROZEN, Entry, but_adapters, subtotal_name, total

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
    towers, frozen = _frozen(lines)
    cores = [line.name for line in lines if line.additive and line.work == "attention_core"]
    core = Line(
        "flops_attention_core",
        plus(*cores),
        "FLOP",
        "attention",
        title="Forward FLOP of attention cores",
        source=COUNTED_BY_HOST,
        additive=False,
    )
    has_head = any(line.additive and line.group == "lm_head" for line in lines)
    layers = minus("flops_forward", subtotal_name("flops", "lm_head")) if has_head else "flops_forward"
    again = plus(times("recompute_is_selective", core.name), times("recompute_is_full", layers))
    step, a_token = "flops_forward + 2 * flops_forward - flops_frozen", over("flops_training_step", tokens)
    return [
        *(Entry(line, "flops", "helper") for line in (*towers, frozen)),
        total("flops_training_step", step, "FLOP", "FLOP of a training step", "flops", _STEP),
        total("flops_training_per_token", a_token, "FLOP", "FLOP of a training step per token", "flops"),
        Entry(core, "flops", "helper"),
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
    towers = [subtotal_name("flops", group) for group in TOWERS if any(line.group == group for line in lines)]
    text, about = (
        but_adapters("flops", lines),
        "Those of their inputs are computed all the same, down to the first layer",
    )
    whole = times("frozen_share", text)
    if towers:
        weights = times(TOWERS_FROZEN, "flops_towers_linear")
        inputs = times("towers_frozen", minus(times("2", plus(*towers)), "flops_towers_linear"))
        whole = plus(times("frozen_share", minus(text, "flops_towers_linear")), weights, inputs)
        about += "; but for those of frozen towers, below which nothing is trained"
    helpers = [_helper("flops_towers_linear", plus(*linear), "Forward FLOP of the towers' linear layers")]
    frozen = _helper("flops_frozen", whole, "Gradients of frozen weights, which are not computed")
    return helpers if towers else [], frozen._replace(about=about)


def _helper(name: str, text: str, title: str) -> Line:
    return Line(name, text, "FLOP", title=title, source=COUNTED_BY_HOST, additive=False)
