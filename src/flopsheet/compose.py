"""Formulas from formulas under their public name, as `flopsheet.blocks` is for blocks."""

import sys
from typing import TYPE_CHECKING

from flopsheet.accounting.formula import compose

if TYPE_CHECKING:
    from flopsheet.accounting.formula.compose import *  # noqa: F403 - a type checker sees what the module in its place has

sys.modules[__name__] = compose
