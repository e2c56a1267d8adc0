"""A decode step as a function of its batch."""

from flopsheet.accounting.formula import compose
from flopsheet.planning.written_lines import lines_from

FORM = "Form and efficiencies: docs/calibration.md"

STEP = lines_from(__package__, "step.toml", "step", form=FORM)

ITL = "token_fixed_seconds + token_expert_seconds * (1 - exp(miss_log * sequences)) + token_batch_seconds * sequences"
"""Time between a sequence's tokens."""


def itl(batch: str) -> str:
    """Return the formula of the time between tokens with a batch."""
    return compose.substitute(ITL, {"sequences": batch})


def where_written(text: str) -> str:
    """Return a formula that is 0 where a model writes no tokens."""
    return compose.substitute("text if decodes else 0", {"text": text})


SLOPE = "token_batch_seconds - token_expert_seconds * miss_log * exp(miss_log * sequences)"
