"""A row of data that states a training step, as the plan that predicts it, and how far predictions are off."""

from __future__ import annotations

from statistics import mean, median
from typing import TYPE_CHECKING

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from flopsheet.planning.plan import Plan

DESCRIBED = ("name", "model", "seconds", "note", "kind", "source")
"""What a row says next to its workload and its inputs."""


def plan_step(row: Mapping[str, Any], question: str = "training") -> Plan:
    """Return the plan of a step, with the question about it: `model` is a config, all else inputs or workload."""
    host, workload = load(), {dimension.name for dimension in WORKLOAD}
    settings = {name: value for name, value in row.items() if name in workload}
    inputs = {name: value for name, value in row.items() if name not in {*workload, *DESCRIBED}}
    model = cost(host, load_model(host, row["model"]), settings)
    return make_plan(host, [model], inputs={**inputs, "price_per_hour": 1}, questions=[question])  # no time has a price


def summarize_errors(errors: Iterable[float]) -> str:
    """Return how far predictions are off, in words: the mean and the median."""
    off = [abs(error) for error in errors]
    return f"mean error {mean(off):.1%}, median {median(off):.1%}"
