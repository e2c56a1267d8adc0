"""A plan: inputs under three cases, the questions that are asked, and their answers for a batch of models."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.accounting.nonumber import first_gap
from flopsheet.accounting.values import plain
from flopsheet.errors import UsageError
from flopsheet.planning.answers import Answer
from flopsheet.planning.catalog import ON_DEMAND, Accelerator
from flopsheet.planning.inputs import CASES, TITLES, Assumption, read_value
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, OTHERS, OVERRIDE
from flopsheet.planning.row_limits import list_rows
from flopsheet.planning.run import PlannedModel, Run
from flopsheet.planning.searching import search_rows
from flopsheet.units.named_values import name_number
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.accounting.nonumber import NoNumber
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.configs.scenarios import Scenario
    from flopsheet.host.host import Host
    from flopsheet.planning.answers import Variation
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Question, Rows


class Plan(Struct, frozen=True, dict=True):
    """A batch of costed models and the inputs under which they are planned; `scenario` is the case that is shown.

    `options` are those of the command line that changed something, such as `("--set", "batch=8")`. `price_kind` is the
    kind of price that the accelerator has here. `settled` says what the models took of each search, by their place.
    `failed_searches` say by the key of their rows why searches failed. `lead` is the question that a workbook is about,
    "" for one about no single question. `asked` are the questions by name that were asked for, without those that come
    with them.
    """

    host: Host
    name: str
    models: Sequence[Costed]
    program: Program
    drivers: tuple[Assumption, ...]
    accelerator: Accelerator
    scenario: str = "base"
    portfolios: tuple[Portfolio, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    price_kind: str = ON_DEMAND
    named: tuple[Scenario, ...] = ()
    named_accelerators: tuple[Accelerator, ...] = ()
    named_sources: tuple[Mapping[str, str], ...] = ()
    variations: tuple[Variation, ...] = ()
    settled: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    failed_searches: Mapping[str, str] = field(default_factory=dict)
    lead: str = ""
    asked: tuple[str, ...] = ()

    @property
    def questions(self) -> list[Question]:
        """The questions as people read their answers: what was asked first, then what comes along."""
        return sorted(self.program.questions, key=lambda one: not one.optional or one.name not in self.asked)

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases by name: low, base, high, and the named scenarios."""
        return (*CASES, *(scenario.name for scenario in self.named))

    @property
    def accelerators(self) -> dict[str, Accelerator]:
        """The accelerator of each case."""
        others = zip(self.cases[len(CASES) :], self.named_accelerators, strict=True)
        return dict.fromkeys(CASES, self.accelerator) | dict(others)

    @property
    def titles(self) -> dict[str, str]:
        """What people call each case."""
        return TITLES | {scenario.name: scenario.name for scenario in self.named}

    def show_case(self, case: str) -> Plan:
        """Return the plan with another case shown; UsageError for one that it does not have."""
        result = {name.casefold(): name for name in self.cases} | {t.casefold(): n for n, t in self.titles.items()}
        if case.casefold() not in result:
            hint = names_like(case, self.cases) or f"; expected one of {', '.join(self.cases)}"
            raise UsageError(f"the case {case!r} is unknown{hint}")
        return replace(self, scenario=result[case.casefold()])

    def without_scenarios(self) -> Plan:
        """Return the plan with the cases that every plan has, Base shown in place of a named scenario."""
        return replace(
            self,
            drivers=tuple(replace(driver, named=()) for driver in self.drivers),
            scenario=self.scenario if self.scenario in CASES else "base",
            named=(),
            named_accelerators=(),
            named_sources=(),
        )

    def case(self, name: str) -> dict[str, Number]:
        """Return the inputs of one case by name."""
        place = self.cases.index(name)
        return {driver.name: driver.cases[place] for driver in self.drivers}

    def run(self, case: str) -> Run:
        """Return the numbers of one case; they are computed once."""
        return self._runs[case]

    def run_changed(self, case: str, inputs: Mapping[str, Number]) -> Run:
        """Return the numbers of a case with inputs changed; without models where no line per case reads them."""
        subjects = self._subjects if self.program.cases_read_models else ()
        return Run(self.program, {**self.case(case), **inputs}, subjects, self.run)

    def run_varied(self, case: str, inputs: Mapping[str, Number]) -> Run:
        """Return all numbers of a case with inputs changed."""
        return Run(self.program, {**self.case(case), **inputs}, self._subjects, self.run)

    def run_searches(self) -> Plan:
        """Return the plan with the rows that its tables search for, found in the Base case and each named scenario."""
        cases = [self.case(name) for name in self.cases if name not in ("low", "high")]
        program, failures = search_rows(self.program, cases, self._subjects)
        return replace(self, program=program, failed_searches=failures)

    @cached_property
    def _runs(self) -> dict[str, Run]:
        return {case: Run(self.program, self.case(case), self._subjects, self.run) for case in self.cases}

    @cached_property
    def _subjects(self) -> list[PlannedModel]:
        models = (model for model in self.models if model.ledger)
        return [PlannedModel(place, self.given_by(model), model.numbers) for place, model in enumerate(models)]

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(model): place for place, model in enumerate(self.costed)}

    @cached_property
    def cluster(self) -> dict[str, dict[str, Number]]:
        """The lines with one number per case, by case."""
        return {case: self.run(case).single(CASES_TABLE) for case in self.cases}

    @property
    def case_lines(self) -> tuple[Line, ...]:
        """The lines with one number per case."""
        return self.program.lines(CASES_TABLE)

    @property
    def model_lines(self) -> tuple[Line, ...]:
        """The lines with one number per model."""
        return self.program.lines(MODELS_TABLE)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The totals of a ledger that lines over models use, in any table."""
        return tuple(sorted(self.program.facts_of_models))

    @cached_property
    def own_inputs(self) -> tuple[str, ...]:
        """The inputs that some model states for itself, next to its tokens."""
        stated_names = {name for model in self.costed for name in model.model.drivers}
        return tuple(driver.name for driver in self.drivers if driver.name in stated_names - {"tokens"})

    def list_offered(self, table: str) -> list[Line]:
        """Return the lines of a table whose sensitivity is offered first: the first of them is shown as delivered."""
        return self.program.list_offered(table, self.lead)

    def training(self, model: Costed, case: str) -> dict[str, Number]:
        """Return a costed model's planning lines under one case."""
        if MODELS_TABLE not in self.program.tables:
            return {}
        return self.run(case).table(MODELS_TABLE).row(self._places[id(model)])

    def alone(self, model: Costed, inputs: Mapping[str, Number], lines: Iterable[str]) -> dict[str, Number]:
        """Return some of a costed model's planning lines under other inputs, as if it were the only one."""
        subject = self._subjects[self._places[id(model)]]
        return Run(self.program, inputs, [subject]).first(MODELS_TABLE, lines)

    def answers(self) -> list[Answer]:
        """Return every figure in every case."""
        return [
            Answer(
                question,
                figure,
                self.program.nodes[figure.table, figure.line],
                self.program.unit(figure),
                {case: self.run(case).figure(figure) for case in self.cases},
            )
            for question, figure in self.program.figures
        ]

    def table(self, name: str, case: str = "") -> list[dict[str, int | float | str]]:
        """Return the rows of a table under a case, the shown one by default: keys, models by name, and lines."""
        values = self.run(case or self.scenario).table(name)
        units = {line.name: line.unit for line in values.table.lines}
        return [
            {
                **{rows.key: self.label(rows, key) for rows, key in zip(values.table.rows, keys, strict=True)},
                **{line: name_number(plain(number), units[line]) for line, number in values.row(place).items()},
            }
            for place, keys in enumerate(values.keys)
        ]

    def describe_model(self, model: Costed, case: str) -> dict[str, int | float | str]:
        """Return the planning lines of a model in a case as people read them, a verdict by its words; none in error."""
        return _name_numbers(self.training(model, case), self.model_lines) if model.ledger else {}

    def describe_case(self, case: str) -> dict[str, int | float | str]:
        """Return the lines with one number per case as people read them in a case."""
        return _name_numbers(self.cluster[case], self.case_lines)

    def label(self, rows: Rows, key: Number) -> int | float | str:
        """Return what people see in place of a key."""
        if rows in (MODELS, OTHERS):
            return self.costed[int(key)].name
        if rows.search:
            return rows.labels[int(key) - 1]
        if not rows.labels:
            return plain(key)
        return rows.labels[[own for own, _ in list_rows(rows)].index(key)]

    def own(self, model: Costed) -> dict[str, Number]:
        """Return the inputs that a model states for itself, as the numbers that formulas use; its tokens with them.

        What no question that is asked reads has no part in it.
        """
        inputs, drivers = self.program.inputs, model.model.drivers
        return {
            name: read_value(inputs[name], value) if name in inputs else value
            for name, value in drivers.items()
            if name in inputs or name == "tokens"
        }

    def given_by(self, model: Costed) -> dict[str, Number]:
        """Return a model's own inputs; its tokens come in alongside those of the plan."""
        drivers = self.own(model)
        return {OVERRIDE: drivers.pop("tokens", 0), **drivers}

    @cached_property
    def missing(self) -> dict[str, NoNumber]:
        """What each input that has no value in some case says of it, by name."""
        result = {driver.name: first_gap(driver.cases) for driver in self.drivers}
        return {name: lacking for name, lacking in result.items() if lacking is not None}

    @cached_property
    def has_gaps(self) -> bool:
        """Whether something that is asked has no number in some case."""
        return bool(self.missing) or any(run.gaps for run in self.every_run) or bool(self.failed_searches)

    @cached_property
    def every_run(self) -> list[Run]:
        """The run of each case with every table and check computed."""
        return [run.compute_all() for run in self._runs.values()]

    @property
    def costed(self) -> list[Costed]:
        """Return the models that have numbers."""
        return [model for model in self.models if model.ledger]


def _name_numbers(numbers: Mapping[str, Number], lines: Iterable[Line]) -> dict[str, int | float | str]:
    """Return numbers of lines as people read them: days as dates, and verdicts by their words."""
    units = {line.name: line.unit for line in lines}
    return {name: name_number(plain(number), units[name]) for name, number in numbers.items()}
