"""A plan: inputs under three cases, the questions that are asked, and their answers for a batch of models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.values import check, label, plain
from flopsheet.configs.portfolio import ACCELERATOR, PRICE_KIND
from flopsheet.planning.catalog import (
    AUTOMATIC,
    FROM,
    ON_DEMAND,
    PRICE,
    Accelerator,
    accelerator,
    price_kind,
    price_kinds,
    priced,
    require_set,
    with_accelerator,
)
from flopsheet.planning.deepen import deepened
from flopsheet.planning.given import (
    DEFAULT_ACCELERATOR,
    IMPLIED,
    accelerator_name,
    implied,
    kind_of_price,
    merged,
    overridden,
    scenario,
)
from flopsheet.planning.inputs import CASES, Assumption, unchanged
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, OVERRIDE
from flopsheet.planning.registry import asked
from flopsheet.planning.registry import program as program_of
from flopsheet.planning.run import PlannedModel, Run
from flopsheet.planning.searching import searched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.host import Host
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Check, Figure, Question, Rows


class CheckResult(NamedTuple):
    """A check of the plan: whether it holds in every row of every case, and what to say where it does not."""

    check: Check
    holds: bool
    message: str


class Answer(NamedTuple):
    """A figure in the three cases."""

    question: Question
    figure: Figure
    line: Line
    unit: str
    low: Number
    base: Number
    high: Number


@dataclass(frozen=True)
class Plan:
    """A batch of costed models and the inputs under which they are planned; `scenario` is the case that is shown.

    `options` are those of the command line that changed something, such as `("--set", "batch=8")`. `price_kind` is the
    kind of price that the accelerator has here.
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

    def case(self, name: str) -> dict[str, Number]:
        """Return the inputs of one case by name."""
        return {one.name: one.cases[CASES.index(name)] for one in self.drivers}

    def run(self, case: str) -> Run:
        """Return the numbers of one case; they are computed once."""
        return self._runs[case]

    def changed(self, case: str, name: str, value: Number) -> Run:
        """Return the numbers of a case with one input changed; without models where no line per case reads them."""
        subjects = self._subjects if self.program.cases_read_models else ()
        return Run(self.program, {**self.case(case), name: value}, subjects)

    def searched(self) -> Plan:
        """Return the plan with the rows that its tables search for, found under the inputs of the Base case."""
        return replace(self, program=searched(self.program, [self.case("base")], self._subjects))

    @cached_property
    def _runs(self) -> dict[str, Run]:
        return {case: Run(self.program, self.case(case), self._subjects) for case in CASES}

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
        return {case: self.run(case).single(CASES_TABLE) for case in CASES}

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
        tables = [name for name, table in self.program.tables.items() if MODELS in table.rows]
        return tuple(sorted({fact for name in tables for fact in self.program.facts(name)}))

    @cached_property
    def own_inputs(self) -> tuple[str, ...]:
        """The inputs that some model states for itself, beside its tokens."""
        given = {name for model in self.costed for name in model.model.drivers}
        return tuple(one.name for one in self.drivers if one.name in given - {"tokens"})

    def training(self, model: Costed, case: str) -> dict[str, Number]:
        """Return a costed model's planning lines under one case."""
        if MODELS_TABLE not in self.program.tables:
            return {}
        return self.run(case).table(MODELS_TABLE).row(self._places[id(model)])

    def alone(self, model: Costed, inputs: Mapping[str, Number]) -> dict[str, Number]:
        """Return a costed model's planning lines under other inputs, as if it were the only one."""
        subject = self._subjects[self._places[id(model)]]
        return Run(self.program, inputs, [subject]).table(MODELS_TABLE).row(0)

    def answers(self) -> list[Answer]:
        """Return every figure in the three cases."""
        return [
            Answer(
                question,
                figure,
                self._line(figure),
                self._unit(figure),
                *(self.run(case).figure(figure) for case in CASES),
            )
            for question, figure in self.program.figures
        ]

    def table(self, name: str, case: str = "") -> list[dict[str, int | float | str]]:
        """Return the rows of a table under a case, the shown one by default: keys, models by name, and lines."""
        filled = self.run(case or self.scenario).table(name)
        return [
            {
                **{rows.key: self.label(rows, key) for rows, key in zip(filled.table.rows, keys, strict=True)},
                **{line: plain(number) for line, number in filled.row(place).items()},
            }
            for place, keys in enumerate(filled.keys)
        ]

    def label(self, rows: Rows, key: Number) -> int | float | str:
        """Return what people see in place of a key."""
        if rows == MODELS:
            return self.costed[int(key)].name
        if rows.search:
            return rows.labels[int(key) - 1]
        return (
            rows.labels[[_listed(value, rows.key) for value in rows.values].index(key)] if rows.labels else plain(key)
        )

    @property
    def assumed(self) -> str:
        """Say which of accelerator, count and days were assumed; nothing where all were given."""
        given = {name for portfolio in self.portfolios for name in portfolio.inputs}
        given |= {text.partition("=")[0] for option, text in self.options if option == "--input"}
        case = self.case(self.scenario)
        known = {
            ACCELERATOR: self.accelerator.title,
            "accelerators": f"{plain(case['accelerators']):,} accelerators",
            "days": f"{plain(case['days'])} days",
        }
        taken = {name: text for name, text in known.items() if name not in given}
        if not taken:
            return ""
        names = ", ".join(taken)
        return f"assumed {', '.join(taken.values())}; set {names} under [inputs] of a portfolio, or with --input"

    @property
    def assumed_price(self) -> str:
        """Say which kind of price the catalog gave where it is not the one on demand; nothing otherwise."""
        price = next((one for one in self.drivers if f"{FROM}{PRICE}" in one.input.keys), None)
        if self.price_kind == ON_DEMAND or price is None or price.source != self.accelerator.price_source:
            return ""
        kind, case = price_kinds()[self.price_kind], self.case(self.scenario)
        return (
            f"{price.name} = {plain(case[price.name])} {price.unit} is for {kind.title}, {kind.base:.0%} below the"
            f" price on demand; set {price.name} to your quote, or price_kind to one of {', '.join(price_kinds())}"
        )

    @property
    def remarks(self) -> list[str]:
        """What a plan takes for granted that its reader should know."""
        return [text for text in (self.assumed, self.assumed_price, self.implied) if text]

    @property
    def implied(self) -> str:
        """Say which inputs took another value than their default because of others."""
        known = {one.input for question in self.program.questions for one in question.implied}
        found = [one for one in self.drivers if one.name in known and one.source.startswith(IMPLIED)]
        said = (f"{one.name} = {label(one.input, one.cases[1])!r}, since {one.source[len(IMPLIED) :]}" for one in found)
        return "; ".join(said)

    def own(self, model: Costed) -> dict[str, Number]:
        """Return the inputs that a model states for itself, as the numbers that formulas use; its tokens with them."""
        known = self.program.inputs
        return {n: check(known[n], value) if n in known else value for n, value in model.model.drivers.items()}

    def given_by(self, model: Costed) -> dict[str, Number]:
        """Return a model's own inputs; its tokens come in alongside those of the plan."""
        given = self.own(model)
        return {OVERRIDE: given.pop("tokens", 0), **given}

    def _line(self, figure: Figure) -> Line:
        return next(line for line in self.program.lines(figure.table) if line.name == figure.line)

    def _unit(self, figure: Figure) -> str:
        """Return the unit of a figure: of a first row that of its key."""
        rows = self.program.tables[figure.table].rows
        return rows[-1].unit if figure.how == "first" else self._line(figure).unit

    def check_results(self) -> list[CheckResult]:
        """Return every check of the questions with whether it holds in all cases."""
        return [self._check_result(check) for _, check in self.program.checks]

    def _check_result(self, check: Check) -> CheckResult:
        failed = [(case, place) for case in CASES for place in self.run(case).failures(check)]
        if not failed:
            return CheckResult(check, holds=True, message="")
        case, place = failed[0]
        keys = dict(
            zip(self.program.tables[check.table].keys, self.run(case).table(check.table).keys[place], strict=True)
        )
        where = ", ".join([f"case {case}", *(self._named(key, number) for key, number in keys.items())])
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        remedy = f". {check.remedy}" if check.remedy else ""
        return CheckResult(check, holds=False, message=f"{check.message} ({where}{more}){remedy}")

    def _named(self, key: str, number: Number) -> str:
        return self.costed[int(number)].name if key == "model" else f"{key} {plain(number)}"

    @property
    def costed(self) -> list[Costed]:
        """Return the models that have numbers."""
        return [model for model in self.models if model.ledger]


def make_plan(
    host: Host,
    models: Sequence[Costed],
    portfolios: Sequence[Portfolio] = (),
    name: str = "",
    inputs: Mapping[str, Any] | None = None,
    questions: Sequence[str] = (),
) -> Plan:
    """Return the plan of costed models under the portfolios' inputs; `inputs` and `questions` win over theirs.

    Where nobody names questions, those are asked for which the plan gives what they need.
    PortfolioError lists what is wrong with them.
    """
    given = merged([portfolio.inputs for portfolio in portfolios]) | dict(inputs or {})
    named = questions or dict.fromkeys(name for portfolio in portfolios for name in portfolio.questions)
    own = {name for model in models for name in model.model.drivers}
    program = program_of(host, named or asked(host, {*given, *own}))
    kind = price_kind(given.pop(PRICE_KIND, AUTOMATIC))
    chosen = accelerator(accelerator_name(given.pop(ACCELERATOR, DEFAULT_ACCELERATOR)))
    kind = kind_of_price(kind, program, given)
    chosen = priced(chosen, price_kinds()[kind])
    assumptions = with_accelerator([unchanged(one) for one in program.inputs.values()], chosen)
    given |= implied(program, {*given, *own})
    planned = overridden(assumptions, given, all_known=program_of(host).inputs)
    require_set(planned)
    title = name or (portfolios[0].name if portfolios else "Model plan")
    plan = Plan(
        host,
        title,
        deepened(host, models, program),
        program,
        planned,
        chosen,
        scenario(portfolios),
        tuple(portfolios),
        price_kind=kind,
    )
    return plan.searched()


def _listed(value: Any, key: str) -> Number:
    number: Number = value if isinstance(value, int | float) else value[key]
    return number
