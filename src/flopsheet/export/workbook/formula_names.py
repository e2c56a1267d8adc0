"""What names of the planning language are called in the workbook: inputs, keys, lines, links and flags of choices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.layout.shipped_lists import shipped_lists
from flopsheet.planning.compiled.references import Flag, Given, Key, Own
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, flags
from livesheets.excel import call, cell, column, here

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from flopsheet.accounting.line import Line
    from flopsheet.export.workbook.excel_form import Refer
    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Check, Rows, Table
    from livesheets.excel import Expression, Operand

LIVE_ROW = call("MATCH", "Live", column(CASES_TABLE, "case"), 0)
"""The row of the table of cases in which the chosen case stands; figures of other tables are of that case."""
VERBS = (" are", " covers")
"""How titles of choices end that make a sentence with the word that is chosen."""
KEYS = column(MODELS_TABLE, "No")
"""The numbers of the costed models."""
NUMBER, NAME = "no", "name"
"""The columns of a table over models that hold the model's number and its name."""
_LIKE_A_CELL = re.compile(r"(?i)[a-z]{1,3}[0-9]+|r[0-9]*c[0-9]*|[rc]")


def table_name(name: str) -> str:
    """Return the name of a question's table in the workbook: its own, where Excel and the shipped sheets leave it."""
    if name in (CASES_TABLE, MODELS_TABLE):
        return name
    return f"{name}_table" if name in shipped_lists() or _LIKE_A_CELL.fullmatch(name) else name


def look_up(table: str, header: str, key_header: str, key: Operand) -> Expression:
    """Return what a column of a table holds in the first row that has a key in another column."""
    return call("INDEX", column(table, header), call("MATCH", key, column(table, key_header), 0))


def input_cell(name: str) -> Expression:
    """Return the cell that holds an input's live value."""
    return cell(f"in_{name}")


def key_header(table: Table, rows: Rows) -> str:
    """Return the header of the column that tells rows apart."""
    if rows == MODELS:
        return "No" if table.name == MODELS_TABLE else NUMBER
    return rows.key


def used_header(name: str) -> str:
    """Return the header of the column with an input that some model states for itself, as each row uses it."""
    return f"used_{name}"


def own_header(name: str) -> str:
    """Return the header of the column with what models state for themselves of an input."""
    return f"own_{name}"


def refer(program: Program, table: Table, own_inputs: Collection[str] = ()) -> Refer:
    """Return how the formulas of a table's row say a name.

    `own_inputs` are inputs that some model states for itself; a table over models has a column for each. In the table
    of cases every input has a column.
    """
    name = table_name(table.name)

    def word_of(ref: Ref, word: str) -> Expression:
        match ref:
            case Flag(of=choice, place=place):
                return flag_formula(program, choice.name, place, word_of(choice, choice.name))
            case Key() if word == MODELS.key:
                return call("MATCH", here(name, key_header(table, MODELS)), KEYS, 0) - 1
            case Own(otherwise=Given()):
                return here(name, used_header(word)) if word in own_inputs else input_cell(word)
            case Given() if table.name != CASES_TABLE:
                return input_cell(word)
        return here(name, word)

    return lambda word: word_of(program.ref(table.name, word), word)


def names_read(program: Program, texts: Iterable[str]) -> set[str]:
    """Return the names in some formulas, and the choices whose flags are among them."""
    names = {name for text in texts for name in formula.read(text).names}
    return names | chosen_by(program, names)


def with_readers(lines: Iterable[Line], names: Iterable[str]) -> set[str]:
    """Return names, and the lines that read one of them, directly or through lines before them."""
    result = {*names}
    for line in lines:
        if result & {*formula.read(line.formula).names}:
            result.add(line.name)
    return result


def chosen_by(program: Program, names: Iterable[str]) -> set[str]:
    """Return the choices whose flags are among some names."""
    return {program.choices[name][0] for name in names if name in program.choices}


def flag_formula(program: Program, choice: str, place: int, choice_cell: Expression) -> Expression:
    """Return the flag of a label as a formula of the cell that holds the choice: one 1 in a list of zeros."""
    return call("CHOOSE", choice_cell, *(int(at == place) for at, _ in enumerate(program.inputs[choice].labels, 1)))


def checks_of(program: Program, table: str) -> list[Check]:
    """Return the checks of a table."""
    return [check for _, check in program.checks if check.table == table]


def titles(program: Program, table: Table) -> dict[str, str]:
    """Return what people call the names in a table's formulas."""
    return {
        **{definition.name: definition.title for definition in program.inputs.values()},
        **{
            flag: f"{definition.title}{'' if definition.title.endswith(VERBS) else ' is'} {label}"
            for definition in program.inputs.values()
            for label, flag in zip(definition.labels, flags(definition), strict=True)
        },
        **{rows.key: rows.title or rows.key for rows in table.rows},
        **{link.name: link.title or link.name.replace("_", " ") for link in table.links},
        **{line.name: line.label for line in table.lines},
    }
