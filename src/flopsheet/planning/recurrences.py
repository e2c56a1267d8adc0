"""Recurrences: lines that read their table's row before, evaluated row by row in the order of the last key.

A stock is `stock_before * 0.95 + added`, where `stock_before` is a link with `how = "previous"` to `stock` itself. Each
group of rows, such as the months of a model, begins at 0.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.accounting.formula import Steps
    from flopsheet.accounting.formula.steps import Failed
    from flopsheet.accounting.line import Number
    from flopsheet.planning.compiled.references import Linked
    from flopsheet.planning.question import Node

POSSIBLE = "a line may read its own earlier row through a link with how = 'previous'"
"""What an author may do in place of lines that need each other."""


def recurrence(waiting: Mapping[Node, set[Node]], direct: Callable[[Node], set[Node]]) -> list[Node]:
    """Return lines of one table that wait for nothing but each other, each after those it reads in its own row.

    `waiting` are the lines that others need, `direct` says which of them a line needs in the same row. There is
    nothing where some need each other there.
    """
    for node in waiting:
        group = _find_reached(node, waiting)
        is_closed = node in group and all(_find_reached(other, waiting) == group for other in group)
        if is_closed and len({table for table, _ in group}) == 1 and (result := _order_lines(group, direct)):
            return result
    return []


def in_circles(waiting: Mapping[Node, set[Node]]) -> list[Node]:
    """Return the lines that need themselves in the end, in their order."""
    return [node for node in waiting if node in _find_reached(node, waiting)]


def _find_reached(node: Node, waiting: Mapping[Node, set[Node]]) -> set[Node]:
    """Return the lines that one needs, directly or through others, as far as they are waiting."""
    results: set[Node] = set()
    following = [node]
    while following:
        new = (waiting[following.pop()] & waiting.keys()) - results
        results |= new
        following += new
    return results


def _order_lines(group: Collection[Node], direct: Callable[[Node], set[Node]]) -> list[Node]:
    """Return lines, each after those that it reads in its own row; nothing where some read each other there."""
    results: list[Node] = []
    left = {node: direct(node) & {*group} for node in sorted(group)}
    while left:
        ready = [node for node, needs in left.items() if needs.isdisjoint(left)]
        if not ready:
            return []
        results += ready
        left = {node: needs for node, needs in left.items() if node not in ready}
    return results


def rows(
    steps: Steps,
    links: Mapping[str, Linked],
    scopes: Iterable[Mapping[str, Number]],
    starts: Collection[int],
    on_error: Failed,
) -> Iterator[Sequence[Number]]:
    """Give the numbers of each row; `links` bring the row before by name, 0 where rows start.

    `scopes` has what each row is given.

    What `on_error` returns stands for the number of a line that has none in a row, for later rows too.
    """
    before: Mapping[str, Number] = {}
    for place, scope in enumerate(scopes):
        earlier = {} if place in starts else before
        row = {**scope, **{name: earlier.get(link.line, 0) for name, link in links.items()}}
        numbers = steps.row(row, partial(on_error, place))
        before = dict(zip(steps.formulas, numbers, strict=True))
        yield numbers


def columns(
    steps: Steps, links: Mapping[str, Linked], scope: Mapping[str, Any], axis: int, keys: Any
) -> dict[str, Any]:
    """Return lines as columns over designs, whose rows along the axis of the keys are computed one after another."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    numbers: dict[str, Any] = dict.fromkeys((link.line for link in links.values()), 0.0)
    parts: dict[str, list[Any]] = {name: [] for name in steps.formulas}
    for place in range(keys.size):
        row = {name: _at(column, axis, place) for name, column in scope.items()}
        row |= {name: numbers[link.line] for name, link in links.items()}
        for name, text in steps.formulas.items():
            row[name] = numbers[name] = np.asarray(text.columns(row), np.float64)
            parts[name].append(row[name])
    whole = np.zeros((1,) * keys.ndim)
    return {name: np.concatenate(np.broadcast_arrays(whole, *arrays)[1:], axis) for name, arrays in parts.items()}


def _at(column: NDArray[np.float64], axis: int, place: int) -> NDArray[np.float64]:
    """Return one row of a column; one that is the same in all rows is that."""
    return column if column.ndim <= axis or column.shape[axis] == 1 else column.take([place], axis)
