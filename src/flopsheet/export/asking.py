"""Ask every plugin for everything that only plans and reports need, so that its faults are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.configs.quantized import WeightFormat
from flopsheet.configs.readers import OWN, Reader
from flopsheet.export.exporters import Exporter
from flopsheet.export.files import FORMATS
from flopsheet.planning.catalog import catalog
from flopsheet.planning.registry import questions

if TYPE_CHECKING:
    from flopsheet.host.host import Host


def ask_everything(host: Host) -> None:
    """Ask for prices, laws, questions and formats; what is wrong with an answer stands in the host's failures."""
    catalog(host)
    questions(host)
    host.optimizers()
    host.ask_all("flopsheet_weight_formats", WeightFormat)
    host.named("flopsheet_exporters", Exporter, FORMATS, "suffix")
    host.named("flopsheet_readers", Reader, OWN, "suffix")
