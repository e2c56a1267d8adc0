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


def _price(one: Accelerator, kind: str) -> float:
    """Return the price of a kind, 0 where the catalog has none."""
    return at_price_kind(one, price_kinds()[kind]).price_base or 0


def _cite_sources(one: Accelerator) -> str:
    """Return where the numbers of an accelerator are from."""
    price = f"{one.price_source} ({one.price_date})" if one.price_source else "no price is known"
    return f"{one.title}: on demand, {price}. Peak, memory and power: {one.source} ({one.date})."


LARGE = 64
"""GB of memory from which an accelerator is drawn: large models are trained on these."""


def _parts(listed: Sequence[Accelerator]) -> Rows:
    """Return the accelerators as rows."""
    return Rows(
        "part",
        "Accelerator",
        values=tuple(
            {
                "part": place,
                "part_year": one.year,
                "part_peak": one.peak_tflops,
                "part_fp8": one.fp8_tflops or 0,
                "part_memory": one.memory_gb,
                "part_bandwidth": one.bandwidth_tbs,
                "part_power": one.tdp_w or 0,
                **{f"part_{kind}": _price(one, kind) for kind in KINDS},
            }
            for place, one in enumerate(listed, start=1)
        ),
        labels=tuple(one.title for one in listed),
    )


def _chart_rows(listed: Sequence[Accelerator]) -> Rows:
    """Return the large accelerators that have a price, the cheapest FLOP first at any MFU."""
    places = sorted(
        (_price(one, "reserved") / one.peak_tflops, place, one.title)
        for place, one in enumerate(listed, start=1)
        if one.memory_gb >= LARGE and _price(one, "on_demand")
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
    listed = tuple(accelerators(day).values())
    rows = {"accelerator_catalog": _parts(listed), "drawn_accelerators": _chart_rows(listed)}
    return replace(
        QUESTION,
        tables=tuple(table._replace(rows=(rows[table.name],)) for table in QUESTION.tables),
        sheet={**QUESTION.sheet, "notes": [*QUESTION.sheet["notes"], *map(_cite_sources, listed)]},
    )
