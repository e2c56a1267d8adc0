"""The engines of a plan side by side: exact arithmetic, NumPy over the cases as designs, and the page's script."""

import json
import math
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest

from flopsheet.accounting.nonumber import no_number
from flopsheet.export.page.page import script
from flopsheet.planning.compiled.plan import compile_plan
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
        sweep = Sweep(plan.program, plan.program.order, models=plan.run("base").models, cases=tuple(inputs))
        self.columns = sweep.columns(values)
        self.places = {
            key: {one: at for at, one in enumerate(keys.ravel())} for key, keys in sweep.keys(values).items()
        }

    def differing(self, run, design):
        """Return the lines that an exact run computes otherwise than a design, each with its row and both numbers."""
        results = []
        for (table, line), column in self.columns.items():
            filled = run.table(table)
            for keys, exact in zip(filled.keys, filled.columns[line], strict=True):
                places = [self.places[key][number] for key, number in zip(filled.table.keys, keys, strict=True)]
                swept = column[(design, *places)]
                if not same_number(as_float(exact), swept):
                    results.append((table, line, keys, as_float(exact), float(swept)))
        return results


def same_number(exact, number):
    """Return whether two floats agree to twelve digits, or neither is a number."""
    return math.isclose(exact, number, rel_tol=1e-12) or (math.isnan(exact) and math.isnan(number))


def at_end(plan, one, end):
    """Return the exact runs of a plan's cases, by name, with an input at one of its ends in all of them."""
    given = {one.name: getattr(one, end)}
    runs = {}
    for case in plan.cases:
        runs[case] = Run(plan.program, {**plan.case(case), **given}, plan.run(case).models, runs.__getitem__)
    return runs


NODE = shutil.which("node") or ""
needs_node = pytest.mark.skipif(not NODE, reason="Node.js is not installed")
SHOWN = """
const runs = runsOf(D.models), found = [];
for (const values of VALUES) {
  compute(runs, values);
  found.push(D.cases.map(({ name }) => ({
    figures: D.figures.map((one) => figure(runs[name], one)),
    checks: Object.fromEntries(Object.entries(runs[name].checks).map(([one, column]) => [one, [...column]])),
    tables: Object.fromEntries(Object.entries(runs[name].tables).map(([one, { keys, columns }]) => [one, {
      keys, columns: Object.fromEntries(Object.entries(columns).map(([line, column]) => [line, [...column]])),
    }])),
  })));
}
console.log(JSON.stringify(found));
"""


def in_javascript(plan, edits, folder):
    """Return what the page's script computes for each of some edits, a document for each case.

    An edit gives the inputs of each case by name.
    """
    values = [
        {case: {name: none_for_nan(as_float(one)) for name, one in inputs.items()} for case, inputs in edit.items()}
        for edit in edits
    ]
    engine = (files("flopsheet.export.page") / "engine.js").read_text("utf-8")
    text = f"{engine}\n{script(compile_plan(plan))}\nconst VALUES = {json.dumps(values)};\n{SHOWN}"
    (folder / "page.js").write_text(text, "utf-8")
    return json.loads(subprocess.run([NODE, folder / "page.js"], capture_output=True, text=True, check=True).stdout)


def none_for_nan(number):
    """Return a float as JSON can have it."""
    return None if math.isnan(number) else number


def differing_script(run, document):
    """Return the figures, checks and lines that an exact run computes otherwise than the page's script does."""
    exact = {("figure", one.name): [run.figure(one)] for _, one in run.program.figures}
    exact |= {("check", one.name): run.evaluate_check(one) for _, one in run.program.checks}
    exact |= {
        (table, line): numbers for table in run.program.tables for line, numbers in run.table(table).columns.items()
    }
    result = {
        ("figure", one.name): [number]
        for (_, one), number in zip(run.program.figures, document["figures"], strict=True)
    }
    result |= {("check", one.name): document["checks"][f"check {one.name}"] for _, one in run.program.checks}
    result |= {
        (name, line): column for name, one in document["tables"].items() for line, column in one["columns"].items()
    }
    assert exact.keys() == result.keys()
    return [(node, numbers, result[node]) for node, numbers in exact.items() if not alike(numbers, result[node])]


def alike(exact, found):
    """Return whether numbers agree to twelve digits; None is none."""
    floats = [math.nan if one is None else float(one) for one in found]
    return len(exact) == len(floats) and np.allclose(
        [*map(as_float, exact)], floats, rtol=1e-12, atol=0, equal_nan=True
    )
