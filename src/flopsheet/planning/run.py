"""A program evaluated exactly under one case: every table's rows, whole numbers and fractions as they are."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.accounting.nonumber import NoNumber, NoNumberError, no_number
from flopsheet.accounting.packed_numbers import pack
from flopsheet.errors import FormulaError
from flopsheet.planning import recurrences
from flopsheet.planning.compiled.references import Brought, Earlier, Flag, Given, Key, Linked, Own, Total
from flopsheet.planning.linked_rows import WITHIN, begin, find_rows, gather
from flopsheet.planning.question import MODELS, OTHERS, flags
from flopsheet.planning.question_set import CHECK
from flopsheet.planning.row_limits import checked_product, list_rows, listed_rows, read_listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Input, Number
    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.linked_rows import Keys
    from flopsheet.planning.program import Program, Segment
    from flopsheet.planning.question import Check, Figure, Link, Rows, Table


class PlannedModel(Struct, frozen=True):
    """A model as planning sees it: its place in the batch, the inputs that are its own, and its ledger's totals."""

    place: int
    inputs: Mapping[str, Number]
    totals: Mapping[str, Number]


class Gap(Struct):
    """A line, check or count of rows that gives no number: why, the keys of the first row, and in how many rows."""

    table: str
    name: str
    why: str
    keys: Keys
    number: NoNumber
    rows: int = 0


class TableValues(Struct, frozen=True, eq=False):
    """A table with its rows: the keys of each, what only this row brings its formulas, its model, a column per line.

    `gap` says why nobody knows its rows: nothing that is gathered of them is a number.
    """

    table: Table
    keys: list[Keys]
    brought: Sequence[Mapping[str, Number]] = ()
    models: Sequence[PlannedModel] = ()
    columns: dict[str, Sequence[Number]] = field(default_factory=dict)
    gap: NoNumber | None = None

    def row(self, place: int) -> dict[str, Number]:
        """Return the lines of one row by name, in the order of the table."""
        return {line.name: self.columns[line.name][place] for line in self.table.lines}


class Run(Struct, frozen=True, eq=False, dict=True):
    """The numbers of a program for given inputs and models; `of_case` gives those of a case that links name.

    What fails stands as a `NoNumber` where its number would, and so does all that reads it; `gaps` are the causes.
    """

    program: Program
    inputs: Mapping[str, Number]
    models: Sequence[PlannedModel]
    of_case: Callable[[str], Run] | None = None

    def table(self, name: str) -> TableValues:
        """Return a table with all its lines; what it needs is computed once, what nobody asks for is not."""
        if name not in self._whole:
            self._compute(self.program.segments_of(name))
            self._whole.add(name)
        return self._tables[name]

    def first(self, table: str, lines: Iterable[str], place: int = 0) -> dict[str, Number]:
        """Return some lines of a row of a table, the first one by default; only what they need is computed."""
        nodes = tuple((table, line) for line in lines)
        self._compute(self.program.segments_for(nodes))
        return {line: self._tables[table].columns[line][place] for _, line in nodes}

    def _compute(self, segments: Iterable[Segment]) -> None:
        for segment in segments:
            if segment.table not in self._tables:
                self._tables[segment.table] = self._fill_table(self.program.tables[segment.table])
            if not self._tables[segment.table].columns.keys() >= segment.steps.formulas.keys():
                self._evaluate(segment)

    @cached_property
    def _tables(self) -> dict[str, TableValues]:
        return {}

    @cached_property
    def _whole(self) -> set[str]:
        return set()

    def compute_all(self) -> Run:
        """Return the run itself with every table and check computed: only then are `gaps` complete."""
        for table in self.program.tables:
            self.table(table)
        for _, check in self.program.checks:
            self.evaluate_check(check)
        return self

    def single(self, table: str) -> dict[str, Number]:
        """Return the lines of a table with one row; nothing where no question has the table."""
        return self.table(table).row(0) if table in self.program.tables else {}

    def figure(self, figure: Figure) -> Number:
        """Return a headline number."""
        values = self.table(figure.table)
        return gather(figure.how, list(zip(values.keys, values.columns[figure.line], strict=True)), values.gap)

    def failures(self, check: Check) -> list[int]:
        """Return the places of the rows in which a check does not hold, or has no number though no input is missing."""
        return [place for place, number in enumerate(self.evaluate_check(check)) if _fails(number)]

    def missing(self, check: Check) -> NoNumber | None:
        """Return the missing input for want of which a check cannot be made in some row, None without one."""
        gaps = map(no_number, self.evaluate_check(check))
        return next((gap for gap in gaps if gap is not None and gap.input), None)

    def evaluate_check(self, check: Check) -> Sequence[Number]:
        """Return what a check's formula gives in each row; all checks of a table are computed at once."""
        if check.table not in self._check_numbers:
            values, steps = self.table(check.table), self.program.check_steps[check.table]
            reads = self.program.reads(check.table, steps)
            for ref in reads.values():
                if isinstance(ref, Linked):
                    self.table(ref.table)
            rows = steps.rows(self._read_columns(values, reads), partial(self._gap, values))
            self._check_numbers[check.table] = dict(zip(steps.formulas, zip(*rows, strict=True), strict=False))
        return self._check_numbers[check.table].get(CHECK.format(check.name), ())

    @cached_property
    def _check_numbers(self) -> dict[str, dict[str, Sequence[Number]]]:
        return {}

    @cached_property
    def gaps(self) -> dict[tuple[str, str], Gap]:
        """What has given no number so far, by table and name: causes alone, not what only reads them."""
        return {}

    def _gap(self, values: TableValues, place: int, name: str, error: FormulaError) -> Any:
        """Return what stands for a line's number in a row, and keep why there is none."""
        if isinstance(error, NoNumberError):
            return error.number
        return self._lacking(values.table.name, name, str(error), values.keys[place])

    def _lacking(self, table: str, name: str, why: str, keys: Keys = ()) -> NoNumber:
        text = f"{name} of {table}: {' '.join(why.split())}"
        gap = self.gaps.setdefault((table, name), Gap(table, name, why, keys, NoNumber(text)))
        gap.rows += 1
        return gap.number

    def evaluate_link(self, table: str, link: Link) -> Sequence[Number]:
        """Return what a link of a table brings to each of its rows."""
        ref = self.program.links[table][link.name]
        self.table(ref.table)
        return self._follow_link(ref, self.table(table))

    def read(self, table: str, name: str) -> Sequence[Number]:
        """Return what a name means to the formulas of a table in each of its rows."""
        return self._read(self.table(table), name, self.program.ref(table, name))

    @cached_property
    def scope(self) -> dict[str, Number]:
        """What every formula may read: the inputs, and a flag for each label of a choice."""
        return with_flags(self.program.inputs.values(), self.inputs)

    def _fill_table(self, table: Table) -> TableValues:
        if table.rows == (MODELS,):
            return TableValues(table, [(model.place,) for model in self.models], [{}] * len(self.models), self.models)
        rows: list[tuple[tuple[Number, Mapping[str, Number]], ...]] = [()]
        for source in table.rows:
            result = bool(source.only) or source == OTHERS
            try:
                listing = [] if result else self._source(source)
                checked_product(table, len(rows) * len(listing), len(self.models))
            except NoNumberError as error:
                return TableValues(table, [], gap=error.number)
            except FormulaError as error:
                return TableValues(table, [], gap=self._lacking(table.name, source.key, str(error)))
            rows = [(*row, part) for row in rows for part in (self._after(source, row) if result else listing)]
        extras = [{name: number for _, own in parts for name, number in own.items()} for parts in rows]
        keys = [tuple(key for key, _ in parts) for parts in rows]
        return TableValues(table, keys, extras, self._models(table, keys))

    def _source(self, rows: Rows) -> list[tuple[Number, Mapping[str, Number]]]:
        if rows == MODELS:
            return [(model.place, {}) for model in self.models]
        if rows.until:
            return [(place, {}) for place in range(1, listed_rows(rows, self.scope) + 1)]
        return list_rows(rows)

    def _after(self, rows: Rows, before: Sequence[tuple[Number, object]]) -> list[tuple[Number, Mapping[str, Number]]]:
        """Return the rows that were found for the model of a row, or the models behind it."""
        if rows == OTHERS:
            return [(model.place, {}) for model in self.models if model.place > before[0][0]]
        return [read_listed(rows, key, rows.values[key - 1]) for key in rows.only[int(before[0][0])]]

    def _evaluate(self, segment: Segment) -> None:
        values, own = self._tables[segment.table], segment.recurring
        cells = self._read_columns(values, {name: ref for name, ref in segment.reads.items() if name not in own})
        on_error = partial(self._gap, values)
        if own:
            scopes = (dict(zip((name for name in segment.reads if name not in own), row, strict=True)) for row in cells)
            rows = recurrences.rows(segment.steps, own, scopes, starts(values), on_error)
        else:
            rows = segment.steps.rows(cells, on_error)
        columns: Iterable[Iterable[Number]] = zip(*rows, strict=True) if values.keys else repeat(())
        for name, column in zip(segment.steps.formulas, columns, strict=False):
            values.columns[name] = pack([*column])

    def _read_columns(self, values: TableValues, reads: Mapping[str, Ref]) -> Iterable[Sequence[Number]]:
        """Return what each row has of what its formulas read."""
        results = [self._read(values, name, ref) for name, ref in reads.items()]
        return zip(*results, strict=True) if results else [()] * len(values.keys)

    def _read(self, values: TableValues, name: str, ref: Ref | None) -> Sequence[Number]:  # noqa: PLR0911 - one a kind
        """Return the number of a reference in each row of a table."""
        match ref:
            case Earlier():
                return values.columns[ref.line]
            case Linked():
                return self._follow_link(ref, values)
            case Key():
                place = values.table.keys.index(ref.name)
                return [keys[place] for keys in values.keys]
            case Total():
                return [model.totals.get(ref.name, 0) for model in values.models]
            case Own():
                stating = values.models if ref.name in self._stated_inputs else ()
                return self._own(values, [model.inputs.get(ref.name) for model in stating], ref)
            case Brought():
                return self._own(values, [row.get(ref.name) for row in values.brought], ref)
            case Flag():
                return [_flag(choice, ref.place) for choice in self._read(values, name, ref.of)]
            case Given() if ref.name in self.inputs:
                return [self.inputs[ref.name]] * len(values.keys)
        if not values.keys:
            return ()
        lacking: Any = self._lacking(values.table.name, name, "nothing has this name in some row")
        return [lacking] * len(values.keys)

    def _own(self, values: TableValues, own: Sequence[Any], ref: Own | Brought) -> Sequence[Number]:
        """Return what rows have of their own, or else what a reference behind it has."""
        if own and all(number is not None for number in own):  # `in` would compare with what is no number
            return own
        others = self._read(values, ref.name, ref.otherwise)
        if not own:
            return others
        return [other if number is None else number for number, other in zip(own, others, strict=True)]

    def _models(self, table: Table, rows: Sequence[Keys]) -> list[PlannedModel]:
        """Return the model of each row of a table, none where it is not over models."""
        if MODELS not in table.rows:
            return []
        place, models = table.keys.index(MODELS.key), {model.place: model for model in self.models}
        return [models[int(keys[place])] for keys in rows]

    @cached_property
    def _stated_inputs(self) -> frozenset[str]:
        """The inputs that some model states for itself."""
        return frozenset[str]().union(*(model.inputs for model in self.models))

    def _follow_link(self, link: Linked, values: TableValues) -> Sequence[Number]:
        """Return a link's number in each row."""
        result = self.of_case(link.case).table(link.table) if link.case and self.of_case else self._tables[link.table]
        column: Any = result.columns[link.line]
        if result.gap is not None:
            gap: Any = result.gap
            return [gap] * len(values.keys)
        if link.reduce in WITHIN:
            return WITHIN[link.reduce](chosen_keys(result, [there for _, there in link.on]), column)
        common = chosen_keys(result, [there for _, there in link.on])
        groups: dict[Keys, list[tuple[Keys, Number]]] = {}
        for keys, number, group in zip(result.keys, column, common, strict=True):
            groups.setdefault(group, []).append((keys, number))
        if link.where:
            places = zip(result.columns[link.where[0]], common, strict=True)
            groups = find_rows(groups, [*places], link.where[1])
        numbers = {group: gather(link.reduce, pairs) for group, pairs in groups.items()}
        return [numbers.get(group, 0) for group in chosen_keys(values, [here for here, _ in link.on])]


def _flag(choice: Any, place: int) -> Number:
    return int(choice == place) if no_number(choice) is None else choice


def with_flags(inputs: Iterable[Input], numbers: Mapping[str, Number]) -> dict[str, Number]:
    """Return values with a flag for each label of a choice: 1 for the one that is chosen."""
    result = dict(numbers)
    for item in inputs:
        if item.labels:
            result.update({flag: _flag(numbers[item.name], at) for at, flag in enumerate(flags(item), 1)})
    return result


def _fails(number: Any) -> bool:
    lacking = no_number(number)
    return not number if lacking is None else not lacking.input


def chosen_keys(values: TableValues, names: Sequence[str]) -> list[Keys]:
    """Return the shared keys of each row."""
    places = [values.table.keys.index(key) for key in names]
    return [tuple(keys[place] for place in places) for keys in values.keys]


def starts(values: TableValues) -> set[int]:
    """Return the places at which the last key begins again: for each model its first month."""
    return begin(chosen_keys(values, values.table.keys[:-1]))
