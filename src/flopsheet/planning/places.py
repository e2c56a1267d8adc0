"""Models by place: tables over all models whose charts draw a line or a point for each of the first ones."""

from flopsheet.accounting.line import Line
from flopsheet.planning.question import Link

PLACES = (1, 2, 3, 4, 5)
"""Models that charts show: those in the first places."""


def at_places(name: str, table: str, line: str, title: str, where: str = "at_place") -> tuple[Link, ...]:
    """Return links to a line of a table over models, one for each place that its line `where` gives a model."""
    return tuple(
        Link(f"{name}_of_{place}", table, line, "sum", f"{title}, place {place}", where=(where, place))
        for place in PLACES
    )


def lines_at_places(name: str, unit: str, title: str, source: str) -> tuple[Line, ...]:
    """Return the lines that show such links."""
    return tuple(
        Line(f"{name}_{place}", f"{name}_of_{place}", unit, title=f"{title}, place {place}", source=source)
        for place in PLACES
    )
