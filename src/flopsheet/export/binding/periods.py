"""Lists of periods: tables of the template with a row for each month, filled from the timeline of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.export.binding.fields import MODEL_FIELDS, Field, Periods, field_of_line, shown_lines
from flopsheet.export.binding.headers import Bound
from flopsheet.export.binding.lists import Header, ModelList, read_headers
from flopsheet.planning.registry import questions
from flopsheet.units.formats import shows_days
from flopsheet.units.named_values import DATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.export.binding.headers import Catalog
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Question
    from flopsheet.planning.sheet_records import Timeline
    from livesheets import Table, Template

START, END = "start", "end"
"""What planners call the first and the last day of a period."""
NAMES = tuple(field for field in MODEL_FIELDS if field.name in ("model", "name"))


class PeriodList(ModelList, frozen=True):
    """A table with a row for each period of one model, or of all where a column names it."""

    timeline: Timeline
    other_question: str = ""

    @property
    def tells_errors(self) -> bool:
        """Models in error have no periods."""
        return False

    def rows(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        """Give the values of each row by the name of the field."""
        if self.other_question:
            return
        names = {header.meaning.field.name for header in self.headers if isinstance(header.meaning, Bound)}
        every = bool(names & {field.name for field in NAMES})
        months = plan.run(plan.scenario).table(self.timeline.table)
        for place, (model, *_) in enumerate(months.keys):
            if every or model == _first(plan):
                keys = dict(zip(months.table.keys, months.keys[place], strict=True))
                yield self._values(plan, keys, months.row(place))

    def check_rows(self) -> Iterator[str]:
        """Say that no row is left, where no question of the plan has periods."""
        if self.other_question:
            remedy = f"ask the question {self.other_question}, which fills it"
            yield f"the table {self.table.name} is left without rows: {remedy}"

    def _values(self, plan: Plan, keys: Mapping[str, Number], lines: Mapping[str, Number]) -> Mapping[str, Any]:
        """Return what a row shows; a day that a plan without dates does not have is blank."""
        name = plan.costed[int(keys["model"])].name
        days = shown_lines(lines, plan.program.lines(self.timeline.table))
        return {
            **keys,
            **days,
            START: days[self.timeline.start],
            END: days[self.timeline.end],
            **dict.fromkeys((field.name for field in NAMES), name),
        }


def periods_of(plan: Plan) -> Periods | None:
    """Return what a column of a list of periods may show: the lines that a question's timeline has; None without."""
    question = _with_days(plan.program.questions) or _with_days(questions(plan.host).values())
    if question is None or question.described.timeline is None:
        return None
    timeline = question.described.timeline
    is_asked = question in plan.program.questions
    table = next(one for one in question.tables if one.name == timeline.table)
    key = table.rows[-1]
    lines = plan.program.lines(timeline.table) if is_asked else table.lines
    fields = [field_of_line(line, "result") for line in lines]
    days = [Field(name, name.capitalize(), DATE, "Of the period", "result") for name in (START, END)]
    own = Field(key.key, key.title or key.key.capitalize(), key.unit, "By number, or its first day", "result")
    return Periods(timeline, key.key, (*NAMES, own, *days, *fields), "" if is_asked else question.name)


def _with_days(candidates: Iterable[Question]) -> Question | None:
    """Return the first question whose timeline has the days of its periods."""
    pairs = ((question, question.described.timeline) for question in candidates)
    return next((question for question, timeline in pairs if timeline and timeline.start and timeline.end), None)


def period_list(template: Template, table: Table, catalog: Catalog) -> PeriodList | None:
    """Return the list of periods that a table is: it has the period or its days, and a line; None if it is none.

    More of its headers are about periods than about models.
    """
    if catalog.periods is None:
        return None
    timeline, key, _, question = catalog.periods
    every = read_headers(template, table, catalog.of_periods)
    headers = tuple(_in_days(template, table, one, catalog) for one in every)
    names = {header.meaning.field.name for header in headers if isinstance(header.meaning, Bound)}
    periods = {key, START, END, timeline.start, timeline.end}
    lines = names - periods - {field.name for field in NAMES}
    if question and not any(isinstance(one.meaning, Bound) and one.meaning.unit for one in headers):
        return None  # words alone may be a table of the planner's own
    if not (periods & names and lines) or _meant(headers) <= _meant(read_headers(template, table, catalog)):
        return None
    return PeriodList(table, headers, timeline, question)


def _meant(headers: Iterable[Header]) -> int:
    """Return how many headers mean something: a list of models may have the days of its runs, and their number."""
    return sum(isinstance(header.meaning, Bound) for header in headers)


def _in_days(template: Template, table: Table, header: Header, catalog: Catalog) -> Header:
    """Return a column of periods by number as that of their first days, where it is formatted for days."""
    meaning = header.meaning
    if catalog.periods is None or not isinstance(meaning, Bound) or meaning.field.name != catalog.periods.key:
        return header
    form = template.number_format(table.sheet, table.area.top + table.headers, header.column)
    first = Bound(meaning.header, (catalog.of_periods.names[START],))
    return replace(header, meaning=first) if shows_days(form) else header


def _first(plan: Plan) -> Number:
    """Return the model that the timeline shows: the best one, where a question ranks them."""
    best = next((one.described.best for one in plan.program.questions if one.described.best), None)
    if best is None:
        return 0
    options = plan.run(plan.scenario).table(best.table)
    places = zip(options.keys, options.columns[best.line], strict=True)
    return next((keys[0] for keys, place in places if place == 1), 0)
