"""Training in phases: the FLOP of a token at another sequence length, and what each phase takes."""

from functools import partial

from flopsheet.accounting.formula.compose import call, fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.budget.lines import MODEL_LINES as BUDGET_LINES
from flopsheet.planning.written_lines import lines_from

CORES = "The model's attention cores: each token reads those before it, in windows at most a window"


def _reads(length: str, name: str, title: str) -> tuple[Line, ...]:
    """Return the FLOP of reading earlier tokens in a sequence of a length, per token, in full layers and in windows."""
    fill_slots = partial(fill, LENGTH=length, NAME=name)
    return (
        Line(f"{name}_window", call("min", length, "step_cap"), "tokens", title=f"Window, {title}", source=CORES),
        Line(
            f"{name}_windows",
            fill_slots("(LENGTH - NAME_window + NAME_window * (NAME_window + 1) / 2 / step_cap) / LENGTH"),
            "windows",
            title=f"Windows that a token reads, {title}",
            source=CORES,
        ),
        Line(
            f"{name}_reach",
            fill_slots("LENGTH if mask_is_full else (LENGTH + 1) / 2"),
            "tokens",
            title=f"Tokens that a token reads, {title}",
            source="The workload's mask",
        ),
        Line(
            f"{name}_steps",
            fill_slots(
                "step_per_token * NAME_reach"
                " + step_capped * (NAME_windows if mask_is_window else NAME_reach / step_cap)"
            ),
            "FLOP",
            title=f"FLOP of reading earlier tokens, {title}, of models that write",
            about="In one form of attention; under the masks full and causal windows count as full layers",
            source=CORES,
        ),
        Line(
            f"{name}_whole",
            fill_slots(
                "read_per_token * LENGTH"
                " + read_capped * (min(LENGTH / read_cap, 1) if mask_is_window else LENGTH / read_cap)"
            ),
            "FLOP",
            title=f"FLOP of reading all tokens, {title}, of models that write none",
            about="Each token reads all others; 0 of models that write",
            source=CORES,
        ),
        Line(
            f"{name}_reads",
            fill_slots("NAME_steps if decodes else NAME_whole"),
            "FLOP",
            title=f"FLOP of reading other tokens, {title}",
            about="A model that writes no tokens reads all of them",
            source=CORES,
        ),
    )


TRAINING_FLOPS = next(line for line in BUDGET_LINES if line.name == "training_flops")

MODEL_LINES = (
    *_reads("sequence_tokens", "usual", "plan's length"),
    *_reads("long_seq_len", "long", "long context"),
    *lines_from(__package__, "lines.toml", "core_pair_form", cores=CORES),
    TRAINING_FLOPS._replace(
        formula="flops_training_per_token * (training_tokens - long_tokens) + long_flops_per_token * long_tokens",
        about="At the workload's sequence length and mask, and the long-context phase at its own length",
    ),
)
"""Lines of a model that the question adds or replaces."""
REPLACED = (TRAINING_FLOPS.name,)

PHASE_LINES = lines_from(__package__, "lines.toml", "phase")
"""One row per model and phase."""
