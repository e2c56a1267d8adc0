"""What of a plan has no number because something failed: the question in error, whose it is, where, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from flopsheet.planning.question import Question
from flopsheet.planning.question_set import CHECK
from flopsheet.planning.registry import left_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program

LINE = ", line "
"""What is before the number of a line of a file."""
MOST = 300
"""Characters of a reason that are shown: a formula may be long."""


class Fault(Struct, frozen=True):
    """A line, check or row source of a question that gives no number: why, in which row first, and in how many.

    `plugin` is who brought the question, "" for flopsheet itself, and `place` where its files say it, if that is known.
    """

    question: str
    plugin: str
    place: str
    name: str
    why: str
    where: str
    rows: int

    @property
    def sentence(self) -> str:
        """The fault in one sentence."""
        whose = f" of plugin {self.plugin}" if self.plugin else ""
        more = f", and {self.rows - 1:,} more" if self.rows > 1 else ""
        where = f" ({self.where}{more})" if self.where else ""
        return f"question {self.question}{whose} is in error: {self.name}: {self.why}{where}{self.place}"


def faults_of(plan: Plan) -> list[Fault]:
    """Return every cause for which something that is asked has no number, each once for all cases and rows."""
    results = [*_left_out(plan), *(_fault(plan, *cause) for cause in _causes(plan))]
    return [Fault(**each) for each in joined_faults(asdict(fault) for fault in results)]


def _left_out(plan: Plan) -> Iterator[Fault]:
    """Give the questions that are asked and that do not fit, as their plugin declares them."""
    refusals = left_out(plan.host)
    for name in (name for name in plan.asked if name in refusals):
        why = " ".join(refusals[name].why.removeprefix(f"question {name}: ").split())
        yield Fault(name, str(refusals[name].plugin), "", "as it is declared", why, "", 1)


def joined_faults(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return faults, those of one name as one with all their rows."""
    result: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        fault = result.setdefault((row["question"], row["name"]), {**row, "rows": 0})
        fault["rows"] += row["rows"]
    return list(result.values())


def _causes(plan: Plan) -> Iterator[tuple[str, str, str, str, int]]:
    """Give table, name, reason and rows of each cause."""
    for key, why in plan.failed_searches.items():
        table = next(name for name, entry in plan.program.tables.items() if key in entry.keys)
        yield table, key, why, "", 1
    for case, run in zip(plan.cases, plan.every_run, strict=True):
        for gap in run.gaps.values():
            yield gap.table, gap.name, gap.why, _row(plan, gap.table, case, gap.keys), gap.rows


def _row(plan: Plan, table: str, case: str, keys: Iterable[Any]) -> str:
    pairs = zip(plan.program.tables[table].rows, keys, strict=False)
    labels = (f"{rows.title.lower() or rows.key} {plan.label(rows, key)}" for rows, key in pairs)
    return ", ".join([f"case {case}", *labels])


def _fault(plan: Plan, table: str, name: str, why: str, where: str, rows: int) -> Fault:
    question, label, of = _whose(plan.program, table, name)
    plugin, place = _plugin(plan, question, of)
    reason = " ".join(why.split())
    place = "" if LINE in reason else place  # which a search that raises says itself
    return Fault(question, plugin, place, label, reason if len(reason) <= MOST else f"{reason[:MOST]}…", where, rows)


def _whose(program: Program, table: str, name: str) -> tuple[str, str, str]:
    """Return whose a check, line or row source is, what people call it, and its name in the question's files."""
    for question, check in program.checks:
        if CHECK.format(check.name) == name:
            return question.name, f"check {check.name} of {table}", check.name
    own = [(question, entry) for question in program.questions for entry in question.tables if entry.name == table]
    for question, entry in reversed(own):
        if name in {line.name for line in entry.lines}:
            return question.name, f"line {name} of {table}", name
    return own[0][0].name, f"{name} of {table}", name


def _plugin(plan: Plan, question: str, of: str) -> tuple[str, str]:
    """Return the plugin that brought a question, and where its files say a name of it; nothing of flopsheet's own."""
    hook = "flopsheet_questions"
    for plugin, items in plan.host.ask_all(hook, Question):
        if question in {item.name for item in items}:
            return str(plugin), plan.host.place(plugin, hook, of)
    return "", ""
