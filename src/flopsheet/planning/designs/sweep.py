"""A sweep from its file to its rows: chunk after chunk on one core or several, in bounded memory."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import Struct, field

from flopsheet.accounting.adapters import RANK
from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.plugin_choice import load_for
from flopsheet.configs.portfolio import CATALOGED, PRICE_KIND
from flopsheet.configs.settings import LORA_RANK, SHORT
from flopsheet.errors import PortfolioError, UsageError
from flopsheet.host.local import Choice
from flopsheet.planning.catalog import AUTOMATIC
from flopsheet.planning.costing import cost_all
from flopsheet.planning.designs.catalog_axes import Cataloged
from flopsheet.planning.designs.columns import Columns, searches
from flopsheet.planning.designs.design import CHUNK, EXAMPLE, Design, read_design
from flopsheet.planning.designs.selection import Table, cut, find_matches, join_tables, keep_best
from flopsheet.planning.found_layouts import find_unstated, stating
from flopsheet.planning.making import make_plan
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.registry import all_inputs, input_checker
from flopsheet.planning.workers import HERE, Run, Workers, in_order
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Dimension, Line
    from flopsheet.configs.model import Model
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program

TRIED = 100
"""Designs that are tried for one that can be counted."""
PAYS = 8
"""Chunks from which another process pays for its start."""
MODEL = "model"
"""The column that says which of a portfolio's models a row is, by its place among them."""


class Request(Struct, frozen=True):
    """What a sweep is asked for: its file, and what the command line adds."""

    path: str
    inputs: Mapping[str, Any]
    settings: Mapping[str, Any]
    case: str = ""
    choice: Choice = Choice()


class Task(Struct, frozen=True):
    """So many designs of a model, from one on."""

    model: int
    start: int
    length: int


class Counts(NamedTuple):
    """How many designs were looked at, how many of them can exist, and how many of these met every condition.

    `lost` are those of the last that have no number in some column.
    """

    designs: int = 0
    exist: int = 0
    met: int = 0
    lost: int = 0

    def plus(self, other: Counts) -> Counts:
        """Return both together."""
        return Counts(*(sum(pair) for pair in zip(self, other, strict=True)))


class DesignSweep(Struct, frozen=True, eq=False, dict=True):
    """A plan and the design of its sweep, ready to be evaluated."""

    plan: Plan
    design: Design
    portfolio: Portfolio
    case: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in their order: axes, objectives, lines of conditions, then all others."""
        axes = [axis.name for axis in self.design.axes]
        condition_names = [
            name for text in self.design.where for name in text.names if name not in self.plan.program.inputs
        ]
        lines = self.design.columns or self._model_lines
        return list(dict.fromkeys([*axes, *self._objective_names, *condition_names, *lines]))

    def line(self, name: str) -> Line | Dimension | None:
        """Return the line, input or dimension behind a column; None of a name that is a setting alone."""
        return self._columns[0].line(name)

    @property
    def tasks(self) -> list[Task]:
        """Every chunk of designs, model after model."""
        return [
            Task(model, start, min(CHUNK, len(self.design) - start))
            for model in range(len(self._columns))
            for start in range(0, len(self.design), CHUNK)
        ]

    def evaluate_chunk(self, task: Task) -> tuple[Counts, Table]:
        """Return the designs of a chunk that may be kept, and how many there were."""
        axis_values = self.design.draw(task.start, task.length)
        own = self._columns[task.model]
        columns, exists = own.chunk(axis_values, self._catalog_inputs.look_up(axis_values, self.plan.case(self.case)))
        places = find_matches(self.design, columns, exists)
        table = {MODEL: np.full(len(places), float(task.model))}
        table |= {name: np.broadcast_to(columns[name], task.length)[places] for name in self.names}
        has_gap = np.any([np.isnan(column) for column in table.values()], axis=0)
        return Counts(task.length, int(exists.sum()), len(places), int(has_gap.sum())), keep_best(self.design, table)

    @cached_property
    def _model_lines(self) -> list[str]:
        """The lines of models that people see first."""
        program = self.plan.program
        return [
            line.name for line in program.list_shown(MODELS_TABLE) if not searches(program, (MODELS_TABLE, line.name))
        ]

    @cached_property
    def _objective_names(self) -> list[str]:
        """The names that objectives read."""
        objectives = [*self.design.pareto, *([self.design.best] if self.design.best else [])]
        return [name for objective in objectives for name in objective.formula.names]

    @cached_property
    def _columns(self) -> list[Columns]:
        condition_names = (name for text in self.design.where for name in text.names)
        names = tuple(dict.fromkeys([*self.names, *condition_names]))
        return [Columns(self.plan, model, self.case, self.design.axes, names) for model in self.plan.costed]

    @cached_property
    def _catalog_inputs(self) -> Cataloged:
        inputs = {**self.portfolio.inputs, **self.inputs}
        kind = AUTOMATIC if not inputs.keys() & {PRICE_KIND, "price_per_hour"} else inputs.get(PRICE_KIND)

        def inputs_of(words: Mapping[str, str]) -> Mapping[str, Any]:
            questions = [question.name for question in self.plan.program.questions]
            plan = make_plan(self.plan.host, (), [self.portfolio], inputs={**self.inputs, **words}, questions=questions)
            return plan.case(self.case)

        return Cataloged(self.design.axes, kind, inputs_of)


def open_sweep(request: Request) -> DesignSweep:
    """Read a design, and cost and plan its portfolio at one of its designs.

    PortfolioError says what is wrong with the file, its plan or its sweep, UsageError what the request gives besides.
    """
    host = load_for([request.path], request.choice)
    models, portfolios = read_inputs(host, [request.path], check_inputs=input_checker(host))
    if len(portfolios) != 1 or not portfolios[0].sweep:
        raise PortfolioError(f"{request.path}: found no table [sweep.axes]; it says what to vary, such as {EXAMPLE}")
    if not models:
        raise PortfolioError(f"{request.path}: nothing to sweep: it has no [[models]]")
    dimensions = {dimension.name: dimension for model in models for dimension in _dimensions(host, model)}
    design = read_design(portfolios[0].sweep, lambda name: _find_dimension(name, dimensions, all_inputs(host)))
    if both := [axis.name for axis in design.axes if axis.name in {*request.inputs, *request.settings}]:
        raise UsageError(
            f"{both[0]}: an axis of {request.path} gives its values; leave it out, or take it off the axes"
        )
    first, costed_models = _cost_models(host, models, design, request, {*dimensions, *SHORT})
    axis_inputs = {name: value for name, value in first.items() if name not in dimensions and name not in SHORT}
    plan = make_plan(host, costed_models, portfolios, inputs={**request.inputs, **axis_inputs})
    _refuse_searches(plan.program, costed_models, {*portfolios[0].inputs, *request.inputs, *axis_inputs})
    case = (plan.show_case(request.case) if request.case else plan).scenario
    return DesignSweep(plan, design, portfolios[0], case, request.inputs)


def _refuse_searches(program: Program, models: Sequence[Costed], inputs: set[str]) -> None:
    """Refuse what each design's own plan would search for: its numbers would not be those of the sweep."""
    for _, rows in find_unstated(program, inputs):
        if any(not model.model.drivers.keys() & stating(rows) for model in models):
            raise PortfolioError(
                f"sweep: no {rows.title.lower()} is given, and a plan of each design would search for its own;"
                f" give {rows.brings[0]} and the rest under [inputs], or as axes"
            )


def _dimensions(host: Host, model: Model) -> tuple[Dimension, ...]:
    return host.ledger(model.architecture).dimensions if model.architecture and not model.errors else ()


def _find_dimension(
    name: str, dimensions: Mapping[str, Dimension], inputs: Mapping[str, Dimension]
) -> Dimension | None:
    """Return what the values of an axis must suit, None where they are names: ranks suit the rank of a group."""
    if name == LORA_RANK:
        return next((dimension for own, dimension in dimensions.items() if own.startswith(RANK)), None)
    if name in SHORT or name in CATALOGED:
        return None
    result = dimensions.get(name) or inputs.get(name)
    if result is None:
        every = {*dimensions, *inputs, *SHORT, *CATALOGED}
        raise PortfolioError(f"sweep.axes.{name}: no dimension or input has this name{names_like(name, every)}")
    return result


def _cost_models(
    host: Host, models: Sequence[Model], design: Design, request: Request, settable: set[str]
) -> tuple[dict[str, Any], list[Costed]]:
    """Return a design, and the models costed at it: the first one of some that no model refuses."""
    reason = ""
    uniform = np.random.default_rng(design.seed).random((TRIED, len(design.axes)))
    uniform[0] = 0
    for row in uniform:
        first = {axis.name: axis.state_value(axis.draw(row[at : at + 1])[0]) for at, axis in enumerate(design.axes)}
        settings = {name: value for name, value in first.items() if name in settable}
        results = cost_all(host, models, {**request.settings, **settings})
        bad = next((model for model in results if model.status == "error"), None)
        if bad is None:
            return first, results
        reason = reason or f"{bad.name}: {'; '.join(bad.problems)}"
    raise PortfolioError(f"{request.path}: none of {TRIED} designs can be counted: {reason}")


def run(request: Request, sweep: DesignSweep, workers: Workers = HERE) -> Iterator[tuple[Counts, Table]]:
    """Give each chunk's counts and the designs that may be kept, in order, whoever works on them."""
    tasks = sweep.tasks
    alone = len(tasks) == 1 and not workers.scheduler
    yield from in_order(Run(request, open_sweep, DesignSweep.evaluate_chunk), sweep, tasks, HERE if alone else workers)


def find_kept(sweep: DesignSweep, chunks: Iterable[tuple[Counts, Table]]) -> tuple[Counts, Table]:
    """Return the counts of all chunks, and the designs that are kept of them."""
    counts, table = Counts(), Table()
    for more, rows in chunks:
        counts = counts.plus(more)
        table = keep_best(sweep.design, join_tables([table, rows]) if table else rows)
    return counts, cut(sweep.design, table)
