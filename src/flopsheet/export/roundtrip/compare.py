"""Compare a planner's workbook with the same plan written again: what differs was edited."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.export.layout.shipped_lists import keys as list_keys
from flopsheet.export.roundtrip.cells import (
    dimension_in,
    in_plain_units,
    own_in,
    own_inputs,
    published_in,
    read_cell,
    row_values,
    text_in,
    tokens_in,
)
from flopsheet.export.roundtrip.findings import AddedModel, Edit, Findings, IgnoredChange, Where
from flopsheet.export.roundtrip.formulas import compare_formulas
from flopsheet.export.roundtrip.rows import (
    FilledWorkbook,
    Key,
    Rows,
    lost_part,
    rows_of,
    same_formula,
    same_value,
    shown_cell,
)
from flopsheet.export.workbook.assumptions import SAME
from flopsheet.export.workbook.formula_names import own_header
from flopsheet.planning.facts import OWN_TOKENS, PUBLISHED
from flopsheet.planning.inputs import CASES, TITLES, case_called, either, read_typed
from livesheets.addresses import write_place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.accounting.line import Dimension, Input
    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan
    from livesheets import Cell

SCENARIO = "in_scenario_label"
SAID = ("Model", "Status", "What")
"""What a row of the list of problems says."""
OWN: tuple[tuple[str, str, Where, Callable[[Cell], Any]], ...] = (
    (OWN_TOKENS, "tokens (T)", ("tokens",), tokens_in),
    (PUBLISHED, "published (B)", ("published",), published_in),
)
"""What Models holds of a model's own entry: the header, what it is, where it is stated, and how it is read."""


def _is_untouched(rows: Rows, fresh: Rows, key: Key, header: str) -> bool:
    """Tell whether a cell for typing has the formula as delivered: of what follows, or of what has no value."""
    original, stands = fresh.formula(key, header), rows.formula(key, header)
    if original is None or stands is None:
        return False
    if same_formula(original, stands) or (rows.workbook.flat and "[" in original):
        return True
    base = TITLES["base"]
    if original != SAME or header == base:
        return False
    return stands.replace("$", "").upper() == write_place(rows.place(key, base)).upper()


def _list_said(workbook: FilledWorkbook) -> list[str]:
    """Return what each row of the list of problems says, whatever their order and where the files are."""
    rows = rows_of(workbook, "problems")
    return [": ".join(str(rows.value(key, header)) for header in SAID) for key in rows.rows]


def keys(host: Host) -> dict[str, str]:
    """Return the column by which rows of each table are told apart, where there is one."""
    return dict.fromkeys(host.tables, "no") | list_keys()


def compare(plan: Plan, workbook: FilledWorkbook, fresh: FilledWorkbook) -> Findings:
    """Return what a planner changed in `workbook`; `fresh` is the workbook of the same plan as it is delivered."""
    comparison = _Comparison(plan, workbook, fresh, Findings())
    if SCENARIO in fresh.book.names:
        comparison.scenario()
    if "drivers" in fresh.book.tables:
        comparison.drivers()
    if "models" in fresh.book.tables:
        comparison.models()
    comparison.results()
    dimensions = {
        name: {dimension.name for dimension in plan.host.ledger(name).dimensions} for name in comparison.architectures
    }
    compare_formulas(workbook, fresh, keys(plan.host), dimensions, comparison.findings)
    return comparison.findings


class _Comparison(Struct, frozen=True):
    plan: Plan
    workbook: FilledWorkbook
    fresh: FilledWorkbook
    findings: Findings

    def scenario(self) -> None:
        """Compare the scenario selector."""
        old, new = (each.value(*each.find_named(SCENARIO)) for each in (self.fresh, self.workbook))
        sheet, place = self.workbook.find_named(SCENARIO)
        where = write_place(place, sheet)
        case = case_called(new, self.plan.titles)
        if self.workbook.find_formula(sheet, place) is not None or not case:
            choices = either(tuple(self.plan.titles.values()))
            self.findings.problems.append(f"{where} (scenario): {shown_cell(new)}; {choices} is expected")
        elif old != new:
            self.findings.edits.append(Edit(where, "scenario", old, new, ("scenario",), case))

    def drivers(self) -> None:
        """Compare every input's cases and named scenarios, its source and its date."""
        rows, fresh = self._rows("drivers")
        for driver in self.plan.drivers:
            if driver.name not in rows.rows:
                self.findings.problems.append(
                    f"{rows.sheet}: the row of {driver.name} ({driver.title}) is missing; restore it, with the name"
                    " in its column Name"
                )
                continue
            read = in_plain_units(rows, driver.name, partial(read_typed, driver.input))
            columns = [(TITLES[case], ("inputs", driver.name, case), driver.end(case)) for case in CASES]
            columns += [(one.name, ("scenarios", one.name, driver.name), one.name) for one in self.plan.named]
            for header, path, case in columns:
                self._input(rows, fresh, driver.name, header, f"{driver.name} ({header})", path, read)
                if fresh.formula(driver.name, header) == SAME and _is_untouched(rows, fresh, driver.name, header):
                    self.findings.like_base.add((driver.name, case))
            for header in ("Source", "Date"):
                what, path = f"{driver.name} ({header})", ("inputs", driver.name, header.lower())
                self._input(rows, fresh, driver.name, header, what, path, text_in)
        self._others(rows, fresh, {*self.plan.titles.values(), "Source", "Date"})

    def models(self) -> None:
        """Compare the models' own tokens and the tables of workings, and find rows that were added."""
        rows, fresh = self._rows("models")
        own: list[tuple[str, str, Where, Callable[[Cell], Any]]] = [*OWN]
        own += [(header, i.name, ("inputs", i.name), partial(own_in, i)) for header, i in self._own_inputs.items()]
        for key in fresh.rows:
            if key in rows.rows and isinstance(key, int):
                model = self.plan.models[key - 1].name
                for header, what, path, read in own:
                    self._input(rows, fresh, key, header, f"{model}: {what}", ("models", key - 1, *path), read)
        self._others(rows, fresh, {header for header, *_ in own})
        self._check_deleted(rows, fresh)
        numbers: set[Key] = set()
        for architecture in self.architectures:
            numbers |= self._workings(architecture, rows, numbers)
        for key in rows.rows:
            if key not in numbers and key not in fresh.rows:
                where = rows.address(key, "No")
                self.findings.problems.append(
                    f"{where}: model {key} has no row of workings; type one of that number under the table of an"
                    " architecture, or clear this row"
                )

    def results(self) -> None:
        """Compare the constants of the other lists whose rows have a key, the models as issued among them."""
        for name in (name for name in list_keys() if name not in ("drivers", "models")):
            if name in self.fresh.book.tables and name in self.workbook.book.tables:
                key = keys(self.plan.host)[name]
                self._others(rows_of(self.workbook, name, key), rows_of(self.fresh, name, key), set())
        if "problems" in self.fresh.book.tables and "problems" in self.workbook.book.tables:
            said = _list_said(self.workbook)
            gone = [text for text in _list_said(self.fresh) if text not in said]
            sheet = self.fresh.book.tables["problems"].sheet
            self.findings.others.extend(IgnoredChange(sheet, shown_cell(text), "no such row") for text in gone)

    @property
    def architectures(self) -> list[str]:
        """The architectures that have a table of workings."""
        every = dict.fromkeys(model.model.architecture for model in self.plan.costed)
        return [name for name in every if name in self.fresh.book.tables]

    def _workings(self, architecture: str, models: Rows, numbers: set[Key]) -> set[Key]:
        rows, fresh = self._rows(architecture)
        ledger = self.plan.host.ledger(architecture)
        dimensions = {d.name: d for d in ledger.dimensions if d.name in fresh.columns}
        missing = [name for name in dimensions if name not in rows.columns]
        if missing:
            raise lost_part(self.workbook.path, f"the table {architecture!r} has no column {missing[0]!r}")
        for key in fresh.rows:
            if key in rows.rows and isinstance(key, int):
                for name, dimension in dimensions.items():
                    what, path = f"{self.plan.models[key - 1].name}: {name}", ("models", key - 1, name)
                    self._input(rows, fresh, key, name, what, path, partial(dimension_in, dimension))
                    if _is_untouched(rows, fresh, key, name):
                        self.findings.follows.setdefault(key - 1, set()).add(name)
        self._others(rows, fresh, {*dimensions, "file"})  # a path as seen from where the report ran
        self._check_deleted(rows, fresh)
        for key in rows.rows:
            if isinstance(key, int) and key not in fresh.rows:
                if key in numbers or 0 < key <= len(self.plan.models):
                    self.findings.problems.append(f"{rows.address(key, 'no')}: {self._explain_taken(key)}")
                else:
                    self._add(architecture, key, rows, dimensions, models)
        return set(rows.rows)

    def _explain_taken(self, key: int) -> str:
        """Say whose number a row was given, and which one is free: models in error are on no sheet with theirs."""
        models = self.plan.models
        free = 1 + max([len(models), *(model.number for model in self.findings.added)])
        whose = f"that of {models[key - 1].name}" if 0 < key <= len(models) else "another new model's"
        return f"the number {key} is {whose}; give this row {free} here and on Models"

    def _add(self, architecture: str, key: int, rows: Rows, dimensions: Mapping[str, Dimension], models: Rows) -> None:
        """Keep a row that was typed as a new model."""
        model_name = models.value(key, "Model") if key in models.rows else None
        name, status = rows.value(key, "model") or model_name, rows.value(key, "status")
        values = row_values(rows, key, dimensions.values(), self.findings.problems)
        tokens = read_cell(models, key, OWN_TOKENS, tokens_in, self.findings.problems) if key in models.rows else None
        where, title = rows.address(key, "no"), str(name or f"Model {key}")
        inputs = own_inputs(models, key, self._own_inputs, self.findings.problems) if key in models.rows else {}
        if model_name not in (None, name):
            self.findings.notes.append(
                f"{models.address(key, 'Model')}: {title} is called {model_name!r} here; {title} is taken"
            )
        if status not in (None, "ok"):
            self.findings.notes.append(
                f"{rows.address(key, 'status')}: {title} is typed as {status}; only its dimensions are taken, and what"
                " is wrong with the model whose row was copied is not"
            )
        follows = frozenset(name for name in dimensions if rows.formula(key, name) is not None)
        self.findings.added.append(
            AddedModel(where, key, title, architecture, values, frozenset(dimensions), tokens, inputs, follows)
        )

    @property
    def _own_inputs(self) -> dict[str, Input]:
        """The inputs that models may state for themselves, by their columns on Models."""
        return {own_header(name): self.plan.program.inputs[name] for name in self.plan.own_inputs}

    def _rows(self, name: str) -> tuple[Rows, Rows]:
        key = keys(self.plan.host)[name]
        rows, fresh = rows_of(self.workbook, name, key), rows_of(self.fresh, name, key)
        self.findings.problems.extend(p for p in rows.problems if p not in self.findings.problems)
        return rows, fresh

    def _input(
        self, rows: Rows, fresh: Rows, key: Key, header: str, what: str, path: Where, read: Callable[[Cell], Any]
    ) -> None:
        """Compare one input; `read` gives its value, or a ValueError."""
        new, old = rows.value(key, header), fresh.value(key, header)
        is_same = rows.formula(key, header) is None and same_value(old, new)
        if is_same or _is_untouched(rows, fresh, key, header):
            return
        problems = len(self.findings.problems)
        value = read_cell(rows, key, header, read, self.findings.problems, what)
        if len(self.findings.problems) == problems:
            self.findings.edits.append(Edit(rows.address(key, header), what, old, new, path, value))

    def _others(self, rows: Rows, fresh: Rows, inputs: set[str]) -> None:
        """Keep constants that were changed although they are no inputs."""
        for header in (header for header in fresh.columns if header not in inputs and header in rows.columns):
            for key in (key for key in fresh.rows if key in rows.rows):
                if fresh.formula(key, header) is not None:
                    continue
                old, new = fresh.value(key, header), rows.value(key, header)
                formula = rows.formula(key, header)
                if formula is not None or not same_value(old, new):
                    text = f"={formula}" if formula is not None else shown_cell(new)
                    self.findings.others.append(IgnoredChange(rows.address(key, header), shown_cell(old), text))

    def _check_deleted(self, rows: Rows, fresh: Rows) -> None:
        for key in fresh.rows:
            if key not in rows.rows and isinstance(key, int):
                name = self.plan.models[key - 1].name
                self.findings.notes.append(
                    f"{rows.sheet}: the row of model {key} ({name}) is gone; import takes no model out, delete its"
                    " [[models]] entry yourself"
                )
