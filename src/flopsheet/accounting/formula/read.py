"""From a text to a formula: what the language does not hold is refused with its place and what to write."""

from __future__ import annotations

import ast
import keyword
import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from flopsheet.accounting.formula.formula import Formula
from flopsheet.accounting.formula.language import (
    ARITHMETIC,
    DEEPEST,
    FUNCTIONS,
    LARGEST,
    MOST_CHARACTERS,
    MOST_NODES,
    SIGNS,
)
from flopsheet.accounting.formula.problem import clip, problem
from flopsheet.errors import FormulaError
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Collection

REFUSED_WORDS = "|".join(word for word in keyword.kwlist if word not in ("if", "else"))

LEGAL = re.compile(
    rf"""(?: [ ]+
    | (?!(?:{REFUSED_WORDS})\b) [a-z]\w*
    | (?:\d[\d_]*\.?\d* | \.\d+) (?:e[-+]?\d+)? (?![\w.])
    | [<>=!]= | \*(?!\*) | /(?!/) | <(?![<>]) | >(?!>) | [-+(),]
    )*+""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
"""As much of a text as is made of names, numbers and signs of the language."""

WORD = re.compile(r"\w+(?:\.\w*)*", re.ASCII)

REMEDIES = {
    "**": "write power(a, b)",
    "//": "write floor(a / b)",
    "<>": "write !=",
    "=": "write == to compare",
    "%": "write a - b * floor(a / b), or a share as a decimal",
    "^": "write power(a, b)",
    "[": "formulas have no lists and no subscripts",
    "{": "formulas have no tables",
    ".": "names have no parts; a point is only allowed inside a number",
    ":": "write a if test else b",
    "\n": "write the formula on one line",
    "\t": "write a space",
    "'": "formulas hold numbers, no text",
    '"': "formulas hold numbers, no text",
    "and": "write a second 'if' inside the first",
    "or": "write a second 'if' after 'else'",
    "not": "swap the two branches of the 'if'",
    "True": "write 1",
    "False": "write 0",
    "None": "write 0, or give the dimension a default",
}

OTHER_TONGUES = {
    "pow": "power",
    "ln": "log",
    "int": "floor",
    "trunc": "floor",
    "ceiling": "ceil",
    "roundup": "round_up",
    "sqrt": "power(x, 0.5)",
    "eomonth": "month_end",
}


def read(text: str, names: Collection[str] | None = None) -> Formula:
    """Read a formula, once however often asked; where `names` is given it may use no others."""
    if not isinstance(text, str):
        raise problem(repr(text)[:MOST_CHARACTERS], 0, "a formula is a text")
    formula = _read(text)
    if names is not None and not all(map(names.__contains__, formula.names)):
        raise _unknown(formula, names)
    return formula


def remember(text: str, tree: ast.expr) -> None:
    """Keep the tree of a text that was written from it, so that reading the text need not parse it."""
    _WRITTEN[text] = tree


_WRITTEN: dict[str, ast.expr] = {}
"""Trees of composed texts that nobody has read yet."""


@lru_cache(4096)
def _read(text: str) -> Formula:
    if len(text) > MOST_CHARACTERS:
        raise problem(text, 0, f"a formula has at most {MOST_CHARACTERS:,} characters, this one has {len(text):,}")
    text = text.strip(" ")
    tree = _WRITTEN.pop(text, None)
    if tree is not None:
        with suppress(FormulaError):  # the tree's places are those of its parts: what it cannot hold is read to show it
            return _check_formula(text, tree)
    _check_characters(text)
    return _check_formula(text, _parse(text))


def _check_formula(text: str, tree: ast.expr) -> Formula:
    checker = _Checker(text)
    checker.check(tree, 1)
    return Formula(text, tuple(checker.used), tree)


def _unknown(formula: Formula, names: Collection[str]) -> FormulaError:
    name = next(name for name in formula.names if name not in names)
    nodes = ast.walk(_parse(formula.text))
    places = [node.col_offset for node in nodes if isinstance(node, ast.Name) and node.id == name]
    return problem(formula.text, min(places), f"unknown name {clip(name)}{names_like(name, names)}")


def _check_characters(text: str) -> None:
    legal = LEGAL.match(text)
    place = legal.end() if legal else 0
    if place < len(text):
        raise problem(text, place, _illegal(text, place))
    if text.count("(") > DEEPEST:
        _check_parentheses(text)


def _illegal(text: str, place: int) -> str:
    word = WORD.match(text, place)
    result = word[0] if word else text[place : place + 2] if text[place : place + 2] in REMEDIES else text[place]
    if result in REMEDIES:
        return f"found {result!r}: {REMEDIES[result]}"
    if result[0].isascii() and result[0].isdecimal():
        return f"{clip(result)} is not a whole or decimal number"
    if keyword.iskeyword(result):
        return f"{result!r} is a word of Python that formulas do not have"
    if result[0] == "_":
        return f"{clip(result)} is not a name: a name starts with a letter"
    return f"formulas do not have {result!r}"


def _check_parentheses(text: str) -> None:
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth > DEEPEST:
            raise problem(text, place, f"parentheses nest at most {DEEPEST} deep: split this into several lines")


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        place = min((error.offset or len(text) + 1) - 1, len(text))
        what = _misread(text[place:], error.msg) if text else "the formula is empty"
    except (ValueError, RecursionError, MemoryError):
        place, what = 0, f"formulas nest at most {DEEPEST} deep: make this several lines"
    raise problem(text, place, what)


def _misread(rest: str, message: str) -> str:
    """Say in the language's own words what the parser of Python could not read."""
    if not rest:
        return "the formula ends too early"
    if message.startswith(("'(' was", "unmatched", "expected 'else'")):
        return message
    if "forgot a comma" in message:
        return "an operator or a comma is missing here"
    word = WORD.match(rest)
    return f"{clip(word[0] if word else rest[0])} is not allowed here"


class _Checker:
    """Walks the tree once: refuses what the language does not hold, and collects the names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes = 0
        self.used: dict[str, None] = {}

    def refuse(self, place: int, what: str) -> NoReturn:
        raise problem(self.text, place, what)

    def check(self, node: ast.expr, depth: int) -> None:
        """Check a node and all below it; only the left operand of a sum or product is no deeper than its parent."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            self.refuse(node.col_offset, f"a formula has at most {MOST_NODES} parts: make this several lines")
        if depth > DEEPEST:
            self.refuse(node.col_offset, f"formulas nest at most {DEEPEST} deep: make this several lines")
        match node:
            case ast.Name():
                self.check_name(node)
            case ast.Constant():
                self.check_number(node)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ARITHMETIC):
                self.check(left, depth)
                self.check(right, depth + 1)
            case ast.UnaryOp(op=op, operand=operand) if isinstance(op, SIGNS):
                self.check(operand, depth + 1)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.check(body, depth + 1)
                self.check_test(test, depth + 1)
                self.check(orelse, depth + 1)
            case ast.Call():
                self.check_call(node, depth)
            case _:
                self.refuse_node(node)

    def check_name(self, node: ast.Name) -> None:
        name = node.id
        if name in FUNCTIONS:
            self.refuse(node.col_offset, f"{name!r} is a function: write {FUNCTIONS[name].usage}")
        self.used[name] = None

    def check_number(self, node: ast.Constant) -> None:
        if not isinstance(node.value, int | float):
            self.refuse_node(node)
        if node.value > LARGEST:
            self.refuse(node.col_offset, "numbers go up to 2**53 = 9007199254740992: write a product or a dimension")

    def check_test(self, node: ast.expr, depth: int) -> None:
        if not isinstance(node, ast.Compare):
            self.check(node, depth)
            return
        self.nodes += 1
        if len(node.ops) > 1:
            place = self.sign_after(node.comparators[0])
            self.refuse(place, "one comparison at a time: write a second 'if'")
        self.check(node.left, depth)
        self.check(node.comparators[0], depth)

    def check_call(self, node: ast.Call, depth: int) -> None:
        if not isinstance(node.func, ast.Name):
            self.refuse(node.col_offset, "only functions are called: write * to multiply")
        function = FUNCTIONS.get(node.func.id) or self.refuse_function(node.func)
        if not function.fewest <= len(node.args) <= function.most:
            self.refuse(node.col_offset, f"wrong number of arguments ({len(node.args)}): write {function.usage}")
        for argument in node.args:
            self.check(argument, depth + 1)

    def refuse_function(self, name: ast.Name) -> NoReturn:
        other = OTHER_TONGUES.get(name.id.lower())
        hint = f"; did you mean {other!r}?" if other else names_like(name.id, FUNCTIONS)
        hint = hint or f"; expected one of {', '.join(FUNCTIONS)}"
        self.refuse(name.col_offset, f"unknown function {clip(name.id)}{hint}")

    def refuse_node(self, node: ast.expr) -> NoReturn:
        match node:
            case ast.Compare(left=left):
                self.refuse(self.sign_after(left), "a comparison is only allowed as the test of a if test else b")
            case ast.Tuple():
                self.refuse(node.col_offset, "a comma is only allowed between the arguments of a function")
            case ast.Starred():
                self.refuse(node.col_offset, "found '*' without a number before it")
            case _:
                self.refuse(node.col_offset, "formulas do not have this")

    def sign_after(self, node: ast.expr) -> int:
        """Find the place of the comparison sign that follows an operand."""
        place = node.end_col_offset or 0
        while self.text[place] not in "<>=!":
            place += 1
        return place
