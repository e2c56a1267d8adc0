"""Cost and quality of the models that are cheapest over their lives: a point each of the chart."""

from flopsheet.planning.places import at_places, lines_at_places
from flopsheet.planning.question import Table

_SHOWN = (("point_total", "total_cost", "USD", "Lifetime cost"), ("point_quality", "points", "points", "Quality"))

POINTS = Table(
    "comparison_points",
    "Cost and quality of the cheapest",
    tuple(line for name, _, unit, title in _SHOWN for line in lines_at_places(name, unit, title, "Candidates")),
    (),
    tuple(
        link
        for name, line, _, title in _SHOWN
        for link in at_places(name, "comparison_candidates", line, title, where="place")
    ),
)
