"""Formulas with a sentence each, which is said of a model or not: checks and notes of architectures and types."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Number

    Evaluate = Callable[[Formula, Mapping[str, Number]], Number]


class Sentences(Struct, frozen=True, eq=False, dict=True):
    """Sentences by formula; `certain` are the names that have a number in every model, others may be its fields."""

    sentences: Mapping[str, str]
    certain: Container[str]

    def find_broken(self, numbers: Mapping[str, Number], fields: Mapping[str, Number]) -> list[str]:
        """Return the sentences whose formula is 0, of those whose every name has a number.

        FormulaError where a formula gives none.
        """
        return [text for text, number in self._evaluate(numbers, fields, formula.Formula.evaluate) if not number]

    def find_texts(self, numbers: Mapping[str, Number], fields: Mapping[str, Number]) -> list[str]:
        """Return the sentences whose formula is not 0, as one that is too large to hold is not."""
        return [text for text, number in self._evaluate(numbers, fields, _is_more) if number]

    def _evaluate(
        self, numbers: Mapping[str, Number], fields: Mapping[str, Number], alone: Evaluate
    ) -> list[tuple[str, Number]]:
        """Return each sentence of whose formula every name has a number, and what that gives.

        Where some formula gives nothing that a cell can hold, `alone` evaluates each.
        """
        missing = frozenset([at for at, names in self._uncertain if not all(map(fields.__contains__, names))])
        if missing not in self._steps:
            formulas = [pair for at, pair in enumerate(self._formulas) if at not in missing]
            self._steps[missing] = formulas, formula.Steps({str(at): text for at, (text, _) in enumerate(formulas)})
        formulas, steps = self._steps[missing]
        values = {name: numbers[name] if name in numbers else fields[name] for name in steps.given}
        results = steps.together([*values.values()]) if formulas else ()
        if results is None:
            results = [alone(text, values) for text, _ in formulas]
        return [(sentence, number) for (_, sentence), number in zip(formulas, results, strict=True)]

    @cached_property
    def _formulas(self) -> list[tuple[Formula, str]]:
        return [(formula.read(text), sentence) for text, sentence in self.sentences.items()]

    @cached_property
    def _uncertain(self) -> list[tuple[int, list[str]]]:
        """The place of each formula with names that only some models have, and these names."""
        unknown = [[name for name in text.names if name not in self.certain] for text, _ in self._formulas]
        return [(at, names) for at, names in enumerate(unknown) if names]

    @cached_property
    def _steps(self) -> dict[frozenset[int], tuple[list[tuple[Formula, str]], formula.Steps]]:
        return {}


def _is_more(note: Formula, values: Mapping[str, Number]) -> bool:
    """Return whether a note's formula is not 0; a number too large to hold is not."""
    try:
        return bool(note.evaluate(values))
    except FormulaError:
        return True
