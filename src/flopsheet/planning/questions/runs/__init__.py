"""How a plan compares with published training runs: their MFU next to its own, and their hours as it predicts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.planning.evidence import published_runs
from flopsheet.planning.inputs import sheet_from
from flopsheet.planning.question import CASES_TABLE, Figure, Link, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.runs.lines import CASE_LINES, COUNTED_LINES, DRAWN_LINES, RUN_LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.evidence import PublishedRun


def _rows(runs: Sequence[PublishedRun]) -> Rows:
    """Return published runs as rows, each with what formulas read of it."""
    return Rows(
        "run",
        "Published run",
        values=tuple(
            {
                "run": place,
                "run_is_sparse": int(run.kind == "sparse"),
                "run_peak_tflops": run.peak_tflops,
                "run_tokens": run.tokens,
                "run_flop_per_token": run.training_flops_per_token,
                "run_hours": run.hours,
                "run_reported_mfu": run.reported_mfu,
            }
            for place, run in enumerate(runs, start=1)
        ),
        labels=tuple(run.name for run in runs),
    )


FLAGGED = [run for run in published_runs() if run.flag]
RUNS = [run for run in published_runs() if not run.flag]
EARLIER = ("TPU v3", "TPU v4", "Volta", "Ampere")
"""Generations of accelerators that nobody plans new runs on."""
LARGE = 1e23
"""Training FLOP from which a run on them is drawn: smaller ones were experiments."""


def _chart_rows(*, earlier: bool) -> Rows:
    """Return the runs of a chart: dense ones first, the highest MFU of each kind first."""
    places = [
        place
        for place, run in enumerate(RUNS)
        if (run.generation in EARLIER) == earlier and (not earlier or run.flop >= LARGE)
    ]
    places.sort(key=lambda place: (RUNS[place].kind, -RUNS[place].implied_mfu))
    return _rows(RUNS)._replace(
        values=tuple({"run": place + 1, "run_is_sparse": int(RUNS[place].kind == "sparse")} for place in places),
        labels=tuple(RUNS[place].name for place in places),
    )


def _chart_table(name: str, title: str, *, earlier: bool) -> Table:
    link = Link("drawn_mfu", "runs", "whole_run_mfu", title="MFU of the whole run")
    return Table(name, title, DRAWN_LINES, (_chart_rows(earlier=earlier),), (link,))


_sheet = sheet_from(__name__)
_sheet["notes"] += [f"{run.name}: {run.flag}." for run in FLAGGED]

QUESTION = question_from(
    __name__,
    (
        Table(CASES_TABLE, "Cluster", CASE_LINES),
        Table("runs", "Published runs", (*RUN_LINES, *COUNTED_LINES), (_rows(RUNS),)),
        _chart_table("late_runs", "In the chart: H100, H800 and later", earlier=False),
        _chart_table("early_runs", "In the chart: A100 and TPU, large runs", earlier=True),
        Table("flagged_runs", "Flagged runs", RUN_LINES, (_rows(FLAGGED),)),
    ),
    figures=tuple(
        Figure(
            kind,
            title,
            "runs",
            f"as_fast_{kind}",
            f"Of {sum(run.kind == kind for run in RUNS)} runs, lost time included",
        )
        for kind, title in (("dense", "Dense runs as fast as planned"), ("sparse", "Mixtures as fast as planned"))
    ),
    sheet=_sheet,
)
