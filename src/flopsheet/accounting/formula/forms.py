"""The form in which people read a formula, in a Markdown table."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.formula.language import COMPARISONS
from flopsheet.accounting.formula.write import CHOICE, SUM, write, write_test

if TYPE_CHECKING:
    from collections.abc import Callable

MANY_ZEROS = re.compile("10{6,}")
"""A power of ten whose zeros nobody counts."""

SIGN = re.compile(r"[,;()=<>≠≤≥·]| [-+/] |\b(?:if|else)\b")
"""What is between the titles of a worded formula, and so makes a title that holds it look like several."""


class Words(Struct, frozen=True):
    """Writes what people read: no character that Markdown takes for a mark of its own."""

    title: Callable[[str], str]
    argument = SUM  # a choice has a comma of its own

    def refer(self, name: str) -> str:
        """Write a title, in quotation marks if it could be taken for more than one."""
        title = self.title(name)
        return f"\u201c{title}\u201d" if SIGN.search(title) else title

    def operator(self, op: ast.operator) -> str:
        """Write an operator."""
        return {ast.Add: " + ", ast.Sub: " - ", ast.Mult: " · ", ast.Div: " / "}[type(op)]

    def number(self, value: object) -> str:
        """Write a number; nobody counts the zeros of a large power of ten."""
        text = str(value)
        return f"1e{len(text) - 1}" if MANY_ZEROS.fullmatch(text) else text

    def comparison(self, op: ast.cmpop) -> str:
        """Write a comparison sign."""
        return f" {COMPARISONS[type(op)].words} "

    def call(self, name: str, arguments: list[str]) -> str:
        """Write a call."""
        return f"{name.replace('_', ' ')}({', '.join(arguments)})"

    def choice(self, node: ast.IfExp) -> tuple[str, int]:
        """Write a choice; what is taken unless it is 0 is named once."""
        test, body = write_test(node.test, self), write(node.body, self, SUM)
        if isinstance(node.test, ast.Name) and test == body:
            return f"{body}, or where that is 0 {write(node.orelse, self)}", CHOICE
        return f"{body} if {test}, else {write(node.orelse, self)}", CHOICE
