"""The shipped templates: what each one asks, what its cover is about, and what it leaves out."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.data import read_table
from flopsheet.errors import UsageError
from flopsheet.export.files import WORKBOOKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.planning.plan import Plan

DEFAULT = "plan"
"""The template that a report fills unless it is given another one."""


class Shipped(Struct, frozen=True):
    """A shipped template: one without questions asks what the portfolio asks."""

    name: str
    about: str
    questions: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    lead: str = ""
    without: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    def asks(self, questions: Sequence[str]) -> list[str]:
        """Return the questions of its workbook, where the portfolio asks these."""
        return [*self.questions, *(name for name in questions if name in self.also)] if self.questions else [*questions]


@cache
def shipped_templates() -> Mapping[str, Shipped]:
    """Return the shipped templates by name."""
    tables = read_table("flopsheet.export", "shipped.toml")
    return {name: Shipped(name, **_with_tuples(fields)) for name, fields in tables.items()}


def _with_tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


def hidden_by(lead: str) -> tuple[str, ...]:
    """Return the sheets of every plan that are hidden where the cover is about a question, which they are not."""
    return next((template.hidden for template in shipped_templates().values() if lead and template.lead == lead), ())


def workbook_templates(outputs: Sequence[Path], templates: Sequence[str]) -> dict[Path, str]:
    """Return the template of each workbook that is written.

    One template is for every workbook; several are for as many workbooks, or for one, whose name then has theirs at its
    end. UsageError where their numbers do not fit.
    """
    books = [output for output in outputs if output.suffix.lower() in WORKBOOKS]
    if len(templates) == 1 or not books:
        return dict.fromkeys(books, templates[0])
    if len(books) == 1:
        (book,) = books
        books = [book.with_name(f"{book.stem}-{Path(template).stem}{book.suffix}") for template in templates]
    if len(books) != len(templates) or len({*books}) != len(books):
        raise UsageError(f"{len(templates)} templates, {len(books)} workbooks: -o once, or once per template")
    return dict(zip(books, templates, strict=True))


def plan_for(template: str, plan: Plan, make: Callable[[Sequence[str]], Plan]) -> Plan:
    """Return the plan that a template shows: one of the template's own questions is made, others are as they are."""
    plan_questions = [question.name for question in plan.program.questions]
    record = shipped_templates().get(template)
    questions = record.asks(plan_questions) if record else plan_questions
    result = plan if questions == plan_questions else make(questions)
    lead = record.lead or _alone(record, result) if record else ""
    return replace(result, lead=lead) if lead else result


def _alone(record: Shipped, plan: Plan) -> str:
    """Return the question that is asked alone, where some template has a cover about it: nothing is trained then."""
    leads = {template.lead for template in shipped_templates().values()}
    return plan.asked[0] if not record.questions and len(plan.asked) == 1 and plan.asked[0] in leads else ""


def replaced_by(template: str, own: Plan, made: Plan) -> str:
    """Say which further questions of a template work out lines of the portfolio's own in another way, "" for none."""
    questions = {question.name for question in own.program.questions}
    further = [question for question in made.program.questions if question.name not in questions]
    names = [question.name for question in further if any(table.replaces for table in question.tables)]
    if not names:
        return ""
    return (
        f"template {template} also asks {', '.join(names)}, so its answers may differ from those of 'flopsheet plan';"
        f" add {', '.join(names)} to questions = [...] in the portfolio for the same answers in both"
    )
