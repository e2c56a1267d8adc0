"""What formulas about a config may name: its numbers and flags, its words, its lists, and those of its parts.

A field is a number under its name, a flag 1 or 0, and null 0. `kind_is_linear` is 1 where the field `kind` holds the
word linear, `layers_count` the length of a list, 1 for one value alone and 0 for null, `layers_with_conv` how often a
list holds the word conv, `indexes_below_depth` how many different indexes of a list are below the number `depth`,
`size_first` and `size_second` are numbers of a list or the number itself, `sizes_largest` is
the largest of an object or list, lists inside it included, and `sizes_smallest` the smallest, `sizes_at_depth` what it
has under the number `depth`, 0 for nothing. `vision_` or `text_` before a name asks the part of that prefix.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from flopsheet.accounting import formula
from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.line import NOTHING
from flopsheet.errors import ConfigError, FormulaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.accounting.line import Family, Number

IS, WITH, BELOW, AT, COUNT, LARGEST, SMALLEST = "_is_", "_with_", "_below_", "_at_", "_count", "_largest", "_smallest"
_ENDING = re.compile(rf"{IS}\w+$|{WITH}\w+$|{BELOW}\w+$|{AT}\w+$|{COUNT}$|{LARGEST}$|{SMALLEST}$|_first$|_second$")
PLACES = {"_first": 0, "_second": 1}


class Facts:
    """The fields of a config, and of its parts by prefix, as numbers."""

    def __init__(self, fields: Mapping[str, Any], *, absent: bool = False) -> None:
        self.fields, self.absent = dict(fields), absent
        self.parts: dict[str, tuple[Mapping[str, Number], Facts]] = {}

    def add(
        self, prefix: str, numbers: Mapping[str, Number], fields: Mapping[str, Any], *, absent: bool = False
    ) -> None:
        """Let formulas name the numbers and fields of a part; all those of one that is absent are 0."""
        self.parts[prefix] = (numbers, Facts(fields, absent=absent))

    def numbers(self) -> dict[str, Number]:
        """Return the fields that are numbers."""
        return {name: result for name in self.fields if (result := self.get(name)) is not None}

    def get(self, name: str) -> Number | None:
        """Return the number of a name, or None where nothing says it."""
        if self.absent:
            return 0
        if name in self.fields:
            return _number(self.fields[name])
        if (own := self._derive(name)) is not None:
            return own
        for prefix, (numbers, facts) in self.parts.items():
            if name.startswith(f"{prefix}_"):
                rest = name.removeprefix(f"{prefix}_")
                return numbers[rest] if rest in numbers else facts.get(rest)
        return None

    def _derive(self, name: str) -> Number | None:
        for between, ask in self._ASKED.items():
            field, _, word = name.rpartition(between)
            if field in self.fields:
                return ask(self, self.fields[field], word)
        for ending, place in PLACES.items():
            field = name.removesuffix(ending)
            if name.endswith(ending) and field in self.fields:
                value = self.fields[field]
                return _number(value[place] if isinstance(value, list) and len(value) > place else value)
        return None

    def _is(self, value: Any, word: str) -> int:
        return int(_fold_case(value) == word)

    def _with(self, value: Any, word: str) -> int:
        return [_fold_case(each) for each in value].count(word) if isinstance(value, list) else 0

    def _below(self, value: Any, name: str) -> int | None:
        """Return how many different indexes are below a number; None where these are no whole numbers."""
        limit, indexes = self.get(name), [] if value is None else value
        if limit is None or not isinstance(indexes, list) or not all(isinstance(each, int) for each in indexes):
            return None
        return sum(1 for each in set(indexes) if 0 <= each < limit)

    def _at(self, value: Any, name: str) -> Number | None:
        """Return what an object has under a number, which JSON writes as a text."""
        place = self.get(name)
        table = value if isinstance(value, dict) else {}
        return None if place is None else _number(table.get(str(place), table.get(place)))

    def _count(self, value: Any, _: str) -> int:
        return len(value) if isinstance(value, list) else int(value is not None)

    def _largest(self, value: Any, _: str) -> Number:
        return max(_flatten(value), default=0)

    def _smallest(self, value: Any, _: str) -> Number:
        return min(_flatten(value), default=0)

    _ASKED: ClassVar[Mapping[str, Callable[[Facts, Any, str], Number | None]]] = {
        IS: _is,
        WITH: _with,
        BELOW: _below,
        AT: _at,
        COUNT: _count,
        LARGEST: _largest,
        SMALLEST: _smallest,
    }


def compute_values(family: Family, facts: Facts, where: str) -> dict[str, Number]:
    """Return a family's values, each of which may name those before it; ConfigError says what is missing."""
    result = _in_turn(family, facts, where)
    return {name: result[name] for name in family.values}


def _in_turn(family: Family, facts: Facts, where: str) -> dict[str, Number]:
    """Return what a family's hint `let` names, and its values."""
    result: dict[str, Number] = {}
    for name, text in (*family.hints.get("let", NOTHING).items(), *family.values.items()):
        result[name] = _evaluate(str(text), facts, result, where)
    return result


def find_broken(family: Family, facts: Facts, where: str) -> list[str]:
    """Return the sentences of a family's checks that fail."""
    return [sentence for text, sentence in family.checks.items() if not _evaluate(text, facts, {}, where)]


def misfits(family: Family, facts: Facts, where: str) -> list[str]:
    """Return a note for each formula of a family's hint `fits` that fails: a tower, or its reader, does not fit.

    Formulas may name the family's values as well.
    """
    fits: Mapping[str, str] = family.hints.get("fits", NOTHING)
    result = _in_turn(family, facts, where) if fits else {}
    wrong = [sentence for text, sentence in fits.items() if not _evaluate(text, facts, result, where)]
    return misfit_notes(wrong)


def misfit_notes(sentences: Iterable[str]) -> list[str]:
    """Return a note for each reason why a tower, or its reader, does not fit."""
    return [f"{sentence}: the class runs text, but no picture or sound" for sentence in sentences]


def find_names(texts: Iterable[str]) -> set[str]:
    """Return the fields that formulas name, whatever they ask of them."""
    results = set[str]().union(*map(names, texts))
    return {_ENDING.sub("", name) for name in results} | results


def _evaluate(text: str, facts: Facts, earlier: Mapping[str, Number], where: str) -> Number:
    read = formula.read(text)
    values: dict[str, Number] = {}
    for name in read.names:
        value = earlier.get(name, facts.get(name))
        if value is None:
            raise ConfigError(f"{where}: {name}, which {text} needs, is not given")
        values[name] = value
    try:
        return read.evaluate(values)
    except FormulaError as error:
        raise ConfigError(f"{where}: {error}") from None


def _number(value: Any) -> Number | None:
    if value is None:
        return 0
    return int(value) if isinstance(value, bool) else value if isinstance(value, int | float) else None


def _flatten(value: Any) -> list[Number]:
    """Return all numbers of an object or list, those of lists inside it too."""
    each = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    inside = [number for item in each if isinstance(item, list) for number in _flatten(item)]
    return inside + [result for item in each if item is not None and (result := _number(item)) is not None]


def _fold_case(value: Any) -> str:
    return re.sub(r"\W+", "_", str(value)).casefold()
