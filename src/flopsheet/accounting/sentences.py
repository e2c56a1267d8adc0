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
        known, result = self._evaluate(numbers, fields)
        if result is None:
            named = {**fields, **numbers}
            return [sentence for one, sentence in known if not one.evaluate(named)]
        return [sentence for (_, sentence), number in zip(known, result, strict=True) if not number]

    def find_texts(self, numbers: Mapping[str, Number], fields: Mapping[str, Number]) -> list[str]:
        """Return the sentences whose formula is not 0, as one that is too large to hold is not."""
        known, result = self._evaluate(numbers, fields)
        if result is None:
            named = {**fields, **numbers}
            return [sentence for one, sentence in known if _is_more(one, named)]
        return [sentence for (_, sentence), number in zip(known, result, strict=True) if number]

    def _evaluate(
        self, numbers: Mapping[str, Number], fields: Mapping[str, Number]
    ) -> tuple[list[tuple[Formula, str]], Sequence[Number] | None]:
        """Return the formulas of which every name has a number, and what they give, if all of them give something."""
        missing = frozenset([at for at, names in self._uncertain if not all(map(fields.__contains__, names))])
        if missing not in self._steps:
            known = [one for at, one in enumerate(self._parsed) if at not in missing]
            self._steps[missing] = known, formula.Steps({str(at): one for at, (one, _) in enumerate(known)})
        known, steps = self._steps[missing]
        if not known:
            return known, ()
        return known, steps.together([numbers[n] if n in numbers else fields[n] for n in steps.given])

    @cached_property
    def _parsed(self) -> list[tuple[Formula, str]]:
        return [(formula.read(text), sentence) for text, sentence in self.sentences.items()]

    @cached_property
    def _uncertain(self) -> list[tuple[int, list[str]]]:
        """The place of each formula with names that only some models have, and these names."""
        named = [[name for name in one.names if name not in self.certain] for one, _ in self._parsed]
        return [(at, names) for at, names in enumerate(named) if names]

    @cached_property
    def _steps(self) -> dict[frozenset[int], tuple[list[tuple[Formula, str]], formula.Steps]]:
        return {}


def _is_more(note: Formula, named: Mapping[str, Number]) -> bool:
    """Return whether a note's formula is not 0; a number too large to hold is not."""
    try:
        return bool(note.evaluate(named))
    except FormulaError:
        return True
