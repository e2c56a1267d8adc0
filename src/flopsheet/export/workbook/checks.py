"""What the workbook verifies of itself, and its headline values as delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.binding.names import CASE_ORDER, COSTS_RISE
from flopsheet.export.workbook.assumptions import MOVES, SCENARIO, VALID, VALUE, of_cases
from flopsheet.export.workbook.bridge import PARAMETERS, STEPS, TRAINING
from flopsheet.export.workbook.cases import UNMET
from flopsheet.export.workbook.cells import NEGLIGIBLE, cell_number
from flopsheet.export.workbook.followers import rule_checks
from flopsheet.export.workbook.formula_names import KEYS
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.model_columns import Batch, in_case
from flopsheet.export.workbook.models import EVERYTHING
from flopsheet.export.workbook.question_sheets import CheckRow, question_checks
from flopsheet.planning.inputs import CASES, TITLES, either
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.verdicts import PASSED, WARNING
from livesheets import Formula, TableFill, Value
from livesheets.excel import add_all, call, cell, column, literal

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

CASE = "in_scenario_label"
"""The cell with the name of the case that is chosen."""


def master(*, names_case: bool, has_gaps: bool) -> Formula:
    """Return the state of all checks, with the case that it is of where the workbook has its name.

    In a plan with gaps it also says how many were not made, for want of an input.
    """
    failed = "FAIL: " & FAILED & " of " & call("ROWS", PASS) & " checks"
    warned = "; " & WARNED & f" {WARNING}" & call("LEFT", "s", WARNED - 1)
    state = call("IF", FAILED == 0, PASSED, failed)
    if names_case:
        state = state & " in " & cell(CASE)
    state = state & call("IF", WARNED == 0, "", warned)
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
    rows = ([one.title, Formula(one.off), _reason(one), WARNING if one.warning else "check"] for one in results)
    names = {"missing_inputs": MISSING_INPUTS, "negligible": NEGLIGIBLE}
    return fill_list(TABLE, rows, names, where="gaps" if plan.has_gaps else "")


def _reason(row: CheckRow) -> Value | Formula:
    return row.why if row.more is None else Formula(literal(row.why) & row.more)


def not_passed(book: Book, result: int) -> Iterator[str]:
    """Say which checks fail, 0, or warn, -1; by how much they are off, and why that matters."""
    checks = book.tables[TABLE]
    for row in range(checks.count):
        title, off, passed, why, _ = (checks.value(row, place) for place in range(len(checks.columns)))
        if passed == result:
            text = f"could not be evaluated ({off})" if isinstance(off, str) else f"difference {off:.6g}"
            yield f"{title}: {text}. {why}"


def _of_cases(plan: Plan) -> list[CheckRow]:
    """Return a warning for each case but the one shown: how many checks fail or warn in it, as delivered."""
    results = [one for one in check_results(plan) if not one.holds]
    result = []
    for case, title in plan.titles.items():
        unmet = [one.check.title for one in results if case in one.cases]
        named = f": {'; '.join(unmet)}" if unmet else ""
        off = call("SUMPRODUCT", (column("cases", "case") == title) * column("cases", UNMET))
        row = CheckRow(
            f"{title}: checks that fail or warn, as delivered",
            off,
            f"Choose {title} on About to see them{named}",
            warning=True,
        )
        result += [row] if case != plan.scenario else []
    return result


def _checks(plan: Plan, architectures: Sequence[ArchitectureTable]) -> list[CheckRow]:
    scenario, cases = SCENARIO, call("COLUMNS", column("drivers", *of_cases(plan)))
    general: list[CheckRow] = [
        CheckRow(
            f"The scenario is {either(tuple(plan.titles.values()))}",
            call("IF", call("AND", scenario >= 1, scenario <= cases), 0, 1),
            "Every live number follows the scenario that is chosen on About",
        ),
        CheckRow(
            "Every input is a number within its bounds, or one of its words",
            call("SUMPRODUCT", (column("drivers", VALID) != 1) * 1),
            f"A cell of Assumptions is blank, text, or out of bounds: its row has 0 in the column {VALID}",
        ),
        CheckRow(
            CASE_ORDER,
            call("IF", COSTS_RISE, 0, 1),
            "Otherwise the cost range on About is reversed",
        ),
    ]
    general.append(
        CheckRow(
            "Sensitivity starts from the live result",
            cell("out_sensitivity_base") - cell("out_sensitivity"),
            "Changes on Sensitivity are measured from the chosen scenario",
        )
    )
    general.append(
        CheckRow(
            "Sensitivity has every input with a range that moves a result",
            _ranges("drivers", column("drivers", MOVES)) - _ranges("sensitivity", 1),
            "The range of another input was typed later: choose it in the grid of Sensitivity, or report again",
            warning=True,
        )
    )
    results = [
        column("cases", plan.case_lines[0].name, plan.case_lines[-1].name),
        *([EVERYTHING] if plan.costed else []),
    ]
    general.append(
        CheckRow(
            "No error values in the budget or in Models",
            _errors(plan, results),
            "An error in one cell spreads to every total that reads it",
        )
    )
    return general + _of_models(architectures) if plan.costed else general


def _ranges(table: str, counted: Operand) -> Expression:
    """Return how many inputs of a table have a range, of those that are counted."""
    return call("SUMPRODUCT", (column(table, TITLES["low"]) != column(table, TITLES["high"])) * counted)


def _of_questions(plan: Plan, sheets: Sequence[QuestionSheet]) -> Iterator[CheckRow]:
    """Give for each sheet of a question the check that none of its tables holds an error."""
    for sheet in sheets:
        spans = [column(one.name, one.columns[0].header, one.columns[-1].header) for one in sheet.tables]
        parts = [spans[at : at + MOST_SPANS] for at in range(0, len(spans), MOST_SPANS)]
        for place, part in enumerate(parts, start=1):
            yield CheckRow(
                f"No error values on {sheet.sheet.name}{f', part {place}' if len(parts) > 1 else ''}",
                _errors(plan, part),
                "An error in one cell spreads to every total that reads it",
            )


def _errors(plan: Plan, spans: Sequence[Expression]) -> Expression:
    """Return the formula of whether cells hold an error; in a plan with gaps how many do, missing inputs aside."""
    result = add_all(map(_faults, spans)) if plan.has_gaps else 1
    return call("IF", call("ISERROR", call("SUM", *spans)), result, 0)


def _faults(cells: Expression) -> Expression:
    """Return how many cells hold an error that is not for want of an input."""
    return call("SUMPRODUCT", call("ISERROR", cells) - call("ISNA", cells) * (MISSING_INPUTS > 0))


def _of_models(architectures: Sequence[ArchitectureTable]) -> list[CheckRow]:
    everything = call("SUM", *(column(arch.table, "parameters") for arch in architectures))
    rows = add_all(call("COUNT", column(arch.table, "no")) for arch in architectures)
    low, base, high = (column("models", in_case("training_cost", case)) for case in CASES)
    parameters = column("models", "parameters")
    tied = [
        CheckRow(
            f"Table {arch.table}: line items and subtotals reconcile to the total",
            call("SUM", _span(arch)) / call("SUM", column(arch.table, "parameters")) / 2 - 1,
            "Every parameter is in one line item and in one subtotal",
        )
        for arch in architectures
    ]
    return [
        CheckRow(
            "Models and workings have the same parameters",
            call("SUM", parameters) / everything - 1,
            "Each row of one has a matching row in the other",
        ),
        CheckRow(
            "Every row of Models finds its workings",
            call("SUMPRODUCT", (KEYS != "") * (parameters == 0)),
            "Every row of Models needs a row with the same number in the workings",
        ),
        CheckRow(
            f"Every model is cheapest in {TITLES['low']} and most expensive in {TITLES['high']}",
            call("SUMPRODUCT", (low > base) + (base > high)),
            "Otherwise the model's cost range is reversed, even if the cluster's is not",
        ),
        CheckRow(
            "Models and workings have the same number of rows",
            call("COUNT", KEYS) - rows,
            "A number that is used twice would be counted twice",
        ),
        *(_bridge_check(table, exact) for table, exact in BRIDGES.items()),
        *tied,
        *(row for arch in architectures for row in rule_checks(arch)),
    ]


def _under(numbers: Mapping[tuple[str, str], str]) -> list[CheckRow]:
    """Return the checks that find rows which a program let are under a table without making them its own."""
    why = "Rows below the table are ignored. Insert the row above the last one"
    return [
        CheckRow(
            f"Table {table}: no row is below it", call("COUNT", cell(below)) - call("COUNT", column(table, header)), why
        )
        for (table, header), below in numbers.items()
    ]


BRIDGES = {PARAMETERS: "parameters", TRAINING: "training_flops"}
"""The exact number on Models to which the steps of each bridge add up."""
BRIDGED = {"parameters": "parameters", "training_flops": "training compute"}


def _bridge_check(table: str, exact: str) -> CheckRow:
    row = cell("out_bridge_row")
    steps = call("SUMIFS", column(table, "Amount"), column(table, "Kind"), "<>exact")
    off = steps / call("INDEX", column("models", exact), row) - 1
    if table == PARAMETERS:
        shown, places = call("MAX", column(STEPS, "Shown")), call("MAX", column(table, "Place"))
        off = off + call("MAX", 0, shown - places)
    return CheckRow(
        f"Bridge: the steps add up to the {BRIDGED[exact]}",
        call("IF", row == 0, 0, off),
        "No step is missing between the rule of thumb and the exact number",
    )


def _span(arch: ArchitectureTable) -> Expression:
    """Return the columns from the first line of parameters to the last group."""
    names = [e.line.name for e in arch.entries if e.section == "parameters" and e.role in ("line", "subtotal")]
    return column(arch.table, names[0], names[-1])


def delivered_table(plan: Plan) -> TableFill:
    """Return the headline values of each model as delivered, as constants, next to the live ones."""
    where = "gaps" if plan.has_gaps else ""
    return fill_list("delivered", _list_delivered(plan), {"negligible": NEGLIGIBLE}, where=where)


def _list_delivered(plan: Plan) -> Iterator[list[Value]]:
    batch = Batch(plan)
    columns = batch.numbers, batch.models, batch.line("parameters"), batch.line("training_cost")
    for number, model, parameters, cost in zip(*columns, strict=True):
        yield [number, model.name, cell_number(parameters), cell_number(cost)]
