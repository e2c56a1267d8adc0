"""What an accelerator of the catalog would compute in the plan's window, and what that would cost."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

PRICED = "Price of an hour / what an hour computes"
UNKNOWN = "0: no price is known"
RATE = "part_peak * plan_rate / peak_tflops * goodput"
"""FLOP/s of one accelerator that end up in the model, at the MFU of the plan's own."""


def _zflop_price(name: str, price: str, title: str) -> Line:
    return Line(
        name,
        fill("PRICE * 1000000000000 * 1000000000 / (RATE * 3600)", PRICE=price, RATE=RATE),
        "USD/ZFLOP",
        title=title,
        about=f"What 1e21 FLOP that end up in the model cost. {UNKNOWN}",
        source=PRICED,
    )


PART_LINES = (
    *lines_from(__package__, "lines.toml", "part_rate", {"part_rate": RATE}),
    _zflop_price("demand_price", "part_on_demand", "Price of compute, on demand"),
    _zflop_price("contract_price", "part_reserved", "Price of compute, reserved"),
    *lines_from(__package__, "lines.toml", "part_cost"),
)
"""One row per accelerator."""

DRAWN_LINES = (
    Line("drawn_demand", "demanded_price", "USD/ZFLOP", title="On demand", source=PRICED),
    Line("drawn_contract", "contracted_price", "USD/ZFLOP", title="Reserved", source=PRICED),
)
"""One row per accelerator of the chart."""
