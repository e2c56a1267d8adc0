"""The one tokenizer of Excel formulas, as files store them: English names, commas, without the equals sign in front.

The tokens of a formula, joined, are the formula: nothing is lost, and what fits nothing is odd. openpyxl's
tokenizer is four times slower, gives no lone pieces of references, and refuses what it does not know.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_COLUMN = r"\$?(?:[A-Za-z]{1,2}|[A-Wa-w][A-Za-z]{2}|[Xx][A-Ea-e][A-Za-z]|[Xx][Ff][A-Da-d])"
"""A to XFD: what is further right is a name."""
_CELL = rf"{_COLUMN}\$?[1-9][0-9]{{0,6}}"
_END = r"(?![\w.(\[!])"
_CELLS = rf"(?:{_CELL}(?::{_CELL})?|{_COLUMN}:{_COLUMN}|\$?[1-9][0-9]*:\$?[1-9][0-9]*){_END}"
_NAME = r"(?:[^\W\d]|\\)[\w.\\?]*"
_SHEETS = r"[^\W\d][\w.]*(?::[^\W\d][\w.]*)?"
"""A sheet's name without quotes, or the first and the last of several."""
_PLACE = rf"(?:'(?:[^']|'')+'|\[[^\[\]']+\](?:{_SHEETS})?|{_SHEETS})"
"""What stands before the ! of a reference; both corners of a range may have it."""
_TOKEN = re.compile(
    rf"""(?P<sign><=|>=|<>|[^\w\s"'\[\\\#$.])
    |(?P<text>"(?:[^"]|"")*")
    |(?P<cells>(?P<sheet>{_PLACE})!(?:{_CELL}:(?P=sheet)!{_CELL}{_END}|{_CELLS})?|{_CELLS})
    |(?P<table>(?:{_NAME})?\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])
    |(?P<error>\#(?:REF!(?:{_CELLS})?|[Nn]/[Aa]|DIV/0!|NAME\?|GETTING_DATA|[A-Z]+!))
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?)
    |(?P<function>{_NAME}(?=\s*\())
    |(?P<name>{_NAME})
    |(?P<quoted>'(?:[^']|'')*')
    |(?P<blank>\s+)
    |(?P<odd>.)""",
    re.DOTALL | re.VERBOSE,
)
_PART = re.compile(r"\[((?:[^\[\]']|'.)*)\]", re.DOTALL)
_ESCAPED = re.compile("'(.)", re.DOTALL)
_PREFIXES = ("_xlfn.", "_xlws.")
"""What files write before functions that are younger than the format."""


class Token(NamedTuple):
    """A piece of a formula.

    `kind` is one of: text (with its quotes); cells (`A1`, `B:C`, `'My sheet'!$A$1:B2`, `Jan!A1:Jan!B2`,
    `[1]Other!A1`; `Sheet1!` where a name follows); table (`models[[#This Row],[size]]`); error; number; function (its
    name; the bracket is a sign); name; quoted (in single quotes, and no sheet); blank; sign (operators, brackets,
    separators); odd (what fits nothing, and the # of a spilled range).
    """

    kind: str
    text: str

    @property
    def word(self) -> str:
        """A function's or name's text in lower case, without what files write before new functions."""
        word = self.text.lower()
        while word.startswith(_PREFIXES):
            word = word[len(_PREFIXES[0]) :]
        return word


_intern = lru_cache(maxsize=2**18)(Token)
"""Makes a token, the same one for the same piece: formulas of a column differ in little."""


class Structured(NamedTuple):
    """A structured reference: its table, "" for its own; the items, such as "#this row"; and its columns as titled.

    Two columns are the ends of a range. `@` is "#this row".
    """

    table: str
    items: tuple[str, ...]
    columns: tuple[str, ...]


def cut(formula: str) -> tuple[Token, ...]:
    """Return the pieces of a formula, in their order, and remember nothing of it."""
    return tuple([_intern(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(formula)])


@lru_cache(maxsize=2**18)
def tokens(formula: str) -> tuple[Token, ...]:
    """Return the pieces of a formula, in their order, of one that will be asked for again."""
    return cut(formula)


@lru_cache(maxsize=2**18)
def read_structured(text: str) -> Structured:
    """Read the text of a table's token."""
    table, _, rest = text.partition("[")
    inside = rest[:-1].strip()
    items = ["#this row"] if inside.startswith("@") else []
    inside = inside.removeprefix("@")
    parts = _PART.findall(inside) or ([inside] if inside else [])
    items += [part.casefold() for part in parts if part.startswith("#")]
    columns = tuple(_ESCAPED.sub(r"\1", part) for part in parts if not part.startswith("#"))
    return Structured(table, tuple(items), columns)


@lru_cache(maxsize=2**18)
def as_in_table(formula: str) -> str:
    """Return a formula as Excel shows it inside its table: a column of the same row is `[@column]`."""
    return "=" + "".join(_show_piece(piece) if piece.kind == "table" else piece.text for piece in tokens(formula))


def _show_piece(piece: Token) -> str:
    reference = read_structured(piece.text)
    if reference.items != ("#this row",) or len(reference.columns) != 1 or "],[" not in piece.text:
        return piece.text
    column = piece.text.partition("],[")[2].removesuffix("]]")
    return f"[@{column}]" if column.isidentifier() else f"[@[{column}]]"
