"""Whether a program may be: in time, memory, capacity and cap; and what every model has of its program."""

from flopsheet.planning.written_lines import lines_from

CAP = "Money cap against what it covers"
VERDICT_LINES = lines_from(__package__, "verdict.toml", "verdict")
MODEL_LINES = lines_from(__package__, "verdict.toml", "model", cap=CAP)
"""Lines that a question adds to every model."""
