"""Checks of the questions that a plugin brings, and the small plans that they are asked of."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.configs.reading import read_dimensions
from flopsheet.errors import FlopsheetError
from flopsheet.kit.findings import AbsentError, Finding, SkippedError
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.question import Question
from flopsheet.planning.registry import questions, questions_by
from flopsheet.planning.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from flopsheet.accounting.line import Line, Number
    from flopsheet.kit.subject import Subject
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Question, Table

OF_EXAMPLE = "dense"
SIZE = {"n_layers": 32, "d_model": 4096, "n_heads": 32, "d_ff": 11008, "mlp_matrices": 3, "vocab_size": 32000}
EXAMPLE = "A decoder"
MODELS = {EXAMPLE: SIZE, "A wider decoder": SIZE | {"d_ff": 14336}}
"""Models of the plans that are made here: decoders of 6.7 and 8.0 billion parameters."""
NEAR = 1e-9
"""How far float64 may be off the exact numbers, as a share: a plan chains some hundred operations."""


def questions_of(subject: Subject) -> list[Question]:
    """Return the questions that the plugin adds; AbsentError where it adds none."""
    if result := questions_by(subject.host, subject.plugin):
        return result
    raise AbsentError("it adds no question")


def small_plan(subject: Subject, *names: str, of: Collection[str] = (EXAMPLE,)) -> Plan:
    """Return a plan of models that answers some questions, at the least that inputs without a default can be."""
    host, inputs = subject.host, inputs_required(subject, names)
    models = []
    if OF_EXAMPLE in host.architectures:
        models = [cost(host, replace(read_dimensions(host, OF_EXAMPLE, MODELS[model]), name=model)) for model in of]
    return make_plan(host, models, inputs=inputs, questions=names)


def inputs_required(subject: Subject, names: Collection[str]) -> dict[str, float]:
    """Return values of the inputs that questions need and that have no default."""
    every = questions(subject.host)
    inputs = [item for name, question in every.items() if name in names for item in question.inputs]
    return {item.name: item.minimum or 1 for item in inputs if item.default is None and not item.keys}


def find_undescribed(question: Question) -> Iterator[Finding]:
    """Find inputs and lines of a question that do not say what they are or where that can be checked."""
    for item in question.inputs:
        if not item.about:
            yield Finding(f"{question.name}: input {item.name}", "it says nothing about itself", "say about=…")
    for table, line in lines_of(question):
        where = f"{question.name}: line {line.name} of {table.name}"
        if not (line.source or line.about):
            yield Finding(where, "it names no source", "say source=… or about=…: where a reader can check it")
        if not line.title:
            yield Finding(where, "it does not say what it is", "say title=… for who reads the workbook")


def lines_of(question: Question) -> list[tuple[Table, Line]]:
    """Return the lines of a question, each after its table."""
    return [(table, line) for table in question.tables for line in table.lines]


def answers(subject: Subject) -> Iterator[Finding]:
    """Find questions that a small plan cannot answer, and lines that NumPy computes otherwise than exact arithmetic."""
    for question in questions_of(subject):
        try:
            plan = small_plan(subject, question.name)
            for case in plan.cases:
                yield from _differing(plan, question, case)
        except FlopsheetError as error:
            remedy = "`flopsheet plan` shows the same; look at ends of ranges, and at what is divided by"
            yield Finding(question.name, f"a plan cannot answer it: {error}", remedy)


def import_numpy() -> Any:
    """Return NumPy; SkippedError where it is not installed."""
    try:
        import numpy as np  # noqa: PLC0415 - an extra
    except ImportError:
        raise SkippedError("NumPy is not installed: pip install 'flopsheet[sweep]'") from None
    return np


def _differing(plan: Plan, question: Question, case: str) -> Iterator[Finding]:
    np, run = import_numpy(), plan.run(case)
    values = {name: float(number) for name, number in _values(plan, case).items()}
    nodes = tuple((table.name, line.name) for table, line in lines_of(question))
    for (table, line), column in Sweep(plan.program, nodes).columns(values).items():
        exact = run.table(table).columns[line]
        swept = np.ravel(column)
        wrong = [
            f"{float(value)!r} exactly and {float(other)!r} in NumPy"
            for value, other in zip(exact, swept, strict=len(exact) == len(swept))
            if not isclose(float(value), float(other), rel_tol=NEAR, abs_tol=NEAR)
        ]
        if wrong:
            remedy = "avoid ceil, floor and comparisons of numbers that are equal but for rounding"
            yield Finding(f"{question.name}: line {line} of {table}, {case}", f"it is {wrong[0]}", remedy)


def _values(plan: Plan, case: str) -> dict[str, Number]:
    """Return what the formulas of a case read: totals of the model, inputs, and those that are its own."""
    result: dict[str, Number] = {}
    for model in plan.models:
        result |= {**model.numbers, **plan.case(case), **plan.given_by(model)}
    return result or plan.case(case)
