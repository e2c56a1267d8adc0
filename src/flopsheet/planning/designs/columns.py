"""A model's lines over a chunk of designs: its dimensions completed, its ledger and the plan's tables as columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import in_range
from flopsheet.configs.settings import LORA_RANK, SHORT, merge_settings
from flopsheet.errors import PortfolioError
from flopsheet.planning.designs.design import CHUNK
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, OVERRIDE
from flopsheet.planning.registry import unasked_hint
from flopsheet.planning.sweep import Sweep
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Dimension, Line, Number
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.designs.axes import Axis
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Node

    Array = NDArray[np.float64]

TOKENS = "tokens"


class Chunk(NamedTuple):
    """Columns by name, and which of the designs can exist: dimensions in range, checks held, all it counts a number.

    A model whose lines count what cannot be, such as negative weights, does not exist either. A line of the plan that
    has no number for a design is nan there.
    """

    columns: dict[str, Any]
    exists: NDArray[np.bool_]


def searches(program: Program, node: Node) -> bool:
    """Tell whether a line reads rows that are searched for each model when its plan is made."""
    tables = {segment.table for segment in program.segments([node])}
    return any(rows.search for table in tables for rows in program.tables[table].rows)


class Columns(Struct, frozen=True, eq=False, dict=True):
    """The columns of one model of a plan, for designs along some axes; `names` are those of inputs and lines."""

    plan: Plan
    model: Costed
    case: str
    axes: tuple[Axis, ...]
    names: tuple[str, ...]

    def chunk(self, axis_values: Mapping[str, Array], catalog_inputs: Mapping[str, Array]) -> Chunk:
        """Return the columns of some designs; `catalog_inputs` are the inputs that names of the catalog bring."""
        length = len(next(iter(axis_values.values())))
        dimensions, exists = self._dimensions(axis_values, length)
        inputs = {
            **self._inputs,
            **catalog_inputs,
            **{name: axis_values[name] for name in axis_values if name in self._inputs},
        }
        if TOKENS in axis_values:
            inputs[OVERRIDE] = 0  # the axis wins over what the model states
        lines = self.ledger.columns(dimensions, {*self._facts, *self._ledger_names, *self.ledger.amount_names})
        exists &= self.ledger.possible(lines)
        ledger_values = {**dimensions, **lines}
        plan_values = self._plan_values({**inputs, **{name: ledger_values.get(name, 0) for name in self._facts}})
        values = {**ledger_values, **inputs, **axis_values, **plan_values}
        columns = {name: values[name] for name in self.names}
        for name, column in columns.items():
            if name not in plan_values:
                exists &= np.isfinite(column) | (name in inputs)
        return Chunk(columns, exists)

    @property
    def ledger(self) -> Ledger:
        """The lines of the model's architecture."""
        assert self.model.ledger is not None  # noqa: S101 - a sweep refuses models in error
        return self.model.ledger

    def line(self, name: str) -> Line | Dimension | None:
        """Return the line, input or dimension that a column shows; None of a name that is a setting alone."""
        if name in self._nodes:
            return next(line for line in self.plan.program.lines(self._nodes[name][0]) if line.name == name)
        lines = (entry.line for entry in self.ledger.entries)
        sources: tuple[Line | Dimension, ...] = (*self.plan.program.inputs.values(), *lines, *self.ledger.dimensions)
        return next((source for source in sources if source.name == name), None)

    @cached_property
    def _inputs(self) -> dict[str, Number]:
        inputs = {OVERRIDE: 0, **self.plan.case(self.case), **self.plan.given_by(self.model)}
        return {name: value if no_number(value) is None else np.nan for name, value in inputs.items()}

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        """The plan's line behind each wanted name that is one: of the models' table first, then of the cases'."""
        tables = [MODELS_TABLE, CASES_TABLE, *self.plan.program.tables]
        single = [name for name in tables if all(rows == MODELS for rows in self._rows(name))]
        table_of = {line.name: name for name in reversed(single) for line in self.plan.program.lines(name)}
        axes = {axis.name for axis in self.axes}
        result = {name: (table_of[name], name) for name in self.names if name in table_of and name not in axes}
        for name, node in result.items():
            if searches(self.plan.program, node):
                raise PortfolioError(f"sweep: {name!r} comes from a search of its own for each design: it is not swept")
        return result

    def _rows(self, table: str) -> tuple[Any, ...]:
        return self.plan.program.tables[table].rows if table in self.plan.program.tables else ()

    @cached_property
    def _ledger_names(self) -> tuple[str, ...]:
        """The wanted lines of the ledger; PortfolioError for a name that nothing has."""
        plan_names = {*self._inputs, *(axis.name for axis in self.axes), *self._nodes}
        own = {*self.ledger.formulas, *(dimension.name for dimension in self.ledger.dimensions)}
        for name in self.names:
            if name not in plan_names and name not in own:
                every = {*plan_names, *own, *(line.name for line in self.plan.model_lines)}
                hint = unasked_hint(self.plan.host, self.plan.program, name) or names_like(name, every)
                raise PortfolioError(self._of_rows(name) or f"sweep: {self.model.name} has no {name!r}{hint}")
        return tuple(name for name in self.names if name not in plan_names and name in self.ledger.formulas)

    def _of_rows(self, name: str) -> str:
        """Return what is to be said of a line with several numbers for a design, "" of a name that is no such line."""
        program = self.plan.program
        table = next((node_table for node_table, line in program.order if line == name), "")
        if not table:
            return ""
        keys = " and ".join(rows.title.lower() or rows.key for rows in self._rows(table))
        single = [node for node in program.order if all(rows == MODELS for rows in self._rows(node[0]))]
        readers = [f"'{line}'" for node_table, line in single if (table, name) in program.needs((node_table, line))]
        what = f"; {' or '.join(readers)} gathers them" if readers else ", which sums them or takes the largest"
        return (
            f"sweep: {name!r} of the table {table} has a number for each {keys}, and a design has one of each line:"
            f" name a line of {MODELS_TABLE} or {CASES_TABLE}{what}"
        )

    @cached_property
    def _sweep(self) -> Sweep:
        return Sweep(self.plan.program, tuple(self._nodes.values()))

    @cached_property
    def _facts(self) -> tuple[str, ...]:
        """The totals of the ledger that the wanted lines of the plan read."""
        segments = self.plan.program.segments(self._nodes.values())
        reads = {
            (segment.table, name)
            for segment in segments
            for text in segment.steps.formulas.values()
            for name in text.names
        }
        names = {table: self.plan.program.names(table) for table, _ in reads}
        return tuple(sorted({name for table, name in reads if name not in names[table]} - {OVERRIDE}))

    def _plan_values(self, values: dict[str, Any]) -> dict[str, Any]:
        result = self._sweep.columns(values, max(64, CHUNK // self._most_rows)) if self._nodes else {}
        return {node[1]: column.reshape(len(column)) for node, column in result.items()}

    @cached_property
    def _most_rows(self) -> int:
        """How many rows the largest table has that is computed for each design."""
        tables = {segment.table for segment in self.plan.program.segments(self._nodes.values())}
        run = self.plan.run(self.case)
        return max(max(1, len(run.table(table).keys)) for table in tables) // max(1, len(self.plan.costed)) or 1

    def _dimensions(self, axis_values: Mapping[str, Array], length: int) -> tuple[dict[str, Any], NDArray[np.bool_]]:
        """Return a value or column for each dimension, and which designs' values and checks hold."""
        exists = np.ones(length, np.bool_)
        scope: dict[str, Any] = {**self.model.model.fields, **self._model_values, **self._axis_dimensions(axis_values)}
        for dimension, default in self._variables:
            if default:
                scope[dimension.name] = default.columns(scope)
            exists &= in_range(dimension, scope[dimension.name])
        for check in self._checks:
            result = np.asarray(check.columns(scope))
            exists &= (result != 0) & ~np.isnan(result)
        return {dimension.name: scope[dimension.name] for dimension in self.ledger.dimensions}, exists

    @cached_property
    def _model_values(self) -> dict[str, Number]:
        return self.model.numbers.some(dimension.name for dimension in self.ledger.dimensions)

    def _axis_dimensions(self, axis_values: Mapping[str, Array]) -> dict[str, Any]:
        """Return the dimensions that axes give: those of settings that fill in several, over which their own win."""
        result: dict[str, Any] = dict.fromkeys(self._ranks, axis_values.get(LORA_RANK))
        for name, values in self._settings.items():
            result |= {dimension: column[axis_values[name].astype(np.int64)] for dimension, column in values.items()}
        return result | {name: column for name, column in axis_values.items() if name in self._model_values}

    @cached_property
    def _ranks(self) -> list[str]:
        """The dimensions that an axis of ranks fills in."""
        given = {axis.name: None for axis in self.axes if axis.name == LORA_RANK}
        return [name for name in merge_settings(self.plan.host, {}, given) if name in self._model_values]

    @cached_property
    def _settings(self) -> dict[str, dict[str, Array]]:
        """The dimensions that each name of a short setting fills in, such as `optimizer`."""
        result: dict[str, dict[str, Array]] = {}
        for axis in self.axes:
            if axis.name in SHORT and axis.words:
                rows = [merge_settings(self.plan.host, {}, {axis.name: word}) for word in axis.words]
                names = [name for name in rows[0] if name in self._model_values]
                result[axis.name] = {name: np.array([row[name] for row in rows], np.float64) for name in names}
        return result

    @cached_property
    def _variables(self) -> list[tuple[Dimension, Formula | None]]:
        """The dimensions that axes set, and those whose default follows them, with its formula."""
        model = self.model.model
        filled = (name for own in self._settings.values() for name in own)
        names = {*(axis.name for axis in self.axes), *self._ranks, *filled}
        results: list[tuple[Dimension, Formula | None]] = []
        for dimension in self.ledger.dimensions:
            default = model.defaults.get(dimension.name, dimension.default)
            if dimension.name in names:
                results.append((dimension, None))
            elif model.given.get(dimension.name) is None and isinstance(default, str):
                text = formula.read(default)
                if names.intersection(text.names):
                    names.add(dimension.name)
                    results.append((dimension, text))
        return results

    @cached_property
    def _checks(self) -> list[Formula]:
        """The checks of the architecture and of the model's type that read a dimension that moves."""
        variable_names = {dimension.name for dimension, _ in self._variables}
        names = {*self.model.model.fields, *self._model_values}
        texts = {**self.ledger.architecture.checks, **self.model.model.checks}
        checks = (formula.read(text) for text in texts)
        return [check for check in checks if variable_names.intersection(check.names) and names.issuperset(check.names)]
