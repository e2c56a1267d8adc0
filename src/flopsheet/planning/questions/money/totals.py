"""What a program comes to over its months: every line of a month that adds up."""

from typing import NamedTuple

from flopsheet.accounting.line import Line
from flopsheet.planning.question import Link


class Total(NamedTuple):
    """A line of the months, and what its sum over a program is called."""

    of: str
    unit: str
    title: str
    name: str = ""

    @property
    def line(self) -> Line:
        """The line of a program."""
        return Line(self.name or self.of + "_total", self.of + "_sum", self.unit, title=self.title, source="Months")

    @property
    def link(self) -> Link:
        """The sum that the line is."""
        return Link(self.of + "_sum", "programme_monthly", self.of, "sum", self.title)


TOTALS = (
    Total("need", "GPU-h", "Accelerator-hours needed"),
    Total("reserved_used", "GPU-h", "Reserved hours used", "reserved_total"),
    Total("unused", "GPU-h", "Reserved hours not used"),
    Total("owned_used", "GPU-h", "Owned hours used", "owned_total"),
    Total("on_demand", "GPU-h", "Hours on demand"),
    Total("spot", "GPU-h", "Hours on spot"),
    Total("shortfall", "GPU-h", "Shortfall"),
    Total("rent_on_demand", "USD", "Rent on demand"),
    Total("rent_reserved", "USD", "Rent of the reservation"),
    Total("rent_spot", "USD", "Rent on spot"),
    Total("rent", "USD", "Rent"),
    Total("purchase", "USD", "Purchase"),
    Total("electricity", "USD", "Electricity", "power_total"),
    Total("colocation", "USD", "Colocation"),
    Total("support", "USD", "Support"),
    Total("facility", "USD", "Electricity, colocation, support"),
    Total("storage", "USD", "Storage"),
    Total("network", "USD", "Network"),
    Total("staff", "USD", "Staff"),
    Total("services", "USD", "Storage and network"),
    Total("contingency", "USD", "Contingency"),
    Total("disposal", "USD", "Sale of owned accelerators"),
    Total("cash", "USD", "Cash"),
    Total("present_cash", "USD", "Present value of the cash", "present_total"),
    Total("depreciation", "USD", "Depreciation"),
    Total("loss_on_sale", "USD", "Loss on a sale"),
    Total("expense", "USD", "Expense"),
    Total("run_cash", "USD", "Cash of the final run alone", "run_cash"),
    Total("held", "GPU-h", "Hours held"),
    Total("run_beyond", "GPU-h", "Hours of the final run alone, beyond what is held"),
)
"""In the order of a timeline: hours, rent, what is owned, what it takes besides, cash, books."""
