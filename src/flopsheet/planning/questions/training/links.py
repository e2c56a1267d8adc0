"""What other questions read of a model's training, under names of their own."""

from flopsheet.planning.question import MODELS_TABLE, Link

OWN = {
    "own_step": ("step_seconds", "Step time of training"),
    "own_tokens": ("step_tokens", "Tokens per step of training"),
    "own_passes": ("passes", "Passes over linear layers in training"),
    "own_fits": ("fits_layout", "Fits under its layout in training"),
}
"""The names, each with the line of Models that it is and its title."""


def from_training(*names: str) -> tuple[Link, ...]:
    """Return links to lines of the same model's training."""
    return tuple(Link(name, MODELS_TABLE, OWN[name][0], title=OWN[name][1]) for name in names)
