"""Formats of reports that plugins bring, each by the suffix of an output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.errors import PluginError
from flopsheet.export.files import FORMATS
from flopsheet.export.notebook import PlanResult
from flopsheet.host.shelter import sheltered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from flopsheet.export.files import Writer
    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Exporter:
    """A format of reports: the suffix of its files, such as `.parquet`, what people call it, and what writes one.

    `write` gets the plan as `flopsheet.plan` returns it, and the path that it is to write.
    """

    suffix: str
    title: str
    write: Callable[[PlanResult, Path], None]


def formats_for(host: Host, outputs: Iterable[Path]) -> Mapping[str, str]:
    """Return what outputs can be, by suffix; plugins are asked where one is no format of flopsheet's own."""
    if all(output.suffix.lower() in FORMATS for output in outputs):
        return FORMATS
    return {**FORMATS, **{suffix: one.title for suffix, one in _exporters(host).items()}}


def writer_of(host: Host, suffix: str, plan: Plan) -> Writer | None:
    """Return what writes a plan in a plugin's format; None for a suffix that no plugin has."""
    exporter = None if suffix in FORMATS else _exporters(host).get(suffix)
    if exporter is None:
        return None

    def write(path: Path) -> None:
        try:
            sheltered(lambda: exporter.write(PlanResult(plan), path), exporter.title)
        except PluginError as error:
            raise PluginError(f"{exporter.title} cannot be written: {error}") from None

    return write


def _exporters(host: Host) -> dict[str, Exporter]:
    return host.named("flopsheet_exporters", Exporter, FORMATS, "suffix")
