"""How a plan is made: from costed models, the inputs of portfolios, and the questions that these ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.planning.deep_totals import add_totals
from flopsheet.planning.found_layouts import settle_layouts
from flopsheet.planning.merged_inputs import assume_inputs, merge_inputs, overlay_inputs, report_day, scenario
from flopsheet.planning.plan import Plan
from flopsheet.planning.registry import BASE, all_inputs, base_of, default_questions, is_base_alone, unread_inputs
from flopsheet.planning.registry import program as program_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flopsheet.accounting.line import Input
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.inputs import Assumption


def make_plan(
    host: Host,
    models: Sequence[Costed],
    portfolios: Sequence[Portfolio] = (),
    name: str = "",
    inputs: Mapping[str, Any] | None = None,
    questions: Sequence[str] = (),
    own: Collection[str] = (),
) -> Plan:
    """Return the plan of costed models under the portfolios' inputs; `inputs` and `questions` win over theirs.

    Where nobody names questions, those are asked for which the plan gives what they need. `own` are inputs that models
    which are not here yet state for themselves.
    PortfolioError lists what is wrong with them.
    """
    has_inputs = inputs or any(portfolio.inputs or portfolio.scenarios for portfolio in portfolios)
    unread = unread_inputs(host) if has_inputs else frozenset()
    given = merge_inputs([portfolio.inputs for portfolio in portfolios])
    values = _without(overlay_inputs(given, inputs or {}), unread)
    scenarios = merge_inputs([{case.name: case for case in portfolio.scenarios} for portfolio in portfolios])
    cases = tuple(scenarios.values())
    own = {*own, *(name for model in models for name in model.model.drivers)}
    names = {*values, *(name for case in cases for name in case.inputs)}
    named_questions = questions or dict.fromkeys(name for portfolio in portfolios for name in portfolio.questions)
    day = str(report_day(values))
    asks: tuple[str, ...] = BASE
    if not named_questions and is_base_alone(host, {*names, *own}):
        program = base_of(host, day)
        specs: Mapping[str, Input] = program.inputs
    else:
        asks = tuple(named_questions or default_questions(host, {*names, *own}))
        program, specs = program_of(host, asks, {*names, *own}, day), all_inputs(host)
    main = assume_inputs(host, program, specs, values, own)
    changed = [overlay_inputs(values, _without(case.inputs, unread)) for case in cases]
    others = [assume_inputs(host, program, specs, inputs, own) for inputs in changed]
    title = name or (portfolios[0].name if portfolios else "Model plan")
    plan = Plan(
        host,
        title,
        add_totals(host, models, program),
        program,
        tuple(
            replace(driver, named=tuple(numbers))
            for driver, *numbers in zip(main.drivers, *(other.values for other in others), strict=True)
        ),
        main.accelerator,
        scenario(portfolios),
        tuple(portfolios),
        price_kind=main.price_kind,
        named=cases,
        named_accelerators=tuple(other.accelerator for other in others),
        named_sources=tuple(_other_sources(main.drivers, other.drivers) for other in others),
        asked=asks,
    )
    return settle_layouts(plan.run_searches(), names)


def _other_sources(base: Sequence[Assumption], own: Sequence[Assumption]) -> dict[str, str]:
    """Return where a named scenario has the values from that are not those of the Base case, by input."""
    pairs = zip(base, own, strict=True)
    return {one.name: other.source for one, other in pairs if other.base != one.base and other.source != one.source}


def _without(inputs: Mapping[str, Any], unread: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name not in unread}
