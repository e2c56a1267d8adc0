"""Fit the efficiencies of serving on the published throughputs, and again without each model and each accelerator.

    python tools/fit_serving.py

It needs SciPy. What it prints is typed into inputs.toml of the question `serving`, rounded; docs/calibration.md cites
the errors of the models left out.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from pages.serving import DESCRIBED, MOST, TWICE, data
from scipy.optimize import least_squares

from flopsheet.accounting import formula
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.questions.serving.links import SERVED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START = {
    "served_expert_efficiency": 0.6,
    "expert_half_width": 4000,
    "expert_padding": 32,
    "served_core_efficiency": 0.6,
    "read_efficiency": 0.75,
    "served_traffic_passes": 38,
    "layer_overhead_us": 24,
    "served_link_efficiency": 0.6,
}
"""What is fitted, from what kernels are known to reach: by hand, before any row was looked at closely."""
PRIOR = 0.3
"""Weight of staying at the start: what the rows do not determine stays there."""


class Row:
    """A measurement, with every number that its lines read."""

    def __init__(self, found: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """Evaluate what does not depend on the efficiencies, once."""
        host = load()
        inputs = {name: value for name, value in row.items() if name not in DESCRIBED}
        model = cost(host, load_model(host, found["models"][row["model"]]))
        plan = make_plan(host, [model], inputs={**inputs, "price_per_hour": 1}, questions=["serving"])
        numbers = plan.costed[0].numbers
        self.model, self.accelerator = row["model"], str(row.get("accelerator", ""))
        self.line = row.get("line", MOST)
        self.published = row["throughput"] if self.line == MOST else row["value"]
        facts = {name: 0 for line in SERVED for name in formula.read(line.formula).names}
        self.known = {
            name: float(value) for name, value in {**facts, **dict(numbers.items()), **plan.run("base").scope}.items()
        }
        self.steps = formula.Steps({line.name: formula.read(line.formula) for line in SERVED})

    def error(self, efficiencies: Mapping[str, float]) -> float:
        """Return the logarithm of predicted over published."""
        return float(np.log(float(self.steps.evaluate({**self.known, **efficiencies})[self.line]) / self.published))


def fitted(rows: Sequence[Row]) -> dict[str, float]:
    """Return the efficiencies that come closest to the rows."""
    start = np.log([*START.values()])

    def errors(point: np.ndarray) -> np.ndarray:
        result = dict(zip(START, np.exp(point), strict=True))
        return np.array([*(row.error(result) for row in rows), *(PRIOR * (point - start))])

    best = least_squares(errors, start, loss="soft_l1", f_scale=0.3, diff_step=1e-4)
    return dict(zip(START, np.exp(best.x), strict=True))


def said(rows: Sequence[tuple[Row, Mapping[str, float]]]) -> str:
    """Return how far rows are off."""
    off = [np.exp(abs(row.error(found))) for row, found in rows]
    within = sum(one <= TWICE for one in off)
    return f"{within} of {len(off)} within {TWICE}, median {median(off):.3f}, largest {max(off):.2f}"


def fitted_rows() -> list[Row]:
    """Return the rows that the efficiencies are fitted on."""
    result = data()
    return [Row(result, row) for row in (*result["measurements"], *result["profiles"]) if row.get("fitted", True)]


def main() -> None:
    """Print the fit, and how far rows are off with it and without their model."""
    rows = fitted_rows()
    best = fitted(rows)
    print({name: float(f"{value:.3g}") for name, value in best.items()})
    print("fitted on all:", said([(row, best) for row in rows]))
    for part in ("model", "accelerator"):
        left_out = []
        for name in dict.fromkeys(getattr(row, part) for row in rows):
            without = fitted([row for row in rows if getattr(row, part) != name])
            own = [(row, without) for row in rows if getattr(row, part) == name]
            print(f"  without {name}:", said(own))
            left_out += own
        print(f"left out, {part} by {part}:", said(left_out))


if __name__ == "__main__":
    main()
