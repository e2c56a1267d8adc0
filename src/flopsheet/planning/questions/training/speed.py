"""Time of an optimizer step under a layout: micro-batches, pipeline, gradients and the optimizer."""

from flopsheet.planning.written_lines import lines_from

SPEED = (
    *lines_from(__package__, "compute.toml", "compute"),
    *lines_from(__package__, "traffic.toml", "links"),
    *lines_from(__package__, "speed.toml", "step"),
)
"""Lines of one model under one layout, after those of its memory."""
