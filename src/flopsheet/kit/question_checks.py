"""Checks of where an architecture and a question meet: every model with every question, in every format."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from flopsheet.accounting.values import check
from flopsheet.errors import FlopsheetError
from flopsheet.export.outputs import TEXTS, plan_texts
from flopsheet.export.plan_tables import tables
from flopsheet.host.places import reason_of
from flopsheet.kit.findings import AbsentError, Finding, Remark
from flopsheet.kit.plan_checks import inputs_required, questions_of, small_plan
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from flopsheet.accounting.line import Input, Number
    from flopsheet.kit.subject import Subject
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.run import Run

T = TypeVar("T")
BARELY = 1e-6
"""How far a value is beyond a bound that it must exceed."""
INPUTS = "guard the formula, or give the input a minimum, a maximum, or above=0"
LINES = "flopsheet plan --question {} shows it; guard what is divided by, and logarithms of 0"
FORMATS = "flopsheet report writes the same; correct the question's tables and sheet, or the architecture's lines"


def questions_asked(subject: Subject) -> Iterator[Finding | Remark]:
    """Find questions, bundled and its own, that a model of the plugin's architectures cannot be asked.

    What needs activation lines of an architecture that has none is reported, as `declared` does.
    """
    every = tuple(questions(subject.host))
    for model in _models(subject):
        if not _gaps_of(subject, model, *every):
            continue  # asked together, they are answered: none need be asked alone
        _, unkept = _try_making(subject, partial(subject.host.training_ledger, model.model.architecture))
        for name in every:
            for gap in _gaps_of(subject, model, name):
                where = f"{model.name}, question {name}"
                is_known = unkept and unkept in gap
                yield Remark(where, gap) if is_known else Finding(where, gap, LINES.format(name))


def inputs_tried(subject: Subject) -> Iterator[Finding]:
    """Find values at the ends of the inputs of the plugin's questions, and 0, at which a line or check fails."""
    for question in questions_of(subject):
        plan, failure = _try_making(subject, partial(small_plan, subject, question.name))
        if failure:
            yield Finding(question.name, failure, INPUTS)
        for item in question.inputs if plan else ():
            for value in _ends(item):
                where = f"question {question.name}: input {item.name} = {value}"
                result, failure = _try_making(subject, partial(_lacking_at, plan, {item.name: value}))
                yield from (
                    Finding(where, gap, INPUTS) for gap in sorted({*(result or ()), *([failure] if failure else ())})
                )


def formats_written(subject: Subject) -> Iterator[Finding]:
    """Find formats in which a plan with the plugin's questions or models cannot be written."""
    plan, failure = _try_making(subject, partial(_own_plan, subject))
    yield from _write_plan(subject, plan) if plan else (Finding("plan", failure, FORMATS),)


def workbooks_written(subject: Subject) -> Iterator[Finding]:
    """Find workbooks of every question that cannot be written with a model of the plugin's architectures."""
    plan, failure = _try_making(subject, partial(_plan, subject, _models(subject), *questions(subject.host)))
    yield from _in_workbook(subject, plan) if plan else (Finding("plan", failure, FORMATS),)


def _models(subject: Subject) -> list[Costed]:
    """Return a model of each architecture that the plugin declares or adds lines to, the first that can be counted."""
    result: dict[str, Costed] = {}
    for example in subject.countable:
        result.setdefault(example.architecture, example.costed)
    if not result:
        raise AbsentError("no model of it can be counted")
    return list(result.values())


def _plan(subject: Subject, models: Iterable[Costed], *names: str) -> Plan:
    return make_plan(subject.host, list(models), inputs=inputs_required(subject, names), questions=names)


def _own_plan(subject: Subject) -> Plan:
    """Return a plan of the plugin's own questions, or of its models with the question that every plan has."""
    try:
        return small_plan(subject, *(question.name for question in questions_of(subject)))
    except AbsentError:
        return _plan(subject, _models(subject))


def _write_plan(subject: Subject, plan: Plan) -> Iterator[Finding]:
    """Write a plan in each format, and as the terminal shows it."""
    _, failure = _try_making(subject, partial(tables, plan))
    yield from [Finding("flopsheet plan", failure, FORMATS)] if failure else ()
    for suffix in TEXTS:
        _, failure = _try_making(subject, partial(_text, suffix, plan))
        yield from [Finding(suffix, failure, FORMATS)] if failure else ()
    yield from _in_workbook(subject, plan)


def _text(suffix: str, plan: Plan) -> str:
    return "".join(plan_texts(suffix, plan))


def _in_workbook(subject: Subject, plan: Plan) -> Iterator[Finding]:
    from flopsheet.export.workbook import write_workbook  # noqa: PLC0415 - lxml is for workbooks only

    with TemporaryDirectory(prefix="flopsheet-") as folder:
        _, failure = _try_making(subject, partial(write_workbook, plan, Path(folder) / "plan.xlsx"))
    yield from [Finding(".xlsx", failure, FORMATS)] if failure else ()


def _try_making(subject: Subject, make: Callable[[], T]) -> tuple[T | None, str]:
    """Return what is made, or None and what went wrong."""
    try:
        return make(), ""
    except AbsentError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
        return None, str(error) if isinstance(error, FlopsheetError) else reason_of(subject.plugin, error)


def _gaps_of(subject: Subject, model: Costed, *names: str) -> list[str]:
    """Return what has no number in a model's plan of some questions."""
    result, failure = _try_making(subject, lambda: _gaps(_plan(subject, [model], *names)))
    return [failure] if failure else sorted(result or ())


def _gaps(plan: Plan) -> set[str]:
    """Return what has no number in any case of a plan: models in error, searches, lines and checks."""
    results = {problem for model in plan.models for problem in model.model.errors}
    return results.union(plan.failed_searches.values(), *map(_lacking, plan.every_run))


def _lacking_at(plan: Plan | None, inputs: Mapping[str, Number]) -> set[str]:
    return _lacking(plan.run_varied("base", inputs).compute_all()) if plan else set()


def _lacking(run: Run) -> set[str]:
    """Return why lines and checks of a run have no number, inputs that somebody has to give aside."""
    return {gap.number.why for gap in run.gaps.values()}


def _ends(item: Input) -> list[Number]:
    """Return the values at the ends of an input, and 0, as far as it can have them."""
    if item.kind == "choice":
        return list(range(1, len(item.labels) + 1))
    beyond = None if item.above is None else item.above + BARELY
    values = [item.low, item.high, 0, item.minimum, item.maximum, beyond, *((0, 1) if item.kind == "flag" else ())]
    results: list[Number] = []
    for value in values:
        try:
            results += [] if value is None else [check(item, value)]
        except ValueError:
            continue  # it cannot be so
    return list(dict.fromkeys(results))
