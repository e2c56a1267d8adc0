"""The engines of a plan side by side: exact arithmetic, and NumPy over the cases as designs."""

import math

import numpy as np

from flopsheet.accounting.nonumber import no_number
from flopsheet.planning.run import Run
from flopsheet.planning.sweep import Sweep


def as_float(number):
    """Return a number as float64, nan where there is none."""
    return math.nan if no_number(number) is not None else float(number)


class Swept:
    """Every line of a plan in NumPy, under inputs of several cases."""

    def __init__(self, plan, inputs):
        """Compute all lines; `inputs` are those of each case by its name."""
        values = {name: np.array([as_float(one[name]) for one in inputs.values()]) for name in plan.program.inputs}
        sweep = Sweep(plan.program, plan.program.order, plan.run("base").models, tuple(inputs))
        self.columns = sweep.columns(values)
        self.places = {
            key: {one: at for at, one in enumerate(keys.ravel())} for key, keys in sweep.keys(values).items()
        }

    def differing(self, run, design):
        """Return the lines that an exact run computes otherwise than a design, each with its row and both numbers."""
        found = []
        for (table, line), column in self.columns.items():
            filled = run.table(table)
            for keys, exact in zip(filled.keys, filled.columns[line], strict=True):
                places = [self.places[key][number] for key, number in zip(filled.table.keys, keys, strict=True)]
                swept = column[(design, *places)]
                if not np.isclose(as_float(exact), swept, rtol=1e-12, atol=0, equal_nan=True):
                    found.append((table, line, keys, as_float(exact), float(swept)))
        return found


def at_end(plan, one, end):
    """Return the exact runs of a plan's cases, by name, with an input at one of its ends in all of them."""
    given = {one.name: getattr(one, end)}
    runs = {}
    for case in plan.cases:
        runs[case] = Run(plan.program, {**plan.case(case), **given}, plan.run(case).models, runs.__getitem__)
    return runs
