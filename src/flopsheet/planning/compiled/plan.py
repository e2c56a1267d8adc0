"""A whole plan as frozen, neutral data: what is given, rows, formulas with every name resolved, figures and checks.

Nothing in it calls Python back: an engine in another language computes the plan from it alone. Numbers are floats, None
where there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import no_number
from flopsheet.planning.compiled.references import Flag, Given
from flopsheet.planning.question import MODELS, OTHERS, extra_keys
from flopsheet.planning.row_limits import list_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.formula import Formula, Steps
    from flopsheet.accounting.formula.nodes import Lowered
    from flopsheet.accounting.line import Number
    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Rows, Table

Float = float | None


class Formulas(Struct, frozen=True):
    """Formulas of a table that are computed row by row: what they read, and each by name, later ones of earlier ones.

    Those in `recurring` read lines of their own in the row before.
    """

    table: str
    reads: Mapping[str, Ref]
    lines: Mapping[str, Lowered]
    recurring: tuple[str, ...] = ()


class Source(Struct, frozen=True):
    """What gives a table rows: the models, the `others` behind each, a count, or a list.

    A count is a formula of one row. A list has keys, what each row `brings`, and the rows that are a model's own by its
    place, where only some are.
    """

    key: str
    kind: str
    counted: Formulas | None = None
    keys: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    brings: Mapping[str, tuple[Float, ...]] | None = None
    only: tuple[tuple[float, ...], ...] = ()


class CompiledTable(Struct, frozen=True):
    """A table: its sources of rows, whose product its rows are."""

    name: str
    title: str
    sources: tuple[Source, ...]


class CompiledCase(Struct, frozen=True):
    """A case: what people call it, and the value of each input."""

    name: str
    title: str
    values: Mapping[str, Float]


class CompiledModel(Struct, frozen=True):
    """A costed model: its place among them, the inputs that it states for itself, and its ledger's totals."""

    name: str
    place: int
    inputs: Mapping[str, Float]
    totals: Mapping[str, Float]


class CompiledFigure(Struct, frozen=True):
    """A headline number: how the rows of a line make one."""

    question: str
    name: str
    title: str
    about: str
    unit: str
    table: str
    line: str
    reduce: str


class CompiledCheck(Struct, frozen=True):
    """A check: it holds in each row in which its formula, of those of its table, is not 0."""

    question: str
    name: str
    title: str
    table: str
    message: str
    warning: bool


class Compiled(Struct, frozen=True):
    """A plan that every engine computes alike."""

    name: str
    shown: str
    cases: tuple[CompiledCase, ...]
    models: tuple[CompiledModel, ...]
    tables: tuple[CompiledTable, ...]
    steps: tuple[Formulas, ...]
    checks: tuple[Formulas, ...]
    figures: tuple[CompiledFigure, ...]
    verdicts: tuple[CompiledCheck, ...]


def compile_plan(plan: Plan) -> Compiled:
    """Return a plan as data."""
    program = plan.program
    return Compiled(
        plan.name,
        plan.scenario,
        tuple(CompiledCase(case, plan.titles[case], _floats(plan.case(case))) for case in plan.cases),
        tuple(_models(plan)),
        tuple(_table(program, table) for table in program.tables.values()),
        tuple(_formulas(program, part.table, part.steps, tuple(part.recurring)) for part in program.segments()),
        tuple(_formulas(program, table, steps) for table, steps in program.check_steps.items()),
        tuple(
            CompiledFigure(
                question.name, one.name, one.title, one.about, program.unit(one), one.table, one.line, one.how
            )
            for question, one in program.figures
        ),
        tuple(
            CompiledCheck(question.name, one.name, one.title, one.table, one.describe(str), one.warning)
            for question, one in program.checks
        ),
    )


def _formulas(program: Program, table: str, steps: Steps, recurring: tuple[str, ...] = ()) -> Formulas:
    lines = {name: text.lowered for name, text in steps.formulas.items()}
    return Formulas(table, program.reads(table, steps), lines, recurring)


def _models(plan: Plan) -> Iterable[CompiledModel]:
    facts = plan.facts
    for subject, model in zip(plan.run(plan.scenario).models, plan.costed, strict=True):
        totals = {name: subject.totals[name] for name in facts if name in subject.totals}
        yield CompiledModel(model.name, subject.place, _floats(subject.inputs), _floats(totals))


def _table(program: Program, table: Table) -> CompiledTable:
    return CompiledTable(table.name, table.title, tuple(_source(program, table, rows) for rows in table.rows))


def _source(program: Program, table: Table, rows: Rows) -> Source:
    if rows in (MODELS, OTHERS):
        return Source(rows.key, "models" if rows == MODELS else "others")
    if rows.until:
        return Source(rows.key, "counted", _count(program, table, formula.read(rows.until)))
    keys = list_rows(rows)
    brings = {name: tuple(_float(numbers.get(name)) for _, numbers in keys) for name in extra_keys(rows)}
    only = tuple(tuple(float(key) for key in own) for own in rows.only)
    return Source(rows.key, "listed", None, tuple(float(key) for key, _ in keys), rows.labels, brings, only)


def _count(program: Program, table: Table, text: Formula) -> Formulas:
    """Return a count of rows, which reads the inputs of the plan alone."""
    flags = {name: Flag(Given(choice), place) for name, (choice, place) in program.choices.items()}
    return Formulas(table.name, {name: flags.get(name, Given(name)) for name in text.names}, {"count": text.lowered})


def _floats(numbers: Mapping[str, Number]) -> dict[str, Float]:
    return {name: _float(number) for name, number in numbers.items()}


def _float(number: Any) -> Float:
    return None if number is None or no_number(number) is not None else float(number)
