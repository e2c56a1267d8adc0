"""What fine-tuning takes: tokens, steps, a teacher, the cost of one tuned model, and a fleet of them."""

from flopsheet.planning.written_lines import lines_from

FINETUNING = lines_from(__package__, "lines.toml", "finetuning")
"""Lines of a model, after those of its training."""
