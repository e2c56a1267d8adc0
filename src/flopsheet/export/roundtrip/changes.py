"""From edited cells to what has to change in the portfolio, so that the next report gives the planner's workbook."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import check, plain
from flopsheet.configs.portfolio import END, PRICE_KIND, REPORT_DATE, SECTIONS, START, long_name
from flopsheet.configs.reading import read_dimensions
from flopsheet.configs.settings import merge_settings
from flopsheet.export.roundtrip.edited_source import has_source, with_source
from flopsheet.export.roundtrip.rows import same_value, shown_cell
from flopsheet.planning.catalog import kind_for
from flopsheet.planning.costing import dimension_values
from flopsheet.planning.found_layouts import restate_model
from flopsheet.planning.inputs import CASES, ENDS, WORDS, write_value
from flopsheet.planning.prices import as_date
from flopsheet.planning.registry import all_inputs

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.configs.model import Model
    from flopsheet.export.roundtrip.findings import AddedModel, Edit, Findings, Where
    from flopsheet.host.host import Host
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan


@dataclass
class Changes:
    """What a portfolio gets: values by path (None takes one out), whole new models, and what is to be said of it."""

    values: dict[Where, Any] = field(default_factory=dict)
    models: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def changes_of(plan: Plan, document: Mapping[str, Any], findings: Findings) -> Changes:
    """Return the changes that a portfolio needs; `document` is the portfolio as it stands."""
    changes = Changes()
    by_driver: dict[str, list[Edit]] = {}
    by_model: dict[int, dict[str, Any]] = {}
    _keep_found(plan, document, findings, changes)
    for edit in findings.edits:
        head, *rest = edit.path
        if head == "inputs":
            by_driver.setdefault(str(rest[0]), []).append(edit)
        elif head == "models" and rest[1] == "published":
            _change_published(document, edit, changes)
        elif head == "models" and rest[1] == "inputs":
            _change_own(document, edit.path, edit.value, changes)
        elif head == "models" and rest[1] != "tokens":
            by_model.setdefault(int(rest[0]), {})[str(rest[1])] = edit.value
        else:
            changes.values[_where(document, edit.path)] = edit.value
    for driver in plan.drivers:
        if driver.name in by_driver:
            same = {case for name, case in findings.like_base if name == driver.name}
            _change_driver(plan, driver, document, by_driver[driver.name], same, changes)
    _keep_scenarios(plan, document, by_driver, findings.like_base, changes)
    _keep_price(plan, document, by_driver, changes)
    for place, values in by_model.items():
        _change_model(plan, document, place, values, findings.follows.get(place, ()), changes)
    for model in findings.added:
        _add_model(plan, model, changes)
    return changes


def _change_published(document: Mapping[str, Any], edit: Edit, changes: Changes) -> None:
    """Change a published count where the model's entry states it; its source stays, and is reported."""
    count = document["models"][edit.path[1]].get("published")
    if edit.value is None:
        changes.values |= {edit.path: None} if count else {}
    elif count:
        changes.values[*edit.path, "parameters"] = edit.value
        changes.notes.append(f"{edit.what}: its source and date stay, {shown_cell(count.get('source', ''))}")
    else:
        changes.values[edit.path] = {"parameters": edit.value, "source": f"typed at {edit.address}"}


def _change_own(document: Mapping[str, Any], path: Where, value: Any, changes: Changes) -> None:
    """Change an input that a model states for itself."""
    *entry, name = path
    if "inputs" in document["models"][path[1]]:
        changes.values[path] = value
    else:
        changes.values[tuple(entry)] = {**changes.values.get(tuple(entry), {}), name: value}


def _keep_found(plan: Plan, document: Mapping[str, Any], findings: Findings, changes: Changes) -> None:
    """State the layouts that models took of a search: with other inputs others might be found than the workbook has."""
    if not plan.settled or not (findings.edits or findings.added):
        return
    for place in sorted({place for places in plan.settled.values() for place in places}):
        settings = restate_model(plan, place)
        for name, value in settings.pop("inputs", {}).items():
            _change_own(document, ("models", place, "inputs", name), value, changes)
        changes.values |= {_of_entry(document, place, name): value for name, value in settings.items()}
    changes.notes.append("layouts that were chosen automatically are now written out, as the workbook has them")


def _of_entry(document: Mapping[str, Any], place: int, name: str) -> Where:
    """Return where a model's entry states a dimension, or would."""
    entry = document["models"][place]
    inside = isinstance(entry.get("dimensions"), dict) and name not in entry
    return ("models", place, *(("dimensions",) if inside else ()), name)


def _where(document: Mapping[str, Any], path: Where) -> Where:
    """Return where a portfolio states a value: an input of a named scenario where it has the others."""
    return (*_of_scenario(document, str(path[1])), *path[2:]) if path[0] == "scenarios" else path


def _keep_scenarios(
    plan: Plan,
    document: Mapping[str, Any],
    by_driver: Mapping[str, Sequence[Edit]],
    like_base: Container[tuple[str, str]],
    changes: Changes,
) -> None:
    """State in named scenarios what would follow an edited Base case, and did not in the workbook."""
    for driver in plan.drivers:
        edits = by_driver.get(driver.name, ())
        if all(edit.path[-1] != "base" for edit in edits):
            continue
        for scenario in plan.named:
            path = (*_of_scenario(document, scenario.name), driver.name)
            number = driver.cases[plan.cases.index(scenario.name)]
            if no_number(number) is not None or (driver.name, scenario.name) in like_base:
                continue  # it follows Base in the workbook too
            follows = number == driver.base and is_lone(driver, edits)
            if driver.name not in scenario.inputs and path not in changes.values and not follows:
                value = write_value(driver.input, number)
                changes.values[path] = value
                text = f"{driver.name} = {shown_cell(value)} is now written out to stay as it was"
                changes.notes.append(f"scenario {scenario.name}: {text}")


def _of_scenario(document: Mapping[str, Any], scenario: str) -> Where:
    """Return where a portfolio states the inputs of a named scenario: reports have them in a table of their own."""
    inside = "inputs" in document["scenarios"][scenario]
    return ("scenarios", scenario, "inputs") if inside else ("scenarios", scenario)


def _find_delivered(driver: Assumption, end: str, values: Mapping[str, Any], same: Container[str]) -> Any:
    """Return what the workbook has at an end that was not edited: what Base has where it follows or had no value."""
    value = getattr(driver, end)
    if end in same and "base" in values:
        return values["base"]
    return values.get("base") if value is None else write_value(driver.input, value)


def _change_driver(
    plan: Plan,
    driver: Assumption,
    document: Mapping[str, Any],
    edits: Sequence[Edit],
    same: Container[str],
    changes: Changes,
) -> None:
    """Change an input where the portfolio states it: a number stays one while all cases are equal."""
    where, key = _find_heading(plan, driver.name, document)
    old = document.get(where, {}).get(key)
    values, words = _collect_edits(plan, driver, edits)
    new = {end: _find_delivered(driver, end, values, same) for end in ENDS} | values
    if is_lone(driver, edits):
        changes.notes.append(f"{driver.name}: {shown_cell(new['base'])} in all cases, since it has no range")
    try:
        driver.with_values(new)
    except ValueError as error:
        changes.problems.append(f"{edits[0].address}: {driver.name}: {error}")
        return
    if driver.name == "days" and values and _moves_window(plan, new, document, edits, changes):
        return
    table = _complete_range(old if isinstance(old, dict) else {}, new, values) | words
    if isinstance(old, dict):
        changes.values |= {(where, key, part): value for part, value in table.items() if old.get(part) != value}
    else:
        changes.values[where, key] = table if len(table) > 1 else new["base"]


def _collect_edits(plan: Plan, driver: Assumption, edits: Sequence[Edit]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of an input that were edited, and the source and date that it has now."""
    by_end = {_end(driver, str(edit.path[-1])): edit.value for edit in edits}
    words = {word: by_end.pop(word) for word in WORDS if word in by_end}
    values = dict.fromkeys(ENDS, by_end["base"]) if is_lone(driver, edits) else by_end
    if values and has_source(driver):
        row = with_source(driver, {}, values, report_day(plan))
        words = {word: text for word, text in row.items() if text} | words
    return values, words


def _complete_range(old: Mapping[str, Any], new: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a range that have to be stated, next to those that are; the others are as its Base."""
    alike = all(same_value(value, new["base"]) for value in new.values())
    ends = {*old, *values} if old else {"base"} if alike else {*ENDS}
    return {
        end: value
        for end, value in new.items()
        if (end in ends and not (alike and end not in {*old, "base"})) or not same_value(value, new["base"])
    }


def _moves_window(
    plan: Plan, days: Mapping[str, Any], document: Mapping[str, Any], edits: Sequence[Edit], changes: Changes
) -> bool:
    """Move the end of a window whose days were edited; return whether the portfolio has one."""
    (where, start), (at, end) = (_find_heading(plan, name, document) for name in (START, END))
    if start not in document.get(where, {}) or end not in document.get(at, {}):
        return False
    if len({*days.values()}) > 1 or days["base"] % 1:
        changes.problems.append(
            f"{edits[0].address}: days follow from {START} and {END}: type one whole number for all cases, or replace"
            f" {START} and {END} in the portfolio by days"
        )
        return True
    last = as_date(START, document[where][start]) + timedelta(days=days["base"])
    changes.values[at, end] = last.isoformat() if isinstance(document[at][end], str) else last
    changes.notes.append(f"{END} = {last}: {shown_cell(days['base'])} days from {START}")
    return True


def is_lone(driver: Assumption, edits: Sequence[Edit]) -> bool:
    """Return whether Base alone was edited of an input that has no range: its value is meant for all cases."""
    return [edit.path[-1] for edit in edits if edit.path[-1] not in WORDS] == ["base"] and driver.low == driver.high


def report_day(plan: Plan) -> str:
    """Return the day of the report where the portfolio or the command line states one: what is typed is of that day."""
    dates = [portfolio.inputs[REPORT_DATE] for portfolio in plan.portfolios if REPORT_DATE in portfolio.inputs]
    options = (text.partition("=") for option, text in plan.options if option == "--input")
    return next((value for name, _, value in options if name == REPORT_DATE), str(dates[0]) if dates else "")


def _keep_price(
    plan: Plan, document: Mapping[str, Any], by_driver: Mapping[str, Sequence[Edit]], changes: Changes
) -> None:
    """State the kind of price where another size of the plan would change it: the workbook's price did not."""
    case = {driver.name: driver.base for driver in plan.drivers}
    case |= {name: edit.value for name, edits in by_driver.items() for edit in edits if edit.path[-1] == "base"}
    size = case["accelerators"], case["days"]
    names = {name for section in SECTIONS for name in document.get(section, {})}
    if {PRICE_KIND, "price_per_hour"} & names or not by_driver.keys() & {"accelerators", "days"}:
        return
    if all(isinstance(number, int | float) for number in size) and kind_for(*size) != plan.price_kind:
        changes.values[_find_heading(plan, PRICE_KIND, document)] = plan.price_kind
        changes.notes.append(f"price_kind = {plan.price_kind!r}: the prices stay those of the workbook")


def _find_heading(plan: Plan, name: str, document: Mapping[str, Any]) -> tuple[str, str]:
    """Return the heading under which a portfolio states an input, or would, and what it calls the input there."""
    inputs = all_inputs(plan.host)
    for section in SECTIONS:
        for key in document.get(section, {}):
            if long_name(section, key, inputs) == name:
                return section, key
    return next((section for section in ("inputs", "drivers") if section in document), "inputs"), name


def _end(driver: Assumption, key: str) -> str:
    return driver.end(key) if key in CASES else key


def _change_model(
    plan: Plan,
    document: Mapping[str, Any],
    place: int,
    values: Mapping[str, Any],
    follows: Container[str],
    changes: Changes,
) -> None:
    """Change dimensions of a model, and keep those that would follow a changed one but did not in the workbook.

    Those that `follows` names did follow, by their formulas.
    """
    model = plan.models[place]
    ledger = plan.host.ledger(model.model.architecture)
    target = {**{name: value for name, value in model.dimensions.items() if name not in follows}, **values}
    settings, missing = missing_settings(plan.host, ledger, model.model, target, values)
    for name, value in settings.items():
        changes.values[_of_entry(document, place, name)] = value
        if name not in values:
            changes.notes.append(f"{model.name}: {name} = {shown_cell(value)} is now written out to stay as it was")
    overrides = [text.partition("=")[0] for option, text in plan.options if option in ("--set", "--input")]
    changes.notes.extend(
        f"{model.name}: --set {n} was given and wins over the portfolio" for n in values if n in overrides
    )
    changes.problems.extend(f"{model.name}: {problem}" for problem in missing)


def _add_model(plan: Plan, row: AddedModel, changes: Changes) -> None:
    """Describe a new model by the dimensions that it has to state; columns that the workbook lacks count 0 there."""
    ledger = plan.host.ledger(row.architecture)
    workload = next((portfolio.workload for portfolio in plan.portfolios), {})
    model = replace(read_dimensions(plan.host, row.architecture, {}), given=merge_settings(plan.host, {}, workload))
    zeros = {d.name: 0 for d in ledger.dimensions if d.name not in row.columns and d.kind != "choice"}
    settings, missing = missing_settings(plan.host, ledger, model, {**zeros, **row.values}, {})
    changes.problems.extend(f"{row.address} ({row.name}): {problem}" for problem in missing)
    values, _ = dimension_values(ledger, model, {**model.given, **settings})
    changes.notes.extend(
        f"{row.name}: {name} {_of_blank(name in row.follows)}; its default {shown_cell(values[name])} is taken"
        for name in sorted(row.columns - row.values.keys())
        if values.get(name)
    )
    entry: dict[str, Any] = {"name": row.name, "architecture": row.architecture}
    entry |= {"tokens": row.tokens} if row.tokens else {}
    entry |= {"inputs": dict(row.inputs)} if row.inputs else {}
    changes.models.append({**entry, "dimensions": settings})


def _of_blank(follows: bool) -> str:  # noqa: FBT001 - of a name
    """Say why a new model's dimension has no value of its own."""
    return "is a formula without a value" if follows else "is empty and counts 0 in the workbook"


def missing_settings(
    host: Host, ledger: Ledger, model: Model, target: Mapping[str, Any], settings: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return what a model has to state next to what it states, so that its dimensions are as expected.

    Dimensions that defaults give anyway are left out. With it come the problems of those that have no value.
    """
    result = dict(settings)
    while True:
        values, missing = dimension_values(ledger, model, merge_settings(host, model.given, result))
        wrong = _first_wrong(ledger, values, target, result)
        if wrong is None:
            return result, [f"{name} {problem}" for name, problem in missing.items()]
        result[wrong] = target[wrong]


def _first_wrong(
    ledger: Ledger, values: Mapping[str, Any], target: Mapping[str, Any], names: Iterable[str]
) -> str | None:
    for dimension in ledger.dimensions:
        name = dimension.name
        if name in target and name not in names:
            value = check(dimension, target[name])
            if name not in values or not same_value(plain(values[name]), plain(value)):
                return name
    return None
