"""Observed prices of a test's own, beside those of the catalog or in their place."""

import sys
from contextlib import contextmanager

import pytest

from flopsheet.planning.datafiles import data_rows, data_value

COLLECTED = "2026-11-21"
"""The day on which the few prices were collected."""


def price(kind, usd, date, accelerator="h100-sxm", **words):
    """Return a row of the data, of an H100 where nothing else is said."""
    said = {"provider": f"Provider of {usd}", "confidence": "read", "source": "a price list (example.org)"}
    return {"accelerator": accelerator, "kind": kind, "usd": usd, "date": date} | said | words


FEW = (
    *(price("on_demand", usd, "2026-09-17") for usd in (2.0, 3.0, 4.0, 5.0, 6.0)),
    price("reserved", 2.6, "2026-06-26", confidence="second hand"),
    price("reserved", 2.7, "2026-05-25", confidence="read, doubtful"),
    price("reserved", 2.8, "2026-08-26"),
    price("reserved", 4.5, "2026-05-25"),
    price("spot", 1.2, "2026-05-25"),
    price("spot", 2.0, "2026-09-17"),
    *(price("on_demand", usd, "2026-07-28", "a100-sxm-80gb") for usd in (1.0, 2.0, 3.0)),
    *(price("on_demand", usd, "2026", "a10") for usd in (1.0, 1.01)),
)
"""An H100 at 3, 4 and 5 on demand, 2.7 reserved and 1.6 on the spot; an A100 at 1, 2 and 3 on demand."""


@contextmanager
def observed(*more, rows=None):
    """Have rows beside those that there are, or beside others, as long as this lasts."""
    stated = [*(data_rows("observed_prices") if rows is None else rows), *more]
    day = data_value("observed_prices", "collected") if rows is None else COLLECTED
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("flopsheet.planning.prices.data_rows", lambda _: stated)
            patch.setattr("flopsheet.planning.prices.data_value", lambda *_: day)
            _forget()
            yield
    finally:
        _forget()


def _forget():
    """Clear what planning and the host remember, for prices are among it."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("flopsheet.planning", "flopsheet.host")):
            for value in list(vars(module).values()):
                getattr(value, "cache_clear", lambda: None)()
