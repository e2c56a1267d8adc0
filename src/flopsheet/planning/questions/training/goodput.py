"""Goodput worked out: what checkpoints, interruptions and restarts leave of the time."""

from flopsheet.planning.written_lines import lines_from

GOODPUT = lines_from(__package__, "goodput.toml", "goodput")
"""Lines of one model, after those of its step."""
