"""The order in which lines are evaluated: each after those that it reads, those of a recurrence together."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.planning.question import Node

Group = tuple["Node", ...]
"""A line, or the lines of a recurrence, which are evaluated row by row together."""


def order_lines(needs: Mapping[Node, set[Node]], circle: Callable[[Mapping[Node, set[Node]]], Group]) -> list[Group]:
    """Return the lines after those that they need, lines of one table together where they can be.

    `circle` returns the next recurrence among lines that all wait for each other, or raises what is wrong with them.
    The time is linear in the number of needs.
    """
    places = {node: place for place, node in enumerate(needs)}
    readers = _readers(needs)
    lacking = {node: len(read) for node, read in needs.items()}
    waiting = dict(needs)
    ready = [node for node, count in lacking.items() if not count]
    result: list[Group] = []
    while waiting:
        groups = _next(ready, result) if ready else [circle(waiting)]
        nodes = [*chain.from_iterable(groups)]
        result += groups
        for node in nodes:
            del waiting[node]
        counts = Counter(reader for node in nodes for reader in readers[node] if reader in waiting)
        lacking |= {node: lacking[node] - count for node, count in counts.items()}
        further = [node for node in counts if not lacking[node]]
        ready = sorted([*(node for node in ready if node in waiting), *further], key=places.__getitem__)
    return result


def _readers(needs: Mapping[Node, set[Node]]) -> dict[Node, list[Node]]:
    readers: dict[Node, list[Node]] = {node: [] for node in needs}
    for node, read in needs.items():
        for source in read:
            readers[source].append(node)
    return readers


def _next(ready: list[Node], groups: list[Group]) -> list[Group]:
    """Return the lines that are ready of the table that the last one is of, else of the first one's."""
    last = groups[-1][-1][0] if groups else ""
    table = last if any(node[0] == last for node in ready) else ready[0][0]
    return [(node,) for node in ready if node[0] == table]
