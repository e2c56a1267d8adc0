"""Which prompts find their beginning in a cache, from the bytes that are kept and the requests between two turns."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

CHE = "Characteristic time of a cache that drops what was used longest ago: Che et al. 2002, Hierarchical Web Caching"

KEPT = lines_from(__package__, "prefixes.toml", "kept")


def _step(name: str, last: str, step: str, where: str) -> tuple[Line, ...]:
    """Return a step of Newton's method: the share that is still to return, and the next estimate."""
    return (
        Line(
            f"{step}_due",
            fill("returning_share * exp(-LAST)", LAST=last),
            "share",
            title=f"Returning after that, {where}, before {step.rpartition('_')[2]}",
            source=CHE,
        ),
        Line(
            step,
            fill(
                "max((NAME_start - returning_share + STEP_due * (1 + LAST)) / (1 - returning_share + STEP_due), 0)",
                LAST=last,
                NAME=name,
                STEP=step,
            ),
            "distances",
            title=f"Reuse distances that a cache {where} reaches back, {step.rpartition('_')[2]}",
            source=CHE,
        ),
    )


def _hit_lines(name: str, sequences: str, where: str) -> tuple[Line, ...]:
    """Return the lines to the share of requests that find their prefix among so many kept sequences.

    A cache reaches back x reuse distances, where (1 - r) x + r (1 - exp(-x)) is what it keeps over the distance, and r
    the share of requests that return. Newton's method from below: what it finds grows towards the answer.
    """
    steps = [f"{name}_{step}" for step in ("near", "nearer", "nearest")]
    before = [f"{name}_start", *steps[:-1]]
    return (
        Line(
            f"{name}_start",
            fill("KEPT / reuse_distance if reuse_distance else 0", KEPT=sequences),
            "distances",
            title=f"Sequences kept {where} over the reuse distance",
            source="Kept / reuse distance",
        ),
        *(line for last, step in zip(before, steps, strict=True) for line in _step(name, last, step, where)),
        Line(
            f"{name}_share",
            fill("returning_share * (1 - exp(-LAST))", LAST=steps[-1]),
            "share",
            title=f"Requests that find their prefix {where}",
            about="Turns come back after times that vary as those of a Poisson process",
            source=CHE,
        ),
    )


PREFIXES = (
    *KEPT,
    *_hit_lines("found_in_memory", "kept_in_memory", "in accelerator memory"),
    *_hit_lines("found", "(kept_in_memory + kept_on_host)", "in either memory"),
    *lines_from(__package__, "prefixes.toml", "shared_tokens"),
)
