"""Training in phases: the FLOP of a token at another sequence length, and what each phase takes."""

from functools import partial

from flopsheet.accounting.formula.compose import call, fill, substitute
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.budget.lines import MODEL_LINES as BUDGET_LINES
from flopsheet.planning.written_lines import lines_from

CORES = "The model's attention cores: each token reads those before it, in windows at most a window"
PROPORTION = "Cores in proportion to the tokens that a token reads; all else per token as it is"


def _reads(length: str, name: str, title: str) -> tuple[Line, ...]:
    """Return the FLOP of reading earlier tokens in a sequence of a length, per token, in full layers and in windows."""
    filled = partial(fill, LENGTH=length, NAME=name)
    return (
        Line(f"{name}_window", call("min", length, "step_cap"), "tokens", title=f"Window, {title}", source=CORES),
        Line(
            f"{name}_windows",
            filled("(LENGTH - NAME_window + NAME_window * (NAME_window + 1) / 2 / step_cap) / LENGTH"),
            "windows",
            title=f"Windows that a token reads, {title}",
            source=CORES,
        ),
        Line(
            f"{name}_reach",
            filled("LENGTH if mask_is_full else (LENGTH + 1) / 2"),
            "tokens",
            title=f"Tokens that a token reads, {title}",
            source="The workload's mask",
        ),
        Line(
            f"{name}_steps",
            filled(
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
            filled(
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
            filled("NAME_steps if decodes else NAME_whole"),
            "FLOP",
            title=f"FLOP of reading other tokens, {title}",
            about="A model that writes no tokens reads all of them",
            source=CORES,
        ),
    )


TRAINING_FLOPS, AFFORDABLE = (
    next(line for line in BUDGET_LINES if line.name == name) for name in ("training_flops", "affordable_tokens")
)

MODEL_LINES = (
    *_reads("sequence_tokens", "usual", "plan's length"),
    *_reads("long_seq_len", "long", "long context"),
    Line(
        "core_pair_form",
        "prompt_pair_flops / max(step_per_token + step_capped / step_cap, 1) if decodes else 1",
        "ratio",
        title="Attention of a sequence over that of steps",
        about="1: both have the same form, or nothing is written",
        source=CORES,
    ),
    Line(
        "core_form",
        "core_pair_form * usual_reads * batch * sequence_tokens / flops_attention_core"
        " if usual_reads * flops_attention_core else 1",
        "ratio",
        title="Attention cores in this form over those counted",
        about="1: long context is counted exactly",
        source=CORES,
    ),
    Line(
        "core_share",
        "flops_attention_core / flops_forward",
        "share",
        title="Attention cores of a forward pass",
        source="The model's lines",
    ),
    Line(
        "long_flops_per_token",
        "flops_training_per_token * (1 + core_share * (long_reads / usual_reads - 1)) if usual_reads"
        " else flops_training_per_token",
        "FLOP",
        title="FLOP per token at long context",
        source=PROPORTION,
    ),
    Line("usual_flops_per_token", "flops_training_per_token", "FLOP", title="FLOP per token", source="Its lines"),
    Line("usual_length", "sequence_tokens", "tokens", title="Sequence length", source="Its workload"),
    Line("phase_parameters", "parameters", "parameters", title="All parameters", source="Its lines"),
    Line(
        "long_days",
        "long_flops_per_token * long_tokens / (model_flops_per_accelerator * goodput * 3600 * 24 * accelerators)",
        "days",
        title="Days at long context",
        source="FLOP / FLOP/s",
    ),
    TRAINING_FLOPS._replace(
        formula="flops_training_per_token * (training_tokens - long_tokens) + long_flops_per_token * long_tokens",
        about="At the workload's sequence length and mask, and the long-context phase at its own length",
    ),
    AFFORDABLE._replace(
        formula=substitute(AFFORDABLE.formula, {"flops_training_per_token": "(training_flops / training_tokens)"}),
        about="If the whole cluster trained this model all the time, phases in proportion",
    ),
)
"""Lines of a model that the question adds or replaces."""
REPLACED = (TRAINING_FLOPS.name, AFFORDABLE.name)

PHASE_LINES = lines_from(__package__, "lines.toml", "phase")
"""One row per model and phase."""
