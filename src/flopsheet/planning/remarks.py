"""What a plan takes for granted that its reader should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import label, plain
from flopsheet.configs.portfolio import ACCELERATOR, CATALOGED, DATED, PRICE_KIND, REPORT_DATE, START, long_name
from flopsheet.configs.sizes import model_of_size
from flopsheet.planning.catalog import AUTOMATIC, FROM, ON_DEMAND, PRICE, RESERVED, at_price_kind, price_kinds
from flopsheet.planning.chosen_accelerator import with_accelerator
from flopsheet.planning.inputs import as_defined
from flopsheet.planning.merged_inputs import AGE, IMPLIED, LIST_PRICE
from flopsheet.planning.nearest_layouts import find_unfit, nearest_layouts
from flopsheet.planning.plans_numbers import note_plans_numbers
from flopsheet.planning.prefill_apart import prefill_apart
from flopsheet.planning.prices import day_collected
from flopsheet.planning.registry import questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.configs.model import Model
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan

SOME = 3
"""Models that a note names."""
NOTED_SQUARE = 0.1
"""From which share of the training FLOP on a note says what the full square adds."""
DROPOUT = "has_dropout"
REPLICAS = (2, 4, *range(8, 73, 8))
"""Accelerators of the replicas that are tried for a model that does not fit: parts of a server, and whole ones."""


def remarks(plan: Plan) -> list[str]:
    """Return what a plan takes for granted that its reader should know."""
    texts = (
        _missing(plan),
        note_assumed(plan),
        assumed_price(plan),
        _second_price(plan),
        _served_on_demand(plan),
        _note_implied(plan),
        *_note_settled(plan),
        _note_shared(plan),
        *note_plans_numbers(plan),
        *_first_replicas(plan),
        *nearest_layouts(plan),
        *prefill_apart(plan),
        _unread(plan),
        _without_models(plan),
        _optimal_shape(plan),
        _square(plan),
        _dropout(plan),
        *_note_kept(plan),
        *_note_kept_price(plan),
        *(note for portfolio in plan.portfolios for note in portfolio.notes),
    )
    return [text for text in texts if text]


def _missing(plan: Plan) -> str:
    """Say which inputs have no value: what needs them has no number, and everything else is answered."""
    if not plan.missing:
        return ""
    text = "; ".join(f"{lacking.why} under [inputs]" for lacking in plan.missing.values())
    return f"{text} ({plan.accelerator.title}: not in the catalog). What needs it has no number; all else is answered"


def _without_models(plan: Plan) -> str:
    """Say how a plan of a cluster alone gets a size to train; nothing where it has models or asks that."""
    if plan.models or "scaling" in {question.name for question in plan.program.questions}:
        return ""
    return 'no model is given: add [[models]] with size = "70B", or questions = ["scaling"] for the best size'


def _optimal_shape(plan: Plan) -> str:
    """Say which shape the optimal size of the chosen law is as a model; nothing where scaling is not asked."""
    answers = {(answer.question.name, answer.figure.name): answer for answer in plan.answers()}
    size = answers.get(("scaling", "size"))
    if size is None or no_number(size.numbers[plan.scenario]) is not None:
        return ""
    name = f"{plain(size.numbers[plan.scenario]) / 10**9:.3g}B"
    try:
        sizes = model_of_size(plan.host, name).given
    except ValueError:
        return ""
    shape = ", ".join(f"{key} = {value}" for key, value in sizes.items())
    return f'to plan the optimal size as a dense model, set size = "{name}" under [[models]]; it takes {shape}'


def _square(plan: Plan) -> str:
    """Say of which models the pairs that no token may see are a tenth of the training FLOP and more, so of the cost."""
    over = {model.name: share for model in plan.costed if (share := _unseen(model)) >= NOTED_SQUARE}
    if not over or {question.name for question in plan.questions if question.optional} == {"serving"}:
        return ""
    most = max(over.values())
    return (
        f"attention is counted as the full square, as counters count it, in {_list_names([*over])}: up to {most:.0%}"
        " of the training FLOP are pairs that no token may see;"
        ' mask = "causal" under [workload] leaves them out of the cost'
    )


def _unseen(model: Costed) -> float:
    """Return the share of a training step that is attention to tokens that come later; 0 where the mask is stated."""
    if "mask" in model.model.given:
        return 0.0
    forward, step = (model.numbers[name] for name in ("flops_forward", "flops_training_step"))
    return float(3 * (forward - model.numbers.get("flops_forward_causal", forward)) / step)


def _dropout(plan: Plan) -> str:
    """Say whose configs have dropout that the memory of training does not count, unless the plan says that it does."""
    names = {item.name for question in plan.program.questions for item in question.inputs}
    if DROPOUT not in names - _given_names(plan):
        return ""
    having = [model.name for model in plan.costed if DROPOUT not in model.model.drivers and _drops(model.model)]
    if not having:
        return ""
    return f"the config has dropout in {_list_names(having)}; memory of training counts its masks with {DROPOUT} = 1"


def _drops(model: Model) -> bool:
    return any(value > 0 for name, value in model.fields.items() if "drop" in name and "summary" not in name)


def note_assumed(plan: Plan) -> str:
    """Say which of accelerator, count, days and day of the report were assumed; nothing where all were given."""
    names = _given_names(plan)
    case = plan.case(plan.scenario)
    texts = {
        ACCELERATOR: plan.accelerator.title,
        "accelerators": f"{plain(case['accelerators']):,} accelerators",
        "days": f"{plain(case['days'])} days",
        REPORT_DATE: f"prices as of {day_collected()}",
    }
    price = _price(plan)
    names |= {"days"} if START in names else set()
    names |= {REPORT_DATE} if AGE in names or price is None or price.base is None or not price.date else set()
    assumed_texts = {name: text for name, text in texts.items() if name not in names}
    if not assumed_texts:
        return ""
    listing = ", ".join(assumed_texts)
    return f"assumed {', '.join(assumed_texts.values())}; set {listing} under [inputs] in the portfolio, or use --input"


def assumed_price(plan: Plan) -> str:
    """Say which kind of price the catalog gave where it is not the one on demand; nothing otherwise."""
    price = _catalog_price(plan)
    if plan.price_kind == ON_DEMAND or price is None:
        return ""
    kind, case = price_kinds()[plan.price_kind], plan.case(plan.scenario)
    return (
        f"{price.name} = {plain(case[price.name])} {price.unit} is for {kind.title},"
        f" {plan.accelerator.price_basis}; set {price.name} to your quote, or price_kind to one of"
        f" {', '.join(price_kinds())}"
    )


def _second_price(plan: Plan) -> str:
    """Say what a typed price of an hour counts as where the plan has the price of its kind besides."""
    price, names = _price(plan), _given_names(plan)
    own = f"{plan.price_kind}_price"
    if price is None or price.base is None or not {price.name, own, PRICE_KIND} <= names:
        return ""
    counts = (
        "counts nowhere, since list_price is given too" if LIST_PRICE in names else "counts as list_price, on demand"
    )
    return (
        f"{price.name} is {plain(price.base)} {price.unit}, since price_kind is {plan.price_kind} and {own} is given;"
        f" the {price.name} that is given besides {counts}"
    )


def _served_on_demand(plan: Plan) -> str:
    """Say that months of serving are paid at the price on demand, where nobody chose it."""
    price, months = _catalog_price(plan), plan.case(plan.scenario).get("serving_months", 0)
    if price is None or not months or plan.price_kind != ON_DEMAND or PRICE_KIND in _given_names(plan):
        return ""
    contract = at_price_kind(plan.accelerator, price_kinds()[RESERVED])
    return (
        f"serving is paid on demand, {plan.accelerator.price_base} USD an hour, for {plain(months)} months;"
        f" price_kind = {RESERVED!r} takes what a contract costs, {contract.price_base} USD, or set {price.name} to"
        " your quote"
    )


def _price(plan: Plan) -> Assumption | None:
    """Return the price of an hour, as the catalog or the plan has it."""
    return next((driver for driver in plan.drivers if f"{FROM}{PRICE}" in driver.input.keys), None)


def _catalog_price(plan: Plan) -> Assumption | None:
    """Return the price of an hour where it is that of the catalog."""
    price = _price(plan)
    is_listed = price is not None and price.base is not None and price.source == plan.accelerator.price_source
    return price if is_listed else None


def _note_kept(plan: Plan) -> Iterator[str]:
    """Say which values of the plan stay in a scenario that takes another accelerator."""
    drivers = [driver for driver in plan.drivers if any(key.startswith(FROM) for key in driver.input.keys)]
    defaults = with_accelerator([as_defined(driver.input) for driver in drivers], plan.accelerator)
    own = {driver.name for driver, default in zip(drivers, defaults, strict=True) if default.base != driver.base}
    for scenario in plan.named:
        stays = sorted(own - scenario.inputs.keys())
        if ACCELERATOR in scenario.inputs and stays:
            yield (
                f"scenario {scenario.name}: {', '.join(stays)} of this plan also count for its"
                f" {scenario.inputs[ACCELERATOR]}; give them under [scenarios.{scenario.name!r}] where they differ"
            )


def _note_kept_price(plan: Plan) -> Iterator[str]:
    """Say in which scenarios the plan's price of an hour stays, though they say that it is one of another kind."""
    price, names = _price(plan), _given_names(plan)
    if price is None or price.name not in names:
        return
    for scenario in plan.named:
        kind = scenario.inputs.get(PRICE_KIND, plan.price_kind)
        ways = [name for name in (price.name, f"{kind}_price") if name in plan.program.inputs]
        if (
            kind not in {plan.price_kind, AUTOMATIC}
            and not {*ways} & scenario.inputs.keys()
            and not {*ways[1:]} & names
        ):
            yield (
                f"scenario {scenario.name}: {price.name} of this plan also counts as its price of kind {kind}; give"
                f" {' or '.join(ways)} under [scenarios.{scenario.name!r}] where that differs"
            )


def _note_implied(plan: Plan) -> str:
    """Say which inputs took another value than their default because of others."""
    names = {rule.input for question in plan.program.questions for rule in question.implied}
    drivers = [driver for driver in plan.drivers if driver.name in names and driver.source.startswith(IMPLIED)]
    texts = (f"{own.name} = {label(own.input, own.cases[1])!r}, since {own.source[len(IMPLIED) :]}" for own in drivers)
    return "; ".join(texts)


def _note_settled(plan: Plan) -> Iterator[str]:
    """Say which models took a layout that nobody stated."""
    searches = {rows.key: rows.search for _, rows in plan.program.searches if rows.search}
    for key, texts in plan.settled.items():
        some = _list_names([f"{plan.models[place].name} {label}" for place, label in texts.items()])
        yield searches[key].taken.format(models=some)


def _first_replicas(plan: Plan) -> Iterator[str]:
    """Say for models that do not fit on their replica which one they fit on, as inputs under [serving]."""
    for model in (plan.costed[place] for place in find_unfit(plan, "serving", "max_batch")):
        result = next((inputs for inputs in _replicas(model) if _serves(plan, model, inputs)), None)
        if result:
            inputs_text = " and ".join(f"{name.removeprefix('serving_')} = {size}" for name, size in result.items())
            yield (
                f"{model.name} does not fit on its replica; the smallest one that it fits on has {inputs_text}"
                " under [serving]"
            )


def _replicas(model: Costed) -> Iterator[dict[str, int]]:
    """Give replicas from small to large: mixtures have attention on each accelerator, and experts divided among all."""
    experts, heads = (int(model.dimensions.get(name) or 0) for name in ("n_experts", "n_heads"))
    for size in REPLICAS:
        if experts and experts % size == 0:
            yield {"attention_data_parallel": size, "serving_expert_parallel": size}
        elif not experts and heads % size == 0:
            yield {"serving_tensor_parallel": size}


def _serves(plan: Plan, model: Costed, inputs: Mapping[str, int]) -> bool:
    batch = plan.alone(model, {**plan.case(plan.scenario), **inputs}, ["max_batch"])["max_batch"]
    return no_number(batch) is None and bool(batch)


def _note_shared(plan: Plan) -> str:
    """Say which inputs count for several questions of which one may have its own: `[serving] tensor_parallel`."""
    stated_names = _given_names(plan) | {name for model in plan.costed for name in model.model.drivers}
    texts = []
    for question in plan.program.questions:
        others = {own.name: other.name for other in plan.program.questions if other != question for own in other.inputs}
        names = [item.name for item in question.inputs]
        both = [
            name
            for name in names
            if name in stated_names & others.keys()
            and long_name(question.name, name, names) not in {name, *stated_names}
        ]
        if both:
            titles = f"{' and '.join(sorted({others[name] for name in both}))} and {question.name}"
            texts.append(
                f"{', '.join(both)}: used by {titles} alike; for another value in {question.name},"
                f" set it under [{question.name}]"
            )
    return "; ".join(texts)


def _unread(plan: Plan) -> str:
    """Say which inputs are given that no question which is asked reads, and the questions that would."""
    readers = {
        name: [question.name for question in questions(plan.host).values() if name in {i.name for i in question.inputs}]
        for name in sorted(_given_names(plan) - plan.program.inputs.keys() - {*CATALOGED, *DATED})
    }
    readers = {name: askers for name, askers in readers.items() if askers}  # the rest are settings of the workload
    if not readers:
        return ""
    some = _list_names([f"{name} ({', '.join(askers)})" for name, askers in readers.items()])
    return f"no effect on the questions asked: {some}; ask the question in brackets as well to use it"


def _list_names(names: list[str]) -> str:
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return f"{', '.join(names[:SOME])}{more}"


def _given_names(plan: Plan) -> set[str]:
    """Return the inputs that portfolios and the command line give."""
    names = {name for portfolio in plan.portfolios for name in portfolio.inputs}
    return names | {text.partition("=")[0] for option, text in plan.options if option == "--input"}
