"""Fit the efficiencies of training on the published step times, and without each model, source and term: two minutes.

    python tools/fit_training.py > src/flopsheet/planning/data/training_fits.toml

It needs SciPy. The fit on all rows is typed into inputs.toml of the question `training`, rounded; docs/calibration.md
has the errors of every row under the fits in which its model, or its source, had no part.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from pages.training import groups, kind_of, published

from flopsheet.planning.calibration_fit import ROLLOUTS, TimedStep, fit_efficiencies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

START = {
    "matmul_efficiency": 0.7,
    "core_efficiency": 0.45,
    "traffic_passes": 10.0,
    "inside_passes": 50.0,
    "link_efficiency": 0.8,
    "exposed_share": 0.5,
    "torchtitan_between": 1.5,
    "automodel_inside": 1.0,
    "unfused_inside": 1.0,
}
"""What is fitted, from round numbers that no row was asked for."""
TERMS = {
    "no term": {},
    "time inside experts and scans": {"inside_passes": 0.0},
    "time between the products": {"traffic_passes": 0.0},
    "what links cost": {"link_efficiency": 1e9},
    "exposed reductions and gathers": {"exposed_share": 0.0},
    "lower clocks": {"watts_per_tflop": 0.0},
    "slower elementwise work in torchtitan": {"torchtitan_between": 1.0},
    "faster experts in AutoModel": {"automodel_inside": 1.0},
    "slower experts in stacks before 2026": {"unfused_inside": 1.0},
}
"""The efficiencies that take a term out of the form, or make it the same for all."""

ROLLOUTS_START = {
    "rollout_efficiency": 0.6,
    "learning_efficiency": 0.6,
    "rl_fixed_seconds": 25.0,
    "refit_gbs": 25.0,
}
"""What is fitted on steps of reinforcement learning."""


class Row(TimedStep):
    """A published step, what it is left out with, and what it is counted with."""

    def __init__(self, row: dict[str, Any]) -> None:
        """Evaluate what does not depend on the efficiencies, once."""
        super().__init__(row)
        self.groups, self.kind = groups(row), kind_of(row)


def without_term(rows: Sequence[Row], fixed: Mapping[str, float]) -> dict[str, float]:
    """Return the median error of each kind of model, of TPUs and of all, each model left out and a term taken out."""
    result: dict[str, list[float]] = {}
    for model in dict.fromkeys(row.groups[0] for row in rows):
        fit = {**fit_efficiencies([row for row in rows if row.groups[0] != model], START, fixed), **fixed}
        for row in rows:
            if row.groups[0] == model:
                for kind in (row.kind, "all"):
                    result.setdefault(kind, []).append(abs(math.exp(-row.error(fit)) - 1))
    return {kind: float(f"{median(errors):.4g}") for kind, errors in result.items()}


def rollouts() -> None:
    """Print the fit on all steps of reinforcement learning, and those without each model."""
    rows = [row for row in published("rl") if "note" not in row]
    steps = [(row["name"], TimedStep(row, ROLLOUTS)) for row in rows]
    for without in ("", *dict.fromkeys(name for name, _ in steps)):
        result = fit_efficiencies([step for name, step in steps if name != without], ROLLOUTS_START)
        print(f'\n[[rl_fits]]\nwithout = "{without}"')
        print("\n".join(f"{name} = {value}" for name, value in result.items()))


def main() -> None:
    """Print the fit on all rows, those without each model and source, and the errors without each term."""
    rows = [Row(row) for row in published()]
    print("# Efficiencies of training, fitted by tools/fit_training.py on training_layouts.toml.")
    print("# without: the model or the source whose rows had no part in the fit; all rows had in the first.")
    for without in ("", *dict.fromkeys(group for row in rows for group in row.groups)):
        result = fit_efficiencies([row for row in rows if without not in row.groups], START)
        print(f'\n[[training_fits]]\nwithout = "{without}"')
        print("\n".join(f"{name} = {value}" for name, value in result.items()))
    print("\n# Median errors of throughput, each model left out of the fit, with a term taken out of the form.")
    for term, fixed in TERMS.items():
        print(f'\n[[terms]]\nwithout = "{term}"')
        print("\n".join(f"{kind} = {error}" for kind, error in without_term(rows, fixed).items()))
    print("\n# Reinforcement learning, on the rows rl of training_layouts.toml.")
    rollouts()


if __name__ == "__main__":
    main()
