"""The section of docs/calibration.md on published runs: their MFU, their hours as plans predict them, the defaults."""

from __future__ import annotations

from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any

from flopsheet.host.loading import load
from flopsheet.planning.evidence import PREFIXES, evidence, published_runs
from flopsheet.planning.making import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.planning.evidence import PublishedRun

WITHIN = 0.1
"""How far hours at the reported MFU may be off to count as met."""
NEAR = 0.3
"""How far hours at the defaults may be off to be called near."""
HEAD = """
## Published runs

What whole training runs reached, and how far their hours are predicted. FLOP are counted from each run's config where
one is published, with every query-key pair, times its tokens; the MFU of the whole run is over the dense bf16 peak and
includes lost time. `at its own MFU` is predicted ÷ published hours at the MFU that the publisher reports for a step,
without lost time; `at the defaults` at the default MFU of its generation and the default goodput. Nothing rests on
runs with a flag. The question `runs` shows the same next to a plan.

"""
DEFAULTS = """
### Defaults of MFU

The default of a kind of model is the median MFU of whole runs without a flag over the default goodput, its range their
10th and 90th percentile: of the runs on the accelerator's generation where there are 5 or more, else of all. A plan
outside the published range is reported by a check. Benchmarks of single steps in bf16 count for the top of the range.

"""
COUNTED = {"model": "config", "n_layers": "6ND + attention", "flops_reported": "as reported"}
"""What says how FLOP per token were counted; 6ND alone otherwise."""


def compared_runs() -> list[tuple[PublishedRun, dict[str, Any]]]:
    """Return every published run with its row of the question `runs` under the defaults of its generation."""
    return [(run, _rows(run.generation)[run.name]) for run in published_runs()]


@cache
def _rows(generation: str) -> dict[str, dict[str, Any]]:
    result = evidence(generation)
    inputs = {"price_per_hour": 1, **{name: result[name].base for name in PREFIXES.values()}}
    plan = make_plan(load(), [], inputs=inputs, questions=["runs"])
    return {str(row["run"]): row for table in ("runs", "flagged_runs") for row in plan.table(table, "base")}


def met(rows: Iterable[tuple[PublishedRun, dict[str, Any]]], *, flagged: bool = False) -> tuple[int, int]:
    """Return of how many runs the hours are met at the reported MFU, and how many report one; without flagged ones."""
    ratios = [row["reported_ratio"] for run, row in rows if run.reported_mfu and (flagged or not run.flag)]
    return sum(abs(ratio - 1) <= WITHIN for ratio in ratios), len(ratios)


def runs_section() -> str:
    """Return the section as Markdown."""
    rows = compared_runs()
    hits, count = met(rows)
    all_hits, all_count = met(rows, flagged=True)
    usable = [row["predicted_ratio"] for run, row in rows if not run.flag]
    near = sum(abs(ratio - 1) <= NEAR for ratio in usable)
    summary = (
        f"\nHours at the reported MFU are within {WITHIN:.0%} in {hits} of {count} runs without a flag"
        f" ({hits / count:.0%}; with flagged ones {all_hits} of {all_count}). At the defaults the median of all"
        f" {len(usable)} runs without a flag is {median(usable):.2f}, and {near} are within {NEAR:.0%}.\n"
    )
    return f"{HEAD}{_table(_HEADERS, map(_row, rows))}\n{summary}{_remarks(rows)}{DEFAULTS}{_table(*_defaults())}\n"


_HEADERS = (
    *("Run", "Kind", "Generation", "FLOP per token", "Hours", "Whole run", "Reported"),
    *("At its own MFU", "At the defaults"),
)


def _row(pair: tuple[PublishedRun, dict[str, Any]]) -> Sequence[str]:
    run, row = pair
    counted = next((text for key, text in COUNTED.items() if key in run.row), "6ND")
    return (
        f"{run.name}{' (flag)' if run.flag else ''}",
        run.kind,
        run.generation,
        f"{run.training_flops_per_token:.3g}, {counted}",
        f"{run.hours:,}",
        f"{row['whole_run_mfu']:.3f}",
        f"{run.reported_mfu:.3f}" if run.reported_mfu else "",
        f"{row['reported_ratio']:.2f}" if run.reported_mfu else "",
        f"{row['predicted_ratio']:.2f}",
    )


def _remarks(rows: Sequence[tuple[PublishedRun, dict[str, Any]]]) -> str:
    missed = [
        f"- {run.name}, {row['reported_ratio']:.2f} at its own MFU: {run.row.get('note', 'no reason is known')}."
        for run, row in rows
        if run.reported_mfu and not run.flag and abs(row["reported_ratio"] - 1) > WITHIN
    ]
    flags = [f"- {run.name} (flag): {run.flag}." for run, _ in rows if run.flag]
    return "\n" + "\n".join(missed + flags) + "\n"


def _defaults() -> tuple[Sequence[str], list[Sequence[str]]]:
    headers = ("Generation", "Kind", "Low", "Base", "High", "Published range", "From")
    rows: list[Sequence[str]] = []
    for generation in sorted({run.generation for run in published_runs()}):
        result = evidence(generation)
        for kind, prefix in PREFIXES.items():
            ends = result[prefix]
            span = f"{result[f'{prefix}_least'].base:.3f} to {result[f'{prefix}_most'].base:.3f}"
            of = ends.source.partition(" percentile of ")[2].partition(":")[0]
            rows.append((generation, kind, f"{ends.low:.2f}", f"{ends.base:.2f}", f"{ends.high:.2f}", span, of))
    return headers, rows


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
