"""What a cluster buys and what a model takes of it: lines of drivers and of a model's totals."""

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

WALKTHROUGH = "FLOP budget = FLOP/s a GPU × GPUs × days × 86,400, the walkthrough's section on budgets"
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

MODEL_LINES = lines_from(__package__, "lines.toml", "model", power=POWER, walkthrough=WALKTHROUGH)
"""Lines of one model under one case: their names are the drivers, the model's totals, and each other."""

RESULTS = ("parameters", "parameters_active", "flops_training_per_token", "training_state_bytes")
"""The totals of a ledger that model lines use."""
