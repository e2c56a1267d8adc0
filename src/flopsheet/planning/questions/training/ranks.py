"""How a layout divides the accelerators: ranks, micro-batches, chunks and the busiest stage."""

from flopsheet.planning.written_lines import lines_from

RANKS = lines_from(__package__, "ranks.toml", "ranks")
