"""What the question's tables are made of: data that comes with flopsheet, and links to the models' lines."""

from __future__ import annotations

from flopsheet.planning.question import MODELS_TABLE, Link
from flopsheet.planning.questions.serving.capacity import CAPACITY
from flopsheet.planning.questions.serving.decode import DECODE
from flopsheet.planning.questions.serving.memory import MEMORY
from flopsheet.planning.questions.serving.prefill import PREFILL

SERVED = (*MEMORY, *PREFILL, *DECODE, *CAPACITY)
"""Lines of one model under one layout and demand, in their order."""


def from_models(*names: str) -> tuple[Link, ...]:
    """Return links to lines of the same model, under their own names."""
    lines = {line.name: line.title for line in SERVED}
    return tuple(Link(name, MODELS_TABLE, name, title=lines[name]) for name in names)
