"""What a plan's checks find: each passes, warns or fails, and one sentence says how many do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import plain
from flopsheet.planning.question import MODELS, OTHERS
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Check

PASSED, WARNING = "All checks pass", "warning"
"""What is said where no check fails, and the word for a check that does not hold and fails nothing."""
UNKNOWN = "unknown"
"""The state of a check that cannot be made, since an input is missing."""
SAID = {"fail": "FAIL", WARNING: "Warning", UNKNOWN: "Not checked"}
"""The word before a message, by the state of its check."""


class CheckResult(NamedTuple):
    """A check of the plan: whether it holds in every row of every case, in which not, and what to say there.

    One that is not made for want of an input fails nothing.
    """

    check: Check
    holds: bool
    message: str
    cases: tuple[str, ...] = ()
    made: bool = True

    @property
    def fails(self) -> bool:
        """Whether it fails the plan: a warning does not."""
        return not self.holds and self.made and not self.check.warning

    @property
    def state(self) -> str:
        """Whether it passes, warns, fails or cannot be made: "pass", "warning", "fail" or "unknown"."""
        return UNKNOWN if not self.made else "pass" if self.holds else "fail" if self.fails else WARNING


def checks_said(results: Sequence[CheckResult]) -> str:
    """Return the state of all checks as one sentence: how many fail, and apart from them how many warn."""
    states = [one.state for one in results]
    failed, warned, unmade = states.count("fail"), states.count(WARNING), states.count(UNKNOWN)
    said = f"FAIL: {failed} of {number_of(len(results), 'check')}" if failed else PASSED
    said += f"; {number_of(warned, WARNING)}" if warned else ""
    return f"{said}; {unmade} not checked" if unmade else said


Failed = Mapping[str, tuple[int, str, str]]
"""In how many rows of each case a check does not hold, what people call the first, and why it cannot be evaluated."""


def check_result(check: Check, failed: Failed, unmade: str = "") -> CheckResult:
    """Return whether a check holds, and what to say where it does not; `unmade` is why it cannot be made."""
    if not failed:
        message = f"{check.title}: {unmade}" if unmade else ""
        return CheckResult(check, holds=not unmade, message=message, made=not unmade)
    count, (_, where, why) = sum(one[0] for one in failed.values()), next(iter(failed.values()))
    more = f" and {count - 1} more" if count > 1 else ""
    if why:
        why = why.removeprefix(f"check {check.name} of {check.table}: ")
        message = f"{check.title}: could not be evaluated: {why} ({where}{more})"
        return CheckResult(check, holds=False, message=message, cases=tuple(failed))
    return CheckResult(check, holds=False, message=check.describe(str, f" ({where}{more})"), cases=tuple(failed))


def check_results(plan: Plan) -> list[CheckResult]:
    """Return every check of a plan's questions with whether it holds in all cases."""
    return [check_result(check, count_failed(plan, check), why_unmade(plan, check)) for _, check in plan.program.checks]


def count_failed(plan: Plan, check: Check) -> Failed:
    """Return in how many rows of each case a check does not hold, and what people call the first of them.

    One that cannot be evaluated does not hold; why is the third part.
    """
    result = {}
    for case in plan.cases:
        run = plan.run(case)
        if places := run.failures(check):
            where = _name_row(plan, check.table, case, run.table(check.table).keys[places[0]])
            lacking = no_number(run.evaluate_check(check)[places[0]])
            result[case] = len(places), where, "" if lacking is None else lacking.why
        elif (lost := run.table(check.table).lost) is not None and not lost.input:
            result[case] = 1, f"case {case}", lost.why
    return result


def why_unmade(plan: Plan, check: Check) -> str:
    """Return why a check cannot be made for want of an input, in some row of some case; nothing where it can."""
    lacking = (plan.run(case).missing(check) for case in plan.cases)
    return next((one.why for one in lacking if one is not None), "")


def _name_row(plan: Plan, table: str, case: str, keys: Sequence[Number]) -> str:
    """Return what people call a row of a table in a case."""
    named = zip(plan.program.tables[table].keys, keys, strict=False)
    return ", ".join([f"case {case}", *(_label_key(plan, key, number) for key, number in named)])


def _label_key(plan: Plan, key: str, number: Number) -> str:
    return plan.costed[int(number)].name if key in (MODELS.key, OTHERS.key) else f"{key} {plain(number)}"
