"""Which accelerators there are: what each would compute in the plan's window, and what that would cost."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.planning.catalog import Accelerator, accelerators, at_price_kind, price_kinds
from flopsheet.planning.question import CASES_TABLE, Link, Question, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.catalog.lines import DRAWN_LINES, PART_LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("on_demand", "reserved", "spot")
"""The kinds of price that are shown."""


def _price(accelerator: Accelerator, kind: str) -> float:
    """Return the price of a kind, 0 where the catalog has none."""
    return at_price_kind(accelerator, price_kinds()[kind]).price_base or 0


def _cite_sources(accelerator: Accelerator) -> str:
    """Return where the numbers of an accelerator are from."""
    price = (
        f"{accelerator.price_source} ({accelerator.price_date})" if accelerator.price_source else "no price is known"
    )
    return (
        f"{accelerator.title}: on demand, {price}. Peak, memory and power: {accelerator.source} ({accelerator.date})."
    )


LARGE = 64
"""GB of memory from which an accelerator is drawn: large models are trained on these."""


def _parts(parts: Sequence[Accelerator]) -> Rows:
    """Return the accelerators as rows."""
    return Rows(
        "part",
        "Accelerator",
        values=tuple(
            {
                "part": place,
                "part_year": part.year,
                "part_peak": part.peak_tflops,
                "part_fp8": part.fp8_tflops or 0,
                "part_memory": part.memory_gb,
                "part_bandwidth": part.bandwidth_tbs,
                "part_power": part.tdp_w or 0,
                **{f"part_{kind}": _price(part, kind) for kind in KINDS},
            }
            for place, part in enumerate(parts, start=1)
        ),
        labels=tuple(part.title for part in parts),
    )


def _chart_rows(parts: Sequence[Accelerator]) -> Rows:
    """Return the large accelerators that have a price, the cheapest FLOP first at any MFU."""
    places = sorted(
        (_price(part, "reserved") / part.peak_tflops, place, part.title)
        for place, part in enumerate(parts, start=1)
        if part.memory_gb >= LARGE and _price(part, "on_demand")
    )
    return Rows(
        "part",
        "Accelerator",
        values=tuple({"part": place} for _, place, _ in places),
        labels=tuple(title for *_, title in places),
    )


QUESTION = question_from(
    __name__,
    (
        Table(
            "accelerator_catalog",
            "Accelerators",
            PART_LINES,
            links=(
                Link("plan_flop", CASES_TABLE, "budget_flop", title="FLOP budget of the plan"),
                Link("plan_rate", CASES_TABLE, "flops_per_accelerator", title="FLOP/s of the plan's accelerators"),
            ),
        ),
        Table(
            "drawn_accelerators",
            f"In the chart: {LARGE} GB or more, with a price",
            DRAWN_LINES,
            links=(
                Link("demanded_price", "accelerator_catalog", "demand_price", title="Price of compute, on demand"),
                Link("contracted_price", "accelerator_catalog", "contract_price", title="Price of compute, reserved"),
            ),
        ),
    ),
)


@cache
def at_prices(day: str) -> Question:
    """Return the question with the accelerators at the prices that were known on a day."""
    parts = tuple(accelerators(day).values())
    rows = {"accelerator_catalog": _parts(parts), "drawn_accelerators": _chart_rows(parts)}
    return replace(
        QUESTION,
        tables=tuple(table._replace(rows=(rows[table.name],)) for table in QUESTION.tables),
        sheet={**QUESTION.sheet, "notes": [*QUESTION.sheet["notes"], *map(_cite_sources, parts)]},
    )
