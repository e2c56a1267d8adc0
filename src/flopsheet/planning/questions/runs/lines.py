"""What a published run reached, and what the plan's assumptions predict for it."""

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Line

WHOLE = "MFU of a step × goodput: inputs of this plan"
WHOLE_MFU = {"dense": "mfu * goodput", "sparse": "mfu_sparse * goodput"}

CASE_LINES = (
    Line("planned_mfu_dense", WHOLE_MFU["dense"], "share", title="Planned MFU, dense models", source=WHOLE),
    Line("planned_mfu_sparse", WHOLE_MFU["sparse"], "share", title="Planned MFU, mixtures of experts", source=WHOLE),
)
"""What a plan expects of a whole run, lost time included."""


def _as_fast(kind: str, flag: str) -> Line:
    return Line(
        f"as_fast_{kind}",
        times(flag, "1 if whole_run_mfu >= planned_whole_mfu else 0"),
        "runs",
        title=f"As fast as planned, {kind}",
        about="1: a run of this kind that reached the plan's MFU, lost time included",
        source="MFU of the run and of the plan",
    )


RUN_LINES = (
    Line("trained_tokens", "run_tokens", "tokens", title="Tokens", source="The publisher"),
    Line(
        "run_flop",
        "run_flop_per_token * run_tokens",
        "FLOP",
        title="Training FLOP",
        about="Every query-key pair counted, as published MFU does",
        source="FLOP per token of the run's config × its tokens",
    ),
    Line(
        "whole_run_mfu",
        "run_flop / (run_hours * 3600 * run_peak_tflops * 1000000000000)",
        "share",
        title="MFU of the whole run",
        about="Over the bf16 peak of its accelerator, lost time included",
        source="FLOP over what its hours could compute",
    ),
    Line(
        "planned_whole_mfu",
        substitute("sparse if run_is_sparse else dense", WHOLE_MFU),
        "share",
        title="Planned MFU of a whole run",
        source=WHOLE,
    ),
    Line(
        "predicted_hours",
        "run_flop / (run_peak_tflops * 1000000000000 * planned_whole_mfu * 3600)",
        "GPU-h",
        title="Predicted accelerator-hours",
        about="At this plan's MFU and goodput, on the run's accelerators",
        source="FLOP / (peak × MFU × goodput)",
    ),
    Line(
        "predicted_ratio",
        "predicted_hours / run_hours",
        "ratio",
        title="Predicted ÷ published hours",
        about="Above 1: this plan is slower than the run was",
        source="Ratio",
    ),
    Line(
        "reported_ratio",
        "whole_run_mfu / run_reported_mfu if run_reported_mfu else 0",
        "ratio",
        title="Predicted ÷ published at its own MFU",
        about="Hours at the MFU that the publisher reports for a step, without lost time. 0: none is reported",
        source="MFU of the whole run over the reported one",
    ),
)
"""One row per published run."""

DRAWN_LINES = (
    Line("drawn_dense", "(1 - run_is_sparse) * drawn_mfu", "share", title="Dense models", source="Published runs"),
    Line("drawn_sparse", "run_is_sparse * drawn_mfu", "share", title="Mixtures of experts", source="Published runs"),
)
"""One row per run of a chart."""

COUNTED_LINES = (_as_fast("dense", "(1 - run_is_sparse)"), _as_fast("sparse", "run_is_sparse"))
"""What is counted of runs without a flag."""
