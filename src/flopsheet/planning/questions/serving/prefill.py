"""What a prompt costs: rates of the accelerator, products, attention cores, traffic and links."""

from flopsheet.planning.questions.serving.prefixes import PREFIXES
from flopsheet.planning.written_lines import lines_from

PREFILL = (
    *lines_from(__package__, "prefill.toml", "token"),
    *PREFIXES,
    *lines_from(__package__, "prefill.toml", "prompt"),
)
"""Lines of one model's prompts, after those of its memory."""
