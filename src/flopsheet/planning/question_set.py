"""Questions put together: one pool of inputs, tables merged by name, and what each name of a formula refers to."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.formula.names import check_name
from flopsheet.errors import FormulaError, PluginError
from flopsheet.planning.compiled.references import Earlier, Linked
from flopsheet.planning.compiled.resolving import Scope, resolve_link
from flopsheet.planning.inputs import CASES
from flopsheet.planning.memo import memo
from flopsheet.planning.question import (
    CASES_TABLE,
    MODELS,
    MODELS_TABLE,
    OTHERS,
    Check,
    Figure,
    Question,
    Table,
    extra_keys,
    flags,
)
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.formula import Formula, Steps
    from flopsheet.accounting.line import Input, Line
    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.question import Link, Node, Rows

GATHERING = ("sum", "min", "max", "first")
WITHIN = ("previous", "running", "below")
"""Links that read the table that they belong to."""
SHARED = (CASES_TABLE, MODELS_TABLE)
"""Tables whose lines links may read in another case than their own."""

CHECK = "check {}"
"""The name of a check among lines: one that no line can have."""


class QuestionSet(Struct, frozen=True, eq=False, dict=True):
    """Questions whose inputs, tables, links, figures and checks fit together, ready to be evaluated."""

    questions: tuple[Question, ...]

    @cached_property
    def inputs(self) -> dict[str, Input]:
        """Every input by name; PluginError where two questions declare one differently."""
        result: dict[str, Input] = {}
        for question in self.questions:
            for one in question.inputs:
                reason = check_name(one.name)
                if reason or result.get(one.name, one) != one:
                    raise PluginError(f"the input {one.name!r} {reason or 'is declared twice, differently'}", one.name)
                result[one.name] = one
        return result

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Every table by name, those of one name merged in the order of questions."""
        result: dict[str, Table] = {}
        for question in self.questions:
            for table in question.tables:
                result[table.name] = _merge_tables(result[table.name], table) if table.name in result else table
        return result

    @cached_property
    def figures(self) -> list[tuple[Question, Figure]]:
        """Every figure with its question; PluginError where its line does not exist."""
        results = [(question, figure) for question in self.questions for figure in question.figures]
        for question, figure in results:
            self._line(f"the figure {figure.name} of question {question.name}", figure.table, figure.line)
        return results

    @cached_property
    def checks(self) -> list[tuple[Question, Check]]:
        """Every check with its question."""
        return [(question, check) for question in self.questions for check in question.checks]

    @cached_property
    def check_steps(self) -> dict[str, formula.Steps]:
        """The formulas of all checks of a table by its name, ready to be run together."""
        result: dict[str, dict[str, Formula]] = {}
        for _, check in self.checks:
            result.setdefault(check.table, {})[CHECK.format(check.name)] = self.formula(check.table, check.formula)
        return {table: formula.Steps(checks, f" of {table}") for table, checks in result.items()}

    @property
    def searches(self) -> list[tuple[str, Rows]]:
        """The rows that a search finds, each with the name of its table."""
        return [(name, rows) for name, table in self.tables.items() for rows in table.rows if rows.search]

    def lines(self, table: str) -> tuple[Line, ...]:
        """Return the lines of a table, none where no question has it."""
        return self.tables[table].lines if table in self.tables else ()

    def unit(self, figure: Figure) -> str:
        """Return the unit of a figure: of a first row that of its key."""
        if figure.how == "first":
            return self.tables[figure.table].rows[-1].unit
        return self.nodes[figure.table, figure.line].unit

    def list_shown(self, table: str) -> list[Line]:
        """Return the lines of a table that people see first, in their order; all where no question says which."""
        if all(question.described.table(table).shown is None for question in self.questions):
            return [*self.lines(table)]
        names = dict.fromkeys(name for question in self.questions for name in _shown_names(question, table))
        return self._lines_named(table, names)

    def _lines_named(self, table: str, names: Iterable[str]) -> list[Line]:
        lines = {line.name: line for line in self.lines(table)}
        return [lines[name] for name in names if name in lines]

    def title(self, table: str) -> str:
        """Return what people call a table: what a question's sheet says, else the table itself."""
        titles = (question.described.table(table).title for question in self.questions)
        return next(filter(None, titles), self.tables[table].title)

    def list_offered(self, table: str, lead: str = "") -> list[Line]:
        """Return the lines of a table whose sensitivity is offered first, in their order; of `lead` before others."""
        questions = sorted(self.questions, key=lambda question: question.name != lead)
        return self._lines_named(
            table, (name for question in questions for name in question.described.table(table).sensitivity)
        )

    def rank(self, table: str) -> str:
        """Return the line by which people see the rows of a table ordered, "" for none."""
        ranks = (question.described.table(table).rank for question in self.questions)
        return next((rank for rank in ranks if rank), "")

    def formula(self, table: str, text: str) -> Formula:
        """Return a formula read with the names that a table's lines may use; PluginError names what is wrong."""
        return _read(f"table {table}", text, None if MODELS in self.tables[table].rows else self.names(table))

    @memo
    def names(self, table: str) -> set[str]:
        """Return the names that formulas of a table may use, next to the totals of a model."""
        source = self.tables[table]
        return {
            *self.inputs,
            *(flag for item in self.inputs.values() for flag in flags(item)),
            *source.keys,
            *(name for rows in source.rows for name in extra_keys(rows)),
            *(link.name for link in source.links),
            *(line.name for line in source.lines),
        }

    @memo
    def facts(self, table: str) -> set[str]:
        """Return the names of a table's formulas that are totals of a model's ledger."""
        texts = [self.text((table, line.name)) for line in self.tables[table].lines]
        return {name for text in (*texts, *self._check_formulas(table)) for name in text.names} - self.names(table)

    def _check_formulas(self, table: str) -> list[Formula]:
        return [self.formula(table, check.formula) for _, check in self.checks if check.table == table]

    @cached_property
    def nodes(self) -> Mapping[Node, Line]:
        """Every line by its table and name."""
        return {(table.name, line.name): line for table in self.tables.values() for line in table.lines}

    @memo
    def text(self, node: Node) -> Formula:
        """Return the formula of a line; over models, names may be totals of a ledger that are known later."""
        names = None if MODELS in self.tables[node[0]].rows else self.names(node[0])
        return _read(f"line {node[1]} of table {node[0]}", self.nodes[node].formula, names, node[1])

    @memo
    def needs(self, node: Node) -> set[Node]:
        """Return the lines that a line reads, directly or through links."""
        beside, links = self._read(node)
        return beside.union(*(ref.read for ref in links))

    def needs_of_row(self, node: Node) -> set[Node]:
        """Return the lines that a line reads, but for those that it reads of rows before its own."""
        beside, links = self._read(node)
        return beside.union(*(ref.read for ref in links if ref.reduce != "previous"))

    @memo
    def _read(self, node: Node) -> tuple[set[Node], list[Linked]]:
        """Return the lines of its own row that a line reads, and its links."""
        refs = [self.ref(node[0], name) for name in self.text(node).names]
        beside = {(node[0], ref.line) for ref in refs if isinstance(ref, Earlier)}
        return beside, [ref for ref in refs if isinstance(ref, Linked)]

    def ref(self, table: str, name: str) -> Ref:
        """Return what a name of a table's formulas refers to."""
        return self._ref((table, name))

    @memo
    def _ref(self, node: Node) -> Ref:
        return self._scopes[node[0]].resolve(node[1])

    @cached_property
    def _scopes(self) -> dict[str, Scope]:
        return {
            name: Scope(table, self.links[name], {line.name for line in table.lines}, self.inputs, self.choices)
            for name, table in self.tables.items()
        }

    @cached_property
    def links(self) -> dict[str, dict[str, Linked]]:
        """What the links of each table read, by the table's name and theirs; PluginError for one that cannot be."""
        for table in self.tables.values():
            for link in table.links:
                self._check_link(table, link)
        return {
            name: {link.name: resolve_link(link, table, self.tables[link.table]) for link in table.links}
            for name, table in self.tables.items()
        }

    @cached_property
    def choices(self) -> dict[str, tuple[str, int]]:
        """The flags of inputs that are choices: the input, and the place of the label."""
        return {flag: (item.name, at) for item in self.inputs.values() for at, flag in enumerate(flags(item), 1)}

    @cached_property
    def facts_of_models(self) -> set[str]:
        """The totals of a model's ledger that lines over models use, in any table."""
        tables = [name for name, table in self.tables.items() if MODELS in table.rows]
        return {fact for name in tables for fact in self.facts(name)}

    def own_facts(self, node: Node) -> set[str]:
        """Return the totals of a model's ledger that a line's own formula names."""
        return set(self.text(node).names) - self.names(node[0])

    def reads(self, table: str, steps: Steps) -> dict[str, Ref]:
        """Return what formulas of a table read that they do not compute themselves, by name."""
        return {name: self.ref(table, name) for name in steps.given}

    def lines_of_checks(self, table: str) -> list[Node]:
        """Return the lines of other tables that the checks of a table read through links."""
        refs = (self.ref(table, name) for text in self._check_formulas(table) for name in text.names)
        return [node for ref in refs if isinstance(ref, Linked) for node in ref.read]

    def _check_link(self, table: Table, link: Link) -> None:
        what = f"the link {link.name} of table {table.name}"
        self._line(what, link.table, link.line)
        if link.how == "same" and not set(self.tables[link.table].keys) <= set(table.keys):
            raise PluginError(f"{what}: {link.table} has rows of other keys; sum, min, max or first is expected")
        if link.case and (link.case not in CASES or link.table not in SHARED):
            raise PluginError(f"{what}: {link.case!r} of {link.table}; a case of cases or models is expected")
        if link.where:
            self._line(what, link.table, link.where[0])
        if (link.where and link.how != "sum") or (link.how == "other" and OTHERS not in table.rows):
            raise PluginError(f"{what}: where is of a sum, and other of a table of pairs")
        keys = self.tables[link.table].keys
        if link.how in GATHERING and keys and not link.where and {*keys} <= {*table.keys}:
            one = f"{link.table} has one row for each {' and '.join(keys)}, as {table.name} has"
            raise PluginError(f"{what}: {one}; same is expected, or a line of cases that gathers all rows")
        if link.how in WITHIN and (link.table != table.name or not table.rows):
            raise PluginError(f"{what}: {link.how} reads other rows of the table itself")

    def _line(self, what: str, table: str, line: str) -> None:
        if table not in self.tables:
            raise PluginError(f"{what} reads the table {table!r}, which does not exist{names_like(table, self.tables)}")
        names = [entry.name for entry in self.tables[table].lines]
        if line not in names:
            raise PluginError(f"{what} reads {line!r}, which table {table} does not have{names_like(line, names)}")


def _shown_names(question: Question, table: str) -> Sequence[str]:
    """Return what a question shows of a table: what it says, else its columns there, else the lines that it adds."""
    view = question.described.table(table)
    own = [line.name for part in question.tables if part.name == table for line in part.lines]
    return view.shown if view.shown is not None else [column.line for column in view.columns] or own


def _merge_tables(first: Table, second: Table) -> Table:
    if first.rows != second.rows:
        raise PluginError(f"the table {first.name!r} exists with other rows")
    lines = {line.name: line for line in first.lines}
    twice = {line.name for line in second.lines} & lines.keys() - set(second.replaces)
    both = lines | {line.name: line for line in second.lines}
    links = dict.fromkeys(first.links + second.links)
    counts = Counter([*both, *(link.name for link in links)])
    if several := sorted(twice | {name for name, times in counts.items() if times > 1}):
        raise PluginError(f"table {first.name} already has {', '.join(several)}", several[0])
    return first._replace(lines=tuple(both.values()), links=tuple(links))


def _read(what: str, text: str, names: Mapping[str, object] | set[str] | None, of: str = "") -> Formula:
    try:
        return formula.read(text, names)
    except FormulaError as error:
        raise PluginError(f"{what}:\n{error}", of) from None
