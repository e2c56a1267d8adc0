"""What it takes to train and to serve each candidate: lines of Models side by side."""

from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Table

_TRAIN = (
    ("training_tokens", "tokens", "Training tokens"),
    ("training_flops", "FLOP", "Training compute"),
    ("training_hours", "GPU-h", "GPU-hours"),
    ("training_days", "days", "Days on the cluster"),
    ("training_cost", "USD", "Final run"),
    ("training_energy", "kWh", "Energy"),
    ("fits_time", "flag", "Within schedule"),
    ("fits_memory", "flag", "Fits in cluster memory"),
)
_SERVE = (
    ("serving_accelerators", "accelerators", "Accelerators"),
    ("max_batch", "sequences", "Largest batch"),
    ("ttft_seconds", "s", "Time to first token"),
    ("itl_seconds", "s", "Time between tokens"),
    ("usd_per_mtok_input", "USD/Mtok", "Input"),
    ("usd_per_mtok_output", "USD/Mtok", "Output"),
    ("usd_per_mtok_blended", "USD/Mtok", "Input and output"),
    ("serving_cost_per_month", "USD", "Cost per month"),
)


def _of_models(name: str, title: str, prefix: str, columns: tuple[tuple[str, str, str], ...]) -> Table:
    """Return a table over models of lines that Models has."""
    return Table(
        name,
        title,
        tuple(
            Line(f"{prefix}_{line}", f"own_{line}", unit, title=heading, source="Models")
            for line, unit, heading in columns
        ),
        (MODELS,),
        tuple(Link(f"own_{line}", MODELS_TABLE, line, title=heading) for line, _, heading in columns),
    )


TRAIN = _of_models("comparison_train", "Train", "of_run", _TRAIN)
SERVE = _of_models("comparison_serve", "Serve", "of_service", _SERVE)
