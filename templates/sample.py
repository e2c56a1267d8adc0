"""The plan that the shipped template shows: a working sample, so that it calculates and its charts have something."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.configs.portfolio import read_portfolio
from flopsheet.export.binding.template import read_template
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.host.host import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.plan import make_plan
from flopsheet.spreadsheet.engine import Fill, fill

if TYPE_CHECKING:
    from flopsheet.export.workbook.architecture_table import ArchitectureTable

PORTFOLIO = Path(__file__).resolve().parent / "sample.toml"
RULES = ("kaplan_parameters",)
"""Rules of thumb that the sample shows."""
GENERIC = ("provenance",)
"""Lists whose sample rows stand as they are laid out: they tell of versions and files."""


@dataclass(frozen=True)
class Sample(PlanFiller):
    """The sample plan in the template as it is laid out."""

    @cached_property
    def architectures(self) -> list[ArchitectureTable]:
        """The table of workings of the sample's models, with a few rules."""
        found = super().architectures
        return [replace(one, rules=[rule for rule in one.rules if rule.rule.name in RULES]) for one in found]


def write_sample(template_bytes: bytes, path: Path) -> None:
    """Fill the template that is laid out with the sample; its markers stay."""
    host = load()
    portfolio = read_portfolio(host, PORTFOLIO)
    plan = make_plan(host, cost_all(host, portfolio.models), [portfolio])
    filler = Sample(plan, read_template(template_bytes), template_bytes, path.name)
    tables = {name: table for name, table in filler.tables().items() if name not in GENERIC}
    names = filler.book.evaluated(filler.named.values, "")
    asked = Fill(tables, names, filler.clones, filler.named.new_names(), prototypes=filler.prototypes)
    fill(template_bytes, asked, path)
