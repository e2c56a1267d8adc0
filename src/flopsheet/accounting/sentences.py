"""Formulas with a sentence each, which is said of a model or not: checks and notes of architectures and types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Number


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences by formula; `certain` are the names that have a number in every model, others may be its fields."""

    sentences: Mapping[str, str]
    certain: Container[str]

    def find_broken(self, numbers: Mapping[str, Number], fields: Mapping[str, Number]) -> list[str]:
        """Return the sentences whose formula is 0, of those whose every name has a number.

        FormulaError where a formula gives none.
        """
        formulas, result = self._evaluate(numbers, fields)
        if result is None:
            values = {**fields, **numbers}
            return [sentence for check, sentence in formulas if not check.evaluate(values)]
        return [sentence for (_, sentence), number in zip(formulas, result, strict=True) if not number]

    def find_texts(self, numbers: Mapping[str, Number], fields: Mapping[str, Number]) -> list[str]:
        """Return the sentences whose formula is not 0, as one that is too large to hold is not."""
        formulas, result = self._evaluate(numbers, fields)
        if result is None:
            values = {**fields, **numbers}
            return [sentence for note, sentence in formulas if _is_more(note, values)]
        return [sentence for (_, sentence), number in zip(formulas, result, strict=True) if number]

    def _evaluate(
        self, numbers: Mapping[str, Number], fields: Mapping[str, Number]
    ) -> tuple[list[tuple[Formula, str]], Sequence[Number] | None]:
        """Return the formulas of which every name has a number, and what they give, if all of them give something."""
        missing = frozenset([at for at, names in self._uncertain if not all(map(fields.__contains__, names))])
        if missing not in self._steps:
            formulas = [pair for at, pair in enumerate(self._formulas) if at not in missing]
            self._steps[missing] = formulas, formula.Steps({str(at): text for at, (text, _) in enumerate(formulas)})
        formulas, steps = self._steps[missing]
        if not formulas:
            return formulas, ()
        return formulas, steps.together([numbers[n] if n in numbers else fields[n] for n in steps.given])

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
