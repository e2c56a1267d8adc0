"""A plan: the drivers under three scenarios, what the cluster buys under each, and what each model takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.words import names_like
from flopsheet.errors import PortfolioError
from flopsheet.planning.budget import CLUSTER_LINES, MODEL_LINES, RESULTS
from flopsheet.planning.catalogue import Accelerator, Driver, accelerator, drivers, require_set, with_accelerator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.host import Host
    from flopsheet.planning.costing import Costed

CASES = ("low", "base", "high")
NAMES = tuple(line.name for line in MODEL_LINES)
DIVISORS = frozenset({"accelerators", "goodput", "mfu", "mfu_sparse", "peak_tflops"})
"""Drivers that the lines divide by."""
SHARE = "share"
"""The unit of drivers that are a part of a whole."""
DEFAULT_ACCELERATOR = "h100-sxm"


@dataclass(frozen=True)
class Plan:
    """A batch of costed models and the drivers under which they are planned; `scenario` is the case that is shown.

    `options` are those of the command line that changed something, such as `("--set", "batch=8")`.
    """

    host: Host
    name: str
    models: Sequence[Costed]
    drivers: tuple[Driver, ...]
    accelerator: Accelerator
    scenario: str = "base"
    portfolios: tuple[Portfolio, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def case(self, name: str) -> dict[str, Number]:
        """Return the drivers of one case by name."""
        return dict(self._cases[name])

    @cached_property
    def _cases(self) -> dict[str, dict[str, Number]]:
        return {case: {driver.name: driver.cases[at] for driver in self.drivers} for at, case in enumerate(CASES)}

    @cached_property
    def cluster(self) -> dict[str, dict[str, Number]]:
        """Return the cluster's lines under each case."""
        return {case: evaluate(CLUSTER_LINES, self.case(case)) for case in CASES}

    def training(self, model: Costed, case: str) -> dict[str, Number]:
        """Return a costed model's planning lines under one case; those of the case that is shown are computed once."""
        if case != self.scenario:
            return self._training(model, case)
        if id(model) not in self._shown:
            self._shown[id(model)] = tuple(self._training(model, case).values())
        return dict(zip(NAMES, self._shown[id(model)], strict=True))

    @cached_property
    def _shown(self) -> dict[int, tuple[Number, ...]]:
        return {}

    def _training(self, model: Costed, case: str) -> dict[str, Number]:
        override = model.model.drivers.get("tokens", 0)
        given = {**self._cases[case], **model.numbers.some(RESULTS), "tokens_override": override}
        return evaluate(MODEL_LINES, given)

    @property
    def costed(self) -> list[Costed]:
        """Return the models that have numbers."""
        return [model for model in self.models if model.ledger]


def evaluate(lines: tuple[Line, ...], values: Mapping[str, Number]) -> dict[str, Number]:
    """Return the value of each line, by name; each may use the values and the lines before it."""
    known = _steps(lines).evaluate(values)
    return {line.name: known[line.name] for line in lines}


@cache
def _steps(lines: tuple[Line, ...]) -> formula.Steps:
    """Return lines whose formulas were read once for all models."""
    return formula.Steps({line.name: formula.read(line.formula) for line in lines})


def make_plan(host: Host, models: Sequence[Costed], portfolios: Sequence[Portfolio] = (), name: str = "") -> Plan:
    """Return the plan of costed models under the portfolios' cluster and drivers.

    PortfolioError lists what is wrong with them.
    """
    cluster = _merged("cluster", [portfolio.cluster for portfolio in portfolios])
    overrides = _merged("drivers", [portfolio.drivers for portfolio in portfolios])
    chosen = accelerator(_name_of_accelerator(cluster))
    given = {key: value for key, value in cluster.items() if key != "accelerator"} | overrides
    planned = _overridden(with_accelerator(drivers(), chosen), given)
    require_set(planned)
    title = name or (portfolios[0].name if portfolios else "Model plan")
    return Plan(host, title, models, planned, chosen, _scenario(portfolios), tuple(portfolios))


def _merged(what: str, tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            if key in merged and merged[key] != value:
                raise PortfolioError(
                    f"{what}.{key}: two portfolios say {merged[key]!r} and {value!r}; report them apart"
                )
            merged[key] = value
    return merged


def _name_of_accelerator(cluster: Mapping[str, Any]) -> str:
    name = cluster.get("accelerator", DEFAULT_ACCELERATOR)
    if not isinstance(name, str):
        raise PortfolioError(f"cluster.accelerator: {name!r} is not a name such as {DEFAULT_ACCELERATOR!r}")
    return name


def _scenario(portfolios: Sequence[Portfolio]) -> str:
    return next((portfolio.scenario for portfolio in portfolios if portfolio.scenario), "base")


def _overridden(planned: Sequence[Driver], given: Mapping[str, Any]) -> tuple[Driver, ...]:
    names = [driver.name for driver in planned]
    problems = [f"drivers.{key}: unknown{names_like(key, names)}" for key in given if key not in names]
    changed = []
    for driver in planned:
        try:
            changed.append(changed_driver(driver, given[driver.name]) if driver.name in given else driver)
        except ValueError as error:
            problems.append(f"drivers.{driver.name}: {error}")
    if problems:
        raise PortfolioError("\n  ".join(["the plan's inputs have problems:", *problems]))
    return tuple(changed)


def changed_driver(driver: Driver, given: Any) -> Driver:
    """Return the driver with a number for all cases, or a table of cases with their source and date."""
    table = given if isinstance(given, dict) else dict.fromkeys(CASES, given)
    unknown = table.keys() - {*CASES, "source", "date"}
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))} unknown; low, base, high, source, date are expected")
    base = table.get("base", driver.base)
    cases = {case: driver_value(driver, case, table.get(case, base)) for case in CASES}
    source, date = str(table.get("source", "The plan's own")), str(table.get("date", ""))
    return replace(driver, low=cases["low"], base=cases["base"], high=cases["high"], source=source, date=date)


def driver_value(driver: Driver, case: str, value: Any) -> float:
    """Return a driver's value of one case; ValueError says what was expected."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    wrong = isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf")
    if value == 0 and driver.name in DIVISORS:
        raise ValueError(f"{case} = 0; a number above 0 is expected")
    if wrong or (driver.kind == "count" and not isinstance(value, int)):
        kind = "a whole number" if driver.kind == "count" else "a number"
        raise ValueError(f"{case} = {value!r}; {kind} of at least 0 is expected")
    if driver.unit == SHARE and value > 1:
        raise ValueError(f"{case} = {value!r}; a share of at most 1 is expected: 45 % is 0.45")
    return float(value) if isinstance(value, float) else value
