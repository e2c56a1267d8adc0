"""Latencies at a quantile of requests that arrive at random: times between tokens, and waits for a prefill."""

from __future__ import annotations

from functools import partial

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.serving.step import FORM, SLOPE, itl
from flopsheet.planning.written_lines import lines_from

QUANTILES = (
    "Requests under way as a birth-death process whose steps grow with the batch, lognormal; checked by simulation"
)


def _at_quantile(name: str, batch: str, mean: str) -> tuple[Line, ...]:
    """Return lines up to the factor by which the quantile of the time between tokens is above its mean at a batch.

    Requests arrive at random, at the rate of that batch less the headroom. Each one under way makes steps longer, so
    their number has the mean and variance of a negative binomial distribution.
    """
    fill_slots = partial(compose.fill, NAME=name, BATCH=batch, MEAN=mean)
    return (
        Line(
            f"{name}_growing",
            fill_slots("decodes * BATCH * token_batch_seconds / (max(MEAN, 1 / 1000000) * (1 + headroom))"),
            "share",
            title=f"{name.title()} batch: share of a step that grows with the batch, less headroom",
            source=QUANTILES,
        ),
        Line(
            f"{name}_mean_batch",
            fill_slots("(MEAN / token_batch_seconds - BATCH + 1) * NAME_growing / (1 - NAME_growing)"),
            "sequences",
            title=f"{name.title()} batch: requests under way at the peak",
            source=QUANTILES,
        ),
        Line(
            f"{name}_mean_itl",
            fill_slots("MEAN + (NAME_mean_batch - BATCH) * token_batch_seconds"),
            "s",
            title=f"{name.title()} batch: time between tokens at the peak",
            source=QUANTILES,
        ),
        Line(
            f"{name}_variance",
            fill_slots(
                "log(1 + power(token_batch_seconds / max(NAME_mean_itl, 1 / 1000000), 2) * NAME_mean_batch"
                " / ((1 - NAME_growing) * (1 - NAME_growing * shared_prefill_seconds / token_batch_seconds)))"
            ),
            "ratio",
            title=f"{name.title()} batch: variance of the logarithm of the time between tokens",
            source=QUANTILES,
        ),
        Line(
            f"{name}_factor",
            fill_slots(
                "NAME_mean_itl / max(MEAN, 1 / 1000000)"
                " * exp(latency_spread * power(NAME_variance, 1 / 2) - NAME_variance / 2) if decodes else 1"
            ),
            "ratio",
            title=f"{name.title()} batch: quantile of the time between tokens over its mean",
            source=QUANTILES,
        ),
    )


def _toward(name: str, batch: str, result: str) -> tuple[Line, ...]:
    """Return lines up to a batch whose quantile is nearer to the target than that of another one."""
    slope = compose.substitute(SLOPE, {"sequences": batch})
    step = "max(BATCH - (NAME_itl - itl_target_ms / 1000 / NAME_factor) / NAME_itl_slope, 1)"
    return (
        Line(f"{name}_itl", itl(batch), "s", title=f"{name.title()} batch: time between tokens", source=FORM),
        Line(f"{name}_itl_slope", slope, "s", title=f"{name.title()} batch: time per further sequence", source=FORM),
        *_at_quantile(name, batch, f"{name}_itl"),
        Line(
            result,
            compose.fill(step, BATCH=batch, NAME=name),
            "sequences",
            title=f"Batch whose mean is as far below the target as the quantile is above the mean, from the {name} one",
            source="Newton's method",
        ),
    )


TARGET_BATCH = (
    *lines_from(__package__, "quantiles.toml", "latency_spread"),
    *_toward("nearest", "batch_nearest", "batch_closer"),
    *_toward("closer", "batch_closer", "batch_closest"),
    *lines_from(__package__, "quantiles.toml", "batch_on_average"),
)
"""Lines up to the batch whose quantile is at the target, after the batch of the mean."""

AT_QUANTILE = (
    *lines_from(__package__, "quantiles.toml", "quantile_load"),
    *_at_quantile("served", "served_batch", "itl_seconds"),
    *lines_from(__package__, "quantiles.toml", "itl_at_quantile", quantiles=QUANTILES),
)
"""Latencies that are held against the targets, after the means."""
