"""What accelerators send each other in a micro-batch: collectives, tokens for experts, rings, boundaries of stages."""

from flopsheet.planning.written_lines import lines_from

LINKS = lines_from(__package__, "traffic.toml", "links")
"""Per micro-batch and stage, after the lines of products."""
