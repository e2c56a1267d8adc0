"""Fit the efficiencies of training on the published step times, and again without each model and source: seconds.

    python tools/fit_training.py > src/flopsheet/planning/data/training_fits.toml

It needs SciPy. The fit on all rows is typed into inputs.toml of the question `training`, rounded; docs/calibration.md
has the errors of every row under the fits in which its model, or its source, had no part.
"""

from __future__ import annotations

import math
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import least_squares

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import no_number
from flopsheet.planning.calibration_steps import planned
from flopsheet.planning.calibration_training import groups, kind_of, published
from flopsheet.planning.questions.training.memory import MEMORY
from flopsheet.planning.questions.training.speed import SPEED

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
PRIOR = 0.4
"""Weight of staying at the start: what the rows do not determine stays there."""
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
STEPS = formula.Steps({line.name: formula.read(line.formula) for line in (*MEMORY, *SPEED)})


class Row:
    """A published step, with every number that its lines read."""

    def __init__(self, row: dict[str, Any]) -> None:
        """Evaluate what does not depend on the efficiencies, once."""
        plan = planned(row)
        self.groups, self.published, self.kind = groups(row), float(row["seconds"]), kind_of(row)
        facts = {name: 0 for text in STEPS.formulas.values() for name in text.names}
        found = {**facts, **dict(plan.costed[0].numbers.items()), **plan.run("base").scope}
        self.known = {name: float(value) if no_number(value) is None else 0.0 for name, value in found.items()}

    def error(self, efficiencies: Mapping[str, float]) -> float:
        """Return how far the prediction is off: the logarithm of its ratio to the published time."""
        return math.log(float(STEPS.evaluate({**self.known, **efficiencies})["step_seconds"]) / self.published)


def fitted(rows: Sequence[Row], fixed: Mapping[str, float] = MappingProxyType({})) -> dict[str, float]:
    """Return the efficiencies that come closest to the rows, but the fixed ones; rows that are far off pull less."""
    free = {name: value for name, value in START.items() if name not in fixed}
    start = np.log([*free.values()])

    def errors(point: np.ndarray) -> np.ndarray:
        found = {**dict(zip(free, np.exp(point), strict=True)), **fixed}
        return np.array([*(row.error(found) for row in rows), *(PRIOR * (point - start))])

    best = least_squares(errors, start, loss="soft_l1", f_scale=0.1, diff_step=1e-4)
    return {name: float(f"{value:.4g}") for name, value in zip(free, np.exp(best.x), strict=True)}


def without_term(rows: Sequence[Row], fixed: Mapping[str, float]) -> dict[str, float]:
    """Return the median error of each kind of model, of TPUs and of all, each model left out and a term taken out."""
    found: dict[str, list[float]] = {}
    for model in dict.fromkeys(row.groups[0] for row in rows):
        fit = {**fitted([row for row in rows if row.groups[0] != model], fixed), **fixed}
        for row in rows:
            if row.groups[0] == model:
                for kind in (row.kind, "all"):
                    found.setdefault(kind, []).append(abs(math.exp(-row.error(fit)) - 1))
    return {kind: float(f"{median(errors):.4g}") for kind, errors in found.items()}


def main() -> None:
    """Print the fit on all rows, those without each model and source, and the errors without each term."""
    rows = [Row(row) for row in published()]
    print("# Efficiencies of training, fitted by tools/fit_training.py on training_layouts.toml.")
    print("# without: the model or the source whose rows had no part in the fit; all rows had in the first.")
    for without in ("", *dict.fromkeys(group for row in rows for group in row.groups)):
        found = fitted([row for row in rows if without not in row.groups])
        print(f'\n[[training_fits]]\nwithout = "{without}"')
        print("\n".join(f"{name} = {value}" for name, value in found.items()))
    print("\n# Median errors of throughput, each model left out of the fit, with a term taken out of the form.")
    for term, fixed in TERMS.items():
        print(f'\n[[terms]]\nwithout = "{term}"')
        print("\n".join(f"{kind} = {error}" for kind, error in without_term(rows, fixed).items()))


if __name__ == "__main__":
    main()
