"""The batch that a latency target allows, and the latencies and throughput of a replica with its batch."""

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.serving.quantiles import AT_QUANTILE, TARGET_BATCH
from flopsheet.planning.questions.serving.step import FORM, SLOPE, STEP, itl, where_written
from flopsheet.planning.written_lines import lines_from


def _closer(batch: str, name: str, title: str) -> tuple[Line, ...]:
    """Return a step of Newton's method from a line's batch towards the one that takes as long as the target allows."""
    return (
        Line(f"{batch}_itl", itl(batch), "s", title=f"{title}: time between tokens before", source=FORM),
        Line(
            f"{batch}_slope",
            compose.substitute(SLOPE, {"sequences": batch}),
            "s",
            title=f"{title}: time per further sequence",
            source=FORM,
        ),
        Line(
            name,
            compose.fill("max(BATCH + (itl_target_ms / 1000 - BATCH_itl) / BATCH_slope, 0)", BATCH=batch),
            "sequences",
            title=title,
            about="From below, since time grows less and less with the batch",
            source="Newton's method",
        ),
    )


TARGET = (
    *lines_from(__package__, "decode.toml", "read_wait"),
    *_closer("batch_all_experts", "batch_near", "Nearer batch"),
    *_closer("batch_near", "batch_nearer", "Still nearer batch"),
    *_closer("batch_nearer", "batch_nearest", "Nearest batch"),
    *lines_from(__package__, "decode.toml", "batch_read"),
    *TARGET_BATCH,
    *lines_from(__package__, "decode.toml", "batch_at_target"),
)
THROUGHPUT = (
    *lines_from(
        __package__, "decode.toml", "itl_seconds", {"itl_seconds": where_written(itl("served_batch"))}, form=FORM
    ),
    *AT_QUANTILE,
    *lines_from(
        __package__, "decode.toml", "request_seconds", {"max_itl_seconds": where_written(itl("max_batch"))}, form=FORM
    ),
)

DECODE = (*STEP, *TARGET, *THROUGHPUT)
"""Lines of one model's decode steps, after those of its prompts."""
