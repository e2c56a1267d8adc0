"""Shipped templates as working samples: a plan that calculates, in charts that show it, until a report fills them."""

from __future__ import annotations

from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.export.shipped_templates import DEFAULT
from flopsheet.export.workbook.compose import laid_out
from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from livesheets import Fill, fill, read_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.export.shipped_templates import Shipped
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.host.host import Host

MODELS = "models.toml"
"""The portfolio with the models of every sample; one with a template's name has further inputs."""
RULES = ("kaplan_parameters",)
"""Rules of thumb that the sample shows."""
GENERIC = ("provenance",)
"""Lists of the default template whose sample rows are as they are laid out: they tell of versions and files."""


class Sample(PlanFiller, frozen=True, dict=True):
    """The sample plan in a template as it is laid out."""

    @cached_property
    def architectures(self) -> list[ArchitectureTable]:
        """The table of workings of the sample's models, with a few rules."""
        result = super().architectures
        return [replace(table, rules=[rule for rule in table.rules if rule.rule.name in RULES]) for table in result]


def write_sample(template: Shipped, path: Path) -> None:
    """Lay out a shipped template and fill it with its sample; its markers stay."""
    host = load()
    portfolios = list(_portfolios(host, template.name))
    models = [model for portfolio in portfolios for model in portfolio.models]
    base_plan = make_plan(host, cost_all(host, models), portfolios, questions=template.asks(()))
    plan = replace(base_plan, lead=template.lead)
    blank = laid_out(plan, template)
    filler = Sample(plan, read_template(blank), blank, path.name)
    generic = GENERIC if template.name == DEFAULT else ()
    tables = {name: table for name, table in filler.tables().items() if name not in generic}
    cells = {name: cell for name, cell in filler.named.values.items() if name in filler.template.names}
    names = filler.book.evaluate_cells(cells, "")
    request = Fill(tables, names, filler.clones, filler.named.new_names(), prototypes=filler.prototypes)
    fill(blank, request, path)


def sample_bytes(template: Shipped) -> bytes:
    """Return a shipped template with its sample."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{template.name}.xlsx"
        write_sample(template, path)
        return path.read_bytes()


def _portfolios(host: Host, template: str) -> Iterator[Portfolio]:
    """Give the portfolios of a template's sample, each known by the name of its file alone."""
    folder = files("flopsheet.export") / "samples"
    for name in (MODELS, f"{template}.toml"):
        if (folder / name).is_file():
            with as_file(folder / name) as file:
                yield replace(read_portfolio(host, file), path=name)
