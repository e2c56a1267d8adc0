"""What a prompt costs: rates of the accelerator, products, attention cores, traffic and links."""

from flopsheet.planning.questions.serving.prefixes import PREFIXES
from flopsheet.planning.written_lines import lines_from

RATES = lines_from(__package__, "prefill.toml", "rates")

TOKEN = lines_from(__package__, "prefill.toml", "token")

PROMPT = lines_from(__package__, "prefill.toml", "prompt")

PREFILL = (*RATES, *TOKEN, *PREFIXES, *PROMPT)
"""Lines of one model's prompts, after those of its memory."""
