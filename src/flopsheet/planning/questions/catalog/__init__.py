"""Which accelerators there are: what each would compute in the plan's window, and what that would cost."""

from __future__ import annotations

from flopsheet.planning.catalog import Accelerator, accelerators, price_kinds, priced
from flopsheet.planning.inputs import sheet_from
from flopsheet.planning.question import CASES_TABLE, Link, Question, Rows, Table
from flopsheet.planning.questions.catalog.lines import DRAWN_LINES, PART_LINES

KINDS = ("on_demand", "reserved", "spot")
"""The kinds of price that are shown."""
LISTED = tuple(accelerators().values())


def _price(one: Accelerator, kind: str) -> float:
    """Return the price of a kind, 0 where the catalog has none."""
    return priced(one, price_kinds()[kind]).price_base or 0


def _said(one: Accelerator) -> str:
    """Return where the numbers of an accelerator are from."""
    price = f"{one.price_source} ({one.price_date})" if one.price_source else "no price is known"
    return f"{one.title}: on demand, {price}. Peak, memory and power: {one.source} ({one.date})."


PARTS = Rows(
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
        for place, one in enumerate(LISTED, start=1)
    ),
    labels=tuple(one.title for one in LISTED),
)

LARGE = 64
"""GB of memory from which an accelerator is drawn: large models are trained on these."""


def _drawn() -> Rows:
    """Return the large accelerators that have a price, the cheapest FLOP first at any MFU."""
    priced_parts = [
        (_price(one, "reserved") / one.peak_tflops, place, one.title)
        for place, one in enumerate(LISTED, start=1)
        if one.memory_gb >= LARGE and _price(one, "on_demand")
    ]
    places = sorted(priced_parts)
    return PARTS._replace(
        values=tuple({"part": place} for _, place, _ in places), labels=tuple(title for *_, title in places)
    )


_sheet = sheet_from(__name__)
_sheet["notes"] += [_said(one) for one in LISTED]

QUESTION = Question(
    name="catalog",
    title="Which accelerators could we use, and what would each cost?",
    about="The catalog's accelerators with their prices, in this plan's window and at its MFU.",
    tables=(
        Table(
            "accelerator_catalog",
            "Accelerators",
            PART_LINES,
            (PARTS,),
            (
                Link("plan_flop", CASES_TABLE, "budget_flop", title="FLOP budget of the plan"),
                Link("plan_rate", CASES_TABLE, "flops_per_accelerator", title="FLOP/s of the plan's accelerators"),
            ),
        ),
        Table(
            "drawn_accelerators",
            f"In the chart: {LARGE} GB or more, with a price",
            DRAWN_LINES,
            (_drawn(),),
            (
                Link("demanded_price", "accelerator_catalog", "demand_price", title="Price of compute, on demand"),
                Link("contracted_price", "accelerator_catalog", "contract_price", title="Price of compute, reserved"),
            ),
        ),
    ),
    sheet=_sheet,
    optional=True,
)
