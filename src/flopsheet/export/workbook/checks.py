"""What the workbook verifies of itself, and its headline values as delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.binding.names import CASE_ORDER, COSTS_RISE
from flopsheet.export.workbook.assumptions import VALUE, of_cases
from flopsheet.export.workbook.cells import NEGLIGIBLE, cell_number
from flopsheet.export.workbook.check_rows import CheckRow, stated_check
from flopsheet.export.workbook.followers import rule_checks
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.model_columns import Batch
from flopsheet.export.workbook.models import EVERYTHING
from flopsheet.export.workbook.question_sheets import question_checks
from flopsheet.planning.inputs import either
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.verdicts import PASSED, WARNING
from livesheets import Formula, TableFill, Value
from livesheets.excel import add_all, arguments, call, cell, column, literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.export.workbook.question_sheets import QuestionSheet
    from flopsheet.planning.plan import Plan
    from livesheets import Book
    from livesheets.excel import Expression, Operand

MISSING_INPUTS = call("SUMPRODUCT", call("ISNA", column("drivers", VALUE)) * 1)
"""How many inputs have no value: an #N/A comes from them, any other error is a fault."""
UNMADE = "not checked"
"""The verdict of a check for which an input is missing."""
PASS = column("checks", "Pass")
FAILED, WARNED, UNCHECKED = (call("COUNTIF", PASS, result) for result in (0, -1, UNMADE))
HERE = Formula("chk_master")
"""What every sheet shows of the checks."""
LIVE = ("Parameters live", "Cost live (USD)")
"""What models have now: as delivered, until somebody edits the workbook."""

CASE = "in_scenario_label"
"""The cell with the name of the case that is chosen."""


def master(*, names_case: bool, has_gaps: bool) -> Formula:
    """Return the state of all checks, with the case that it is of where the workbook has its name.

    In a plan with gaps it also says how many were not made, for want of an input.
    """
    failure_text = "FAIL: " & FAILED & " of " & call("ROWS", PASS) & " checks"
    warning_text = "; " & WARNED & f" {WARNING}" & call("LEFT", "s", WARNED - 1)
    state = call("IF", FAILED == 0, PASSED, failure_text)
    if names_case:
        state = state & " in " & cell(CASE)
    state = state & call("IF", WARNED == 0, "", warning_text)
    if has_gaps:
        state = state & call("IF", UNCHECKED == 0, "", "; " & UNCHECKED & f" {UNMADE}")
    return Formula(state)


TABLE = "checks"
MOST_SPANS = 3
"""Tables that one check looks through: more would make its formula longer than people read."""


def checks_table(
    plan: Plan,
    architectures: Sequence[ArchitectureTable],
    numbers: Mapping[tuple[str, str], str],
    questions: Sequence[QuestionSheet],
) -> TableFill:
    """Return the table of checks: what is off, and whether that is nothing.

    `numbers` gives, for each column of models' numbers, the cells from its first one down to the end of the sheet.
    """
    results = [*_checks(plan, architectures), *_of_questions(plan, questions), *question_checks(plan, questions)]
    results += _of_cases(plan) + _under(numbers)
    rows = ([row.title, Formula(row.off), _reason(row), WARNING if row.warning else "check"] for row in results)
    names: dict[str, Operand | None] = {"missing_inputs": MISSING_INPUTS, "negligible": NEGLIGIBLE}
    names |= {"unmade": UNMADE, "warning": WARNING}
    return fill_list(TABLE, rows, names, where="gaps" if plan.has_gaps else "")


def _reason(row: CheckRow) -> Value | Formula:
    return row.why if row.more is None else Formula(literal(row.why) & row.more)


def not_passed(book: Book, result: int) -> Iterator[str]:
    """Say which checks fail, 0, or warn, -1; by how much they are off, and why that matters."""
    checks = book.tables[TABLE]
    for row in range(checks.count):
        title, off, verdict, why, _ = (checks.value(row, place) for place in range(len(checks.columns)))
        if verdict == result:
            text = f"could not be evaluated ({off})" if isinstance(off, str) else f"difference {off:.6g}"
            yield f"{title}: {text}. {why}"


def _of_cases(plan: Plan) -> list[CheckRow]:
    """Return a warning for each case but the one shown: how many checks fail or warn in it, as delivered."""
    results = [result for result in check_results(plan) if not result.holds]
    rows = []
    for case, title in plan.titles.items():
        unmet = [result.check.title for result in results if case in result.cases]
        unmet_text = f": {'; '.join(unmet)}" if unmet else ""
        names = {"title": literal(title)}
        rows += [stated_check("other_case", names, case=title, named=unmet_text)] if case != plan.scenario else []
    return rows


def _checks(plan: Plan, architectures: Sequence[ArchitectureTable]) -> list[CheckRow]:
    spans = [column("cases", plan.case_lines[0].name, plan.case_lines[-1].name), *([EVERYTHING] if plan.costed else [])]
    values = column("drivers", *of_cases(plan))
    general = [
        stated_check("scenario", {"case_values": values}, cases=either(tuple(plan.titles.values()))),
        stated_check("inputs_valid"),
        stated_check("case_order", {"costs_rise": COSTS_RISE}, case_order=CASE_ORDER),
        stated_check("sensitivity_live"),
        stated_check("ranges"),
        _no_errors(plan, spans, "in the budget or in Models"),
    ]
    return general + _of_models(architectures) if plan.costed else general


def _of_questions(plan: Plan, sheets: Sequence[QuestionSheet]) -> Iterator[CheckRow]:
    """Give for each sheet of a question the check that none of its tables holds an error."""
    for sheet in sheets:
        spans = [column(table.name, table.columns[0].header, table.columns[-1].header) for table in sheet.tables]
        parts = [spans[at : at + MOST_SPANS] for at in range(0, len(spans), MOST_SPANS)]
        for place, part in enumerate(parts, start=1):
            more = f", part {place}" if len(parts) > 1 else ""
            yield _no_errors(plan, part, f"on {sheet.sheet.name}{more}")


def _no_errors(plan: Plan, spans: Sequence[Expression], where: str) -> CheckRow:
    """Return the check of whether cells hold an error; in a plan with gaps how many do, missing inputs aside."""
    faults = add_all(map(_faults, spans)) if plan.has_gaps else 1
    return stated_check("no_errors", {"spans": arguments(*spans), "faults": faults}, where=where)


def _faults(cells: Expression) -> Expression:
    """Return how many cells hold an error that is not for want of an input."""
    return call("SUMPRODUCT", call("ISERROR", cells) - call("ISNA", cells) * (MISSING_INPUTS > 0))


def _of_models(architectures: Sequence[ArchitectureTable]) -> list[CheckRow]:
    everything = arguments(*(column(arch.table, "parameters") for arch in architectures))
    rows = add_all(call("COUNT", column(arch.table, "no")) for arch in architectures)
    return [
        stated_check("same_parameters", {"parameters": everything}),
        stated_check("workings_found"),
        stated_check("model_order"),
        stated_check("same_rows", {"rows": rows}),
        stated_check("bridge"),
        stated_check("bridge_training"),
        *(_reconciles(arch) for arch in architectures),
        *(row for arch in architectures for row in rule_checks(arch)),
    ]


def _reconciles(arch: ArchitectureTable) -> CheckRow:
    names = [e.line.name for e in arch.entries if e.section == "parameters" and e.role in ("line", "subtotal")]
    lines = column(arch.table, names[0], names[-1])
    spans = {"lines": lines, "parameters": column(arch.table, "parameters")}
    return stated_check("ledger", spans, table=arch.table)


def _under(numbers: Mapping[tuple[str, str], str]) -> list[CheckRow]:
    """Return the checks that find rows which a program let are under a table without making them its own."""
    return [
        stated_check("rows_below", {"below": cell(below), "numbers": column(table, header)}, table=table)
        for (table, header), below in numbers.items()
    ]


def delivered_table(plan: Plan) -> TableFill:
    """Return the headline values of each model as delivered, as constants, next to the live ones."""
    batch, where = Batch(plan), "gaps" if plan.has_gaps else ""
    columns: list[Sequence[Value]] = [batch.numbers, [model.name for model in plan.costed]]
    for name in ("parameters", "training_cost"):
        delivered = [*map(cell_number, batch.line(name))]
        columns += [delivered, [None] * len(delivered) if where else delivered]
    return fill_list("delivered", zip(*columns, strict=True), {"negligible": NEGLIGIBLE}, where=where, known=LIVE)
