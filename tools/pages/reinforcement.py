"""The section of docs/calibration.md on published steps of reinforcement learning."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.planning.calibration_fit import ROLLOUTS, TimedStep
from flopsheet.planning.datafiles import data_rows
from pages.training import published, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

HEAD = """
## Reinforcement learning

Steps of the question `reinforcement`. Rollouts are written as the question `serving` has it, without what narrow and
padded experts cost there; training is its step time. Four numbers are fitted on these rows, for all models and
accelerators: the efficiency of rollouts, that of updates, a fixed time, and the bandwidth at which new weights reach
the replicas. `tools/fit_training.py` fits them again without each model: predictions are then off by a median factor of
{without:.2f}, and by {worst:.2f} at most ({fitted:.2f} with all models in the fit).

"""
TAIL = """
The rows of the fit are of one framework and on two accelerators. Lengths are those of sequences with their prompts.
Without a part in the fit:

{aside}

Sources:

{sources}
"""


class RolloutComparison(NamedTuple):
    """A published step, the predicted seconds, and those of the fit without its model."""

    row: Mapping[str, Any]
    predicted: float
    left_out: float

    def factor(self, predicted: float) -> float:
        """Return how far a prediction is off, in either direction."""
        ratio = predicted / float(self.row["seconds"])
        return max(ratio, 1 / ratio)


def learned() -> list[RolloutComparison]:
    """Return every published step of reinforcement learning with its predictions."""
    fits = {row.pop("without"): row for row in (dict(one) for one in data_rows("training_fits", "rl_fits"))}
    results = []
    for row in published("rl"):
        step = TimedStep(row, ROLLOUTS)
        results.append(
            RolloutComparison(row, step.predict_time({}), step.predict_time(fits.get(row["name"], fits[""])))
        )
    return results


def in_fit(rows: Iterable[RolloutComparison]) -> list[RolloutComparison]:
    """Return the steps that the fit has seen: those without a note."""
    return [one for one in rows if "note" not in one.row]


def reinforcement_section(rows: Sequence[RolloutComparison]) -> str:
    """Return the part of the page as Markdown: how far predictions are off, and every row."""
    seen = in_fit(rows)
    without = [one.factor(one.left_out) for one in seen]
    head = HEAD.format(
        without=median(without), worst=max(without), fitted=median(one.factor(one.predicted) for one in seen)
    )
    aside = "\n".join(
        f"- {one.row['name']}, {one.row['source']}: {one.row['note']}." for one in rows if "note" in one.row
    )
    sources = "\n".join(f"- {source}" for source in dict.fromkeys(one.row["source"] for one in rows))
    return f"{head}{_every(rows)}{TAIL.format(aside=aside, sources=sources)}\n"


def _every(rows: Sequence[RolloutComparison]) -> str:
    headers = ["Model", "Accelerators", "Policy", "Rollouts", "Mean length", "Longest", "Published s", "Predicted s"]
    lines = [[*headers, "Off", "Model left out"], [*["---"] * 3, *["---:"] * 7]]
    for one in rows:
        row = one.row
        policy = f"{row['policy_lag']} step off" if row["policy_lag"] else "on policy"
        sizes = (f"{row[name]:,}" for name in ("rollouts_per_step", "response_tokens", "longest_response"))
        off = (f"{predicted / row['seconds'] - 1:+.0%}" for predicted in (one.predicted, one.left_out))
        place = f"{row['accelerators']} × {row['accelerator']}"
        lines.append([row["name"], place, policy, *sizes, f"{row['seconds']:.1f}", f"{one.predicted:.1f}", *off])
    return table(lines)
