"""Lowered formulas as JavaScript: plain arithmetic, and the page's helpers where cells compute otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.nodes import Apply, Choose, Name, Number

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.accounting.formula.nodes import Lowered

SIGNS = {"add": "+", "subtract": "-", "multiply": "*"}
HELPERS = {"min": "least", "max": "most", "round_up": "roundUp", "log": "log", "exp": "exp", "month_end": "monthEnd"}
"""What functions of the language are called where their name is not their own."""


def write(node: Lowered, refer: Callable[[str], str]) -> str:
    """Return a formula as an expression; `refer` gives the variable of a name. What has no value is NaN."""
    match node:
        case Number(value=value):
            return json.dumps(float(value))
        case Name(name=name):
            return refer(name)
        case Choose(test=test, then=then, otherwise=otherwise):
            branches = f"{write(then, refer)}:{write(otherwise, refer)}"
            return f"((t)=>t!==t?NaN:t?{branches})({write(test, refer)})"
        case Apply(function="negate", arguments=(argument,)):
            return f"(-{write(argument, refer)})"
        case Apply(function=name, arguments=(argument, other)) if name in SIGNS:
            return f"({write(argument, refer)}{SIGNS[name]}{write(other, refer)})"
        case Apply(function=name, arguments=arguments):
            return f"{HELPERS.get(name, name)}({','.join(write(argument, refer) for argument in arguments)})"
