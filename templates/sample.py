"""The plan that the shipped template shows: a working sample, so that it calculates and its charts have something."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.configs.portfolio import read_portfolio
from flopsheet.export.binding.template import read_template
from flopsheet.export.workbook.shipped import Shipped
from flopsheet.host.host import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.plan import make_plan
from flopsheet.spreadsheet.engine import Fill, fill

if TYPE_CHECKING:
    from flopsheet.export.workbook.shape import Shape

PORTFOLIO = Path(__file__).resolve().parent / "sample.toml"
RULES = ("kaplan_parameters",)
"""Rules of thumb that the sample shows."""
GENERIC = ("provenance",)
"""Lists whose sample rows stand as they are laid out: they tell of versions and files."""


@dataclass(frozen=True)
class Sample(Shipped):
    """The sample plan in the template as it is laid out."""

    @cached_property
    def shapes(self) -> list[Shape]:
        """The table of workings of the sample's models, with a few rules."""
        found = super().shapes
        return [replace(one, rules=[rule for rule in one.rules if rule.rule.name in RULES]) for one in found]


def write_sample(laid_out: bytes, path: Path) -> None:
    """Fill the template that is laid out with the sample; its markers stay."""
    host = load()
    portfolio = read_portfolio(host, PORTFOLIO)
    plan = make_plan(host, cost_all(host, portfolio.models), [portfolio])
    shipped = Sample(plan, read_template(laid_out), laid_out, path.name)
    tables = {name: table for name, table in shipped.tables().items() if name not in GENERIC}
    names = shipped.book.settled(shipped.named.values, "")
    asked = Fill(tables, names, shipped.clones, shipped.named.new_names(), prototypes=shipped.prototypes)
    fill(laid_out, asked, path)
