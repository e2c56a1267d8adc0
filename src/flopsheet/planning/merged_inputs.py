"""What portfolios and options give a plan: merged, completed by what they imply, and put over the defaults."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.configs.portfolio import ACCELERATOR, DATED, END, PRICE_KIND, REPORT_DATE, START
from flopsheet.errors import PortfolioError, list_problems
from flopsheet.planning.catalog import (
    AUTOMATIC,
    ON_DEMAND,
    Accelerator,
    accelerator,
    at_price_kind,
    catalog,
    kind_for,
    price_kind,
    price_kinds,
)
from flopsheet.planning.chosen_accelerator import with_accelerator
from flopsheet.planning.inputs import CASES, Assumption, as_defined
from flopsheet.planning.prices import age_days, as_date, day_collected
from livesheets.suggestions import unknown_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import date

    from flopsheet.accounting.line import Input, Number
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.host import Host
    from flopsheet.planning.program import Program

DEFAULT_ACCELERATOR = "h100-sxm"
AGE = "price_age"
"""The input that says how old the price of an hour is."""
RENTED_AS, RUN_START = "rented_as", "run_start"
"""The inputs that the kind of price and the window of a plan give."""
PRICE, LIST_PRICE = "price_per_hour", "list_price"
SIZE = ("accelerators", "days")
CHOOSING_KIND = (PRICE, RENTED_AS, *SIZE)
"""The inputs that say which kind of price a plan has, where it names none."""
IMPLIED = "Implied: "
"""How the source of an input begins that others give its value."""


class Assumed(Struct, frozen=True):
    """Every input of a plan, and what its prices and peaks were taken from."""

    drivers: tuple[Assumption, ...]
    accelerator: Accelerator
    price_kind: str

    @property
    def values(self) -> list[Number]:
        """Every input's value in the Base case."""
        return [driver.cases[CASES.index("base")] for driver in self.drivers]


def assume_inputs(
    host: Host, program: Program, specs: Mapping[str, Input], inputs: Mapping[str, Any], own: Collection[str]
) -> Assumed:
    """Return the inputs of a plan that says some of them; `own` are those that its models state for themselves."""
    values = dict(inputs)
    day = report_day(values)
    values.pop(REPORT_DATE, None)
    values = _window(values.pop(START, None), values.pop(END, None), values.get("days")) | values
    rented_as = values.get(RENTED_AS, AUTOMATIC)
    rented_as = rented_as.get("base", AUTOMATIC) if isinstance(rented_as, dict) else rented_as
    kind = price_kind(values.pop(PRICE_KIND, rented_as))
    choice = accelerator(accelerator_name(values.pop(ACCELERATOR, DEFAULT_ACCELERATOR)), catalog(host, str(day)))
    kind = kind_of_price(kind, program, values)
    choice = at_price_kind(choice, price_kinds()[kind])
    values = _resolve_names(specs, _rented_as(kind, inputs)) | values | _resolve_names(specs, _prices(kind, inputs))
    assumptions = with_accelerator([as_defined(item) for item in program.inputs.values()], choice)
    values |= find_implied(program, {*values, *own})
    drivers = overridden(assumptions, values, all_known=specs)
    drivers = drivers if AGE in values else _age_price(drivers, day)
    return Assumed(drivers, choice, kind)


def _resolve_names(specs: Mapping[str, Input], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in specs}


def report_day(inputs: Mapping[str, Any]) -> date:
    """Return the day of a plan, on which its prices are those that were known."""
    return as_date(REPORT_DATE, inputs.get(REPORT_DATE, day_collected()))


def wrong_name(host: Host, name: str, value: Any) -> str:
    """Say what is wrong with an input that is a name of the catalog or a date, "" where nothing is."""
    if name in DATED:
        return _wrong(name, lambda: as_date(name, value))
    if name == PRICE_KIND:
        return _wrong(name, lambda: price_kind(value))
    return _wrong(name, lambda: accelerator(accelerator_name(value), catalog(host)))


def wrong_window(inputs: Mapping[str, Any]) -> str:
    """Say what is wrong with a window whose two dates are given, "" where nothing is or no dates are."""
    dates = [(name, inputs[name]) for name in (START, END) if name in inputs]
    if len(dates) < len((START, END)) or any(_wrong(name, partial(as_date, name, value)) for name, value in dates):
        return ""
    return _wrong("", lambda: _window(inputs[START], inputs[END], inputs.get("days")))


def _wrong(name: str, read: Callable[[], object]) -> str:
    try:
        read()
    except PortfolioError as error:
        return str(error).removeprefix(f"{name}: ")
    return ""


def _window(start: Any, end: Any, days: Any) -> dict[str, Any]:
    """Return the days between the dates of a window, where a plan states them; PortfolioError says what is wrong.

    A `start` with `days` is a window too: its days are those that are given.
    """
    if end is None and (start is None or days is not None):
        return {} if start is None else _run_start(start)
    if start is None or end is None or days is not None:
        raise PortfolioError(f"a window is {START} and {END}, {START} and days, or days alone")
    length = (as_date(END, end) - as_date(START, start)).days
    if length <= 0:
        raise PortfolioError(f"{END}: {end} is not after {START} = {start}: the window ends before it starts")
    return {"days": {"base": length, "source": f"From {start} to {end}"}} | _run_start(start)


def _run_start(start: Any) -> dict[str, Any]:
    return {RUN_START: {"base": start, "source": f"{IMPLIED}{START} is given"}}


def _prices(kind: str, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the price of an hour of a plan that says the price of its kind, such as `reserved_price`.

    Where it says `price_per_hour` besides, that is the price on demand: it cannot be both.
    """
    own = f"{kind}_price"
    if own not in plan or (PRICE in plan and PRICE_KIND not in plan):
        return {}
    source = f"{IMPLIED}{own} is given"
    result = {
        PRICE: {"source": source, **plan[own]} if isinstance(plan[own], dict) else {"base": plan[own], "source": source}
    }
    return result | ({LIST_PRICE: plan[PRICE]} if PRICE in plan and LIST_PRICE not in plan else {})


def _rented_as(kind: str, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a plan's price of an hour is the price of: of no reservation, where it is typed without a kind."""
    if PRICE_KIND in plan or PRICE not in plan:
        return {RENTED_AS: {"base": kind, "source": f"{IMPLIED}price_kind is {kind}"}}
    return {}


def _age_price(drivers: Sequence[Assumption], day: date) -> tuple[Assumption, ...]:
    """Return the inputs with the age of the plan's price on a day."""
    price = next((driver for driver in drivers if driver.name == "price_per_hour"), None)
    if price is None:
        return tuple(drivers)
    days = age_days(price.date, day)
    age = {"base": days, "source": f"From {price.date or 'an undated quote'} to {day}", "date": str(day)}
    return tuple(driver.with_values(age) if driver.name == AGE else driver for driver in drivers)


def find_implied(program: Program, inputs: Iterable[str]) -> dict[str, Any]:
    """Return the inputs that others imply, where a plan gives those and not these."""
    names = set(inputs)
    rules = [rule for question in program.questions for rule in question.implied if rule.input not in names]
    return {
        rule.input: {"base": rule.value, "source": f"{IMPLIED}{', '.join(sorted(givers))} is given"}
        for rule in rules
        if (givers := names & {*rule.given})
    }


def kind_of_price(kind: str, program: Program, inputs: Mapping[str, Any]) -> str:
    """Return the kind of price of a plan: the one that it names, else the one that its cluster and days call for."""
    if kind != AUTOMATIC:
        return kind
    if not {"accelerators", "days"} & inputs.keys():
        return ON_DEMAND
    return kind_for(*(_base(program.inputs[name], inputs) for name in ("accelerators", "days")))


def _base(item: Input, values: Mapping[str, Any]) -> Any:
    try:
        return as_defined(item).with_values(values[item.name]).base if item.name in values else item.default
    except ValueError:
        return 0  # said with everything else that is wrong


def merge_inputs(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the inputs of several portfolios; PortfolioError names one that two of them give differently."""
    union: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            if key in union and union[key] != value:
                raise PortfolioError(f"{key}: two portfolios give {union[key]!r} and {value!r}; report them separately")
            union[key] = value
    return union


def overlay_inputs(inputs: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs with others in their place: a window that has another length or end is given by that one."""
    ends = {"days", END} if len({"days", END} & others.keys()) == 1 else set()
    return {name: value for name, value in inputs.items() if name not in ends} | dict(others)


def accelerator_name(name: Any) -> str:
    """Return the name of an accelerator; PortfolioError where it is none."""
    if not isinstance(name, str):
        raise PortfolioError(f"accelerator: {name!r} is not a name such as {DEFAULT_ACCELERATOR!r}")
    return name


def scenario(portfolios: Sequence[Portfolio]) -> str:
    """Return the case that the first portfolio which says so shows."""
    return next((portfolio.scenario for portfolio in portfolios if portfolio.scenario), "base")


def overridden(
    drivers: Sequence[Assumption], values: Mapping[str, Any], all_known: Mapping[str, object]
) -> tuple[Assumption, ...]:
    """Return the inputs with the values that are given; PortfolioError lists every key and value that is wrong."""
    problems = unknown_names(values, all_known)
    result = []
    for driver in drivers:
        try:
            result.append(driver.with_values(values[driver.name]) if driver.name in values else driver)
        except ValueError as error:
            problems.append(f"{driver.name}: {error}")
    if problems:
        raise PortfolioError(list_problems("the plan's inputs have problems:", problems))
    return tuple(result)
