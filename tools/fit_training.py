"""Fit the efficiencies of training on the published step times, and again without each model and source: seconds.

    python tools/fit_training.py > src/flopsheet/planning/data/training_fits.toml

It needs SciPy. The fit on all rows is typed into inputs.toml of the question `training`, rounded; docs/calibration.md
has the errors of every row under the fits in which its model, or its source, had no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import least_squares

from flopsheet.accounting import formula
from flopsheet.planning.calibration_page import groups, planned, published
from flopsheet.planning.questions.training.memory import MEMORY
from flopsheet.planning.questions.training.speed import SPEED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

START = {
    "matmul_efficiency": 0.7,
    "expert_efficiency": 0.5,
    "core_efficiency": 0.5,
    "traffic_passes": 10.0,
    "link_efficiency": 0.5,
}
"""What is fitted, from round numbers that no row was asked for."""
PRIOR = 0.05
"""Weight of staying at the start: what the rows do not determine stays there."""
STEPS = formula.Steps({line.name: formula.read(line.formula) for line in (*MEMORY, *SPEED)})


class Row:
    """A published step, with every number that its lines read."""

    def __init__(self, row: dict[str, Any]) -> None:
        """Evaluate what does not depend on the efficiencies, once."""
        plan = planned(row)
        self.groups, self.published = groups(row), float(row["seconds"])
        facts = {name: 0 for text in STEPS.formulas.values() for name in text.names}
        found = {**facts, **dict(plan.costed[0].numbers.items()), **plan.run("base").scope}
        self.known = {name: float(value) for name, value in found.items()}

    def error(self, efficiencies: Mapping[str, float]) -> float:
        """Return how far the prediction is off, over the published time."""
        return float(STEPS.evaluate({**self.known, **efficiencies})["step_seconds"]) / self.published - 1


def fitted(rows: Sequence[Row]) -> dict[str, float]:
    """Return the efficiencies that come closest to the rows; rows that are far off pull less."""
    start = np.log([*START.values()])

    def errors(point: np.ndarray) -> np.ndarray:
        found = dict(zip(START, np.exp(point), strict=True))
        return np.array([*(row.error(found) for row in rows), *(PRIOR * (point - start))])

    best = least_squares(errors, start, loss="soft_l1", f_scale=0.05, diff_step=1e-4)
    return {name: float(f"{value:.4g}") for name, value in zip(START, np.exp(best.x), strict=True)}


def main() -> None:
    """Print the fit on all rows, and those without each model and source."""
    rows = [Row(row) for row in published()]
    print("# Efficiencies of training, fitted by tools/fit_training.py on training_layouts.toml.")
    print("# without: the model or the source whose rows had no part in the fit; all rows had in the first.")
    for without in ("", *dict.fromkeys(group for row in rows for group in row.groups)):
        found = fitted([row for row in rows if without not in row.groups])
        print(f'\n[[training_fits]]\nwithout = "{without}"')
        print("\n".join(f"{name} = {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
