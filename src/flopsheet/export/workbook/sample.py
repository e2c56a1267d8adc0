"""Shipped templates as working samples: a plan that calculates, in charts that show it, until a report fills them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.export.shipped import DEFAULT
from flopsheet.export.workbook.compose import laid_out
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from livesheets import Fill, fill, read_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.export.shipped import Shipped
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.host.host import Host

MODELS = "models.toml"
"""The portfolio with the models of every sample; one with a template's name has further inputs."""
RULES = ("kaplan_parameters",)
"""Rules of thumb that the sample shows."""
GENERIC = ("provenance",)
"""Lists of the default template whose sample rows are as they are laid out: they tell of versions and files."""


@dataclass(frozen=True)
class Sample(PlanFiller):
    """The sample plan in a template as it is laid out."""

    @cached_property
    def architectures(self) -> list[ArchitectureTable]:
        """The table of workings of the sample's models, with a few rules."""
        result = super().architectures
        return [replace(one, rules=[rule for rule in one.rules if rule.rule.name in RULES]) for one in result]


def write_sample(shipped: Shipped, path: Path) -> None:
    """Lay out a shipped template and fill it with its sample; its markers stay."""
    host = load()
    portfolios = list(_portfolios(host, shipped.name))
    models = [model for portfolio in portfolios for model in portfolio.models]
    made = make_plan(host, cost_all(host, models), portfolios, questions=shipped.asks(()))
    plan = replace(made, lead=shipped.lead)
    laid = laid_out(plan, shipped)
    filler = Sample(plan, read_template(laid), laid, path.name)
    kept = GENERIC if shipped.name == DEFAULT else ()
    tables = {name: table for name, table in filler.tables().items() if name not in kept}
    known = {name: cell for name, cell in filler.named.values.items() if name in filler.template.names}
    names = filler.book.evaluate_cells(known, "")
    asked = Fill(tables, names, filler.clones, filler.named.new_names(), prototypes=filler.prototypes)
    fill(laid, asked, path)


def sample_bytes(shipped: Shipped) -> bytes:
    """Return a shipped template with its sample."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{shipped.name}.xlsx"
        write_sample(shipped, path)
        return path.read_bytes()


def _portfolios(host: Host, template: str) -> Iterator[Portfolio]:
    """Give the portfolios of a template's sample, each known by the name of its file alone."""
    folder = files("flopsheet.export") / "samples"
    for name in (MODELS, f"{template}.toml"):
        if (folder / name).is_file():
            with as_file(folder / name) as file:
                yield replace(read_portfolio(host, file), path=name)
