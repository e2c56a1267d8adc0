"""What a cluster buys and what a model takes of it: lines of drivers and of a model's totals."""

from flopsheet.accounting.formula import compose
from flopsheet.planning.written_lines import lines_from

WALKTHROUGH = "FLOP budget = FLOP/s a GPU × GPUs × days × 86,400, the walkthrough's section on budgets"
POWER = "Nameplate power × average draw, with servers and cooling: drivers of this plan"

RATE = "1000000000000 * (achieved_tflops if achieved_tflops else peak_tflops * mfu)"
"""FLOP/s of one accelerator: what was measured, else the dense peak × MFU."""

CLUSTER_LINES = lines_from(
    __package__,
    "lines.toml",
    "cluster",
    {
        "flops_per_accelerator": RATE,
        "budget_flop_sparse": compose.times(
            compose.substitute(RATE, {"mfu": "mfu_sparse"}), "goodput", "accelerator_hours", "3600"
        ),
    },
    power=POWER,
    walkthrough=WALKTHROUGH,
)
"""Lines of one case: their names are the drivers and each other."""

MODEL_LINES = lines_from(__package__, "lines.toml", "model", power=POWER, walkthrough=WALKTHROUGH)
"""Lines of one model under one case: their names are the drivers, the model's totals, and each other."""
