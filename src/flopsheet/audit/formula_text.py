"""What the text of a formula says: its functions with how deep they are, its numbers and names, and its spelling."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.tokens import Token, cut, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MANY = 2**18
"""Formulas that are remembered: the rows of a list say the same thing."""
OPERATORS = frozenset(("+", "-", "*", "/", "^", "&", "=", "<", ">", "<=", ">=", "<>"))
_END = Token("sign", "")


class FormulaPart(Struct, frozen=True):
    """A function, name or number of a formula, and the functions around it, the outermost first."""

    kind: str
    text: str
    around: tuple[str, ...]
    alone: bool = False
    """Whether it is a whole argument, with nothing but commas or brackets next to it."""

    @property
    def inside(self) -> str:
        """The function whose argument this is, "" outside of all and inside a bracket of its own."""
        return self.around[-1] if self.around else ""


@lru_cache(MANY)
def pieces(formula: str) -> tuple[FormulaPart, ...]:
    """Return the functions, names and numbers of a formula; a plain bracket counts as a function without a name."""
    return tuple(_pieces([_END, *_without_blanks(formula), _END]))


def _without_blanks(formula: str) -> list[Token]:
    return [token for token in tokens(formula) if token.kind != "blank"]


def _pieces(parts: Sequence[Token]) -> Iterator[FormulaPart]:
    around: list[str] = []
    for (before, token), (_, after) in zip(pairwise(parts), pairwise(parts[1:]), strict=False):
        if token.text == "(":
            around.append(before.word.upper() if before.kind == "function" else "")
        elif token.text == ")":
            del around[-1:]
        elif token.kind == "function":
            yield FormulaPart(token.kind, token.word.upper(), tuple(around))
        elif token.kind in ("name", "number"):
            is_alone = before.text in ("(", ",") and after.text in (")", ",")
            yield FormulaPart(token.kind, token.text, tuple(around), is_alone)


@lru_cache(MANY)
def functions(formula: str) -> Sequence[FormulaPart]:
    """Return the functions of a formula."""
    return [piece for piece in pieces(formula) if piece.kind == "function"]


def numbers(formula: str) -> set[float]:
    """Return the values of the numbers of a formula."""
    return {float(piece.text) for piece in pieces(formula) if piece.kind == "number"}


@lru_cache(MANY)
def depth(formula: str) -> int:
    """Return how many functions are inside each other at most."""
    return max((1 + sum(map(bool, function.around)) for function in functions(formula)), default=0)


@lru_cache(MANY)
def computes(formula: str) -> bool:
    """Whether a formula does more than bring a cell as it is."""
    return any(token.kind == "function" or token.text in OPERATORS for token in tokens(formula.lstrip("+")))


@lru_cache(MANY)
def outermost(formula: str) -> Sequence[Token]:
    """Return the functions, names, numbers and signs of a formula outside of the brackets of functions.

    What is in a bracket of its own is left out as well, but not the bracket.
    """
    results: list[Token] = []
    open_ = 0
    for before, token in pairwise([_END, *_without_blanks(formula)]):
        open_ -= token.text == ")"
        if not open_ and (token.text not in "()" or (token.text == "(" and before.kind != "function")):
            results.append(token)
        open_ += token.text == "("
    return results


@lru_cache(MANY)
def fault(formula: str) -> str:
    """Return the first error value that a formula holds, "" without one."""
    return next((token.text for token in tokens(formula) if token.kind == "error"), "")


@lru_cache(MANY)
def spill(formula: str) -> str:
    """Return the sign of a dynamic array in a formula, "" without one."""
    return next((token.text for token in tokens(formula) if token.text in ("#", "@")), "")


@lru_cache(MANY)
def is_foreign(formula: str) -> bool:
    """Whether a formula refers to another workbook or program."""
    result = tokens(formula)
    return any(token.text == "|" or (token.kind in ("cells", "quoted") and "[" in token.text) for token in result)


def normalize(formula: str, *, cells: bool = True) -> str:
    """Return what a formula computes, in one spelling: spaces, dollars, case and the order of sums are free.

    Sums are those of products, and nothing else. Without `cells` it is left out which those are.
    """
    results = [token for token in cut(formula) if token.kind != "blank"]
    texts = [_normalize_token(token) if cells or token.kind != "cells" else "" for token in results]
    if any(token.kind not in {"cells", "name", "number"} and token.text not in ("+", "*") for token in results):
        return "".join(texts)
    terms: list[list[str]] = [[]]
    for token, text in zip(results, texts, strict=True):
        if token.text == "+":
            terms.append([])
        elif token.text != "*":
            terms[-1].append(text)
    return "+".join(sorted("*".join(sorted(factors)) for factors in terms))


def _normalize_token(token: Token) -> str:
    return token.text if token.kind == "text" else token.text.replace("$", "").upper()


@lru_cache(MANY)
def typed_numbers(formula: str) -> Sequence[str]:
    """Return the numbers in quotes that a formula calculates with."""
    results = [_END, _END, *_without_blanks(formula)]
    texts = [
        token.text[1:-1].strip().removesuffix("%").strip()
        for function, before, token in zip(results, results[1:], results[2:], strict=False)
        if token.kind == "text" and (before.text in set("-+*/^") or (before.text == "(" and function.word == "value"))
    ]
    return [text for text in texts if text.replace(".", "", 1).isdecimal()]


@lru_cache(MANY)
def arguments(formula: str, function: str) -> Sequence[str]:
    """Return what is in the brackets of each call of a function, named in lower case, where that calls no other."""
    results = _without_blanks(formula)
    calls = [at for at, token in enumerate(results) if token.kind == "function" and token.word == function]
    inside = ([other.text for other in results[at + 2 :]] for at in calls)
    bodies = (texts[: texts.index(")")] for texts in inside if ")" in texts)
    return ["".join(texts) for texts in bodies if "(" not in texts]
