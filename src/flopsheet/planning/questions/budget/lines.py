"""What a cluster buys and what a model takes of it: lines of drivers and of a model's totals."""

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line

WALKTHROUGH = "FLOP budget = FLOP/s a GPU × GPUs × days × 86,400, the walkthrough's section on budgets"
TRAINING = "Training is three passes of equal cost: forward, gradient of inputs, gradient of weights"
POWER = "Nameplate power × average draw, with servers and cooling: drivers of this plan"

RATE = "1000000000000 * (achieved_tflops if achieved_tflops else peak_tflops * mfu)"
"""FLOP/s of one accelerator: what was measured, else the dense peak × MFU."""

CLUSTER_LINES = (
    Line(
        "flops_per_accelerator",
        RATE,
        "FLOP/s",
        title="FLOP/s per accelerator, dense models",
        about="What was measured, else the dense peak × MFU",
        source=WALKTHROUGH,
    ),
    Line("accelerator_hours", "accelerators * days * 24", "GPU-h", title="Accelerator-hours", source=WALKTHROUGH),
    Line(
        "budget_flop",
        "flops_per_accelerator * goodput * accelerator_hours * 3600",
        "FLOP",
        title="Compute, dense models",
        about="What the cluster computes in the time, less what failures and restarts lose",
        source=WALKTHROUGH,
    ),
    Line(
        "budget_flop_sparse",
        compose.times(compose.substitute(RATE, {"mfu": "mfu_sparse"}), "goodput", "accelerator_hours", "3600"),
        "FLOP",
        title="Compute, mixtures of experts",
        about="The same cluster and time for models of which a token uses only part",
        source=WALKTHROUGH,
    ),
    Line(
        "budget_cost", "accelerator_hours * price_per_hour", "USD", title="Cost of the cluster", source="Hours × price"
    ),
    Line(
        "compute_price",
        "price_per_hour * 1000000000000 * 1000000000 / (flops_per_accelerator * goodput * 3600)",
        "USD/ZFLOP",
        title="Price of compute, dense models",
        about="What 1e21 FLOP that end up in the model cost",
        source="Price of an hour / what an hour computes",
    ),
    Line(
        "power_kw",
        "accelerators * tdp_w * server_power_factor * draw_fraction * pue / 1000",
        "kW",
        title="Average power",
        source=POWER,
    ),
    Line("energy_kwh", "power_kw * days * 24", "kWh", title="Energy", source=POWER),
    Line(
        "energy_cost",
        "energy_kwh * electricity_price",
        "USD",
        title="Electricity",
        about="Shown separately: a rented accelerator's price includes it",
        source="Energy × price of electricity",
    ),
    Line("carbon_kg", "energy_kwh * carbon", "kg CO2e", title="Emissions", source="Energy × carbon intensity"),
)
"""Lines of one case: their names are the drivers and each other."""

MODEL_LINES = (
    Line(
        "training_tokens",
        "tokens_override if tokens_override else tokens",
        "tokens",
        title="Training tokens",
        about="The model's own, else the plan's",
        source="Portfolio, or the driver",
    ),
    Line("tokens_per_parameter", "training_tokens / parameters", "ratio", title="Tokens per parameter", source="Ratio"),
    Line(
        "model_mfu",
        "achieved_tflops / peak_tflops"
        " + (0 if achieved_tflops else 1) * (mfu_sparse if parameters_active < parameters else mfu)",
        "share",
        title="MFU",
        about="Of what was measured, where that is given; lower where a token uses only part of the parameters",
        source="Drivers of this plan",
    ),
    Line(
        "model_flops_per_accelerator",
        "1000000000000 * (peak_tflops * model_mfu)",
        "FLOP/s",
        title="FLOP/s per accelerator",
        source=WALKTHROUGH,
    ),
    Line(
        "least_mfu",
        "mfu_sparse_least if parameters_active < parameters else mfu_least",
        "share",
        title="Lowest published MFU",
        about="Of models of its kind",
        source="Published runs: inputs of this plan",
    ),
    Line(
        "most_mfu",
        "mfu_sparse_most if parameters_active < parameters else mfu_most",
        "share",
        title="Highest published MFU",
        about="Of models of its kind",
        source="Published runs: inputs of this plan",
    ),
    Line(
        "training_flops",
        "flops_training_per_token * training_tokens",
        "FLOP",
        title="Training FLOP",
        about="At the workload's sequence length and mask",
        source=TRAINING,
    ),
    Line(
        "training_hours",
        "training_flops / (model_flops_per_accelerator * goodput * 3600)",
        "GPU-h",
        title="Training accelerator-hours",
        source=WALKTHROUGH,
    ),
    Line(
        "training_days",
        "training_hours / (accelerators * 24)",
        "days",
        title="Training days",
        about="On all accelerators of the plan",
        source="Hours / accelerators",
    ),
    Line("training_cost", "training_hours * price_per_hour", "USD", title="Training cost", source="Hours × price"),
    Line(
        "training_energy",
        "training_hours * tdp_w * server_power_factor * draw_fraction * pue / 1000",
        "kWh",
        title="Training energy",
        source=POWER,
    ),
    Line(
        "affordable_tokens",
        "model_flops_per_accelerator * goodput * accelerators * days * 24 * 3600 / flops_training_per_token",
        "tokens",
        title="Tokens trainable in the window",
        about="If the whole cluster trained this model all the time",
        source=WALKTHROUGH,
    ),
    Line(
        "fits_time",
        "1 if training_days <= days else 0",
        "flag",
        title="Within schedule",
        about="1: training days are at most the plan's days",
        source="Training days against the plan's",
    ),
    Line(
        "fits_memory",
        "1 if training_state_bytes <= accelerators * memory_gb * 1000000000 * memory_usable else 0",
        "flag",
        title="Fits in cluster memory",
        about="1: weights, gradients and optimizer states, spread over all accelerators (ZeRO stage 3), are at most"
        " their usable memory; activations are not included",
        source="Rajbhandari et al. 1910.02054: ZeRO stage 3",
    ),
    Line(
        "fits_layout",
        "fits_memory",
        "flag",
        title="Fits in memory",
        about="Weights, gradients and optimizer over all accelerators, without activations. Where the question training"
        " is asked: under the plan's layout, with activations",
        source="Rajbhandari et al. 1910.02054: ZeRO stage 3",
    ),
    Line("fits", "fits_time * fits_memory", "flag", title="Within schedule and memory"),
)
"""Lines of one model under one case: their names are the drivers, the model's totals, and each other."""

RESULTS = ("parameters", "parameters_active", "flops_training_per_token", "training_state_bytes")
"""The totals of a ledger that model lines use."""
