"""What `question.toml` says of a bundled question: what people ask, when a plan asks it, its figures and checks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import NOTHING
from flopsheet.accounting.tables import package_table
from flopsheet.host.typed_records import check_known
from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import Check, Figure, Heeded, Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Input
    from flopsheet.planning.question import Table

PACKAGE = "flopsheet.planning.questions.{}"
"""The package of a bundled question."""
KINDS = {"figures": Figure, "checks": Check, "heeds": Heeded}
"""What the rows of a list in the file are."""
WORDS, NAMES = ("title", "about", "optional"), ("asked_by", "needs")
"""What else it says: of the question itself, and of others by their names."""


def question_from(
    package: str, tables: tuple[Table, ...], formulas: Mapping[str, str] = NOTHING, **fields: Any
) -> Question:
    """Return the question of a package: what its files say, with its tables; `fields` win over the files.

    `formulas` are those of checks that code puts together, as lines have them: the file states none for these.
    """
    head = question_head(package.rpartition(".")[2])
    check_known(formulas, [check.name for check in head.checks], f"checks of {package}")
    checks = tuple(check._replace(formula=formulas.get(check.name, check.formula)) for check in head.checks)
    return replace(head, **{"tables": tables, "checks": checks, "sheet": sheet_from(package), **fields})


@cache
def question_head(name: str) -> Question:
    """Return a bundled question without its tables and its sheet: nothing of its code is imported for that."""
    package = PACKAGE.format(name)
    table = package_table(package, "question.toml")
    check_known(table, (*WORDS, *NAMES, *KINDS, "shared"), f"{package}/question.toml")
    plain = {key: table[key] for key in WORDS if key in table}
    names: dict[str, Any] = {key: tuple(table.get(key, ())) for key in NAMES}
    lists: dict[str, Any] = {key: _records(kind, table.get(key, ())) for key, kind in KINDS.items()}
    inputs = (*inputs_from(package), *_inputs_of_others(table.get("shared", {})))
    return Question(name=name, inputs=inputs, **plain, **names, **lists)


def _records(kind: type[Any], rows: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    defaults = {"formula": ""} if kind is Check else {}
    return tuple(kind(**{**defaults, **row}) for row in rows)


def _inputs_of_others(names_by_question: Mapping[str, Sequence[str]]) -> Iterator[Input]:
    """Give inputs of other questions, by question, in the order of their files."""
    for question, names in names_by_question.items():
        yield from (item for item in inputs_from(PACKAGE.format(question)) if item.name in names)
