"""Formats of reports that plugins bring, each by the suffix of an output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from flopsheet.configs.readers import wrong_suffix
from flopsheet.errors import PluginError
from flopsheet.export.files import FORMATS
from flopsheet.export.notebook import PlanResult
from flopsheet.host.shelter import shelter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from flopsheet.export.files import Writer
    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Exporter:
    """A format of reports: the suffix of its files, such as `.parquet`, what people call it, and what writes one.

    `write` gets the plan as `flopsheet.plan` returns it, and the path that it is to write. A format that large batches
    can have is also made of parts: `part` gives the bytes of a plan with some of the models, and `whole` gets all of
    them in order, which may be gone through several times, and the path. `folder` writes them as files into a folder,
    parted by `part` or a column. `module` is one that a format needs and not every machine has, and `install` what
    brings it, such as `flopsheet[sweep]`: without it the format is not written, and all others are.
    """

    suffix: str
    title: str
    write: Callable[[PlanResult, Path], None]
    part: Callable[[PlanResult], bytes] | None = None
    whole: Callable[[Iterable[bytes], Path], None] | None = None
    folder: Callable[[Iterable[bytes], Path, str], None] | None = None
    module: str = ""
    install: str = ""


def formats_for(host: Host, outputs: Iterable[Path]) -> Mapping[str, str]:
    """Return what outputs can be, by suffix; plugins are asked where one is no format of flopsheet's own."""
    if all(output.suffix.lower() in FORMATS for output in outputs):
        return FORMATS
    return {**FORMATS, **{suffix: exporter.title for suffix, exporter in exporters(host).items()}}


def missing_modules(host: Host, outputs: Iterable[Path]) -> dict[Path, str]:
    """Return why an output cannot be written on this machine, and what to install, for each that cannot."""
    from importlib.util import find_spec  # noqa: PLC0415 - few outputs are a plugin's

    result = {}
    for output in outputs:
        exporter = exporter_of(host, output.suffix.lower())
        if exporter and exporter.module and find_spec(exporter.module) is None:
            remedy = f"pip install '{exporter.install or exporter.module}'"
            result[output] = f"{output} is not written: {exporter.module} is not installed; {remedy}"
    return result


def exporter_of(host: Host, suffix: str) -> Exporter | None:
    """Return a plugin's format; None for a suffix that no plugin has, or that is flopsheet's own."""
    return None if suffix in FORMATS else exporters(host).get(suffix)


def writing_plugins(host: Host, outputs: Iterable[Path]) -> dict[Path, str]:
    """Return the plugin that writes an output, for each that is no format of flopsheet's own."""
    answers = host.ask_all("flopsheet_exporters", Exporter)
    result = {output: exporter_of(host, output.suffix.lower()) for output in outputs}
    plugins = {id(exporter): str(plugin) for plugin, items in answers for exporter in items}
    return {output: plugins[id(exporter)] for output, exporter in result.items() if exporter}


def writer_of(host: Host, suffix: str, plan: Plan) -> Writer | None:
    """Return what writes a plan in a plugin's format; None for a suffix that no plugin has."""
    exporter = exporter_of(host, suffix)
    if exporter is None:
        return None
    return lambda path: run_step(exporter, lambda: exporter.write(PlanResult(plan), path))


def run_step(exporter: Exporter, step: Callable[[], T]) -> T:
    """Return what a step of a format gives; PluginError names the format that failed."""
    try:
        return shelter(step, exporter.title)
    except PluginError as error:
        raise PluginError(f"{exporter.title} cannot be written: {error}") from None


def exporters(host: Host) -> dict[str, Exporter]:
    """Return the formats of plugins by suffix; one that no output can ask for is refused, with the reason."""
    return host.collect_named("flopsheet_exporters", Exporter, FORMATS, "suffix", _wrong)


def _wrong(exporter: Exporter) -> str:
    if exporter.module and not all(part.isidentifier() for part in exporter.module.split(".")):
        return f"module {exporter.module!r} is no name; expected that of a module, such as pyarrow.parquet"
    return wrong_suffix(exporter.suffix)
