"""A program evaluated exactly under one case: every table's rows, whole numbers and fractions as they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.nonumber import NoNumber, NoNumberError, first_gap, no_number, numbers_of
from flopsheet.accounting.packed import packed
from flopsheet.accounting.values import added
from flopsheet.errors import FormulaError
from flopsheet.planning import recurrences
from flopsheet.planning.program import CHECK, flags
from flopsheet.planning.question import MODELS, OTHERS, SAME_TO, ranked_within
from flopsheet.planning.recurrences import recurring
from flopsheet.planning.row_limits import checked_product, listed, listed_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Input, Number
    from flopsheet.planning.program import Program, Segment
    from flopsheet.planning.question import Check, Figure, Link, Rows, Table

Keys = tuple["Number", ...]
"""The keys of a row: the model's place, the month, …"""
Own = Callable[[Collection[str] | None], "Iterable[Mapping[str, Number]]"]


class PlannedModel(NamedTuple):
    """A model as planning sees it: its place in the batch, the inputs that are its own, and its ledger's totals."""

    place: int
    inputs: Mapping[str, Number]
    totals: Mapping[str, Number]


@dataclass(slots=True)
class Gap:
    """A line, check or count of rows that gives no number: why, the keys of the first row, and in how many rows."""

    table: str
    name: str
    why: str
    keys: Keys
    number: NoNumber
    rows: int = 0


@dataclass(frozen=True, eq=False)
class TableValues:
    """A table with its rows: the keys of each, what only this row gives its formulas, and a column per line.

    `own` gives each row's own numbers, made when it is asked: those of some names, or all. `lost` says why nobody knows
    its rows: nothing that is gathered of them is a number.
    """

    table: Table
    keys: list[Keys]
    own: Own
    columns: dict[str, Sequence[Number]] = field(default_factory=dict)
    lost: NoNumber | None = None

    def row(self, place: int) -> dict[str, Number]:
        """Return the lines of one row by name, in the order of the table."""
        return {line.name: self.columns[line.name][place] for line in self.table.lines}


@dataclass(frozen=True, eq=False)
class Run:
    """The numbers of a program for given inputs and models; `of_case` gives those of a case that links name.

    What fails stands as a `NoNumber` where its number would, and so does all that reads it; `gaps` are the causes.
    """

    program: Program
    inputs: Mapping[str, Number]
    models: Sequence[PlannedModel]
    of_case: Callable[[str], Run] | None = None

    def table(self, name: str) -> TableValues:
        """Return a table with all its lines; what it needs is computed once, what nobody asks for is not."""
        self._compute(self.program.segments_of(name))
        return self._found[name]

    def first(self, table: str, lines: Iterable[str]) -> dict[str, Number]:
        """Return some lines of a table's first row; nothing is computed but what they need."""
        wanted = tuple((table, line) for line in lines)
        self._compute(self.program.segments_for(wanted))
        return {line: self._found[table].columns[line][0] for _, line in wanted}

    def _compute(self, segments: Iterable[Segment]) -> None:
        for segment in segments:
            if segment.table not in self._found:
                self._found[segment.table] = self._filled(self.program.tables[segment.table])
            if not self._found[segment.table].columns.keys() >= segment.steps.formulas.keys():
                self._evaluate(segment, self._found)

    @cached_property
    def _found(self) -> dict[str, TableValues]:
        return {}

    def computed(self) -> Run:
        """Return the run itself with every table and check computed: only then are `gaps` complete."""
        for table in self.program.tables:
            self.table(table)
        for _, one in self.program.checks:
            self.checked(one)
        return self

    def single(self, table: str) -> dict[str, Number]:
        """Return the lines of a table with one row; nothing where no question has the table."""
        return self.table(table).row(0) if table in self.program.tables else {}

    def figure(self, figure: Figure) -> Number:
        """Return a headline number."""
        filled = self.table(figure.table)
        return _gathered(figure.how, list(zip(filled.keys, filled.columns[figure.line], strict=True)), filled.lost)

    def failures(self, check: Check) -> list[int]:
        """Return the places of the rows in which a check does not hold, or has no number though no input is missing."""
        return [place for place, number in enumerate(self.checked(check)) if _fails(number)]

    def missing(self, check: Check) -> NoNumber | None:
        """Return the missing input for want of which a check cannot be made in some row, None without one."""
        gaps = map(no_number, self.checked(check))
        return next((gap for gap in gaps if gap is not None and gap.input), None)

    def checked(self, check: Check) -> Sequence[Number]:
        """Return what a check's formula gives in each row; all checks of a table are computed at once."""
        if check.table not in self._checked:
            filled, steps = self.table(check.table), self.program.check_steps[check.table]
            links = [link for link in filled.table.links if link.name in steps.names]
            brought = {link.name: self._linked(link, filled, self._reached(link)) for link in links}
            rows = steps.rows(self._given(filled, brought, steps.given), partial(self._gap, filled))
            self._checked[check.table] = dict(zip(steps.formulas, zip(*rows, strict=True), strict=False))
        return self._checked[check.table].get(CHECK.format(check.name), ())

    @cached_property
    def _checked(self) -> dict[str, dict[str, Sequence[Number]]]:
        return {}

    @cached_property
    def gaps(self) -> dict[tuple[str, str], Gap]:
        """What has given no number so far, by table and name: causes alone, not what only reads them."""
        return {}

    def _gap(self, filled: TableValues, place: int, name: str, error: FormulaError) -> Any:
        """Return what stands for a line's number in a row, and keep why there is none."""
        if isinstance(error, NoNumberError):
            return error.number
        return self._lacking(filled.table.name, name, str(error), filled.keys[place])

    def _lacking(self, table: str, name: str, why: str, keys: Keys = ()) -> NoNumber:
        told = f"{name} of {table}: {' '.join(why.split())}"
        gap = self.gaps.setdefault((table, name), Gap(table, name, why, keys, NoNumber(told)))
        gap.rows += 1
        return gap.number

    def linked(self, table: str, link: Link) -> Sequence[Number]:
        """Return what a link of a table brings to each of its rows."""
        return self._linked(link, self.table(table), self._reached(link))

    def _reached(self, link: Link) -> Mapping[str, TableValues]:
        """Return the tables with all lines of the one that a link reads."""
        self.table(link.table)
        return self._found

    @cached_property
    def scope(self) -> dict[str, Number]:
        """What every formula may read: the inputs, and a flag for each label of a choice."""
        return with_flags(self.program.inputs.values(), self.inputs)

    def _filled(self, table: Table) -> TableValues:
        if table.rows == (MODELS,):
            return TableValues(table, [(model.place,) for model in self.models], partial(self._of_models, table))
        rows: list[tuple[tuple[Number, Mapping[str, Number]], ...]] = [()]
        for source in table.rows:
            found = bool(source.only) or source == OTHERS
            try:
                given = [] if found else self._source(source, table)
                checked_product(table, len(rows) * len(given), len(self.models))
            except NoNumberError as error:
                return TableValues(table, [], lambda _: (), lost=error.number)
            except FormulaError as error:
                return TableValues(table, [], lambda _: (), lost=self._lacking(table.name, source.key, str(error)))
            rows = [(*row, one) for row in rows for one in (self._after(source, row) if found else given)]
        own = [self._flagged({name: one for _, given in parts for name, one in given.items()}) for parts in rows]
        return TableValues(table, [tuple(key for key, _ in parts) for parts in rows], lambda _: own)

    def _of_models(self, table: Table, names: Collection[str] | None = None) -> Iterator[Mapping[str, Number]]:
        """Give what each model brings to the formulas of a table: totals of its ledger, and inputs of its own."""
        facts = [name for name in self._facts[table.name] if names is None or name in names]
        own = ({**{n: one.totals.get(n, 0) for n in facts}, **one.inputs} for one in self.models)
        return map(self._flagged, own) if self._choices else own

    def _flagged(self, own: dict[str, Number]) -> dict[str, Number]:
        changed = [one for one in self._choices if one.name in own]
        return with_flags(changed, own) if changed else own

    @cached_property
    def _choices(self) -> list[Input]:
        return [one for one in self.program.inputs.values() if one.labels]

    def _source(self, rows: Rows, table: Table) -> list[tuple[Number, Mapping[str, Number]]]:
        if rows == MODELS:
            return [(one.place, own) for one, own in zip(self.models, self._of_models(table), strict=True)]
        if rows.until:
            return [(place, {}) for place in range(1, listed_rows(rows, self.scope) + 1)]
        return [listed(rows, place, value) for place, value in enumerate(rows.values, 1)]

    def _after(self, rows: Rows, before: Sequence[tuple[Number, object]]) -> list[tuple[Number, Mapping[str, Number]]]:
        """Return the rows that were found for the model of a row, or the models behind it."""
        if rows == OTHERS:
            return [(model.place, {}) for model in self.models if model.place > before[0][0]]
        return [listed(rows, key, rows.values[key - 1]) for key in rows.only[int(before[0][0])]]

    @cached_property
    def _facts(self) -> dict[str, set[str]]:
        return {name: self.program.facts(name) for name, table in self.program.tables.items() if MODELS in table.rows}

    def _evaluate(self, segment: Segment, found: Mapping[str, TableValues]) -> None:
        filled = found[segment.table]
        own = recurring(segment)
        brought = {link.name: self._linked(link, filled, found) for link in segment.links if link not in own}
        rows = self._recurring(segment, filled, brought) if own else self._rows(segment, filled, brought)
        columns: Iterable[Iterable[Number]] = zip(*rows, strict=True) if filled.keys else repeat(())
        filled.columns.update(
            (name, packed([*one])) for name, one in zip(segment.steps.formulas, columns, strict=False)
        )

    def _rows(
        self, segment: Segment, filled: TableValues, brought: Mapping[str, Sequence[Number]]
    ) -> Iterator[Sequence[Number]]:
        given = self._given(filled, brought, segment.steps.given)
        return segment.steps.rows(given, partial(self._gap, filled))

    def _recurring(
        self, segment: Segment, filled: TableValues, brought: Mapping[str, Sequence[Number]]
    ) -> Iterator[Sequence[Number]]:
        """Give the lines of rows each of which reads the row before."""
        links = recurring(segment)
        names = [name for name in segment.steps.given if name not in {link.name for link in links}]
        given = (dict(zip(names, row, strict=True)) for row in self._given(filled, brought, names))
        return recurrences.rows(segment.steps, links, given, _starts(filled), partial(self._gap, filled))

    def _given(
        self, filled: TableValues, brought: Mapping[str, Sequence[Number]], names: Sequence[str]
    ) -> Iterable[Sequence[Number]]:
        """Return what each row has of some names: inputs, keys, the row's own numbers, links and lines before."""
        columns = {**brought, **filled.columns}
        own = [*filled.own([name for name in names if name not in columns])]
        stated = set().union(*own)
        found = [
            columns[name]
            if name in columns
            else self._column(filled, own, name)
            if name in stated
            else self._shared(filled, name)
            for name in names
        ]
        return zip(*found, strict=True) if found else [()] * len(filled.keys)

    def _shared(self, filled: TableValues, name: str) -> Sequence[Number]:
        """Return the key or the input of a name that no row has of its own."""
        if name in filled.table.keys:
            place = filled.table.keys.index(name)
            return [keys[place] for keys in filled.keys]
        if not filled.keys:
            return ()
        known: Any = self.scope
        lacking = None if name in known else self._lacking(filled.table.name, name, "nothing has this name in some row")
        return [known.get(name, lacking)] * len(filled.keys)

    def _column(self, filled: TableValues, own: Sequence[Mapping[str, Number]], name: str) -> Sequence[Number]:
        """Return what rows have of their own, or else the key or the input of that name."""
        if all(name in one for one in own):
            return [one[name] for one in own]
        return [one.get(name, number) for one, number in zip(own, self._shared(filled, name), strict=True)]

    def _linked(self, link: Link, filled: TableValues, found: Mapping[str, TableValues]) -> Sequence[Number]:
        """Return a link's number in each row."""
        if link.case and self.of_case:
            found = {link.table: self.of_case(link.case).table(link.table)}
        other = found[link.table]
        column: Any = other.columns[link.line]
        if other.lost is not None:
            lost: list[Any] = [other.lost]
            return lost * len(filled.keys)
        if link.how == "previous":
            starts = _starts(other)
            return [0 if place in starts else column[place - 1] for place in range(len(column))]
        if link.how == "running":
            return _running(other, column)
        if link.how == "below":
            return _below(other, column)
        if link.how == "other":
            place, numbers = filled.table.keys.index(OTHERS.key), dict(zip(other.keys, column, strict=True))
            return [numbers.get((keys[place],), 0) for keys in filled.keys]
        shared = [key for key in other.table.keys if key in filled.table.keys]
        there, here = (_chosen(one, shared) for one in (other, filled))
        gathered: dict[Keys, list[tuple[Keys, Number]]] = {}
        for keys, number, common in zip(other.keys, column, there, strict=True):
            gathered.setdefault(common, []).append((keys, number))
        if link.where:
            places = zip(other.columns[link.where[0]], there, strict=True)
            gathered = _meant(gathered, [*places], link.where[1])
        gathered_numbers = {common: _gathered(link.how, values) for common, values in gathered.items()}
        return [gathered_numbers.get(common, 0) for common in here]


def with_flags(inputs: Iterable[Input], values: Mapping[str, Number]) -> dict[str, Number]:
    """Return values with a flag for each label of a choice: 1 for the one that is chosen."""
    found = dict(values)
    for one in inputs:
        if one.labels:
            chosen: Any = values[one.name]
            known = no_number(chosen) is None
            found.update({flag: int(chosen == at) if known else chosen for at, flag in enumerate(flags(one), 1)})
    return found


def _chosen(filled: TableValues, shared: Sequence[str]) -> list[Keys]:
    """Return the shared keys of each row."""
    places = [filled.table.keys.index(key) for key in shared]
    return [tuple(keys[place] for place in places) for keys in filled.keys]


def _starts(filled: TableValues) -> set[int]:
    """Return the places at which the last key begins again: for each model its first month."""
    keys = filled.keys
    return {at for at in range(len(keys)) if at == 0 or keys[at][:-1] != keys[at - 1][:-1]}


def _running(filled: TableValues, column: Sequence[Number]) -> list[Number]:
    starts = _starts(filled)
    sums: list[Number] = []
    total: Number = 0
    for at, number in enumerate(column):
        total = number if at in starts else _sum_of(total, number)
        sums.append(total)
    return sums


def _sum_of(total: Any, number: Any) -> Any:
    lacking = first_gap((total, number))
    return total + number if lacking is None else lacking


def _below(filled: TableValues, column: Sequence[Number]) -> list[Number]:
    """Return for each row how many rows with its first key, if it has several, have a clearly smaller number.

    Rows without a number are smaller than none.
    """
    within = len(ranked_within(filled.table))
    firsts = [keys[:within] for keys in filled.keys]
    groups: dict[Keys, list[Number]] = {}
    for first, number in zip(firsts, column, strict=True):
        groups.setdefault(first, []).append(number)
    sorted_groups = {first: sorted(numbers_of(numbers)) for first, numbers in groups.items()}
    pairs = zip(firsts, column, strict=True)
    return [_smaller(sorted_groups[first], number) for first, number in pairs]


def _smaller(numbers: Sequence[Number], number: Number) -> Number:
    return number if no_number(number) is not None else bisect_left(numbers, number - max(number, -number) / SAME_TO)


def _meant(
    gathered: Mapping[Keys, Sequence[tuple[Keys, Number]]], places: Sequence[tuple[Number, Keys]], place: int
) -> dict[Keys, list[tuple[Keys, Number]]]:
    """Return the rows of each group that are in a place; where none is and some row's place is unknown, that one."""
    known: dict[Keys, list[Any]] = {}
    for at, common in places:
        known.setdefault(common, []).append(at)
    found: dict[Keys, list[tuple[Keys, Number]]] = {}
    for common, rows in gathered.items():
        own = [row for at, row in zip(known[common], rows, strict=True) if no_number(at) is None and at == place]
        lost: Any = first_gap(known[common])
        found[common] = own or ([] if lost is None else [((), lost)])
    return found


def _fails(number: Any) -> bool:
    lacking = no_number(number)
    return not number if lacking is None else not lacking.input


def _gathered(how: str, values: Sequence[tuple[Keys, Number]], lost: Any = None) -> Number:
    """Return one number of several rows; a single row is itself. Of rows of which one has no number there is none."""
    numbers = [number for _, number in values]
    lacking: Any = first_gap(numbers) if lost is None else lost
    if lacking is not None:
        return lacking  # type: ignore[no-any-return]
    if how == "first":
        return next((keys[-1] for keys, number in values if number), 0)
    if how in ("min", "max"):
        return (min if how == "min" else max)(numbers, default=0)
    return added(numbers)
