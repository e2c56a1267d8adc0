"""A formula in pieces: its functions with how deep they stand, its numbers, and the names that it mentions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BRACKETS = r"\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])*\]"
_TOKEN = re.compile(
    rf"""(?P<skip>"(?:[^"]|"")*"|'(?:[^']|'')+'!?|{_BRACKETS}|\#[A-Z/0]+[!?]?|\$?[0-9]+:\$?[0-9]+)"""
    r"""|(?P<function>[^\W\d][\w.]*)\s*\(|(?P<word>\$?[^\W\d][\w.$\\]*)"""
    r"""|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?)|(?P<open>\()|(?P<close>\))"""
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A function, word or number of a formula, and the functions around it, the outermost first."""

    kind: str
    text: str
    around: tuple[str, ...]
    alone: bool = False
    """Whether it is a whole argument, with nothing but commas or brackets beside it."""

    @property
    def inside(self) -> str:
        """The function whose argument this is, "" outside of all and inside a bracket of its own."""
        return self.around[-1] if self.around else ""


@lru_cache(maxsize=2**16)
def pieces(formula: str) -> tuple[Piece, ...]:
    """Return the functions, words and numbers of a formula; a plain bracket counts as a function without a name."""
    return tuple(_pieces(formula))


def _pieces(formula: str) -> Iterator[Piece]:
    around: list[str] = []
    for match in _TOKEN.finditer(formula):
        kind = str(match.lastgroup)
        if kind == "close":
            del around[-1:]
        elif kind == "open":
            around.append("")
        elif kind != "skip":
            text = re.sub("^(_XLFN[.]|_XLWS[.])+", "", match[kind].upper()) if kind == "function" else match[kind]
            yield Piece(kind, text, tuple(around), _is_alone(formula, match))
            if kind == "function":
                around.append(text)


def _is_alone(formula: str, match: re.Match[str]) -> bool:
    before, after = formula[: match.start()].rstrip(), formula[match.end() :].lstrip()
    return before[-1:] in ("(", ",") and after[:1] in (")", ",")


def functions(formula: str) -> list[Piece]:
    """Return the functions of a formula."""
    return [piece for piece in pieces(formula) if piece.kind == "function"]


def depth(formula: str) -> int:
    """Return how many functions stand inside each other at most."""
    return max((1 + sum(map(bool, one.around)) for one in functions(formula)), default=0)


def computes(formula: str) -> bool:
    """Whether a formula does more than bring a cell as it is."""
    return bool(functions(formula)) or bool(re.search(r"[-+*/^&=<>]", _QUIET.sub("", formula).lstrip("+")))


def unquoted_text(formula: str) -> str:
    """Return a formula without its texts."""
    return _TEXTS.sub('""', formula)


def spelled(formula: str) -> str:
    """Return a formula without what spelling leaves free: spaces, dollars, and the case of names."""
    return "".join(
        part if part.startswith('"') else re.sub(r"[\s$]", "", part).upper() for part in _TEXTS.split(formula)
    )


_TEXTS = re.compile(r'("(?:[^"]|"")*")')
_QUIET = re.compile(rf"""{_TEXTS.pattern}|'(?:[^']|'')+'|{_BRACKETS}""")
"""What stands in quotes or brackets."""
_THIS_ROW = re.compile(r"\w+\[\[#This Row\],\[((?:[^\[\]']|'.)*)\]\]")


def shown(formula: str) -> str:
    """Return a formula as Excel shows it inside its table: a column of the same row is `[@column]`."""
    return "=" + _THIS_ROW.sub(
        lambda match: f"[@{match[1]}]" if match[1].isidentifier() else f"[@[{match[1]}]]", formula
    )
