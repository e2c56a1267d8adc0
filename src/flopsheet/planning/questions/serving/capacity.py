"""Replicas for a demand, what they cost, and what a million tokens cost."""

from functools import partial

from flopsheet.accounting.formula.compose import fill, times
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

in_month = partial(fill, HOURS="24 * month_days", SECONDS="3600 * 24 * month_days")
"""Returns a formula with the hours and seconds of a month."""
DEMAND = "Requests × peak to mean × (1 + headroom)"


def capacity(requests: str, prefix: str = "") -> tuple[Line, ...]:
    """Return the lines from mean requests per second to accelerators; `prefix` starts their names."""
    accelerators = f"{prefix}accelerators" if prefix else "serving_accelerators"
    fill_slots = partial(fill, PREFIX=prefix.removesuffix("_"))
    return (
        Line(
            f"{prefix}peak_requests",
            times(requests, "peak_to_mean"),
            "requests/s",
            title="Requests at the peak",
            source="Mean × peak to mean",
        ),
        Line(
            f"{prefix}replicas_needed",
            fill_slots(
                "ceil(PREFIX_peak_requests * (1 + headroom) / replica_requests) + redundancy if replica_requests else 0"
            ),
            "replicas",
            title="Replicas needed",
            about="For the peak with headroom, plus those that may fail; 0 where nothing fits",
            source=DEMAND,
        ),
        Line(
            f"{prefix}replicas",
            fill_slots("fixed_replicas if fixed_replicas > 0 else PREFIX_replicas_needed"),
            "replicas",
            title="Replicas",
            about="As demand needs, or as typed",
            source="Input fixed_replicas",
        ),
        Line(
            f"{prefix}prefill_accelerators",
            fill_slots(
                "max(least_prefill, decodes * disaggregated * served_tensor"
                " * ceil(PREFIX_peak_requests * (1 + headroom) * prompt_accelerator_seconds / served_tensor))"
            ),
            "accelerators",
            title="Accelerators for prefill alone",
            about="As many as hold the weights, or more; 0 where replicas do both",
            source=DEMAND,
        ),
        Line(
            accelerators,
            fill_slots("PREFIX_replicas * replica_size + PREFIX_prefill_accelerators"),
            "accelerators",
            title="Accelerators",
            source="Replicas × accelerators of a replica",
        ),
        *paid_lines(accelerators, prefix or "serving_", requests),
        Line(
            f"{prefix}cost" if prefix else "serving_cost_per_month",
            in_month(
                "((PAID - BEYOND) * price_per_hour + BEYOND * peak_price) * HOURS",
                PAID=f"{prefix or 'serving_'}paid",
                BEYOND=f"{prefix or 'serving_'}beyond",
            ),
            "USD",
            title="Cost per month",
            source="Accelerators × hours × price; those on demand at theirs",
        ),
    )


def paid_lines(accelerators: str, prefix: str, requests: str) -> tuple[Line, ...]:
    """Return the lines of what a month pays for on average: all of the peak, or a reserved base and peaks on demand.

    Demand is at its peak in some of the hours, and in the others at what makes the mean.
    """
    fill_slots = partial(fill, COUNT=accelerators, PREFIX=prefix.removesuffix("_"), REQUESTS=requests)
    return (
        Line(
            f"{prefix}mean_used",
            fill_slots(
                "serving_mean_accelerators * REQUESTS / mean_requests"
                " if serving_mean_accelerators > 0 else COUNT / peak_to_mean"
            ),
            "accelerators",
            title="Accelerators in use on average",
            source="Input serving_mean_accelerators, grown as requests do, else those of the peak / peak to mean",
        ),
        Line(
            f"{prefix}quiet_used",
            fill_slots("max((PREFIX_mean_used - peak_hours_share * COUNT) / (1 - peak_hours_share), 0)"),
            "accelerators",
            title="Accelerators in use beside the peak",
            source="What makes the mean with the peak in its share of hours",
        ),
        Line(
            f"{prefix}quiet_beyond",
            fill_slots("(1 - peak_hours_share) * max(PREFIX_quiet_used - serving_reserved, 0)"),
            "accelerators",
            title="Beyond the base beside the peak, on average",
            source="In use beside the peak - reserved, in its share of hours",
        ),
        Line(
            f"{prefix}beyond",
            fill_slots(
                "peak_hours_share * max(COUNT - serving_reserved, 0) + PREFIX_quiet_beyond"
                " if serving_reserved * COUNT > 0 else 0"
            ),
            "accelerators",
            title="Accelerators on demand, on average",
            about="0: all of the peak is kept at the plan's price",
            source="In use beyond serving_reserved, at the peak and beside it",
        ),
        Line(
            f"{prefix}paid",
            fill_slots("serving_reserved + PREFIX_beyond if serving_reserved * COUNT > 0 else COUNT"),
            "accelerators",
            title="Accelerators that are paid for, on average",
            about="A reservation is paid for whether used or not",
            source="Reserved + on demand; without a reservation all of the peak",
        ),
    )


REQUESTS = lines_from(__package__, "capacity.toml", "requests")

COST = lines_from(
    __package__,
    "capacity.toml",
    "cost",
    {
        "monthly_input_tokens": in_month("mean_requests * SECONDS * input_tokens"),
        "monthly_output_tokens": in_month("mean_requests * SECONDS * written_tokens"),
        "serving_energy_per_month": in_month(
            "serving_accelerators * tdp_w * server_power_factor * draw_fraction * pue / 1000 * HOURS"
        ),
    },
)

CAPACITY = (*REQUESTS, *capacity("mean_requests"), *COST)
"""Lines of one model for the plan's demand, after those of its decode steps."""
