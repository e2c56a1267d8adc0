"""What the checks of a plan find, in every row of every case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import plain
from flopsheet.planning.question import MODELS, OTHERS
from flopsheet.planning.verdicts import check_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Check
    from flopsheet.planning.verdicts import CheckResult, Failed


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
        elif (gap := run.table(check.table).gap) is not None and not gap.input:
            result[case] = 1, f"case {case}", gap.why
    return result


def why_unmade(plan: Plan, check: Check) -> str:
    """Return why a check cannot be made for want of an input, in some row of some case; nothing where it can."""
    gaps = (plan.run(case).missing(check) for case in plan.cases)
    return next((gap.why for gap in gaps if gap is not None), "")


def _name_row(plan: Plan, table: str, case: str, keys: Sequence[Number]) -> str:
    """Return what people call a row of a table in a case."""
    pairs = zip(plan.program.tables[table].keys, keys, strict=False)
    return ", ".join([f"case {case}", *(_label_key(plan, key, number) for key, number in pairs)])


def _label_key(plan: Plan, key: str, number: Number) -> str:
    return plan.costed[int(number)].name if key in (MODELS.key, OTHERS.key) else f"{key} {plain(number)}"
