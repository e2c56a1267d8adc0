"""What the shipped template's lists, prototypes and names are filled with; a template may have any part of them."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.line import GROUPS
from flopsheet.errors import TemplateError
from flopsheet.export.workbook.architecture_table import ArchitectureTable, architecture_tables
from flopsheet.export.workbook.assumptions import VALUE, budget_table, drivers_table
from flopsheet.export.workbook.bridge import (
    PARAMETERS,
    STEPS,
    TRAINING,
    parameters_table,
    steps_table,
    training_table,
)
from flopsheet.export.workbook.card import card, card_cells, rows_like
from flopsheet.export.workbook.cases import cases_table
from flopsheet.export.workbook.charts import top_table
from flopsheet.export.workbook.checks import HERE, checks_table, delivered_table
from flopsheet.export.workbook.model_columns import scales
from flopsheet.export.workbook.models import brought_columns, models_table
from flopsheet.export.workbook.named_cells import NamedCells
from flopsheet.export.workbook.problems import problems_table, provenance_table
from flopsheet.export.workbook.question_sheets import question_sheets
from flopsheet.export.workbook.rules import rules_table
from flopsheet.export.workbook.sensitivity import grid_table, results_table, sensitivity_table, tornado_table
from flopsheet.export.workbook.template_columns import (
    CARD,
    PROTOTYPES,
    WORKINGS,
    missing_columns,
    missing_headers,
    missing_identity,
    missing_looks,
    of_prototype,
    with_extras,
    with_looks,
)
from flopsheet.export.workbook.workings import column_specs, workings, workings_table
from livesheets import Book, Corner, find_active, places
from livesheets.addresses import letters, quote
from livesheets.days import FROM_1900
from livesheets.references import MAX_ROW

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Group
    from flopsheet.export.workbook.column_spec import ColumnSpec
    from flopsheet.export.workbook.model_columns import Scales
    from flopsheet.export.workbook.question_sheets import QuestionSheet
    from flopsheet.export.workbook.question_tables import QuestionTable
    from flopsheet.planning.plan import Plan
    from livesheets import Clone, Table, TableFill, Template


class PlanFiller(Struct, frozen=True, dict=True):
    """A plan, and the template whose lists it fills as the shipped one's, with the active content that is allowed."""

    plan: Plan
    template: Template
    data: bytes
    name: str
    allow: Collection[str] = ()

    @cached_property
    def architectures(self) -> list[ArchitectureTable]:
        """The tables of workings, one an architecture."""
        return architecture_tables(self.plan.models, self.plan.host)

    @property
    def _tables(self) -> Mapping[str, Table]:
        """The template's tables, by their names in lower case."""
        return self.template.book.tables

    @cached_property
    def _groups(self) -> Sequence[str]:
        return groups_shown(self.architectures)

    @cached_property
    def _units(self) -> Scales:
        return scales(self.plan)

    @cached_property
    def named(self) -> NamedCells:
        """The shipped template's named cells."""
        fills_drivers = "drivers" in self.filled_names
        return NamedCells(self.plan, self.template, self._units, fills_drivers, self.questions)

    @cached_property
    def _lists(self) -> Mapping[str, Callable[[], TableFill]]:
        """What makes the fill of each list of the workbook, once."""
        plan = self.plan
        lists: dict[str, Callable[[], TableFill]] = {
            "provenance": lambda: provenance_table(plan, self.data, self.name, self._active_content),
            "drivers": lambda: drivers_table(plan),
            "budget": lambda: budget_table(plan),
            "cases": lambda: cases_table(plan),
            "models": lambda: models_table(plan, self.architectures, self._groups, self._units),
            "top": lambda: top_table(plan, self._groups, self._units["training_cost"].unit),
            PARAMETERS: lambda: parameters_table(plan, self._units["parameters"].unit),
            STEPS: self._steps,
            TRAINING: lambda: training_table(plan, self._units["training_flops"].unit),
            "sensitivity": lambda: sensitivity_table(plan),
            "results": lambda: results_table(plan),
            "tornado": lambda: tornado_table(plan),
            "grid": lambda: grid_table(plan),
            "rules": lambda: rules_table(self.architectures),
            "problems": lambda: problems_table(plan),
            "checks": lambda: checks_table(plan, self.architectures, self._numbers, self.questions),
            "delivered": lambda: delivered_table(plan),
            **{name: table.fill for name, table in self._of_questions.items()},
        }
        return {name: cache(make) for name, make in lists.items()}

    @cached_property
    def _of_questions(self) -> Mapping[str, QuestionTable]:
        """The tables on the sheets of the plan's questions, by their names in lower case."""
        return {table.name.casefold(): table for sheet in self.questions for table in sheet.tables}

    @cached_property
    def questions(self) -> list[QuestionSheet]:
        """The sheets of the plan's questions."""
        return question_sheets(self.plan)

    @property
    def _active_content(self) -> Mapping[str, str]:
        """Where the template's active content is; without any allowed, a template with some is refused."""
        return places(find_active(self.template.book.package)) if self.allow else {}

    @cached_property
    def book(self) -> Book:
        """The plan's sheets with all of their formulas, of which the template may have any part.

        A formula that refers to what no sheet has is a TemplateError.
        """
        book = Book()
        for name, make in self._lists.items():
            table = self._tables.get(name) if name in self.filled_names else None
            book.add_table(name, make(), _corner(table.sheet if table else f"?{name}", table))
        sample = next(iter(self._samples[WORKINGS]), None)
        for arch in self.architectures:
            book.add_table(arch.table, workings_table(arch, self._specs[arch.table]), _corner(arch.sheet, sample))
        for sample in self._samples[CARD][:1]:
            for clone in self._cards.values():
                name, fill = clone.tables[sample.name]
                book.add_table(name, fill, _corner(clone.sheet, sample))
                book.add_cells(clone.sheet, card_cells(clone.cells))
        book.name_cells({f"in_{driver.name}": ("drivers", row, VALUE) for row, driver in enumerate(self.plan.drivers)})
        book.add_named(self.named.values)
        if missing := [*book.missing()]:
            raise TemplateError("\n  ".join(["formulas of the workbook refer to what it does not have:", *missing]))
        return book

    @cached_property
    def _cards(self) -> Mapping[str, Clone]:
        """The card of each architecture, by the name of its table."""
        return {arch.table: card(arch, self._samples[CARD][0], HERE) for arch in self.architectures}

    def _steps(self) -> TableFill:
        headers = [link.header for link in brought_columns(self.plan, self.architectures, self._groups)]
        return steps_table(self._groups, headers[headers.index("parameters") :])

    @property
    def _numbers(self) -> dict[tuple[str, str], str]:
        """The columns of models' numbers, each with the cells from its first one down to the end of the sheet."""
        models = self._tables.get("models")
        result = (
            {("models", "No"): _below(models, models.sheet)} if models and not missing_looks(models, "models") else {}
        )
        for sample in self._samples[WORKINGS][:1]:
            result |= {(arch.table, "no"): _below(sample, arch.sheet) for arch in self.architectures}
        return result

    @cached_property
    def _samples(self) -> Mapping[str, list[Table]]:
        """The tables on sheets called Card … and Workings …, the pattern of the clones first; none without a pattern.

        A workbook of several architectures has several, of which one has a column for every look.
        """
        result = {}
        for kind in PROTOTYPES:
            tables = [table for table in self._tables.values() if of_prototype(table, kind)]
            tables = [table for table in tables if not missing_identity(table, kind)]
            tables.sort(key=lambda table: len(missing_looks(table, kind)))
            result[kind] = tables if tables and not missing_looks(tables[0], kind) else []
        return result

    @property
    def prototypes(self) -> list[str]:
        """The sheets in whose place those of the batch's architectures stand."""
        return [table.sheet for tables in self._samples.values() for table in tables]

    @cached_property
    def _specs(self) -> Mapping[str, list[ColumnSpec]]:
        """The columns of each table of workings: cards look into them."""
        return {arch.table: column_specs(arch) for arch in self.architectures}

    @cached_property
    def clones(self) -> list[Clone]:
        """Return the prototypes' clones, one an architecture."""
        return [self._clone(kind, arch) for kind in PROTOTYPES if self._samples[kind] for arch in self.architectures]

    def _clone(self, kind: str, arch: ArchitectureTable) -> Clone:
        sample = self._samples[kind][0]
        specs = self._specs[arch.table]
        clone = self._cards[arch.table] if kind == CARD else workings(arch, specs, sample, HERE)
        name, _ = clone.tables[sample.name]
        fill = with_looks(self.book.tables[name.casefold()].with_values(), sample, kind)
        if kind == CARD:
            fill = rows_like(fill, self.template, sample)
        sheets = {table.sheet: arch.sheet for table in self._samples[WORKINGS]}
        cells = self.book.evaluate_cells(clone.cells, clone.sheet)
        return replace(clone, cells=cells, tables={sample.name: (name, fill)}, sheets=sheets)

    def tables(self) -> dict[str, TableFill]:
        """Return the fill of each table that has a shipped list's name and columns."""
        names = [name for name in self._lists if name in self.filled_names]
        return {name: self._fill_table(name, self._tables[name]) for name in names}

    def _fill_table(self, name: str, table: Table) -> TableFill:
        return with_looks(with_extras(self.book.tables[name].with_values(), table, self.template), table, name)

    @property
    def incomplete(self) -> list[str]:
        """Say of each table with a shipped list's name, and of each card and workings, what it lacks to be filled.

        A list of models without any other shipped table is the planner's own, and is filled by its headers.
        """
        names = self._lists if self.reserved_names else ()
        lacking = [(f"the table {name}", missing) for name, missing in self._lacking(names)]
        lacking += [(f"the sheet {table.sheet}", missing) for table, missing in self._half_prototypes()]
        return [
            f"{what} keeps the numbers that it came with, which are not of this plan: it lacks the column {missing!r}"
            " of the shipped one; a workbook of this portfolio, without --template, has it"
            for what, missing in lacking
        ]

    def _half_prototypes(self) -> Iterator[tuple[Table, str]]:
        """Give the tables of cards and workings that are no pattern of a clone, each with a column that it lacks."""
        for kind, tables in self._samples.items():
            for table in self._tables.values():
                if of_prototype(table, kind) and table not in tables:
                    yield table, [*missing_identity(table, kind), *missing_looks(table, kind)][0]

    def check_questions(self) -> None:
        """Refuse a template in which the answers of another plan would stay: a TemplateError."""
        lacking = [f"{table} lacks the column {missing!r}" for table, missing in self._lacking(self._of_questions)]
        if lacking:
            why = "its tables would keep the numbers of a plan with fewer models, or fewer inputs of models:"
            remedy = "fill the shipped template, or write the workbook without --template"
            raise TemplateError("\n  ".join([why, *lacking, remedy]))

    def check_days(self) -> None:
        """Refuse a template that counts days from 1904 and has shipped tables: their formulas count from 1900."""
        if self.template.day_offset and self.filled_tables:
            remedy = f"{FROM_1900}, and correct the days that you typed: they move by four years"
            raise TemplateError(f"the template counts its days from 1904, flopsheet's tables from 1900: {remedy}")

    def _lacking(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Give the template's tables of some lists that lack a column, each with the first one."""
        for name in names:
            if name in self._own_tables and (missing := self._missing_columns(self._tables[name], name)):
                yield self._tables[name].name, missing[0]

    def _missing_columns(self, table: Table, name: str) -> list[str]:
        """Return the columns that a table lacks to be filled as a list of the workbook, named in lower case."""
        if name not in self._of_questions:
            return missing_columns(table, name, lambda: self._lists[name]().columns or ())
        return missing_headers(table, (column.header for column in self._of_questions[name].columns))

    @cached_property
    def filled_names(self) -> frozenset[str]:
        """The names, in lower case, of the tables that are filled as the shipped ones, or go with a prototype."""
        names = {name for name in self._own_tables if not self._missing_columns(self._tables[name], name)}
        return frozenset(names | {name for name, table in self._tables.items() if table.sheet in self.prototypes})

    @property
    def filled_tables(self) -> list[Table]:
        """The template's tables that are filled as the shipped ones."""
        names = self.filled_names & self._lists.keys()
        return [table for name, table in self._tables.items() if name in names]

    @cached_property
    def _own_tables(self) -> frozenset[str]:
        """The names of the template's tables that are, or were, those of the shipped one: most columns are left.

        Another table of such a name is the planner's own.
        """
        tables = self._tables
        return frozenset(name for name in self._lists if name in tables and self._is_shipped(tables[name], name))

    def _is_shipped(self, table: Table, name: str) -> bool:
        if not self._missing_columns(table, name):
            return True
        own = {header.casefold() for header in table.columns}
        shipped_headers = {column.header.casefold() for column in self._lists[name]().columns or ()}
        return len(own & shipped_headers) * 2 >= min(len(own), len(shipped_headers))

    @property
    def foreign_tables(self) -> frozenset[str]:
        """The names, in lower case, of tables that are called like a shipped one and are the planner's own."""
        return frozenset(self._lists.keys() & self._tables.keys()) - self._own_tables

    @property
    def reserved_names(self) -> frozenset[str]:
        """The names of tables that were the shipped template's, and are filled as such or not at all."""
        return self._own_tables - {"models"}

    @property
    def purposes(self) -> dict[str, str]:
        """As what each table is filled that is no list of models of the template's own."""
        result = dict.fromkeys(self.reserved_names, "left as it is: it lacks a column of the shipped list")
        result |= dict.fromkeys(self.filled_names, "cloned for each architecture")
        return result | {name: f"filled as the shipped list {name}" for name in self.filled_names & self._lists.keys()}


def _corner(sheet: str, table: Table | None) -> Corner:
    """Return where the rows of a list begin on a sheet: as in the template's table, where it has one."""
    return Corner(sheet, table.area.top + 1, table.area.left) if table else Corner(sheet, 2, 1)


def _below(table: Table, sheet: str) -> str:
    """Return the cells of a table's numbers from its first row down to the end of a sheet."""
    place = [header.casefold() for header in table.columns].index("no")
    column = letters(table.area.left + place)
    return f"{quote(sheet)}!${column}${table.area.top + 1}:${column}${MAX_ROW}"


def groups_shown(tables: Sequence[ArchitectureTable]) -> list[Group]:
    """Return the parameter groups that some table shows."""
    entries = [entry for arch in tables for entry in arch.entries]
    groups = {e.line.group for e in entries if e.section == "parameters" and e.role == "subtotal"}
    return [group for group in GROUPS if group in groups] + sorted(groups - GROUPS.keys())
