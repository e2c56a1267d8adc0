"""Checks of the formats that a plugin writes: one file, alike each time, and the same file of parts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.errors import PluginError
from flopsheet.export.exporters import Exporter, exporter_of, run_step
from flopsheet.export.notebook import PlanResult
from flopsheet.kit.findings import AbsentError, Finding
from flopsheet.kit.plan_checks import MODELS, small_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.kit.subject import Subject
    from flopsheet.planning.plan import Plan

PART = "part"
"""What a folder is parted by where no column is asked for."""


class Trial(Struct, frozen=True):
    """One way in which a format is written: what people call it, what writes to a path, and what to do if it fails."""

    name: str
    write: Callable[[Path], None]
    remedy: str
    into: bool = False


class Parts:
    """Parts as a batch hands them over: they can be gone through, several times, and nothing else."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        """Keep the parts."""
        self._parts = tuple(parts)

    def __iter__(self) -> Iterator[bytes]:
        """Go through them from the first."""
        return iter(self._parts)


def exports(subject: Subject) -> Iterator[Finding]:
    """Find exporters that cannot write a small report, write it elsewhere, or other bytes another time or of parts."""
    offers = subject.host.ask_all("flopsheet_exporters", Exporter)
    results = [exporter for plugin, items in offers if plugin == subject.plugin for exporter in items]
    if not results:
        raise AbsentError("it writes no format")
    plan = small_plan(subject, of=MODELS)
    pieces = [small_plan(subject, of=(model,)) for model in MODELS]
    for exporter in results:
        if exporter_of(subject.host, exporter.suffix) is exporter:  # else refused, as `declared` says
            yield from _try_exporter(exporter, plan, pieces)


def _try_exporter(exporter: Exporter, plan: Plan, pieces: Iterable[Plan]) -> Iterator[Finding]:
    where = f"exporter {exporter.suffix}"
    if (exporter.part is None) != (exporter.whole is None) or (exporter.folder and not exporter.whole):
        yield Finding(where, "part and whole belong together, and folder needs both: it is not used", "give all")
    text = "let write(result, path) write any plan that flopsheet.plan returns"
    contents: list[dict[str, bytes]] = []
    for trial in (Trial("", lambda path: exporter.write(PlanResult(plan), path), text), *_of_parts(exporter, pieces)):
        findings, content = _twice(exporter, trial)
        yield from (replace(finding, where=f"{where}{trial.name}") for finding in findings)
        contents += [] if trial.into else [content]
    if len(contents) > 1 and all(contents) and contents[0] != contents[1]:
        what = "of parts it writes another file than of the whole plan"
        yield Finding(
            where, what, "let whole(parts, path) write what write(result, path) does, of any number of models"
        )


def _of_parts(exporter: Exporter, pieces: Iterable[Plan]) -> Iterator[Trial]:
    """Give the ways in which a format is written of parts, made again each time."""
    part, whole, folder = exporter.part, exporter.whole, exporter.folder
    if part is None or whole is None:
        return

    def parts() -> Parts:
        results = [part(PlanResult(plan)) for plan in pieces]
        if wrong := next((result for result in results if not isinstance(result, bytes)), None):
            raise PluginError(f"part gives {type(wrong).__name__}: bytes are expected")
        return Parts(results)

    text = "let part(result) give bytes, and whole(parts, path) go through them as often as it likes"
    yield Trial(" of parts", lambda path: whole(parts(), path), text)
    if folder:
        text = "let folder(parts, path, by) write files into the folder"
        yield Trial(" as a folder", lambda path: folder(parts(), path, PART), text, into=True)


def _twice(exporter: Exporter, trial: Trial) -> tuple[list[Finding], dict[str, bytes]]:
    """Return what is wrong with a format that is written two times, and what it wrote, by file."""
    contents: list[dict[str, bytes]] = []
    for _ in range(2):
        with TemporaryDirectory(prefix="flopsheet-") as folder:
            path = Path(folder) / f"report{exporter.suffix}"
            if trial.into:
                path.mkdir()
            try:
                run_step(exporter, partial(trial.write, path))
            except PluginError as error:
                return [Finding("", str(error), trial.remedy)], {}
            if elsewhere := _elsewhere(path, into=trial.into):
                return [Finding("", elsewhere, "write the path that it is given, and no other")], {}
            files = [file for file in sorted(path.rglob("*")) if file.is_file()] if trial.into else [path]
            contents.append({file.relative_to(folder).as_posix(): file.read_bytes() for file in files})
    return list(_differing(*contents)), contents[0]


def _elsewhere(path: Path, *, into: bool) -> str:
    """Say what was written in place of a path, nothing where that alone was, as a file or `into` it as a folder."""
    files = [f"{file.name}{'/' if file.is_dir() else ''}" for file in sorted(path.parent.iterdir())]
    name = f"{path.name}{'/' if into else ''}"
    return "" if files == [name] else f"it writes {', '.join(files) or 'no file'} in place of {name}"


def _differing(first: dict[str, bytes], second: dict[str, bytes]) -> Iterator[Finding]:
    if first != second:
        remedy = "write no time of day, and sort what is unordered"
        yield Finding("", "it writes other bytes the second time", remedy)
    if not any(first.values()):
        yield Finding("", "it writes an empty file", "write the plan")
