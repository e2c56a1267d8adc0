"""What a published run reached, and what the plan's assumptions predict for it."""

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

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


RUN_LINES = lines_from(
    __package__,
    "lines.toml",
    "run",
    {"planned_whole_mfu": substitute("sparse if run_is_sparse else dense", WHOLE_MFU)},
    whole=WHOLE,
)
"""One row per published run."""

DRAWN_LINES = (
    Line("drawn_dense", "(1 - run_is_sparse) * drawn_mfu", "share", title="Dense models", source="Published runs"),
    Line("drawn_sparse", "run_is_sparse * drawn_mfu", "share", title="Mixtures of experts", source="Published runs"),
)
"""One row per run of a chart."""

COUNTED_LINES = (_as_fast("dense", "(1 - run_is_sparse)"), _as_fast("sparse", "run_is_sparse"))
"""What is counted of runs without a flag."""
