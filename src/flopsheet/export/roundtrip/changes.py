"""From edited cells to what has to change in the portfolio, so that the next report gives the planner's workbook."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import check, plain
from flopsheet.configs.portfolio import END, PRICE_KIND, REPORT_DATE, SECTIONS, START, long_name
from flopsheet.configs.reading import read_dimensions
from flopsheet.configs.settings import merge_settings
from flopsheet.export.roundtrip.edited_source import has_source, with_source
from flopsheet.export.roundtrip.rows import same_value, shown_cell
from flopsheet.planning.catalog import ON_DEMAND, kind_for
from flopsheet.planning.costing import dimension_values
from flopsheet.planning.found_layouts import restate_model
from flopsheet.planning.inputs import ENDS, WORDS, write_value
from flopsheet.planning.merged_inputs import CHOOSING_KIND, PRICE, RENTED_AS, SIZE
from flopsheet.planning.prices import as_date
from flopsheet.planning.registry import all_inputs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.configs.model import Model
    from flopsheet.export.roundtrip.findings import AddedModel, Edit, Findings, Where
    from flopsheet.host.host import Host
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan


FORMULA, EMPTY = "is a formula without a value", "is empty and counts 0 in the workbook"
"""Why a new model's dimension has no value of its own."""


class Changes(Struct):
    """What a portfolio gets: values by path (None takes one out), whole new models, and what is to be said of it."""

    values: dict[Where, Any] = field(default_factory=dict)
    models: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def changes_of(plan: Plan, document: Mapping[str, Any], findings: Findings) -> Changes:
    """Return the changes that a portfolio needs; `document` is the portfolio as it stands."""
    editor = _Editor(plan, document, findings)
    editor.keep_layouts()
    editor.change_cells()
    for driver in plan.drivers:
        if driver.name in editor.by_driver:
            editor.change_driver(driver, editor.by_driver[driver.name])
    editor.keep_scenarios()
    editor.keep_price()
    for place, values in editor.by_model.items():
        editor.change_model(place, values)
    for row in findings.added:
        editor.add_model(row)
    return editor.changes


class _Editor(Struct, frozen=True):
    """What turns findings into changes of a portfolio: `by_driver` has edits of inputs, `by_model` of dimensions."""

    plan: Plan
    document: Mapping[str, Any]
    findings: Findings
    changes: Changes = field(default_factory=Changes)
    by_driver: dict[str, list[Edit]] = field(default_factory=dict)
    by_model: dict[int, dict[str, Any]] = field(default_factory=dict)

    def keep_layouts(self) -> None:
        """State layouts that models took of a search: with other inputs others might be found than the workbook has."""
        if not self.plan.settled or not (self.findings.edits or self.findings.added):
            return
        for place in sorted({place for places in self.plan.settled.values() for place in places}):
            settings = restate_model(self.plan, place)
            for name, value in settings.pop("inputs", {}).items():
                self._change_own(("models", place, "inputs", name), value)
            self.changes.values |= {self._of_entry(place, name): value for name, value in settings.items()}
        self.changes.notes.append(
            "layouts that were chosen automatically are now written out, as the workbook has them"
        )

    def change_cells(self) -> None:
        """Change what a cell states alone, and sort the edits of what several cells state together."""
        for edit in self.findings.edits:
            match edit.path:
                case ("inputs", name, _):
                    self.by_driver.setdefault(str(name), []).append(edit)
                case ("models", _, "published"):
                    self._change_published(edit)
                case ("models", _, "inputs", _):
                    self._change_own(edit.path, edit.value)
                case ("models", place, name) if name != "tokens":
                    self.by_model.setdefault(int(place), {})[str(name)] = edit.value
                case ("scenarios", scenario, name):
                    self.changes.values[*self._of_scenario(str(scenario)), name] = edit.value
                case _:
                    self.changes.values[edit.path] = edit.value

    def _change_published(self, edit: Edit) -> None:
        """Change a published count where the model's entry states it; its source stays, and is reported."""
        count = self.document["models"][edit.path[1]].get("published")
        if edit.value is None:
            self.changes.values |= {edit.path: None} if count else {}
        elif count:
            self.changes.values[*edit.path, "parameters"] = edit.value
            self.changes.notes.append(f"{edit.what}: its source and date stay, {shown_cell(count.get('source', ''))}")
        else:
            self.changes.values[edit.path] = {"parameters": edit.value, "source": f"typed at {edit.address}"}

    def _change_own(self, path: Where, value: Any) -> None:
        """Change an input that a model states for itself."""
        *entry, name = path
        if "inputs" in self.document["models"][path[1]]:
            self.changes.values[path] = value
        else:
            self.changes.values[tuple(entry)] = {**self.changes.values.get(tuple(entry), {}), name: value}

    def _of_entry(self, place: int, name: str) -> Where:
        """Return where a model's entry states a dimension, or would."""
        entry = self.document["models"][place]
        inside = isinstance(entry.get("dimensions"), dict) and name not in entry
        return ("models", place, *(("dimensions",) if inside else ()), name)

    def _of_scenario(self, name: str) -> Where:
        """Return where a portfolio states the inputs of a named scenario: reports have them in a table of their own."""
        inside = "inputs" in self.document["scenarios"][name]
        return ("scenarios", name, "inputs") if inside else ("scenarios", name)

    def keep_scenarios(self) -> None:
        """State in named scenarios what would follow an edited Base case, and did not in the workbook."""
        for driver in self.plan.drivers:
            edits = self.by_driver.get(driver.name, ())
            if all(edit.path[-1] != "base" for edit in edits):
                continue
            for scenario in self.plan.named:
                path = (*self._of_scenario(scenario.name), driver.name)
                number = driver.cases[self.plan.cases.index(scenario.name)]
                if no_number(number) is not None or (driver.name, scenario.name) in self.findings.like_base:
                    continue  # it follows Base in the workbook too
                follows = number == driver.base and is_lone(driver, edits)
                if driver.name not in scenario.inputs and path not in self.changes.values and not follows:
                    value = write_value(driver.input, number)
                    self.changes.values[path] = value
                    text = f"{driver.name} = {shown_cell(value)} is now written out to stay as it was"
                    self.changes.notes.append(f"scenario {scenario.name}: {text}")

    def change_driver(self, driver: Assumption, edits: Sequence[Edit]) -> None:
        """Change an input where the portfolio states it: a number stays one while all cases are equal."""
        where, key = self._find_heading(driver.name)
        old = self.document.get(where, {}).get(key)
        values, words = _collect_edits(self.plan, driver, edits)
        new = {end: self._find_delivered(driver, end, values) for end in ENDS} | values
        if is_lone(driver, edits):
            self.changes.notes.append(f"{driver.name}: {shown_cell(new['base'])} in all cases, since it has no range")
        try:
            driver.with_values(new)
        except ValueError as error:
            self.changes.problems.append(f"{edits[0].address}: {driver.name}: {error}")
            return
        if driver.name == "days" and values and self._moves_window(new, edits):
            return
        table = _complete_range(old if isinstance(old, dict) else {}, new, values) | words
        if isinstance(old, dict):
            self.changes.values |= {(where, key, part): v for part, v in table.items() if old.get(part) != v}
        else:
            self.changes.values[where, key] = table if len(table) > 1 else new["base"]

    def _find_delivered(self, driver: Assumption, end: str, values: Mapping[str, Any]) -> Any:
        """Return what the workbook has at an end that was not edited: that of Base where it follows or had no value."""
        value = getattr(driver, end)
        if "base" in values and (driver.name, end) in self.findings.like_base:
            return values["base"]
        return values.get("base") if value is None else write_value(driver.input, value)

    def _moves_window(self, days: Mapping[str, Any], edits: Sequence[Edit]) -> bool:
        """Move the end of a window whose days were edited; return whether the portfolio has one."""
        (where, start), (at, end) = map(self._find_heading, (START, END))
        if start not in self.document.get(where, {}) or end not in self.document.get(at, {}):
            return False
        if len({*days.values()}) > 1 or days["base"] % 1:
            self.changes.problems.append(
                f"{edits[0].address}: days follow from {START} and {END}: type one whole number for all cases, or"
                f" replace {START} and {END} in the portfolio by days"
            )
            return True
        last = as_date(START, self.document[where][start]) + timedelta(days=days["base"])
        self.changes.values[at, end] = last.isoformat() if isinstance(self.document[at][end], str) else last
        self.changes.notes.append(f"{END} = {last}: {shown_cell(days['base'])} days from {START}")
        return True

    def keep_price(self) -> None:
        """State the kind of price where a price that is typed, or another size, would change what the workbook has."""
        given = {name for section in SECTIONS for name in self.document.get(section, {})}
        edits = {
            name: next((edit.value for edit in edits if edit.path[-1] == "base"), None)
            for name, edits in self.by_driver.items()
        }
        self._keep_kind("base", self._find_heading(PRICE_KIND)[:1], edits, given)
        for scenario in self.plan.named:
            paths = {edit.path: edit.value for edit in self.findings.edits}
            own = {str(path[2]): value for path, value in paths.items() if path[:2] == ("scenarios", scenario.name)}
            self._keep_kind(scenario.name, self._of_scenario(scenario.name), own, given | scenario.inputs.keys())

    def _keep_kind(self, name: str, where: Where, edits: Mapping[str, Any], given: Collection[str]) -> None:
        """State the kind of price of a case of which some inputs were edited, where it would become another."""
        if {PRICE_KIND, PRICE} & {*given} or not edits.keys() & {*CHOOSING_KIND}:
            return
        base, case = self.plan.case("base"), self.plan.case(name)
        size, new = ([case[one] for one in SIZE], [edits.get(one) or case[one] for one in SIZE])
        if not all(isinstance(number, int | float) for number in (*size, *new)):
            return
        kind = self.plan.price_kind if size == [base[one] for one in SIZE] else kind_for(*size)
        follows = ON_DEMAND if PRICE in edits and RENTED_AS in case else kind_for(*new)
        if RENTED_AS in edits or follows != kind:
            word = RENTED_AS if f"{kind}_price" in given and RENTED_AS not in edits else PRICE_KIND
            self.changes.values[(*where, word)] = kind
            self.changes.notes.append(f"{word} = {kind!r}: the prices stay those of the workbook")

    def _find_heading(self, name: str) -> tuple[str, str]:
        """Return the heading under which a portfolio states an input, or would, and what it calls the input there."""
        inputs = all_inputs(self.plan.host)
        for section in SECTIONS:
            for key in self.document.get(section, {}):
                if long_name(section, key, inputs) == name:
                    return section, key
        return next((section for section in ("inputs", "drivers") if section in self.document), "inputs"), name

    def change_model(self, place: int, values: Mapping[str, Any]) -> None:
        """Change dimensions of a model, and keep those that would follow a changed one but did not in the workbook."""
        plan, model, follows = self.plan, self.plan.models[place], self.findings.follows.get(place, ())
        ledger = plan.host.ledger(model.model.architecture)
        target = {name: value for name, value in model.dimensions.items() if name not in follows} | dict(values)
        settings, missing = missing_settings(plan.host, ledger, model.model, target, values)
        for name, value in settings.items():
            self.changes.values[self._of_entry(place, name)] = value
            if name not in values:
                text = f"{name} = {shown_cell(value)} is now written out to stay as it was"
                self.changes.notes.append(f"{model.name}: {text}")
        options = [text.partition("=")[0] for option, text in plan.options if option in ("--set", "--input")]
        wins = "was given and wins over the portfolio"
        self.changes.notes.extend(f"{model.name}: --set {name} {wins}" for name in values if name in options)
        self.changes.problems.extend(f"{model.name}: {problem}" for problem in missing)

    def add_model(self, row: AddedModel) -> None:
        """Describe a new model by the dimensions that it has to state; columns that are not there count 0."""
        host, ledger = self.plan.host, self.plan.host.ledger(row.architecture)
        workload = next((portfolio.workload for portfolio in self.plan.portfolios), {})
        model = replace(read_dimensions(host, row.architecture, {}), given=merge_settings(host, {}, workload))
        zeros = {d.name: 0 for d in ledger.dimensions if d.name not in row.columns and d.kind != "choice"}
        settings, missing = missing_settings(host, ledger, model, {**zeros, **row.values}, {})
        self.changes.problems.extend(f"{row.address} ({row.name}): {problem}" for problem in missing)
        values, _ = dimension_values(ledger, model, {**model.given, **settings})
        for name in sorted(row.columns - row.values.keys()):
            if values.get(name):
                blank = FORMULA if name in row.follows else EMPTY
                self.changes.notes.append(
                    f"{row.name}: {name} {blank}; its default {shown_cell(values[name])} is taken"
                )
        entry: dict[str, Any] = {"name": row.name, "architecture": row.architecture}
        entry |= {"tokens": row.tokens} if row.tokens else {}
        entry |= {"inputs": dict(row.inputs)} if row.inputs else {}
        self.changes.models.append({**entry, "dimensions": settings})


def _collect_edits(plan: Plan, driver: Assumption, edits: Sequence[Edit]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of an input that were edited, and the source and date that it has now."""
    by_end = {driver.end(str(edit.path[-1])): edit.value for edit in edits}
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


def is_lone(driver: Assumption, edits: Sequence[Edit]) -> bool:
    """Return whether Base alone was edited of an input that has no range: its value is meant for all cases."""
    return [edit.path[-1] for edit in edits if edit.path[-1] not in WORDS] == ["base"] and driver.low == driver.high


def report_day(plan: Plan) -> str:
    """Return the day of the report where the portfolio or the command line states one: what is typed is of that day."""
    dates = [portfolio.inputs[REPORT_DATE] for portfolio in plan.portfolios if REPORT_DATE in portfolio.inputs]
    options = (text.partition("=") for option, text in plan.options if option == "--input")
    return next((value for name, _, value in options if name == REPORT_DATE), str(dates[0]) if dates else "")


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
