"""What a plan's checks find: each passes, warns or fails, and one sentence says how many do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.question import Check

PASSED, WARNING = "All checks pass", "warning"
"""What is said where no check fails, and the word for a check that does not hold and fails nothing."""
SAID = {"fail": "FAIL", WARNING: "Warning"}
"""The word before a message, by the state of its check."""


class CheckResult(NamedTuple):
    """A check of the plan: whether it holds in every row of every case, in which not, and what to say there."""

    check: Check
    holds: bool
    message: str
    cases: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether it fails the plan: a warning does not."""
        return not self.holds and not self.check.warning

    @property
    def state(self) -> str:
        """Whether it passes, warns or fails: "pass", "warning" or "fail"."""
        return "pass" if self.holds else "fail" if self.fails else WARNING


def checks_said(results: Sequence[CheckResult]) -> str:
    """Return the state of all checks as one sentence: how many fail, and apart from them how many warn."""
    states = [one.state for one in results]
    failed, warned = states.count("fail"), states.count(WARNING)
    said = f"FAIL: {failed} of {number_of(len(results), 'check')}" if failed else PASSED
    return f"{said}; {number_of(warned, WARNING)}" if warned else said


Failed = Mapping[str, tuple[int, str]]
"""In how many rows of each case a check does not hold, and what people call the first of them."""


def check_result(check: Check, failed: Failed) -> CheckResult:
    """Return whether a check holds, and what to say where it does not."""
    if not failed:
        return CheckResult(check, holds=True, message="")
    count, where = sum(rows for rows, _ in failed.values()), next(iter(failed.values()))[1]
    more = f" and {count - 1} more" if count > 1 else ""
    return CheckResult(check, holds=False, message=check.said(str, f" ({where}{more})"), cases=tuple(failed))
