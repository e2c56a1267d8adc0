"""The section of docs/calibration.md on goodput: worked out from interruptions, and as runs report it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.planning.calibration_steps import plan_step
from flopsheet.planning.datafiles import data_rows
from pages.training import table

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = "published_goodput"
HEAD = """
## Goodput

What interruptions, restarts and checkpoints leave of the time (Young 1974, Daly 2006), under the defaults of
`interruptions`, `restart_seconds` and `checkpoint_gbs`, next to what runs say of their whole time.

"""
TAIL = """
Interruptions are not all that is lost: Olmo 3 32B had few accelerators and lost a quarter, to stages, evaluations and
stops that nobody lists. So the typed `goodput` counts for days and cost, the worked-out one is its upper bound, and a
warning says where the typed one is above it.

Sources:

{sources}
"""


class Kept(NamedTuple):
    """A run with the goodput that it reports, and the worked-out one."""

    row: dict[str, Any]
    worked: float


def kept() -> list[Kept]:
    """Return every run that reports its goodput."""
    results = []
    for row in data_rows(FILE):
        inputs = {name: value for name, value in row.items() if name not in ("published", "least")}
        plan = plan_step({**inputs, "global_batch": row["accelerators"]})
        results.append(Kept(row, float(plan.training(plan.costed[0], "base")["worked_goodput"])))
    return results


def goodput_section(rows: Sequence[Kept]) -> str:
    """Return the part of the page as Markdown."""
    lines = [["Run", "Accelerators", "Published", "Worked out"], ["---", "---", "---:", "---:"]]
    for one in rows:
        row, bound = one.row, "> " if one.row.get("least") else ""
        place = f"{row['accelerators']:,} × {row['accelerator']}"
        lines.append([row["name"], place, f"{bound}{row['published']:.0%}", f"{one.worked:.1%}"])
    sources = "\n".join(f"- {one.row['name']}: {one.row['source']}" for one in rows)
    return f"{HEAD}{table(lines)}{TAIL.format(sources=sources)}"
