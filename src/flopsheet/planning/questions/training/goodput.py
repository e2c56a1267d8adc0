"""Goodput worked out: what checkpoints, interruptions and restarts leave of the time."""

from flopsheet.accounting.line import Line

DALY = "Daly 2006, A higher order estimate of the optimum checkpoint interval, equation 20"
YOUNG = "Young 1974, A first order approximation to the optimum checkpoint interval"

GOODPUT = (
    Line(
        "checkpoint_seconds",
        "(training_state_bytes - gradients_bytes) / (accelerators * checkpoint_gbs * 1000000000)",
        "s",
        title="Time of a checkpoint",
        about="Weights and optimizer state, which all accelerators write together while training waits",
        source="Bytes / bandwidth",
    ),
    Line(
        "between_seconds",
        "1000 * 24 * 3600 / (interruptions * accelerators)",
        "s",
        title="Mean time between interruptions",
        source="Inputs interruptions and accelerators",
    ),
    Line(
        "checkpoint_interval",
        "power(2 * checkpoint_seconds * between_seconds, 1 / 2)",
        "s",
        title="Time between checkpoints",
        about="What loses the least to checkpoints and to work that is done again",
        source=YOUNG,
    ),
    Line(
        "interval_growth",
        "exp((checkpoint_interval + checkpoint_seconds) / between_seconds) - 1",
        "ratio",
        title="Interruptions per interval, repeated work included",
        source=DALY,
    ),
    Line(
        "worked_goodput",
        "checkpoint_interval / (between_seconds * exp(restart_seconds / between_seconds) * interval_growth)",
        "share",
        title="Goodput, worked out",
        about="Of time that ends up in the model, with interruptions at random",
        source=DALY,
    ),
)
"""Lines of one model, after those of its step."""
