"""What a report says of all its models together, gathered part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import asdict

from flopsheet.export.table import TOTALS, order_totals, totals_of
from flopsheet.export.text import clean, cut, one_line
from flopsheet.export.toml import used_dimensions
from flopsheet.planning.faults import Fault, faults_of, joined_faults
from flopsheet.planning.plan_checks import count_failed, why_unmade
from flopsheet.planning.question import MODELS
from flopsheet.planning.reasons import reasons_of
from flopsheet.planning.remarks import remarks
from flopsheet.planning.verdicts import CheckResult, check_result
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Check

MAX_CHARACTERS = 300
"""Characters shown of a name or a problem; the outputs have them in full."""
MAX_MODELS = 200
"""Models whose first problem is shown."""
STATUSES = ("ok", "approximate", "error")


class Summary(Struct):
    """What is to be known of some models; whole numbers and texts alone, so that it may be written as JSON.

    `complaints` are the first lines about models in error, and about approximate ones; `totals` the columns of a CSV;
    `used` the values of each dimension of the workload, at most two of each; `failed` says by check and case in how
    many rows it does not hold, what people call the first, and why it cannot be evaluated; `unmade` for want of which
    input a check is not made. `faults` say which questions are in error; `reasons` count models by what changes their
    numbers; `failures` say which plugins failed; `left_out`, which no part has, why an output is not written.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATUSES, 0))
    complaints: dict[str, list[str]] = field(default_factory=lambda: {"error": [], "approximate": []})
    totals: list[str] = field(default_factory=lambda: [*TOTALS])
    used: dict[str, list[Any]] = field(default_factory=dict)
    architectures: list[str] = field(default_factory=list)
    failed: dict[str, dict[str, tuple[int, str, str]]] = field(default_factory=dict)
    unmade: dict[str, str] = field(default_factory=dict)
    faults: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    left_out: dict[Path, str] = field(default_factory=dict)

    def add(self, more: Mapping[str, Any]) -> None:
        """Take in what the next part says."""
        for status, count in more["counts"].items():
            self.counts[status] += count
        for status, lines in more["complaints"].items():
            self.complaints[status] = [*self.complaints[status], *lines][:MAX_MODELS]
        self.totals = order_totals([*self.totals, *more["totals"]])
        for name in ("architectures", "remarks", "failures"):
            setattr(self, name, list(dict.fromkeys([*getattr(self, name), *more[name]])))
        for reason, count in more["reasons"].items():
            self.reasons[reason] = self.reasons.get(reason, 0) + count
        for name, values in more["used"].items():
            self.used[name] = _each([*self.used.get(name, ()), *values])
        for check, cases in more["failed"].items():
            mine = self.failed.setdefault(check, {})
            for case, (count, where, why) in cases.items():
                earlier, *first = mine.get(case, (0, where, why))
                mine[case] = earlier + count, *first
        self.unmade = {**more["unmade"], **self.unmade}
        self.faults = joined_faults([*self.faults, *more["faults"]])

    @property
    def models(self) -> int:
        """How many models there are."""
        return sum(self.counts.values())

    def list_models(self) -> list[str]:
        """Return the lines about models, those in error first, and how many more there are."""
        lines = [*self.complaints["error"], *self.complaints["approximate"]][:MAX_MODELS]
        more = self.counts["error"] + self.counts["approximate"] - len(lines)
        return [*lines, *([f"… and {number_of(more, 'more line')}"] if more else [])]

    def list_faults(self) -> list[Fault]:
        """Return the questions in error, each with its cause."""
        return [Fault(**fault) for fault in self.faults]

    def errors(self) -> list[str]:
        """Return a line for each question in error and its cause."""
        return [cut(clean(f"error: {fault.sentence}"), 2 * MAX_CHARACTERS) for fault in self.list_faults()]

    def count_statuses(self) -> str:
        """Return how many models there are of each status."""
        text = ", ".join(f"{self.counts[status]} {status}" for status in STATUSES)
        return f"{number_of(self.models, 'model')}: {text}"

    def checks(self, plan: Plan) -> list[CheckResult]:
        """Return every check of a plan: of models as it was gathered, of others as the plan has it."""
        return [self._check(plan, check) for _, check in plan.program.checks]

    def _check(self, plan: Plan, check: Check) -> CheckResult:
        if MODELS not in plan.program.tables[check.table].rows:
            return check_result(check, count_failed(plan, check), why_unmade(plan, check))
        counts = self.failed.get(check.name, {})
        failures = {case: counts[case] for case in plan.cases if case in counts}
        return check_result(check, failures, self.unmade.get(check.name, ""))


def summary_of(plan: Plan, failures: Iterable[str] = ()) -> dict[str, Any]:
    """Return what is to be known of the models of a plan."""
    of_models = [check for _, check in plan.program.checks if MODELS in plan.program.tables[check.table].rows]
    result = Summary(
        totals=totals_of(plan),
        used={name: _each(values) for name, values in used_dimensions(plan.costed).items()},
        architectures=sorted({model.model.architecture for model in plan.costed}),
        failed={check.name: dict(count_failed(plan, check)) for check in of_models},
        unmade={check.name: why for check in of_models if (why := why_unmade(plan, check))},
        faults=[asdict(fault) for fault in faults_of(plan)],
        remarks=remarks(plan) if plan.models else [],
        reasons=dict(reasons_of(plan.models)),
        failures=list(failures),
    )
    for model in plan.models:
        result.counts[model.status] += 1
        if model.problems:
            result.complaints[model.status].append(complaint(model))
    result.complaints = {status: lines[:MAX_MODELS] for status, lines in result.complaints.items()}
    return asdict(result)


def complaint(model: Costed) -> str:
    """Return the first problem of a model, and how many more there are."""
    more = len(model.problems) - 1
    name, problem = (cut(clean(text), MAX_CHARACTERS) for text in (model.name, one_line(model.problems[0])))
    return f"{model.status}: {name}: {problem}{f' (and {more} more)' if more else ''}"


def _each(values: Iterable[Any]) -> list[Any]:
    """Return the first two different values."""
    return list(dict.fromkeys(values))[:2]
