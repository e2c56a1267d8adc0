"""What a plan's checks find: each passes, warns or fails, and one sentence says how many do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.question import Check

PASSED, WARNING = "All checks pass", "warning"
"""What is said where no check fails, and the word for a check that does not hold and fails nothing."""
UNKNOWN = "unknown"
"""The state of a check that cannot be made, since an input is missing."""
SAID = {"fail": "FAIL", WARNING: "Warning", UNKNOWN: "Not checked"}
"""The word before a message, by the state of its check."""


class CheckResult(Struct, frozen=True):
    """A check of the plan: whether it holds in every row of every case, in which not, and what to say there.

    One that is not made for want of an input fails nothing.
    """

    check: Check
    holds: bool
    message: str
    cases: tuple[str, ...] = ()
    is_made: bool = True

    @property
    def fails(self) -> bool:
        """Whether it fails the plan: a warning does not."""
        return not self.holds and self.is_made and not self.check.warning

    @property
    def state(self) -> str:
        """Whether it passes, warns, fails or cannot be made: "pass", "warning", "fail" or "unknown"."""
        return UNKNOWN if not self.is_made else "pass" if self.holds else "fail" if self.fails else WARNING


def checks_said(results: Sequence[CheckResult]) -> str:
    """Return the state of all checks as one sentence: how many fail, and apart from them how many warn."""
    states = [result.state for result in results]
    failures, warnings, unmade = states.count("fail"), states.count(WARNING), states.count(UNKNOWN)
    text = f"FAIL: {failures} of {number_of(len(results), 'check')}" if failures else PASSED
    text += f"; {number_of(warnings, WARNING)}" if warnings else ""
    return f"{text}; {unmade} not checked" if unmade else text


Failed = Mapping[str, tuple[int, str, str]]
"""In how many rows of each case a check does not hold, what people call the first, and why it cannot be evaluated."""


def check_result(check: Check, failures: Failed, unmade: str = "") -> CheckResult:
    """Return whether a check holds, and what to say where it does not; `unmade` is why it cannot be made."""
    if not failures:
        message = f"{check.title}: {unmade}" if unmade else ""
        return CheckResult(check, holds=not unmade, message=message, is_made=not unmade)
    count, (_, where, why) = sum(case[0] for case in failures.values()), next(iter(failures.values()))
    more = f" and {count - 1} more" if count > 1 else ""
    if why:
        why = why.removeprefix(f"check {check.name} of {check.table}: ")
        message = f"{check.title}: could not be evaluated: {why} ({where}{more})"
        return CheckResult(check, holds=False, message=message, cases=tuple(failures))
    return CheckResult(check, holds=False, message=check.describe(str, f" ({where}{more})"), cases=tuple(failures))
