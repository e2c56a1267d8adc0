"""A private cluster: an accelerator that no cloud lists, and the contract price of one that they do."""

from dataclasses import replace

from flopsheet import Price, accelerators, hookimpl

CAPPED = replace(
    accelerators()["h100-sxm"],
    name="our-h100-500w",
    title="H100 SXM, capped at 500 W",
    tdp_w=500,
    peak_tflops=840,
    source="Our data center: power cap and measured clocks",
    date="2026-10-01",
    memory_fields=(),
)
CONTRACT = Price(
    accelerator="h100-sxm",
    kind="reserved",
    low=1.6,
    base=1.65,
    high=1.8,
    source="Framework contract 2026-17",
    date="2026-09-30",
)
CAPPED_PRICES = [replace(CONTRACT, accelerator=CAPPED.name, kind=kind) for kind in ("on_demand", "reserved")]

flopsheet_accelerators = hookimpl(lambda: [CAPPED])
flopsheet_prices = hookimpl(lambda: [CONTRACT, *CAPPED_PRICES])
