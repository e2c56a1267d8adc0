"""A formula that has been read: evaluated exactly or over columns, written for people."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.formula import exact
from flopsheet.accounting.formula.nodes import lower
from flopsheet.accounting.formula.program import Mode, compile_rows, compile_tree, exact_tree
from flopsheet.accounting.formula.write import write

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Mapping
    from types import CodeType

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.accounting.formula.nodes import Lowered
    from flopsheet.accounting.line import Number


class Formula(Struct, frozen=True, eq=False, dict=True):
    """A formula as its author wrote it, the names that it uses in order of first use, and its tree."""

    text: str
    names: tuple[str, ...]
    tree: ast.expr

    @cached_property
    def _codes(self) -> dict[Mode, CodeType]:
        return {}

    @cached_property
    def lowered(self) -> Lowered:
        """What is computed, for every language that it is compiled to."""
        return lower(self.tree)

    @cached_property
    def exact_tree(self) -> ast.expr:
        """What Python runs to compute it exactly: the same formula is compiled together with others again and again."""
        return exact_tree(self.lowered)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Compute the number: exact as long as no decimal takes part."""
        code = self._codes.get("exact") or self._compile("exact")
        return exact.evaluate(self.text, code, values)

    def columns(self, values: Mapping[str, NDArray[np.generic] | Number]) -> NDArray[np.float64] | float:
        """Compute whole columns at once in float64; what has no value is nan or infinite."""
        from flopsheet.accounting.formula import columns  # noqa: PLC0415  imports numpy, which only sweeps need

        code = self._codes.get("columns") or self._compile("columns")
        return columns.evaluate(self.text, self.names, code, values)

    def cells(self, columns: Mapping[str, Iterable[Number]]) -> list[Number]:
        """Compute a number in each row that all columns have, in float64 as the cells of a spreadsheet do."""
        rows = zip(*(map(float, columns[name]) for name in self.names), strict=False)
        code = self._codes.get("cells") or self._codes.setdefault("cells", compile_rows(self.lowered, self.names))
        return exact.evaluate_rows(self.text, code, rows)

    def markdown(self, refer: Callable[[str], str] | None = None) -> str:
        """Write the formula for people, in a Markdown cell; `refer` gives the title for a name."""
        from flopsheet.accounting.formula.forms import Words  # noqa: PLC0415  only exports need it

        return write(self.tree, Words(refer or "`{}`".format))

    def _compile(self, mode: Mode) -> CodeType:
        """Compile at first use: a formula that is only read or written never pays for it."""
        code = self._codes[mode] = compile_tree(self.lowered, mode)
        return code
