"""Time of an optimizer step under a layout: micro-batches, pipeline, gradients and the optimizer."""

from flopsheet.planning.questions.training.compute import COMPUTE, RATES
from flopsheet.planning.questions.training.traffic import LINKS
from flopsheet.planning.written_lines import lines_from

STEP = lines_from(__package__, "speed.toml", "step")

SPEED = (*RATES, *COMPUTE, *LINKS, *STEP)
"""Lines of one model under one layout, after those of its memory."""
